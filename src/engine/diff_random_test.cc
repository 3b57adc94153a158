// Differences of random sessions: applied to the one state, a diff gives the other.
#include <gtest/gtest.h>
#include <pactdb/diff.h>

#include <string>
#include <vector>

#include "support/contexts.h"
#include "support/scale.h"
#include "support/sessions.h"

namespace pactdb {
namespace {

using support::Must;
using support::Session;

// A session in which old states come back by import, whole or as somebody else's copy of them.
void Play(Session& session, int steps) {
  for (int step = 0; step < steps; ++step) {
    session.Step();
    if (!session.random().Chance(2) || session.context().open_cycle() < 3) continue;
    const std::string old = "@c" + std::to_string(session.random().Between(1, 2));
    const auto tree = session.context().Tree(old);
    if (tree) (void)session.context().ImportSnapshot(R"({"root":)" + *tree + "}");
  }
}

std::vector<std::string> States(const Context& context) {
  std::vector<std::string> states = {"working"};
  for (std::int64_t cycle = 1; cycle < context.open_cycle(); ++cycle)
    states.push_back("@c" + std::to_string(cycle));
  return states;
}

TEST(DiffRandom, LeadsFromOneStateToTheOther) {
  const std::size_t seeds = support::Scaled(60);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session(seed);
    Play(session, 120);
    const Context& context = session.context();
    const auto states = States(context);
    for (int pair = 0; pair < 30; ++pair) {
      const std::string from = session.random().Pick(states);
      const std::string to = session.random().Pick(states);
      const std::string diff = Must(context.Diff(from, to, {.detail = true}));
      ASSERT_EQ(Must(ApplyDiff(Must(context.Tree(from)), diff)), Must(context.Tree(to)))
          << from << " to " << to << ": " << diff;
    }
  }
}

// The log of a commit counts what the diff to the commit before it lists. (Fixed containers that an
// import did not have are listed and not counted.)
TEST(DiffRandom, ListsWhatTheLogCounts) {
  const std::size_t seeds = support::Scaled(100);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session(seed);
    for (int step = 0; step < 150; ++step) session.Step();
    const Context& context = session.context();
    for (std::int64_t cycle = 2; cycle < context.open_cycle(); ++cycle) {
      const Snapshot from = Must(context.At("@c" + std::to_string(cycle - 1)));
      const Snapshot to = Must(context.At("@c" + std::to_string(cycle)));
      const SnapshotDiff diff = Diff(from, to);
      const std::string entry = Must(context.Log({.limit = 1, .cursor = cycle + 1}));
      ASSERT_EQ(support::NumberIn(entry, "added"), static_cast<std::int64_t>(diff.added.size()));
      ASSERT_EQ(support::NumberIn(entry, "removed"),
                static_cast<std::int64_t>(diff.removed.size()));
      ASSERT_EQ(support::NumberIn(entry, "changed"),
                static_cast<std::int64_t>(diff.changed.size()));
    }
  }
}

}  // namespace
}  // namespace pactdb
