// Exact comparison of numbers given as text, whatever their size.
//
// Thread safety: pure functions.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pactdb::select {

// A view into the text it was parsed from.
struct Decimal {
  bool is_negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::int64_t exponent = 0;
};

// [+-]digits[.digits][e[+-]digits], nothing around it.
std::optional<Decimal> ParseDecimal(std::string_view text);

std::strong_ordering CompareDecimals(const Decimal& a, const Decimal& b);

}  // namespace pactdb::select
