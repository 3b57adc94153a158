#include "store/gaps.h"

#include <gtest/gtest.h>

#include <set>

#include "support/random.h"
#include "support/scale.h"

namespace pactdb {
namespace {

// The same set, number by number.
std::vector<CommitRange> Runs(const std::set<CommitNumber>& numbers) {
  std::vector<CommitRange> runs;
  for (const CommitNumber n : numbers) {
    if (!runs.empty() && runs.back().last + 1 == n) {
      runs.back().last = n;
    } else {
      runs.push_back({n, n});
    }
  }
  return runs;
}

void ExpectSame(const std::vector<CommitRange>& a, const std::vector<CommitRange>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    EXPECT_EQ(a[i].last, b[i].last);
  }
}

TEST(Gaps, AgreeWithASetOfNumbers) {
  support::Random random(1);
  for (std::size_t round = 0; round < support::Scaled(300); ++round) {
    std::vector<CommitRange> gaps;
    std::set<CommitNumber> numbers;
    for (int step = 0; step < 12; ++step) {
      const auto first = static_cast<CommitNumber>(random.Between(1, 40));
      const auto last = first + static_cast<CommitNumber>(random.Below(6));
      AddGap(gaps, {first, last});
      for (CommitNumber n = first; n <= last; ++n) numbers.insert(n);
      ExpectSame(gaps, Runs(numbers));
    }
    EXPECT_EQ(CountNumbers(gaps), numbers.size());
    std::set<CommitNumber> outside;
    for (CommitNumber n = 1; n <= 50; ++n) {
      EXPECT_EQ(FindGap(gaps, n) != nullptr, numbers.contains(n));
      if (n >= 5 && n <= 30 && !numbers.contains(n)) outside.insert(n);
    }
    ExpectSame(Between(gaps, {5, 30}), Runs(outside));
    numbers.erase(numbers.upper_bound(20), numbers.end());
    ExpectSame(Within(gaps, 20), Runs(numbers));
  }
}

TEST(Gaps, ReachTheLargestNumber) {
  std::vector<CommitRange> gaps;
  AddGap(gaps, {0xfffffffe, 0xffffffff});
  AddGap(gaps, {0xfffffff0, 0xfffffffd});
  ASSERT_EQ(gaps.size(), 1);
  EXPECT_EQ(FindGap(gaps, 0xffffffff), &gaps[0]);
  EXPECT_TRUE(Between(gaps, {0xfffffff0, 0xffffffff}).empty());
}

}  // namespace
}  // namespace pactdb
