// What a scan counts: every node that it looks at, once, whichever way it goes.
#include "select/scan.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "select/select.h"
#include "support/sketch_tree.h"

namespace pactdb::select {
namespace {

using support::SketchTree;

constexpr std::string_view kSketch = R"(sys
  s block role=system
seq
  t0 seg
    c0 cont core
      z block
  t1 seg
    c1 cont core
      a block role=user
      b block
  t2 seg
    c2 cont core
      c block
      g cont
        d block role=user
ah
  h block
)";
constexpr std::string_view kBelowRoot[] = {
    ".block", ".block[role=user]", ".block[offset=0]", ".cont", "*", ".block[ttl=1]"};

class ScanVisits : public testing::Test {
 protected:
  // Nodes that `walk` may look at before it is stopped: as many as it looks at when it is not.
  template <typename Walk>
  std::uint64_t Count(std::string_view selector, Dialect dialect, const Walk& walk) const {
    const Budget spent = Spend(selector, dialect, walk, limits::kSelectVisitsMax);
    const std::uint64_t count = limits::kSelectVisitsMax - spent.visits_left;
    EXPECT_FALSE(spent.is_exceeded) << selector;
    EXPECT_FALSE(Spend(selector, dialect, walk, count).is_exceeded) << selector;
    EXPECT_TRUE(Spend(selector, dialect, walk, count - 1).is_exceeded) << selector;
    return count;
  }
  template <typename Walk>
  std::uint64_t Count(std::string_view selector, const Walk& walk) const {
    return Count(selector, Dialect::kCanonical, walk);
  }

  // What is looked at until there are `stop_at` matches.
  template <typename Walk>
  std::uint64_t CountUpTo(std::size_t stop_at, std::string_view selector, Dialect dialect,
                          const Walk& walk) const {
    const std::uint64_t all = limits::kSelectVisitsMax;
    return all - Spend(selector, dialect, walk, all, stop_at).visits_left;
  }

  MatchSet Found(std::string_view id) const { return {{Match::Of(*view_.FindId(id))}}; }

 private:
  template <typename Walk>
  Budget Spend(std::string_view selector, Dialect dialect, const Walk& walk, std::uint64_t visits,
               std::size_t stop_at = SIZE_MAX) const {
    const Selector parsed = Selector::Parse(selector, dialect).value();
    const Scope scope = {&view_, dialect};
    const BoundStep bound = Bind(parsed.impl().ast.groups[0].steps[0], scope);
    Budget budget = {visits};
    MatchSet out;
    Scan scan(bound, scope, budget, out, stop_at);
    walk(scan);
    return budget;
  }

  SketchTree tree_{kSketch};
  TreeView view_ = tree_.Snapshot();
};

TEST_F(ScanVisits, AreAllNodesBelowTheRoot) {
  for (const std::string_view selector : kBelowRoot) {
    EXPECT_EQ(Count(selector, [](Scan& scan) { scan.BelowRoot(); }), 17u) << selector;
    EXPECT_EQ(Count(selector, [](Scan& scan) { scan.BelowSeq(); }), 12u) << selector;
  }
}

TEST_F(ScanVisits, AreTheSameInTheClassicDialect) {
  EXPECT_EQ(Count(".cb", Dialect::kClassic, [](Scan& scan) { scan.BelowRoot(); }), 17u);
  EXPECT_EQ(Count(".mc", Dialect::kClassic, [](Scan& scan) { scan.BelowSeq(); }), 12u);
}

TEST_F(ScanVisits, EndWithAsManyMatchesAsAreWanted) {
  const auto below_seq = [](Scan& scan) { scan.BelowSeq(); };
  for (const std::string_view selector : {".block", ".block[offset=0]"}) {
    EXPECT_EQ(CountUpTo(1, selector, Dialect::kCanonical, [](Scan& scan) { scan.BelowRoot(); }), 2u)
        << "sys s";
    EXPECT_EQ(CountUpTo(1, selector, Dialect::kCanonical, below_seq), 3u) << "t2 c2 c";
    EXPECT_EQ(CountUpTo(1, selector, Dialect::kClassic, below_seq), 3u) << "t0 c0 z";
    EXPECT_EQ(CountUpTo(2, selector, Dialect::kClassic, below_seq), 6u) << "t1 c1 a";
  }
}

TEST_F(ScanVisits, OfTurnsGoNoDeeper) {
  EXPECT_EQ(Count(".seg", [](Scan& scan) { scan.Turns(); }), 3u);
  EXPECT_EQ(Count(".seg", [](Scan& scan) { scan.BelowRoot(); }), 6u);
}

TEST_F(ScanVisits, OfDepthsAreTheTurnsAndRegionsOfThoseDepths) {
  const auto below_root = [](Scan& scan) { scan.BelowRoot(); };
  EXPECT_EQ(Count(".block:depth(0)", below_root), 2u);
  EXPECT_EQ(Count(".block:depth(1)", below_root), 5u);
  EXPECT_EQ(Count(".block:depth(2)", below_root), 4u);
  EXPECT_EQ(Count(".block:depth(1,2)", below_root), 9u);
}

TEST_F(ScanVisits, BelowMatchesCountThemselvesIfTheyMayMatch) {
  for (const std::string_view selector : kBelowRoot) {
    EXPECT_EQ(Count(selector, [this](Scan& scan) { scan.Below(Found("c2"), true); }), 4u);
    EXPECT_EQ(Count(selector, [this](Scan& scan) { scan.Below(Found("c2"), false); }), 3u);
    EXPECT_EQ(Count(selector, [this](Scan& scan) { scan.Below(Found("seq"), true); }), 13u);
  }
}

TEST_F(ScanVisits, BelowNestedMatchesAreCountedOnce) {
  MatchSet nested = Found("t2");
  nested.items.push_back(Found("g").items[0]);
  nested.is_disjoint = false;
  for (const std::string_view selector : kBelowRoot)
    EXPECT_EQ(Count(selector, [&](Scan& scan) { scan.Below(nested, false); }), 4u) << selector;
}

TEST_F(ScanVisits, OfChildrenAndOfMatchesThemselves) {
  EXPECT_EQ(Count("*", [this](Scan& scan) { scan.Children(Found("root")); }), 3u);
  EXPECT_EQ(Count("*", [this](Scan& scan) { scan.Children(Found("c2")); }), 2u);
  EXPECT_EQ(Count("*", [this](Scan& scan) { scan.Selves(Found("c2")); }), 1u);
  EXPECT_EQ(Count("*", [](Scan& scan) { scan.Root(); }), 1u);
}

}  // namespace
}  // namespace pactdb::select
