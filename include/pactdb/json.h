// A JSON value in canonical bytes.
//
// Canonical means what Python's json.dumps(value, sort_keys=True, separators=(",", ":"),
// ensure_ascii=True) writes: keys sorted by code point, no blanks, ASCII with \uXXXX escapes,
// floats as Python's repr, integers of any length exactly. Hashing, rendering and serializing copy
// these bytes and never format a value a second time.
//
// Thread safety: an immutable value.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pactdb {

class Json {
 public:
  enum class Kind : std::uint8_t { kNull, kBool, kInteger, kDouble, kString, kArray, kObject };

  Json() : text_("null") {}

  // Strict RFC 8259: no duplicate keys, no lone surrogates, no invalid UTF-8, nesting at most
  // `depth_max` (by default that of a content value, 64; a flat array has depth 1).
  // Errors: kRequestInvalid with `pos` (byte offset), kLimitExceeded.
  static Result<Json> Parse(std::string_view text);
  static Result<Json> Parse(std::string_view text, std::size_t depth_max);

  // `utf8` must be valid UTF-8 (kRequestInvalid otherwise).
  static Result<Json> String(std::string_view utf8);
  static Json Integer(std::int64_t value);
  static Json Bool(bool value);
  // kRequestInvalid if `value` is not finite.
  static Result<Json> Double(double value);
  static Json Array(const std::vector<Json>& items);
  static Json Null() { return Json(); }

  // Wraps bytes already known to be canonical. REQUIRES: they are.
  static Json FromCanonical(std::string canonical);

  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }
  const std::string& text() const { return text_; }

  // The value if it is an integer that fits 64 bits.
  std::optional<std::int64_t> AsInt64() const;
  std::optional<bool> AsBool() const;
  // The decoded UTF-8 text if it is a string.
  std::optional<std::string> AsString() const;
  // The elements if it is an array.
  std::optional<std::vector<Json>> AsArray() const;

  bool operator==(const Json&) const = default;

 private:
  std::string text_;
};

}  // namespace pactdb
