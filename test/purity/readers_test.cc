// `select` is pure, also from several threads while a writer commits: the history that comes about
// is the one that comes about without readers. Run under ThreadSanitizer.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "purity/selector_page.h"
#include "purity/store_state.h"
#include "support/crew.h"
#include "support/scale.h"

namespace pactdb {
namespace {

using support::Block;
using support::Must;

constexpr std::size_t kReaders = 3;
constexpr std::size_t kCommits = 32;

void AddTurn(Context& context, std::size_t turn) {
  const std::string name = std::to_string(turn);
  Must(context.Add(Block("u" + name, "question " + name).Role("user").Key("k").Tags({"a"})));
  Must(context.Add(Block("r" + name, "answer").Role("assistant").Kind("summary").Ttl(3)));
  Must(context.Commit());
}

// The newest snapshot and those before it that were met, each with what a selector found in it.
class Readings {
 public:
  void Read(Reader& latest, const Selector& selector, std::size_t turn) {
    const Snapshot* newest = latest.Latest();
    if (newest == nullptr) return;
    if (kept_.empty() || kept_.back().cycle() != newest->cycle()) kept_.push_back(*newest);
    const Snapshot& snapshot = turn % 2 == 0 ? *newest : kept_[turn % kept_.size()];
    const std::size_t size = Must(Select(snapshot, selector)).size();
    ASSERT_EQ(Must(Select(snapshot, selector)).size(), size);
  }

 private:
  std::vector<Snapshot> kept_;
};

TEST(Select, ChangesNothingWhileAWriterCommits) {
  const support::PageSelectors page = support::ReadSelectorPage();
  const std::size_t wanted = support::Scaled(1'000'000);
  Context context = support::NewContext();
  AddTurn(context, 0);
  std::atomic<std::size_t> reads = 0;
  support::Crew crew;
  for (std::size_t reader = 0; reader < kReaders; ++reader) {
    crew.Add([&page, &reads, wanted, reader, latest = context.MakeReader()]() mutable {
      Readings readings;
      for (std::size_t i = reader; reads.load(std::memory_order_relaxed) < wanted; ++i) {
        readings.Read(latest, page.timeless[i % page.timeless.size()], i / page.timeless.size());
        reads.fetch_add(2, std::memory_order_relaxed);
      }
    });
  }
  crew.Go();
  // A commit each time the readers have done their part of the whole.
  for (std::size_t turn = 1; turn < kCommits; ++turn) {
    AddTurn(context, turn);
    while (reads.load(std::memory_order_relaxed) < wanted * turn / kCommits)
      std::this_thread::yield();
  }
  crew.Join();

  Context alone = support::NewContext();
  for (std::size_t turn = 0; turn < kCommits; ++turn) AddTurn(alone, turn);
  EXPECT_EQ(support::StoreState(context), support::StoreState(alone));
}

}  // namespace
}  // namespace pactdb
