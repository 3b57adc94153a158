#include "text/canonical.h"

#include "base/check.h"
#include "text/json_scalar.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace pactdb {
namespace {

constexpr std::size_t kShortBytes = 16;

// Copied as it is: printable ASCII but for the quote and the backslash. DEL is not printable to
// Python.
constexpr bool IsPlain(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

// The first byte in [at, end) that needs an escape, or `end`.
const char* SkipPlain(const char* at, const char* end) {
#ifdef __SSE2__
  // Signed comparison: bytes outside ASCII are negative and so fall below the blank.
  const __m128i below_blank = _mm_set1_epi8(' ' - 1);
  const __m128i del = _mm_set1_epi8('\x7f');
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const auto plain = [&](const char* from) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const __m128i special =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, del), _mm_cmpeq_epi8(bytes, quote)),
                     _mm_cmpeq_epi8(bytes, backslash));
    const __m128i is_plain = _mm_andnot_si128(special, _mm_cmpgt_epi8(bytes, below_blank));
    return static_cast<unsigned>(_mm_movemask_epi8(is_plain));
  };
  if (end - at >= 16) {
    for (; end - at >= 16; at += 16) {
      if (const unsigned mask = plain(at); mask != 0xffff) return at + __builtin_ctz(~mask);
    }
    // The last few bytes, once more with some before them, which are plain.
    const unsigned mask = plain(end - 16);
    return mask == 0xffff ? end : end - 16 + __builtin_ctz(~mask);
  }
#endif
  while (at != end && IsPlain(*at)) ++at;
  return at;
}

struct Decoded {
  char32_t code_point;
  const char* after;
};

constexpr char32_t kReplacement = 0xfffd;

// One code point of valid UTF-8. Of anything else it is some code point, and nothing behind `end`
// is read.
Decoded DecodeUtf8(const char* at, const char* end) {
  const auto byte = [at](int i) {
    return static_cast<char32_t>(static_cast<unsigned char>(at[i]));
  };
  const auto tail = [&byte](int i) { return byte(i) & 0x3f; };
  const char32_t lead = byte(0);
  if (lead < 0x80) return {lead, at + 1};
  const std::ptrdiff_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (end - at < size) return {kReplacement, end};
  if (lead < 0xe0) return {(lead & 0x1f) << 6 | tail(1), at + 2};
  if (lead < 0xf0) return {(lead & 0x0f) << 12 | tail(1) << 6 | tail(2), at + 3};
  return {(lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), at + 4};
}

char* WriteHexEscape(char32_t unit, char* to) {
  constexpr char kHex[] = "0123456789abcdef";
  *to++ = '\\';
  *to++ = 'u';
  for (int shift = 12; shift >= 0; shift -= 4) *to++ = kHex[unit >> shift & 0xf];
  return to;
}

// The letter of a two-byte escape, or 0.
constexpr char EscapeLetter(char32_t code_point) {
  switch (code_point) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

// Writes the escape of one code point, at most twelve bytes.
char* WriteEscape(char32_t code_point, char* to) {
  if (const char letter = EscapeLetter(code_point)) {
    *to++ = '\\';
    *to++ = letter;
    return to;
  }
  if (code_point < 0x10000) return WriteHexEscape(code_point, to);
  to = WriteHexEscape(0xd800 + ((code_point - 0x10000) >> 10), to);
  return WriteHexEscape(0xdc00 + ((code_point - 0x10000) & 0x3ff), to);
}

}  // namespace

void AppendJsonString(std::string_view utf8, std::string& out) {
  PACTDB_DCHECK(IsValidUtf8(utf8));
  out.push_back('"');
  const char* at = utf8.data();
  const char* const end = at + utf8.size();
  // Escapes come in runs (a paragraph of Cyrillic), so they are gathered before they are appended.
  std::array<char, 240> escapes;
  while (at != end) {
    const char* const plain_end = SkipPlain(at, end);
    out.append(at, plain_end);
    at = plain_end;
    char* to = escapes.data();
    while (at != end && !IsPlain(*at) && to <= escapes.data() + escapes.size() - 12) {
      const auto [code_point, after] = DecodeUtf8(at, end);
      to = WriteEscape(code_point, to);
      at = after;
    }
    out.append(escapes.data(), to);
  }
  out.push_back('"');
}

char* WriteJsonString(std::string_view utf8, char* to) {
  PACTDB_DCHECK(IsValidUtf8(utf8));
  *to++ = '"';
  const char* at = utf8.data();
  const char* const end = at + utf8.size();
  while (at != end) {
    const char* const plain_end = SkipPlain(at, end);
    if (plain_end != at) std::memcpy(to, at, static_cast<std::size_t>(plain_end - at));
    to += plain_end - at;
    at = plain_end;
    while (at != end && !IsPlain(*at)) {
      const auto [code_point, after] = DecodeUtf8(at, end);
      to = WriteEscape(code_point, to);
      at = after;
    }
  }
  *to++ = '"';
  return to;
}

// The digits are std::to_chars's (shortest that round-trip, nearest among them, as Python's); only
// the layout differs: Python writes an exponent below 1e-4 and from 1e16 on, and always shows that
// the number is a float.
void AppendJsonDouble(double value, std::string& out) {
  PACTDB_CHECK(std::isfinite(value));
  std::array<char, 32> buffer;  // -d.dddddddddddddddde-ddd is 24 bytes
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific);
  PACTDB_CHECK(written.ec == std::errc());
  const std::string_view text(buffer.data(), written.ptr);

  const std::size_t e = text.find('e');
  const std::string_view exponent_text = text.substr(text[e + 1] == '+' ? e + 2 : e + 1);
  int exponent = 0;
  std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
  if (exponent < -4 || exponent >= 16) {
    out.append(text);  // the two agree here, down to the two digits of the exponent
    return;
  }

  std::string_view mantissa = text.substr(0, e);
  if (mantissa.front() == '-') {
    out.push_back('-');
    mantissa.remove_prefix(1);
  }
  const char first = mantissa.front();
  const std::string_view rest = mantissa.size() > 2 ? mantissa.substr(2) : std::string_view();
  if (exponent < 0) {
    out.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').push_back(first);
    out.append(rest);
    return;
  }
  const auto whole =
      static_cast<std::size_t>(exponent);  // digits before the point, after the first
  out.push_back(first);
  if (rest.size() <= whole) {
    out.append(rest).append(whole - rest.size(), '0').append(".0");
  } else {
    out.append(rest.substr(0, whole)).push_back('.');
    out.append(rest.substr(whole));
  }
}

void AppendJsonInteger(std::int64_t value, std::string& out) {
  std::array<char, 24> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), written.ptr);
}

std::string DecodeJsonString(std::string_view canonical) {
  PACTDB_CHECK(canonical.size() >= 2 && canonical.front() == '"' && canonical.back() == '"');
  std::string utf8;
  const auto fault = AppendDecodedJsonString(canonical.substr(1, canonical.size() - 2), utf8);
  PACTDB_CHECK(!fault);
  return utf8;
}

bool IsValidUtf8(std::string_view bytes) {
  // Most texts of a few bytes are names, and told before the call would have begun. Null data is
  // fine for an empty view, but not for every implementation behind it.
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (bytes.size() <= kShortBytes && std::ranges::all_of(bytes, is_ascii)) return true;
  return simdjson::validate_utf8(bytes.data(), bytes.size());
}

std::string ReplaceInvalidUtf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    std::size_t size = 1;
    while (size <= 4 && !IsValidUtf8(bytes.substr(0, size))) ++size;
    const bool is_character = size <= 4;
    text += is_character ? bytes.substr(0, size) : std::string_view("\xef\xbf\xbd");
    bytes.remove_prefix(is_character ? size : 1);
  }
  return text;
}

namespace {

// The code unit of \uxxxx at the front, as canonical bytes write it; nothing if it is none.
std::optional<unsigned> CodeUnit(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  unsigned unit = 0;
  for (const char digit : text.substr(2, 4)) {
    const bool is_decimal = digit >= '0' && digit <= '9';
    if (!is_decimal && (digit < 'a' || digit > 'f')) return std::nullopt;
    unit = unit * 16 + static_cast<unsigned>(is_decimal ? digit - '0' : digit - 'a' + 10);
  }
  return unit;
}

// The size of the escape at the front; 0 if it is none.
std::size_t EscapeBytes(std::string_view text) {
  if (text.size() < 2) return 0;
  switch (text[1]) {
    case '"':
    case '\\':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      return 2;
    default:
      break;
  }
  const auto unit = CodeUnit(text);
  if (!unit) return 0;
  if (*unit < 0xd800 || *unit > 0xdfff) return 6;
  const auto low = CodeUnit(text.substr(6));
  return *unit < 0xdc00 && low && *low >= 0xdc00 && *low <= 0xdfff ? 12 : 0;
}

}  // namespace

bool IsCanonicalString(std::string_view bytes) {
  if (bytes.size() < 2 || bytes.front() != '"' || bytes.back() != '"') return false;
  const char* at = bytes.data() + 1;
  const char* const end = bytes.data() + bytes.size() - 1;
  while (true) {
    at = SkipPlain(at, end);
    if (at == end) return true;
    const std::size_t size = *at == '\\' ? EscapeBytes({at, end}) : 0;
    if (size == 0) return false;
    at += size;
  }
}

}  // namespace pactdb
