// Canonical bytes of JSON scalars, exactly as Python's json.dumps with ensure_ascii writes them.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pactdb {

// Appends `utf8` as a quoted JSON string: \" \\ \b \f \n \r \t; other controls, DEL and everything
// outside ASCII as \uxxxx in lowercase, surrogate pairs above U+FFFF. REQUIRES: valid UTF-8.
void AppendJsonString(std::string_view utf8, std::string& out);

// The same to memory; gives the end. REQUIRES: room for JsonStringBytesMax(utf8.size()).
char* WriteJsonString(std::string_view utf8, char* to);

// No byte of UTF-8 becomes more than six: \u00e9 is two, a surrogate pair four.
constexpr std::size_t JsonStringBytesMax(std::size_t utf8_bytes) {
  return 2 + 6 * utf8_bytes;
}

// Appends a finite double as Python's repr: shortest digits that round-trip, "1.0", "1e-05",
// "1e+16".
void AppendJsonDouble(double value, std::string& out);

void AppendJsonInteger(std::int64_t value, std::string& out);

// Decodes a canonical JSON string (with its quotes) to UTF-8. REQUIRES: canonical bytes.
std::string DecodeJsonString(std::string_view canonical);

bool IsValidUtf8(std::string_view bytes);

// The text with U+FFFD for each byte that is no part of UTF-8: for what the system says, such as
// paths.
std::string ReplaceInvalidUtf8(std::string_view bytes);

// True if the bytes are one canonical JSON string: what DecodeJsonString asks for.
bool IsCanonicalString(std::string_view bytes);

// True if `a` stands before `b` by Unicode code point; for valid UTF-8 that is byte order.
inline bool CodePointLess(std::string_view a, std::string_view b) {
  return a < b;
}

}  // namespace pactdb
