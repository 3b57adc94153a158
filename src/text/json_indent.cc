// Canonical bytes have no blanks, so that every bracket, comma and colon outside a string says what
// to write; nothing has to be parsed.
#include "text/json_indent.h"

namespace pactdb {
namespace {

constexpr std::size_t kIndent = 2;

// Where the string that begins at `start` ends, its closing quote included.
std::size_t EndOfString(std::string_view text, std::size_t start) {
  std::size_t at = start + 1;
  while (text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

void NewLine(std::size_t level, std::string& out) {
  out += '\n';
  out.append(level * kIndent, ' ');
}

}  // namespace

std::optional<std::string> IndentJson(std::string_view canonical, std::size_t bytes_max) {
  std::string out;
  std::size_t level = 0;
  for (std::size_t at = 0; at < canonical.size();) {
    if (out.size() > bytes_max) return std::nullopt;
    const char c = canonical[at];
    if (c == '"') {
      const std::size_t end = EndOfString(canonical, at);
      out += canonical.substr(at, end - at);
      at = end;
      continue;
    }
    ++at;
    if (c == '}' || c == ']') NewLine(--level, out);
    out += c;
    if (c == ':') out += ' ';
    if (c == ',') NewLine(level, out);
    if (c != '{' && c != '[') continue;
    if (canonical[at] == '}' || canonical[at] == ']') {
      out += canonical[at++];  // nothing inside: on one line
    } else {
      NewLine(++level, out);
    }
  }
  if (out.size() > bytes_max) return std::nullopt;
  return out;
}

}  // namespace pactdb
