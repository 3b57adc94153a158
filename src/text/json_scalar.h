// Strict reading of JSON strings and numbers, one token at a time.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/json.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pactdb {

// What is wrong with a token, and how many bytes into it.
struct TokenFault {
  const char* message;
  std::size_t offset;
  bool operator==(const TokenFault&) const = default;
};

// Appends the UTF-8 text that `body`, a string token without its quotes, stands for. A surrogate
// escape without its partner is a fault. REQUIRES: `body` is valid UTF-8 without control characters
// and unescaped quotes. After a fault `out` holds some prefix.
std::optional<TokenFault> AppendDecodedJsonString(std::string_view body, std::string& out);

// Appends the canonical bytes of a number token and tells its kind: kInteger for digits alone, of
// any length and kept exactly ("-0" is 0); kDouble for all else. A token outside the grammar of RFC
// 8259, or beyond the largest double, is a fault; one too small is 0.0 with its sign.
struct JsonNumber {
  Json::Kind kind;
  std::optional<TokenFault> fault;
};
JsonNumber AppendCanonicalNumber(std::string_view token, std::string& out);

}  // namespace pactdb
