#include "select/decimal.h"

#include <algorithm>

#include "select/lexer.h"

namespace pactdb::select {
namespace {

std::string_view TakeDigits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, IsDigit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

// The digits as one row, without leading zeros; reading past the end gives zeros.
class Digits {
 public:
  explicit Digits(const Decimal& decimal) : decimal_(decimal) {
    const std::size_t size = decimal.whole.size() + decimal.fraction.size();
    while (leading_ < size && Raw(leading_) == '0') ++leading_;
    count_ = size - leading_;
  }
  bool is_zero() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  // Where the point stands, counted from the first digit.
  std::int64_t magnitude() const {
    return static_cast<std::int64_t>(decimal_.whole.size()) - static_cast<std::int64_t>(leading_) +
           decimal_.exponent;
  }
  char at(std::size_t i) const { return i < count_ ? Raw(leading_ + i) : '0'; }

 private:
  char Raw(std::size_t i) const {
    return i < decimal_.whole.size() ? decimal_.whole[i]
                                     : decimal_.fraction[i - decimal_.whole.size()];
  }
  const Decimal& decimal_;
  std::size_t leading_ = 0;
  std::size_t count_ = 0;
};

std::strong_ordering CompareMagnitudes(const Digits& a, const Digits& b) {
  if (const auto by = a.magnitude() <=> b.magnitude(); by != 0) return by;
  for (std::size_t i = 0; i < std::max(a.count(), b.count()); ++i) {
    if (const auto by = a.at(i) <=> b.at(i); by != 0) return by;
  }
  return std::strong_ordering::equal;
}

}  // namespace

std::optional<Decimal> ParseDecimal(std::string_view text) {
  Decimal decimal;
  decimal.is_negative = text.starts_with('-');
  if (decimal.is_negative || text.starts_with('+')) text.remove_prefix(1);
  decimal.whole = TakeDigits(text);
  if (decimal.whole.empty()) return std::nullopt;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    decimal.fraction = TakeDigits(text);
    if (decimal.fraction.empty()) return std::nullopt;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    const std::string_view exponent = text.substr(1);
    std::string_view rest = exponent;
    if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
    if (TakeDigits(rest).empty()) return std::nullopt;
    decimal.exponent = SaturatingInteger(exponent.substr(0, exponent.size() - rest.size()));
    text = rest;
  }
  if (!text.empty()) return std::nullopt;
  return decimal;
}

std::strong_ordering CompareDecimals(const Decimal& a, const Decimal& b) {
  const Digits a_digits(a);
  const Digits b_digits(b);
  const int a_sign = a_digits.is_zero() ? 0 : (a.is_negative ? -1 : 1);
  const int b_sign = b_digits.is_zero() ? 0 : (b.is_negative ? -1 : 1);
  if (a_sign != b_sign) return a_sign <=> b_sign;
  if (a_sign == 0) return std::strong_ordering::equal;
  return a_sign > 0 ? CompareMagnitudes(a_digits, b_digits) : CompareMagnitudes(b_digits, a_digits);
}

}  // namespace pactdb::select
