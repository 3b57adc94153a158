#include "select/fault.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "text/canonical.h"

namespace pactdb::select {
namespace {

bool IsContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80;
}

// Safe to print on one line: controls and, unless the whole is UTF-8, high bytes become '?'.
std::string Printable(std::string_view text) {
  const bool is_utf8 = IsValidUtf8(text);
  std::string out(text);
  for (char& byte : out) {
    const auto value = static_cast<unsigned char>(byte);
    if (value == '\t') {
      byte = ' ';
    } else if (value < 0x20 || value == 0x7f || (value >= 0x80 && !is_utf8)) {
      byte = '?';
    }
  }
  return out;
}

bool IsWordByte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' ||
         static_cast<unsigned char>(byte) >= 0x80;
}

// What stands at `pos`: a run of word bytes or one character.
std::string_view TokenAt(std::string_view text, std::size_t pos) {
  if (pos >= text.size()) return {};
  std::size_t end = pos + 1;
  if (IsWordByte(text[pos])) {
    while (end < text.size() && IsWordByte(text[end])) ++end;
  }
  return text.substr(pos, end - pos);
}

// Where the line begins that is shown of a fault at `pos`. A line feed in quotes begins none: half
// a string says something else than the whole.
std::size_t LineStart(std::string_view text, std::size_t pos) {
  std::size_t start = 0;
  char quote = 0;
  for (std::size_t i = 0; i < std::min(pos, text.size()); ++i) {
    const char byte = text[i];
    if (quote != 0) {
      if (byte == '\\') ++i;
      if (byte == quote) quote = 0;
    } else if (byte == '\'' || byte == '"') {
      quote = byte;
    } else if (byte == '\n') {
      start = i + 1;
    }
  }
  return start;
}

// Edits needed to turn one word into the other. Both are short: the caller bounds them.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::array<std::size_t, 32> row{};
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

Error MakeFault(ErrorCode code, std::string_view text, std::size_t pos, std::string_view reason) {
  const std::size_t start = LineStart(text, pos);
  const std::string_view line = text.substr(start, text.find('\n', pos) - start);
  const std::string shown = Printable(line);
  const auto column = static_cast<std::size_t>(
      std::count_if(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(pos - start),
                    [](char byte) { return !IsContinuation(byte); }));
  std::string message(reason);
  message += "\n  " + shown + "\n  " + std::string(column, ' ') + "^";
  return Error(code, std::move(message))
      .With("pos", static_cast<std::int64_t>(pos))
      .With("token", Printable(TokenAt(text, pos)));
}

std::string Suggestion(std::string_view wrong, std::span<const std::string_view> names,
                       std::string_view mark) {
  constexpr std::size_t kWordMax = 30;
  std::string_view nearest;
  std::size_t least = 3;  // more edits than two are no likeness
  if (wrong.size() > kWordMax) return {};
  for (const std::string_view name : names) {
    const std::size_t distance = Distance(wrong, name);
    if (distance >= least || distance >= name.size()) continue;
    least = distance;
    nearest = name;
  }
  if (nearest.empty()) return {};
  return ", did you mean '" + std::string(mark) + std::string(nearest) + "'?";
}

Error MakeLimitFault(std::string_view limit, std::int64_t max, std::string_view reason) {
  return Error(ErrorCode::kLimitExceeded, std::string(reason))
      .With("limit", limit)
      .With("max", max);
}

}  // namespace pactdb::select
