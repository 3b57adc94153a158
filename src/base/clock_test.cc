#include "base/clock.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string_view>

namespace pactdb {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

struct IsoCase {
  std::int64_t ns;
  std::string_view want;
};

TEST(FormatIso, WritesUtcWithNineDecimals) {
  constexpr std::array<IsoCase, 5> kCases = {{
      {0, "1970-01-01T00:00:00.000000000Z"},
      {1, "1970-01-01T00:00:00.000000001Z"},
      {1'000, "1970-01-01T00:00:00.000001000Z"},
      {999'999'999, "1970-01-01T00:00:00.999999999Z"},
      {1'700'000'000'123'456'789, "2023-11-14T22:13:20.123456789Z"},
  }};
  for (const IsoCase& iso : kCases) EXPECT_EQ(FormatIso(iso.ns), iso.want);
}

TEST(FormatIso, CountsBackwardsBeforeTheEpoch) {
  constexpr std::array<IsoCase, 3> kCases = {{
      {-1, "1969-12-31T23:59:59.999999999Z"},
      {-1'000'000'000, "1969-12-31T23:59:59.000000000Z"},
      {-86'400'000'000'000, "1969-12-31T00:00:00.000000000Z"},
  }};
  for (const IsoCase& iso : kCases) EXPECT_EQ(FormatIso(iso.ns), iso.want);
}

TEST(FormatIso, KnowsLeapYears) {
  constexpr std::array<IsoCase, 8> kCases = {{
      {951'782'400'000'000'000, "2000-02-29T00:00:00.000000000Z"},
      {951'868'799'999'999'999, "2000-02-29T23:59:59.999999999Z"},
      {951'868'800'000'000'000, "2000-03-01T00:00:00.000000000Z"},
      {1'709'164'800'000'000'000, "2024-02-29T00:00:00.000000000Z"},
      {1'735'689'599'000'000'005, "2024-12-31T23:59:59.000000005Z"},
      {4'107'542'400'000'000'000, "2100-03-01T00:00:00.000000000Z"},
      {-2'203'891'200'000'000'000, "1900-03-01T00:00:00.000000000Z"},
      {-2'203'891'200'000'000'001, "1900-02-28T23:59:59.999999999Z"},
  }};
  for (const IsoCase& iso : kCases) EXPECT_EQ(FormatIso(iso.ns), iso.want);
}

TEST(IsoWriter, GoesFromSecondToSecondAndBack) {
  IsoWriter writer;
  std::int64_t ns = -5'000'000'000;
  for (int step = 0; step < 2'000; ++step) {
    std::array<char, IsoWriter::kBytes> text;
    ASSERT_EQ(writer.Write(ns, text.data()), text.data() + text.size());
    ASSERT_EQ(std::string_view(text.data(), text.size()), FormatIso(ns));
    ns += step % 3 == 0 ? -300'000'001 : 700'000'003;
  }
}

TEST(FormatIso, HasAFormForEvery64BitValue) {
  EXPECT_EQ(FormatIso(kMax), "2262-04-11T23:47:16.854775807Z");
  EXPECT_EQ(FormatIso(kMin), "1677-09-21T00:12:43.145224192Z");
  EXPECT_EQ(FormatIso(2'147'483'648'000'000'000), "2038-01-19T03:14:08.000000000Z");
}

TEST(SteppedClock, ReadsStartPlusTicksTimesStep) {
  const auto clock = MakeSteppedClock(1'000, 7);
  EXPECT_EQ(clock->PeekNs(), 1'000);
  EXPECT_EQ(clock->PeekNs(), 1'000);
  EXPECT_EQ(clock->TickNs(), 1'000);
  EXPECT_EQ(clock->PeekNs(), 1'007);
  EXPECT_EQ(clock->TickNs(), 1'007);
  EXPECT_EQ(clock->TickNs(), 1'014);
}

TEST(SteppedClock, StopsAtTheLargestReading) {
  const auto clock = MakeSteppedClock(kMax - 5, 3);
  EXPECT_EQ(clock->TickNs(), kMax - 5);
  EXPECT_EQ(clock->TickNs(), kMax - 2);
  EXPECT_EQ(clock->TickNs(), kMax);
  EXPECT_EQ(clock->TickNs(), kMax);
  const auto fast = MakeSteppedClock(0, kMax);
  EXPECT_EQ(fast->TickNs(), 0);
  EXPECT_EQ(fast->TickNs(), kMax);
  EXPECT_EQ(fast->TickNs(), kMax);
}

TEST(SteppedClock, CloneGoesOnAlone) {
  const auto clock = MakeSteppedClock(0, 1);
  clock->TickNs();
  const auto clone = clock->Clone();
  EXPECT_EQ(clone->TickNs(), 1);
  EXPECT_EQ(clone->TickNs(), 2);
  EXPECT_EQ(clock->TickNs(), 1);
}

TEST(SystemClock, ReadsTheTimeOfDay) {
  const auto now = [] {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
  };
  constexpr std::int64_t kHour = 3'600'000'000'000;
  const auto clock = MakeSystemClock();
  EXPECT_NEAR(static_cast<double>(clock->TickNs()), static_cast<double>(now()), kHour);
  EXPECT_NEAR(static_cast<double>(clock->Clone()->PeekNs()), static_cast<double>(now()), kHour);
}

}  // namespace
}  // namespace pactdb
