// Counting text in tokens.
//
//   auto tokenizer = pactdb::Tokenizer::ForModel("gpt-4o");
//   if (tokenizer) used += tokenizer->Count("Hello");
//
// Exact for OpenAI's o200k_base and cl100k_base. Other models (Claude, Gemini) have no public
// tokenizer: "estimate" is an estimate and says so. Names that are special to models
// ("<|endoftext|>") count as the text they are.
//
// Thread safety: an immutable value; const calls from any thread.
#pragma once

#include <pactdb/error.h>

#include <cstdint>
#include <string_view>

namespace pactdb {

namespace tokens {
class Encoding;
}  // namespace tokens

class Tokenizer {
 public:
  // "o200k_base", "cl100k_base" or "estimate". kRequestInvalid if there is no such encoding, or the
  // library was built without its vocabulary; the message says how to get it.
  static Result<Tokenizer> Find(std::string_view encoding);
  // The tokenizer of a model, by its provider's name for it; "estimate" for all that is not known
  // to have a public one. Fails as Find does.
  static Result<Tokenizer> ForModel(std::string_view model);

  // The encoding's name.
  std::string_view name() const;
  bool is_exact() const { return encoding_ != nullptr; }

  // About linear in the text, whatever it is. Ten to a hundred megabytes a second.
  std::uint64_t Count(std::string_view text) const;

  bool operator==(const Tokenizer&) const = default;

 private:
  explicit Tokenizer(const tokens::Encoding* encoding) : encoding_(encoding) {}

  const tokens::Encoding* encoding_;  // null: estimates
};

}  // namespace pactdb
