// `select` is pure: after a million reads the store is what it was, and so are the answers.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <cstddef>
#include <string>
#include <vector>

#include "purity/selector_page.h"
#include "purity/store_state.h"
#include "support/scale.h"
#include "support/sessions.h"

namespace pactdb {
namespace {

using support::Must;

// Every selector once on every tree; gives what was found.
class Reads {
 public:
  Reads(const Context& context, std::size_t trees) : context_(context) {
    for (std::size_t age = 0; age < trees; ++age)
      snapshots_.push_back(Must(context.At("@t-" + std::to_string(age))));
  }

  std::size_t count() const { return count_; }

  std::size_t Round(bool with_ranges) {
    std::size_t found = 0;
    for (const Selector& selector : page_.timeless) {
      for (const Snapshot& snapshot : snapshots_)
        found = found * 31 + Must(Select(snapshot, selector)).size();
      found = found * 31 + Must(context_.Select(selector)).size();
    }
    count_ += page_.timeless.size() * (snapshots_.size() + 1);
    for (const Selector& selector : page_.timed) {
      const auto ids = context_.Select(selector);
      found = found * 31 + (ids ? ids->size() : 1000);
      ++count_;
    }
    for (const Selector& selector : page_.ranges) {
      if (!with_ranges) break;
      const auto answer = context_.SelectRange(selector, {}, {.include_content = true});
      ranges_ += answer ? answer->size() : 0;
      ++count_;
    }
    return found;
  }

  // Bytes of all ranges so far.
  std::size_t ranges() const { return ranges_; }

 private:
  const Context& context_;
  support::PageSelectors page_ = support::ReadSelectorPage();
  std::vector<Snapshot> snapshots_;
  std::size_t count_ = 0;
  std::size_t ranges_ = 0;
};

TEST(Select, ChangesNothingInAMillionReads) {
  support::Session session(7);
  while (session.commits().size() < 12) session.Step();
  const Context& context = session.context();
  const std::string before = support::StoreState(context);
  ASSERT_GT(support::NumberIn(context.Stats(), "nodes"), 20);

  Reads reads(context, 9);
  const std::size_t found = reads.Round(true);
  const std::size_t ranges = reads.ranges();
  EXPECT_GT(ranges, 1000u);
  const std::size_t wanted = support::Scaled(1'000'000);
  std::size_t rounds_with_ranges = 1;
  for (std::size_t round = 1; reads.count() < wanted; ++round) {
    const bool with_ranges = round % 16 == 0;
    ASSERT_EQ(reads.Round(with_ranges), found) << "round " << round;
    rounds_with_ranges += with_ranges ? 1 : 0;
  }
  EXPECT_EQ(reads.ranges(), ranges * rounds_with_ranges);
  EXPECT_EQ(support::StoreState(context), before);
}

}  // namespace
}  // namespace pactdb
