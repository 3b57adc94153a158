#include "text/json_scalar.h"

#include "base/check.h"
#include "text/canonical.h"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace pactdb {
namespace {

void AppendUtf8(char32_t code_point, std::string& out) {
  const auto tail = [&](int shift) {
    out.push_back(static_cast<char>(0x80 | (code_point >> shift & 0x3f)));
  };
  if (code_point < 0x80) {
    out.push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    out.push_back(static_cast<char>(0xc0 | code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | code_point >> 12));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xf0 | code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// The code unit of the escape \uXXXX that starts at `at`, if there is one.
std::optional<char32_t> ReadHexEscape(std::string_view body, std::size_t at) {
  if (body.size() - at < 6 || body[at] != '\\' || body[at + 1] != 'u') return std::nullopt;
  std::uint32_t unit = 0;
  const char* const digits = body.data() + at + 2;
  const auto read = std::from_chars(digits, digits + 4, unit, 16);
  if (read.ec != std::errc() || read.ptr != digits + 4) return std::nullopt;
  return unit;
}

constexpr bool IsHighSurrogate(char32_t unit) {
  return unit >= 0xd800 && unit < 0xdc00;
}
constexpr bool IsLowSurrogate(char32_t unit) {
  return unit >= 0xdc00 && unit < 0xe000;
}

// The character that a two-byte escape names, or 0.
constexpr char NamedEscape(char letter) {
  switch (letter) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '/':
      return '/';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

// Decodes the \u escape (or pair of them) at `at` and moves `at` past it.
std::optional<TokenFault> AppendUnicodeEscape(std::string_view body, std::size_t& at,
                                              std::string& out) {
  const auto unit = ReadHexEscape(body, at);
  if (!unit) return TokenFault{"\\u needs four hexadecimal digits", at};
  if (IsLowSurrogate(*unit)) return TokenFault{"a lone surrogate is not text", at};
  if (!IsHighSurrogate(*unit)) {
    AppendUtf8(*unit, out);
    at += 6;
    return std::nullopt;
  }
  const auto low = ReadHexEscape(body, at + 6);
  if (!low || !IsLowSurrogate(*low)) return TokenFault{"a lone surrogate is not text", at};
  AppendUtf8(0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00), out);
  at += 12;
  return std::nullopt;
}

constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// The parts of a number token: sign, whole digits, and where the fraction and the exponent start.
struct NumberShape {
  std::size_t fraction = 0;  // index of the digits after the point, 0 if none
  std::size_t exponent = 0;  // index after the e, 0 if none
  std::optional<TokenFault> fault;
};

// RFC 8259: [ minus ] int [ frac ] [ exp ].
NumberShape ReadNumberShape(std::string_view token) {
  NumberShape shape;
  std::size_t at = 0;
  const auto peek = [&] { return at < token.size() ? token[at] : '\0'; };
  const auto digits = [&] {
    const std::size_t start = at;
    while (IsDigit(peek())) ++at;
    return at > start;
  };
  if (peek() == '-') ++at;
  if (peek() == '0') {
    ++at;
  } else if (!digits()) {
    shape.fault = {"not a JSON value", at};
    return shape;
  }
  if (peek() == '.') {
    shape.fraction = ++at;
    if (!digits()) {
      shape.fault = {"a fraction needs digits", at};
      return shape;
    }
  }
  if (peek() == 'e' || peek() == 'E') {
    shape.exponent = ++at;
    if (peek() == '+' || peek() == '-') ++at;
    if (!digits()) {
      shape.fault = {"an exponent needs digits", at};
      return shape;
    }
  }
  if (at != token.size()) shape.fault = {"malformed number", at};
  return shape;
}

// Whether a number known to be outside the range of doubles lies above it. std::from_chars does not
// say. Such a number is above 1e308 or below 1e-323, so the place of its first digit decides.
bool IsAboveRange(std::string_view token, const NumberShape& shape) {
  const std::size_t mantissa_end = shape.exponent ? shape.exponent - 1 : token.size();
  const std::size_t first = token.find_first_of("123456789");
  if (first >= mantissa_end) return false;  // zero, whatever the exponent
  std::int64_t exponent = 0;
  if (shape.exponent) {
    const char* begin = token.data() + shape.exponent;
    const char* const end = token.data() + token.size();
    const bool is_negative = *begin == '-';
    if (*begin == '+') ++begin;
    if (std::from_chars(begin, end, exponent).ec != std::errc()) return !is_negative;
  }
  const std::size_t point = shape.fraction ? shape.fraction - 1 : mantissa_end;
  const auto place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  // `exponent` may be near the ends of its type and `place` is at most the token's length.
  return exponent > -place;
}

}  // namespace

std::optional<TokenFault> AppendDecodedJsonString(std::string_view body, std::string& out) {
  std::size_t at = 0;
  while (true) {
    const std::size_t backslash = body.find('\\', at);
    if (backslash == std::string_view::npos) {
      out.append(body.substr(at));
      return std::nullopt;
    }
    out.append(body.substr(at, backslash - at));
    at = backslash;
    const char letter = at + 1 < body.size() ? body[at + 1] : '\0';
    if (letter == 'u') {
      if (auto fault = AppendUnicodeEscape(body, at, out)) return fault;
    } else if (const char named = NamedEscape(letter)) {
      out.push_back(named);
      at += 2;
    } else {
      return TokenFault{"unknown escape in a string", at};
    }
  }
}

JsonNumber AppendCanonicalNumber(std::string_view token, std::string& out) {
  const NumberShape shape = ReadNumberShape(token);
  if (shape.fault) return {Json::Kind::kInteger, shape.fault};
  if (!shape.fraction && !shape.exponent) {
    out.append(token == "-0" ? "0" : token);
    return {Json::Kind::kInteger, std::nullopt};
  }
  double value = 0;
  const auto read = std::from_chars(token.data(), token.data() + token.size(), value);
  if (read.ec == std::errc::result_out_of_range) {
    if (IsAboveRange(token, shape))
      return {Json::Kind::kDouble, TokenFault{"the number is too large", 0}};
    value = token.front() == '-' ? -0.0 : 0.0;
  } else {
    PACTDB_CHECK(read.ec == std::errc() && read.ptr == token.data() + token.size());
    if (!std::isfinite(value))
      return {Json::Kind::kDouble, TokenFault{"the number is too large", 0}};
  }
  AppendJsonDouble(value, out);
  return {Json::Kind::kDouble, std::nullopt};
}

}  // namespace pactdb
