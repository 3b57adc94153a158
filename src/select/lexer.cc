#include "select/lexer.h"

#include <array>

#include "select/depth_set.h"

namespace pactdb::select {

std::string_view Name(TokenKind kind) {
  constexpr std::array<std::string_view, 12> kNames = {
      "time",   "control", "root",   "type",   "key",      "tag",
      "pseudo", "word",    "number", "string", "operator", "punctuation"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool Lexer::SkipBlanks() {
  const std::size_t start = pos_;
  while (pos_ < text_.size() && IsBlank(text_[pos_])) ++pos_;
  return pos_ > start;
}

char Lexer::PeekPastBlanks() const {
  std::size_t at = pos_;
  while (at < text_.size() && IsBlank(text_[at])) ++at;
  return at < text_.size() ? text_[at] : '\0';
}

bool Lexer::Accept(char c, TokenKind kind) {
  if (at_end() || text_[pos_] != c) return false;
  ++pos_;
  Note(kind, pos_ - 1);
  return true;
}

bool Lexer::AcceptText(std::string_view expected, TokenKind kind) {
  if (!text_.substr(pos_).starts_with(expected)) return false;
  const std::size_t start = pos_;
  pos_ += expected.size();
  Note(kind, start);
  return true;
}

std::string_view Lexer::TakeName(bool with_colons) {
  const std::size_t start = pos_;
  if (!IsLetter(Peek())) return {};
  while (!at_end() && (IsNameByte(text_[pos_]) || (with_colons && text_[pos_] == ':'))) ++pos_;
  return text_.substr(start, pos_ - start);
}

std::string_view Lexer::TakeKey() {
  const std::size_t start = pos_;
  while (!at_end()) {
    const char c = text_[pos_];
    const bool is_dot_before_digit = c == '.' && pos_ > start && IsDigit(Peek(1));
    if (!IsNameByte(c) && c != ':' && !is_dot_before_digit) break;
    ++pos_;
  }
  return text_.substr(start, pos_ - start);
}

std::string_view Lexer::TakeDigits() {
  const std::size_t start = pos_;
  while (IsDigit(Peek())) ++pos_;
  return text_.substr(start, pos_ - start);
}

std::string_view Lexer::TakeNumber() {
  const std::size_t start = pos_;
  const bool is_signed = Peek() == '-' || Peek() == '+';
  if (!IsDigit(Peek(is_signed ? 1 : 0))) return {};
  if (is_signed) ++pos_;
  TakeDigits();
  if (Peek() == '.' && IsDigit(Peek(1))) {
    ++pos_;
    TakeDigits();
  }
  return text_.substr(start, pos_ - start);
}

std::optional<std::string> Lexer::TakeString() {
  const std::size_t start = pos_;
  const char quote = text_[pos_++];
  std::string decoded;
  while (!at_end() && text_[pos_] != quote) {
    const char next = Peek(1);
    // Any other backslash is an ordinary character.
    if (text_[pos_] == '\\' && (next == '\\' || next == '\'' || next == '"')) ++pos_;
    decoded += text_[pos_++];
  }
  if (at_end()) {
    pos_ = start;
    return std::nullopt;
  }
  ++pos_;
  Note(TokenKind::kString, start);
  return decoded;
}

void Lexer::Note(TokenKind kind, std::size_t start) {
  if (tokens_ == nullptr) return;
  tokens_->push_back({kind, static_cast<std::uint32_t>(start), text_.substr(start, pos_ - start)});
}

std::int64_t SaturatingInteger(std::string_view digits) {
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t value = 0;
  for (const char digit : digits) {
    if (value >= kDepthMax / 10) {
      value = kDepthMax;
      break;
    }
    value = value * 10 + (digit - '0');
  }
  return negative ? -value : value;
}

}  // namespace pactdb::select
