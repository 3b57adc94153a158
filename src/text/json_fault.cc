#include "text/json_fault.h"

namespace pactdb {
namespace {

// The length of the UTF-8 sequence that `bytes` starts with, or 0 if it is not valid. Used only to
// point at a fault.
std::size_t Utf8Length(std::string_view bytes) {
  const auto byte = [bytes](std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF.
  const unsigned second = byte(1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)) return 0;
  if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return 0;
  return length;
}

}  // namespace

std::optional<JsonFault> FindLexicalFault(std::string_view text) {
  bool is_blank = true;
  std::size_t string_start = std::string_view::npos;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = Utf8Length(text.substr(at));
    if (length == 0) return JsonFault{"invalid UTF-8", at};
    const char c = text[at];
    const bool is_in_string = string_start != std::string_view::npos;
    if (is_in_string && static_cast<unsigned char>(c) < 0x20) {
      return JsonFault{"a control character must be escaped", at};
    }
    // Whether such a backslash escapes a quote depends on the CPU as well.
    if (!is_in_string && c == '\\') return JsonFault{"not a JSON value", at};
    if (c == '"') string_start = is_in_string ? std::string_view::npos : at;
    if (!IsJsonBlank(c)) is_blank = false;
    const bool is_escape = is_in_string && c == '\\' && at + 1 < text.size() &&
                           (text[at + 1] == '"' || text[at + 1] == '\\');
    at += is_escape ? 2 : length;
  }
  if (is_blank) return JsonFault{"there is no JSON value", text.size()};
  if (string_start != std::string_view::npos)
    return JsonFault{"a string is not closed", string_start};
  return std::nullopt;
}

JsonFault FindRootFault(std::string_view text) {
  const std::size_t start = text.find_first_of("[{");
  std::size_t depth = 0;
  for (std::size_t at = start; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\';
        break;
      case '[':
      case '{':
        ++depth;
        break;
      case ']':
      case '}':
        if (--depth > 0) break;
        at = text.find_first_not_of(" \t\n\r", at + 1);
        if (at != std::string_view::npos) return {"text after the JSON value", at};
        return {"the closing bracket is of the wrong kind", text.find_last_of("]}")};
      default:
        break;
    }
  }
  return {text[start] == '[' ? "an array is not closed" : "an object is not closed", start};
}

}  // namespace pactdb
