#include "select/decimal.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace pactdb::select {
namespace {

// "sign whole fraction exponent", or "none".
std::string Parsed(std::string_view text) {
  const auto decimal = ParseDecimal(text);
  if (!decimal) return "none";
  return (decimal->is_negative ? "- " : "+ ") + std::string(decimal->whole) + " " +
         std::string(decimal->fraction) + " " + std::to_string(decimal->exponent);
}

TEST(Decimal, IsDigitsAFractionAndAnExponent) {
  EXPECT_EQ(Parsed("0"), "+ 0  0");
  EXPECT_EQ(Parsed("007"), "+ 007  0");
  EXPECT_EQ(Parsed("+5"), "+ 5  0");
  EXPECT_EQ(Parsed("-5.25"), "- 5 25 0");
  EXPECT_EQ(Parsed("1e3"), "+ 1  3");
  EXPECT_EQ(Parsed("1E+3"), "+ 1  3");
  EXPECT_EQ(Parsed("1.5e-3"), "+ 1 5 -3");
  for (const std::string_view text :
       {"",      "+",  "-",  ".",  ".5",  "-.5", "5.",    "5.e1", "e1",    "1e",  "1e+", "1e-",
        "1e1.5", "1x", " 1", "1 ", "--1", "+-1", "1.2.3", "0x1",  "1_000", "nan", "inf"})
    EXPECT_EQ(Parsed(text), "none") << text;
}

int Compared(std::string_view a, std::string_view b) {
  const auto order = CompareDecimals(*ParseDecimal(a), *ParseDecimal(b));
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

TEST(Decimal, IsEqualHoweverItIsWritten) {
  for (const std::string_view same :
       {"100", "+100", "0100", "100.0", "100.000", "1e2", "10e1", "1000e-1", "0.1e3", "0.001e5"})
    EXPECT_EQ(Compared("100", same), 0) << same;
  for (const std::string_view zero : {"0", "-0", "0.0", "000", "0e9", "-0.0e-9"})
    EXPECT_EQ(Compared("0", zero), 0) << zero;
}

TEST(Decimal, IsComparedExactlyWhateverItsSize) {
  // Each less than the next.
  constexpr std::string_view kRising[] = {"-1e400",
                                          "-123456789012345678901",
                                          "-123456789012345678900",
                                          "-10.01",
                                          "-10",
                                          "-9.99",
                                          "-1",
                                          "-0.1",
                                          "-0.01",
                                          "0",
                                          "0.001",
                                          "0.01",
                                          "0.1",
                                          "0.11",
                                          "0.2",
                                          "1",
                                          "1.0000000000000000001",
                                          "1.1",
                                          "9",
                                          "9.99",
                                          "10",
                                          "10.5",
                                          "99",
                                          "100",
                                          "9007199254740992",
                                          "9007199254740993",
                                          "123456789012345678900",
                                          "123456789012345678901",
                                          "1e400",
                                          "1.1e400"};
  for (std::size_t i = 0; i < std::size(kRising); ++i) {
    for (std::size_t j = 0; j < std::size(kRising); ++j)
      EXPECT_EQ(Compared(kRising[i], kRising[j]), i < j   ? -1
                                                  : i > j ? 1
                                                          : 0)
          << kRising[i] << " " << kRising[j];
  }
}

}  // namespace
}  // namespace pactdb::select
