// Random families of forks. Every branch must be, at every snapshot, what its own operations give
// when they are played from the start on a context that was never forked; and a diff between two
// branches must be what looking at every node of both gives.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "diff/tree_diff.h"
#include "model/history.h"
#include "support/contexts.h"
#include "support/diff_text.h"
#include "support/naive_diff.h"
#include "support/scale.h"
#include "support/sessions.h"

namespace pactdb {
namespace {

using support::CodeOf;
using support::Must;
using support::Session;

// So many steps of a session, with the ids and options it began with.
struct Segment {
  std::uint64_t seed;
  std::vector<std::string> ids;
  Options options;
  int steps = 0;
};

// A step of the session; now and then an old state comes back by import.
void Step(Session& session) {
  session.Step();
  if (!session.random().Chance(2) || session.context().open_cycle() < 3) return;
  const std::string old = "@c" + std::to_string(session.random().Between(1, 2));
  const auto tree = session.context().Tree(old);
  if (tree) (void)session.context().ImportSnapshot(R"({"root":)" + *tree + "}");
}

struct Branch {
  std::unique_ptr<Session> session;
  std::vector<Segment> segments;
  // Where snapshots came from: segment and step after which it was there, by cycle.
  struct Point {
    std::size_t segment;
    int steps;
  };
  std::map<std::int64_t, Point> points;
  std::map<std::size_t, std::int64_t> common;  // with older branches: the last cycle shared

  const Context& context() const { return session->context(); }
  void Play(int steps) {
    for (int i = 0; i < steps; ++i) {
      Step(*session);
      ++segments.back().steps;
      // Steps that left something uncommitted end behind their snapshot.
      const auto newest = context().At("@t0");
      if (newest && newest->tree_sha256() == context().tree_sha256())
        points.try_emplace(newest->cycle(), segments.size() - 1, segments.back().steps);
    }
  }
};

// The branch's operations on a context of its own.
Session Replay(const Branch& branch) {
  Session session(branch.segments[0].seed);
  for (int i = 0; i < branch.segments[0].steps; ++i) Step(session);
  for (std::size_t s = 1; s < branch.segments.size(); ++s) {
    const Segment& segment = branch.segments[s];
    Must(session.context().Configure(segment.options, /*restart_clock=*/false));
    session = Session(segment.seed, std::move(session.context()), segment.ids);
    for (int i = 0; i < segment.steps; ++i) Step(session);
  }
  return session;
}

class Family {
 public:
  explicit Family(std::uint64_t seed) : random_(seed), seed_(seed * 1000) {
    Branch& main = branches_.emplace_back();
    main.segments.push_back({seed_, {}, support::SteppedOptions()});
    main.session = std::make_unique<Session>(seed_++);
  }

  void Grow(int rounds) {
    branches_[0].Play(40);
    for (int round = 0; round < rounds; ++round) {
      if (branches_.size() < 6) Fork(random_.Below(branches_.size()));
      for (Branch& branch : branches_) branch.Play(static_cast<int>(random_.Below(15)));
    }
  }

  void CheckBranches() {
    for (std::size_t i = 0; i < branches_.size(); ++i) {
      SCOPED_TRACE("branch " + std::to_string(i));
      Session oracle = Replay(branches_[i]);
      CheckBranch(branches_[i].context(), oracle.context(), branches_[i].session->ids());
      if (::testing::Test::HasFailure()) return;
    }
  }

  void CheckDiffs() {
    for (int i = 0; i < 40; ++i) {
      const std::size_t a = random_.Below(branches_.size());
      const std::size_t b = random_.Below(branches_.size());
      CheckDiff(a, AnySnapshot(a), b, AnySnapshot(b));
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  void Fork(std::size_t from) {
    const Branch& origin = branches_[from];
    if (origin.points.empty()) return;
    auto point = origin.points.begin();
    std::advance(point, random_.Below(origin.points.size()));
    const auto& [cycle, place] = *point;
    Branch fork;
    fork.segments.assign(origin.segments.begin(),
                         origin.segments.begin() + static_cast<std::ptrdiff_t>(place.segment) + 1);
    fork.segments.back().steps = place.steps;
    const Segment own{seed_++, origin.session->ids(), origin.context().options()};
    fork.segments.push_back(own);
    fork.session = std::make_unique<Session>(
        own.seed, Must(origin.context().Fork("@c" + std::to_string(cycle))), own.ids);
    for (const auto& [shared, at] : origin.points) {
      if (shared <= cycle) fork.points.emplace(shared, at);
    }
    for (std::size_t i = 0; i < branches_.size(); ++i)
      fork.common[i] = std::min(cycle, i == from ? cycle : CommonCycle(from, i));
    branches_.push_back(std::move(fork));
  }

  // The last cycle that two branches share; none for a branch and itself.
  std::int64_t CommonCycle(std::size_t a, std::size_t b) const {
    if (a == b) return INT64_MAX;
    return branches_[std::max(a, b)].common.at(std::min(a, b));
  }

  static void CheckBranch(const Context& branch, const Context& oracle,
                          const std::vector<std::string>& ids) {
    ASSERT_EQ(branch.open_cycle(), oracle.open_cycle());
    ASSERT_EQ(Must(branch.Log({.hashes = true})), Must(oracle.Log({.hashes = true})));
    ASSERT_EQ(branch.Verify(), support::VerifyOk());
    ASSERT_EQ(Must(branch.Export({.history = true})), Must(oracle.Export({.history = true})));
    std::vector<std::string> states = {"working"};
    for (std::int64_t cycle = 1; cycle < branch.open_cycle(); ++cycle) {
      if (branch.At("@c" + std::to_string(cycle))) states.push_back("@c" + std::to_string(cycle));
    }
    for (const std::string& at : states) {
      SCOPED_TRACE(at);
      CheckState(branch, oracle, ids, at);
    }
    for (const std::string& id : ids) {
      const auto life = oracle.Life(id);
      ASSERT_EQ(CodeOf(branch.Life(id)), CodeOf(life)) << id;
      if (life) {
        ASSERT_EQ(*branch.Life(id), *life) << id;
      }
    }
    for (const char* range : {"@t0..@* .block", "@t0..@t-9 [tag='t0']", "@t0..@* #k1"}) {
      const auto want = oracle.SelectRange(range);
      ASSERT_EQ(CodeOf(branch.SelectRange(range)), CodeOf(want)) << range;
      if (want) {
        ASSERT_EQ(*branch.SelectRange(range), *want) << range;
      }
    }
  }

  static void CheckState(const Context& branch, const Context& oracle,
                         const std::vector<std::string>& ids, const std::string& at) {
    if (at == "working") {
      ASSERT_EQ(branch.tree_sha256(), oracle.tree_sha256());
    } else {
      ASSERT_EQ(Must(branch.At(at)).tree_sha256(), Must(oracle.At(at)).tree_sha256());
    }
    const auto rendered = oracle.Render({.at = at});
    ASSERT_EQ(CodeOf(branch.Render({.at = at})), CodeOf(rendered));
    if (rendered) {
      ASSERT_EQ(branch.Render({.at = at})->body, rendered->body);
    }
    ASSERT_EQ(Must(branch.Serialize(at)), Must(oracle.Serialize(at)));
    for (const char* selector : {"#k0", "#k1", "[key='k2']", "[tag='t0']", "+t1", ".block",
                                 "[role='user']", "^seq .seg:depth(2)"}) {
      const auto want = oracle.Select(selector, {.snapshot = at});
      ASSERT_EQ(CodeOf(branch.Select(selector, {.snapshot = at})), CodeOf(want)) << selector;
      if (want) {
        ASSERT_EQ(*branch.Select(selector, {.snapshot = at}), *want) << selector;
      }
    }
    for (const std::string& id : ids) {
      const auto want = oracle.Get(id, at);
      ASSERT_EQ(CodeOf(branch.Get(id, at)), CodeOf(want)) << id;
      if (want) {
        ASSERT_EQ(*branch.Get(id, at), *want) << id;
      }
    }
  }

  Snapshot AnySnapshot(std::size_t branch) {
    const auto& points = branches_[branch].points;
    auto point = points.begin();
    std::advance(point, random_.Below(points.size()));
    return Must(branches_[branch].context().At("@c" + std::to_string(point->first)));
  }

  void CheckDiff(std::size_t a, const Snapshot& from, std::size_t b, const Snapshot& to) {
    // A node is the same if a snapshot that both branches have, or one of the two trees in the
    // other's history, held it.
    std::int64_t shared = CommonCycle(a, b);
    if (from.cycle() <= shared || to.cycle() <= shared) shared = INT64_MAX;
    std::set<std::string> ids;
    for (std::int64_t cycle = 1; shared != INT64_MAX && cycle <= shared; ++cycle) {
      const auto snapshot = branches_[a].context().At("@c" + std::to_string(cycle));
      if (!snapshot) continue;
      const CommitRecord& record = snapshot->record();
      for (PreorderCursor node(*record.root); node.get() != nullptr; node.Next())
        ids.emplace(record.lexicon->id(node.get()->number));
    }
    const auto is_same = [&](const std::string& id) {
      return shared == INT64_MAX || ids.contains(id);
    };
    const TreeView before = from.record().View();
    const TreeView after = to.record().View();
    const bool newest_first = random_.Chance(50);
    const auto turns = newest_first ? TurnOrder::kNewestFirst : TurnOrder::kOldestFirst;
    ASSERT_EQ(support::DiffText(Compare(before, after, turns), before, after),
              support::NaiveDiff(before, after, newest_first, is_same))
        << "branch " << a << " @c" << from.cycle() << " to branch " << b << " @c" << to.cycle();
  }

  support::Random random_;
  std::uint64_t seed_;
  std::vector<Branch> branches_;
};

TEST(ForkRandom, EveryBranchIsWhatItsOperationsGiveFromTheStart) {
  const std::size_t seeds = support::Scaled(30);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Family family(seed);
    family.Grow(8);
    family.CheckBranches();
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(ForkRandom, DiffsBetweenBranchesAreWhatLookingAtEveryNodeGives) {
  const std::size_t seeds = support::Scaled(60);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Family family(seed);
    family.Grow(8);
    family.CheckDiffs();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace pactdb
