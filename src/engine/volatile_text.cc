#include "engine/volatile_text.h"

#include <array>
#include <cstddef>

namespace pactdb {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsHex(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool IsWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// In a shape, 9 is a digit, x a hexadecimal one, ? a letter of a month's or day's name; anything
// else is itself.
struct Shape {
  std::string_view kind;
  std::string_view form;
};

constexpr std::array<Shape, 9> kShapes = {{
    {"a uuid", "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"},
    {"a date", "9999-99-99"},
    {"a date", "9999/99/99"},
    {"a date", "99/99/9999"},
    {"a date", "99.99.9999"},
    {"a time", "99:99:99"},
    {"a time", "99:99"},
    {"a time stamp", "1999999999999"},
    {"a time stamp", "1999999999"},
}};

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

bool Fits(std::string_view text, std::string_view form) {
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool fits = form[i] == '9'   ? IsDigit(text[i])
                      : form[i] == 'x' ? IsHex(text[i])
                                       : form[i] == text[i];
    if (!fits) return false;
  }
  return text.size() == form.size() || !IsWord(text[form.size()]);
}

// "May 5", "December 24, 2026", "Dec 24": a name, whole or by its first three letters, and a day.
std::size_t MonthBytes(std::string_view text) {
  for (const std::string_view month : kMonths) {
    for (const std::size_t length : {month.size(), std::size_t{3}}) {
      if (!text.starts_with(month.substr(0, length)) || text.size() < length + 2) continue;
      if (text[length] != ' ' || !IsDigit(text[length + 1])) continue;
      std::size_t end = length + 2;
      while (end < text.size() && (IsDigit(text[end]) || text[end] == ',' || text[end] == ' '))
        ++end;
      while (!IsDigit(text[end - 1])) --end;
      return end;
    }
  }
  return 0;
}

}  // namespace

std::optional<VolatileWord> FindVolatileWord(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!IsWord(text[i]) || (i > 0 && IsWord(text[i - 1]))) continue;
    const std::string_view rest = text.substr(i);
    for (const Shape& shape : kShapes) {
      if (Fits(rest, shape.form))
        return VolatileWord{shape.kind, std::string(rest.substr(0, shape.form.size()))};
    }
    // 2026-11-15T10:00: the time is part of the word.
    if (rest.size() > 10 && rest[10] == 'T' && Fits(rest.substr(0, 10), "9999-99-99"))
      return VolatileWord{"a date", std::string(rest.substr(0, 10))};
    if (const std::size_t bytes = MonthBytes(rest))
      return VolatileWord{"a date", std::string(rest.substr(0, bytes))};
  }
  return std::nullopt;
}

}  // namespace pactdb
