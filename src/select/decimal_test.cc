#include "select/decimal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pactdb::select {
namespace {

std::strong_ordering Compare(std::string_view a, std::string_view b) {
  return CompareDecimals(ParseDecimal(a).value(), ParseDecimal(b).value());
}

TEST(Decimal, IsDigitsWithAFractionAndAnExponentAndNothingElse) {
  for (const std::string_view text : {"0", "-1", "+1", "007", "1.5", "-0.0", "1e5", "1E5", "1e+5",
                                      "1.25e-07", "99999999999999999999999"}) {
    EXPECT_TRUE(ParseDecimal(text)) << text;
  }
  for (const std::string_view text :
       {"",    "-",     "+",  "--1", "+-1", ".5", "1.",    "1.e5", "1e",  "1e+",
        "1e-", "1e1.5", "1x", " 1",  "1 ",  "x",  "1.5.5", "1e5x", "0x1", "e5"}) {
    EXPECT_FALSE(ParseDecimal(text)) << text;
  }
}

TEST(Decimal, IsReadInItsParts) {
  const Decimal decimal = ParseDecimal("-012.340e-56").value();
  EXPECT_TRUE(decimal.is_negative);
  EXPECT_EQ(decimal.whole, "012");
  EXPECT_EQ(decimal.fraction, "340");
  EXPECT_EQ(decimal.exponent, -56);
  const Decimal plain = ParseDecimal("+7").value();
  EXPECT_FALSE(plain.is_negative);
  EXPECT_EQ(plain.whole, "7");
  EXPECT_EQ(plain.fraction, "");
  EXPECT_EQ(plain.exponent, 0);
  EXPECT_EQ(ParseDecimal("1e+3")->exponent, 3);
}

// Each is less than all behind it, and the same numbers in other spellings are equal.
TEST(Decimal, ComparesByValueWhateverTheSpelling) {
  const std::vector<std::vector<std::string_view>> rising = {
      {"-1e999999999999999999", "-10e999999999999999998"},
      {"-1234567890123456789012345678901"},
      {"-1234567890123456789012345678900", "-12345678901234567890123456789e2"},
      {"-10", "-1e1", "-100e-1", "-010.0"},
      {"-9.99"},
      {"-1.5", "-15e-1", "-0.15e1"},
      {"-1.49"},
      {"-0.001", "-1e-3", "-0.1e-2"},
      {"0", "-0", "+0", "0.000", "0e5", "-0e-5", "000"},
      {"0.0001", "1e-4", "0.01e-2"},
      {"0.001", "1e-3"},
      {"0.0011"},
      {"0.9"},
      {"1", "+1", "1.0", "01", "0.1e1", "10e-1"},
      {"1.000000000000000000000000001"},
      {"1.1"},
      {"2"},
      {"9"},
      {"10", "1e1", "1E+1"},
      {"10.01"},
      {"100"},
      {"101"},
      {"9007199254740992"},
      {"9007199254740993"},
      {"1e100", "10e99"},
      {"1e101"},
  };
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t j = 0; j < rising.size(); ++j) {
      for (const std::string_view a : rising[i]) {
        for (const std::string_view b : rising[j])
          EXPECT_EQ(Compare(a, b), i <=> j) << a << " " << b;
      }
    }
  }
}

}  // namespace
}  // namespace pactdb::select
