#include "engine/times.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/contexts.h"
#include "support/error_text.h"

namespace pactdb {
namespace {

using support::Must;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;
constexpr std::int64_t kNow = 1'800'000'000 * kSecond;

std::int64_t Parsed(std::string_view text) {
  return Must(ParseTimeOrAge(text, kNow));
}

TEST(Age, IsCountedBackFromNow) {
  EXPECT_EQ(Parsed("0s"), kNow);
  EXPECT_EQ(Parsed("90s"), kNow - 90 * kSecond);
  EXPECT_EQ(Parsed("45m"), kNow - 45 * 60 * kSecond);
  EXPECT_EQ(Parsed("12h"), kNow - 12 * 3600 * kSecond);
  EXPECT_EQ(Parsed("030d"), kNow - 30 * kDay);
}

TEST(Age, IsTwoHundredYearsAtMost) {
  EXPECT_EQ(Parsed("73200d"), kNow - 73'200 * kDay);
  EXPECT_EQ(Parsed("6324480000s"), kNow - 73'200 * kDay);
  for (const std::string_view text :
       {"73201d", "6324480001s", "1756801h", "105408001m", "999999999999999999s",
        "9999999999999999999s", "99999999999999999999999d"})
    EXPECT_FALSE(ParseTimeOrAge(text, kNow).has_value()) << text;
}

TEST(Time, IsADayOrAMomentOfIt) {
  EXPECT_EQ(Parsed("1970-01-01"), 0);
  EXPECT_EQ(Parsed("1970-01-02"), kDay);
  EXPECT_EQ(Parsed("1969-12-31"), -kDay);
  EXPECT_EQ(Parsed("2024-02-29"), 1'709'164'800 * kSecond);
  EXPECT_EQ(Parsed("2024-02-29T00:00:00Z"), 1'709'164'800 * kSecond);
  EXPECT_EQ(Parsed("1970-01-01T23:59:59Z"), 86'399 * kSecond);
  EXPECT_EQ(Parsed("1970-01-01T01:02:03Z"), 3'723 * kSecond);
  EXPECT_EQ(Parsed("1678-01-01"), -106'650 * kDay);
  EXPECT_EQ(Parsed("2261-12-31"), 106'650 * kDay);
}

TEST(Time, HasAFractionOfUpToNineDigits) {
  EXPECT_EQ(Parsed("1970-01-01T00:00:00.5Z"), 500'000'000);
  EXPECT_EQ(Parsed("1970-01-01T00:00:00.05Z"), 50'000'000);
  EXPECT_EQ(Parsed("1970-01-01T00:00:00.12345678Z"), 123'456'780);
  EXPECT_EQ(Parsed("1970-01-01T00:00:01.123456789Z"), 1'123'456'789);
}

TEST(Time, IsNothingElse) {
  for (const std::string text : {"",
                                 "5",
                                 "d",
                                 "5x",
                                 "5dd",
                                 "-5d",
                                 " 5d",
                                 "5d ",
                                 "5 d",
                                 "2026",
                                 "2026-1-31",
                                 "2026-01-1",
                                 "2026/01-31",
                                 "2026-01/31",
                                 "26-01-31",
                                 "2026-00-31",
                                 "2026-13-01",
                                 "2026-02-29",
                                 "2026-01-32",
                                 "2026-01-00",
                                 "1677-12-31",
                                 "2262-01-01",
                                 "2026-01-31T",
                                 "2026-01-31Z",
                                 "2026-01-31 12:00:00Z",
                                 "2026-01-31T12:00:00",
                                 "2026-01-31T12:00:00z",
                                 "2026-01-31T12:00:00Z ",
                                 "2026-01-31T24:00:00Z",
                                 "2026-01-31T12:60:00Z",
                                 "2026-01-31T12:00:60Z",
                                 "2026-01-31T1:00:00Z",
                                 "2026-01-31T12-00:00Z",
                                 "2026-01-31T12:00-00Z",
                                 "2026-01-31T12:00Z",
                                 "2026-01-31T12:00:0Z",
                                 "2026-01-31T12:00:00.Z",
                                 "2026-01-31T12:00:00.1234567890Z",
                                 "2026-01-31T12:00:00+01:00"}) {
    EXPECT_EQ(support::ErrorText(ParseTimeOrAge(text, kNow)),
              "E_REQUEST_INVALID: '" + text +
                  "' is no time and no age; write 2026-01-31, 2026-01-31T12:00:00Z, 30d, 12h, 45m "
                  "or 90s {argument=older_than}");
  }
}

}  // namespace
}  // namespace pactdb
