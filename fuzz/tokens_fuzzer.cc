// Tokens of any bytes, UTF-8 or not: the tokens' bytes are the text again, a count is the number of
// ids, and the same twice. The first byte chooses the encoding.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "tokens/encoding.h"
#include "tokens/estimate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  PACTDB_CHECK((pactdb::tokens::EstimateTokens(text) == 0) == text.empty());
  const auto encoding =
      pactdb::tokens::Encoding::Find(data[0] % 2 == 0 ? "o200k_base" : "cl100k_base");
  if (!encoding) return 0;  // built without vocabularies
  std::vector<std::uint32_t> ids;
  (*encoding)->Encode(text, ids);
  PACTDB_CHECK((*encoding)->Count(text) == ids.size());
  PACTDB_CHECK((*encoding)->Count(text) == ids.size());  // what was remembered
  std::string again;
  for (const std::uint32_t id : ids) again += (*encoding)->vocabulary().Bytes(id);
  PACTDB_CHECK(again == text);
  return 0;
}
