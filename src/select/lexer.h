// Reads a selector piece by piece, as the parser asks.
//
// What a byte means depends on where it stands (`-1` is a number in a filter, a range in
// :depth(1-1) and part of a word in d-1), so there is no token stream made ahead: the parser says
// what it expects, the lexer takes it or leaves everything where it was. Tokens are noted only for
// explain.
//
// Thread safety: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "select/token.h"

namespace pactdb::select {

inline bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
inline bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
inline bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
// Inside a word, but for ':', which some words take and some do not.
inline bool IsNameByte(char c) {
  return IsLetter(c) || IsDigit(c) || c == '_' || c == '-';
}

class Lexer {
 public:
  // `tokens` may be null.
  Lexer(std::string_view text, std::vector<Token>* tokens) : text_(text), tokens_(tokens) {}

  std::string_view text() const { return text_; }
  std::size_t pos() const { return pos_; }
  bool at_end() const { return pos_ == text_.size(); }
  // '\0' past the end.
  char Peek(std::size_t ahead = 0) const {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }
  // True if there were any.
  bool SkipBlanks();
  // The first byte after the blanks, which stay.
  char PeekPastBlanks() const;
  void Rewind(std::size_t pos) { pos_ = pos; }

  // Takes the byte if it comes next.
  bool Accept(char c, TokenKind kind = TokenKind::kPunctuation);
  bool AcceptText(std::string_view expected, TokenKind kind);

  // [A-Za-z][A-Za-z0-9_-]*, with ':' inside if `with_colons`; empty if none comes.
  std::string_view TakeName(bool with_colons);
  // What may stand behind '#': [A-Za-z0-9_:-]+ and a '.' before a digit. Empty if none.
  std::string_view TakeKey();
  // Digits; empty if none.
  std::string_view TakeDigits();
  // [+-]digits[.digits]; empty if none.
  std::string_view TakeNumber();
  // A quoted string, decoded; nothing if it does not end. REQUIRES: a quote comes next.
  std::optional<std::string> TakeString();

  // Notes what was read from `start` up to here.
  void Note(TokenKind kind, std::size_t start);

 private:
  std::string_view text_;
  std::size_t pos_ = 0;
  std::vector<Token>* tokens_;
};

// The number, or the nearest of +-kDepthMax. REQUIRES: [+-]digits.
std::int64_t SaturatingInteger(std::string_view digits);

}  // namespace pactdb::select
