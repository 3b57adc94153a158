#include "select/depth_set.h"

#include <gtest/gtest.h>

#include <set>

#include "support/random.h"

namespace pactdb::select {
namespace {

using Intervals = std::vector<DepthSet::Interval>;

TEST(DepthSet, MeltsWhatOverlapsOrTouches) {
  EXPECT_EQ(DepthSet::Of({{5, 6}, {1, 2}, {3, 3}}).intervals(), (Intervals{{1, 3}, {5, 6}}));
  EXPECT_EQ(DepthSet::Of({{1, 9}, {2, 3}}).intervals(), (Intervals{{1, 9}}));
  EXPECT_EQ(DepthSet::Of({{1, 3}, {2, 9}}).intervals(), (Intervals{{1, 9}}));
  EXPECT_EQ(DepthSet::Of({{1, 3}, {4, 9}}).intervals(), (Intervals{{1, 9}}));
  EXPECT_EQ(DepthSet::Of({{1, 3}, {5, 9}}).intervals(), (Intervals{{1, 3}, {5, 9}}));
  EXPECT_EQ(DepthSet::Of({{2, 1}, {4, 4}, {4, 3}}).intervals(), (Intervals{{4, 4}}));
  EXPECT_TRUE(DepthSet::Of({{2, 1}}).empty());
  EXPECT_TRUE(DepthSet::Of({}).empty());
  EXPECT_FALSE(DepthSet::Of({{1, 1}}).empty());
}

TEST(DepthSet, IsWrittenAsItIsRead) {
  EXPECT_EQ(DepthSet::Of({{1, 1}}).ToText(), "1");
  EXPECT_EQ(DepthSet::Of({{1, 2}}).ToText(), "1..2");
  EXPECT_EQ(DepthSet::Of({{-3, -1}, {1, 3}, {5, 5}, {9, kDepthMax}}).ToText(), "-3..-1,1..3,5,>=9");
  EXPECT_EQ(DepthSet::Of({{kDepthMin, -2}, {0, 0}}).ToText(), "<=-2,0");
  EXPECT_EQ(DepthSet::Of({{kDepthMin, kDepthMax}}).ToText(), "<=0,>=1");
  EXPECT_EQ(DepthSet::Of({}).ToText(), "");
}

std::set<std::int64_t> NumbersIn(const DepthSet& set) {
  std::set<std::int64_t> numbers;
  for (std::int64_t n = -15; n <= 15; ++n) {
    if (set.Contains(n)) numbers.insert(n);
  }
  return numbers;
}

TEST(DepthSet, AgreesWithASetOfNumbers) {
  support::Random random(1);
  const auto any = [&random](std::set<std::int64_t>& numbers) {
    Intervals intervals;
    for (std::uint64_t i = random.Below(5); i > 0; --i) {
      const auto first = static_cast<std::int64_t>(random.Below(21)) - 10;
      const auto last = first + static_cast<std::int64_t>(random.Below(5)) - 1;
      intervals.push_back({first, last});
      for (std::int64_t n = first; n <= last; ++n) numbers.insert(n);
    }
    return DepthSet::Of(intervals);
  };
  for (int round = 0; round < 500; ++round) {
    std::set<std::int64_t> a_numbers;
    std::set<std::int64_t> b_numbers;
    const DepthSet a = any(a_numbers);
    const DepthSet b = any(b_numbers);
    EXPECT_EQ(NumbersIn(a), a_numbers);
    std::set<std::int64_t> both;
    for (const std::int64_t n : a_numbers) {
      if (b_numbers.contains(n)) both.insert(n);
    }
    const DepthSet met = a.Intersect(b);
    EXPECT_EQ(NumbersIn(met), both) << a.ToText() << " and " << b.ToText();
    EXPECT_EQ(met, b.Intersect(a));
    // Equal sets are equal values.
    Intervals each;
    for (const std::int64_t n : both) each.push_back({n, n});
    EXPECT_EQ(met, DepthSet::Of(each));
  }
}

}  // namespace
}  // namespace pactdb::select
