#include <pactdb/tokens.h>

#include "base/try.h"
#include "tokens/encoding.h"
#include "tokens/estimate.h"
#include "tokens/model.h"

namespace pactdb {

Result<Tokenizer> Tokenizer::Find(std::string_view encoding) {
  if (encoding == tokens::kEstimate) return Tokenizer(nullptr);
  PACTDB_TRY(const tokens::Encoding* found, tokens::Encoding::Find(encoding));
  return Tokenizer(found);
}

Result<Tokenizer> Tokenizer::ForModel(std::string_view model) {
  return Find(tokens::EncodingOfModel(model));
}

std::string_view Tokenizer::name() const {
  return is_exact() ? encoding_->name() : tokens::kEstimate;
}

std::uint64_t Tokenizer::Count(std::string_view text) const {
  return is_exact() ? encoding_->Count(text) : tokens::EstimateTokens(text);
}

}  // namespace pactdb
