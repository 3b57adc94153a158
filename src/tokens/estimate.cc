#include "tokens/estimate.h"

#include <cstddef>

namespace pactdb::tokens {
namespace {

// In thousandths of a token. Fitted: all but the characters of two and of four bytes.
constexpr std::uint64_t kWord = 1060;       // a run of ASCII letters
constexpr std::uint64_t kLateLetter = 340;  // each after the sixth of a run
constexpr std::uint64_t kDigit = 1370;
constexpr std::uint64_t kMark = 240;  // any other ASCII character that can be seen
constexpr std::uint64_t kLineBreak = 2450;
constexpr std::uint64_t kIndent = 260;       // a run of blanks that is not one space
constexpr std::uint64_t kTwoBytes = 500;     // Latin with accents, Greek, Cyrillic, Arabic, ...
constexpr std::uint64_t kThreeBytes = 1070;  // Chinese, Japanese, Korean, Indic, arrows, lines
constexpr std::uint64_t kFourBytes = 2000;   // emoji
constexpr std::size_t kShortWord = 6;

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsBlank(char c) {
  return c == ' ' || c == '\t';
}

std::uint64_t WeightOf(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0xF0) return kFourBytes;
  if (byte >= 0xE0) return kThreeBytes;
  if (byte >= 0xC0) return kTwoBytes;
  if (byte >= 0x80 || byte == '\r') return 0;  // inside a character, or before a line break
  if (c == '\n') return kLineBreak;
  return c >= '0' && c <= '9' ? kDigit : kMark;
}

}  // namespace

std::uint64_t EstimateTokens(std::string_view text) {
  std::uint64_t weight = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    while (at < text.size() && IsLetter(text[at])) ++at;
    if (const std::size_t letters = at - start; letters > 0) {
      weight += kWord + (letters > kShortWord ? (letters - kShortWord) * kLateLetter : 0);
      continue;
    }
    while (at < text.size() && IsBlank(text[at])) ++at;
    if (at > start) {
      if (at - start > 1 || text[start] == '\t') weight += kIndent;
      continue;
    }
    weight += WeightOf(text[at++]);
  }
  return text.empty() ? 0 : weight / 1000 + (weight % 1000 != 0 || weight == 0 ? 1 : 0);
}

}  // namespace pactdb::tokens
