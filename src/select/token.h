// Tokens, for explain: what the lexer saw, where.
//
// Thread safety: values.
#pragma once

#include <cstdint>
#include <string_view>

namespace pactdb::select {

enum class TokenKind : std::uint8_t {
  kTime,     // @t-3, @history, ..
  kControl,  // @limit=5
  kRoot,     // ^seq
  kType,     // .block:summary
  kKey,      // #hero
  kTag,      // +featured
  kPseudo,   // :first
  kWord,
  kNumber,
  kString,
  kOperator,  // = != < <= > >= ~ * ? ?? >
  kPunctuation,
};

struct Token {
  TokenKind kind;
  std::uint32_t pos;  // byte offset
  std::string_view text;
};

std::string_view Name(TokenKind kind);

}  // namespace pactdb::select
