#include "engine/stamper.h"

#include <gtest/gtest.h>

namespace pactdb {
namespace {

std::pair<std::int64_t, std::int64_t> Take(Stamper& stamper) {
  const Stamp stamp = stamper.Take();
  return {stamp.created_at_ns, stamp.creation_index};
}

using Pair = std::pair<std::int64_t, std::int64_t>;

TEST(Stamper, CountsTimeAndIndex) {
  Stamper stamper(SteppedClockOptions{.start_ns = 100, .step_ns = 10});
  EXPECT_EQ(stamper.NextNs(), 100);
  EXPECT_EQ(Take(stamper), Pair(100, 0));
  EXPECT_EQ(Take(stamper), Pair(110, 1));
  EXPECT_EQ(stamper.next_index(), 2);
  EXPECT_EQ(stamper.last_ns(), 110);
}

TEST(Stamper, StartsTheIndexAnewInEveryCycle) {
  Stamper stamper(SteppedClockOptions{.start_ns = 100, .step_ns = 10});
  Take(stamper);
  Take(stamper);
  stamper.OpenCycle();
  EXPECT_EQ(stamper.last_ns(), std::nullopt);
  EXPECT_EQ(Take(stamper), Pair(120, 0));
}

TEST(Stamper, I1_GoesOnFromAnExplicitStamp) {
  Stamper stamper(SteppedClockOptions{.start_ns = 100, .step_ns = 10});
  Take(stamper);
  stamper.Override({.created_at_ns = 500, .creation_index = 7});
  EXPECT_EQ(Take(stamper), Pair(501, 8));
  EXPECT_EQ(Take(stamper), Pair(502, 9));
  stamper.OpenCycle();
  // A configured clock is taken at its word: it stands at 130.
  EXPECT_EQ(Take(stamper), Pair(130, 0));
}

TEST(Stamper, StopsAtTheLargestNumbers) {
  Stamper stamper(SteppedClockOptions{.start_ns = 100, .step_ns = 10});
  stamper.Override({.created_at_ns = INT64_MAX - 1, .creation_index = INT64_MAX - 1});
  EXPECT_EQ(Take(stamper), Pair(INT64_MAX, INT64_MAX));
  EXPECT_EQ(Take(stamper), Pair(INT64_MAX, INT64_MAX));
  EXPECT_EQ(Take(stamper), Pair(INT64_MAX, INT64_MAX));
}

TEST(Stamper, SystemTimeRisesAcrossCyclesToo) {
  Stamper stamper(std::nullopt);
  const std::int64_t later = stamper.Take().created_at_ns + std::int64_t{3'600'000'000'000};
  stamper.Override({.created_at_ns = later, .creation_index = 1});
  stamper.OpenCycle();
  EXPECT_EQ(Take(stamper), Pair(later + 1, 0));
  stamper.OpenCycle();
  stamper.OpenCycle();
  EXPECT_EQ(Take(stamper), Pair(later + 2, 0));
}

TEST(Stamper, CloneLeavesTheOriginalAlone) {
  Stamper stamper(SteppedClockOptions{.start_ns = 100, .step_ns = 10});
  Take(stamper);
  Stamper clone = stamper.Clone();
  Take(clone);
  EXPECT_EQ(Take(clone), Pair(120, 2));
  EXPECT_EQ(Take(stamper), Pair(110, 1));
  EXPECT_EQ(stamper.PeekNs(), 120);
}

}  // namespace
}  // namespace pactdb
