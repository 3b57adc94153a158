// What a scan counts: every node that it looks at, once, whichever way it goes.
#include "select/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// --- what a scan finds ---

struct Drawn {
  std::string id;
  bool is_block;
  bool is_user;
  int priority;
};

// Turns whose cores hold as many blocks as are scanned at once, one less and one more; some with a
// group among the blocks, or beside the core.
class LargeTree {
 public:
  LargeTree() {
    sketch_ = "seq\n";
    for (int round = 0; round < 3; ++round) {
      for (const int blocks : {0, 1, 31, 32, 33, 63, 64, 65, 100, 200}) AddTurn(blocks);
    }
    sketch_ += "ah\n";
    tree_ = std::make_unique<SketchTree>(sketch_);
  }

  TreeView view() const { return tree_->Working(); }

  // Ids of the drawn nodes that pass, turns in this order.
  template <typename Passes>
  std::vector<std::string> Wanted(Dialect dialect, const Passes& passes) const {
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      const bool newest_first = dialect == Dialect::kCanonical;
      for (const Drawn& node : turns_[newest_first ? turns_.size() - 1 - i : i]) {
        if (passes(node)) ids.push_back(node.id);
      }
    }
    return ids;
  }

 private:
  void AddTurn(int blocks) {
    turns_.emplace_back();
    const std::string n = std::to_string(turns_.size());
    Add(1, "t" + n, "seg", 0);
    Add(2, "c" + n, "cont core", 0);
    for (int i = 0; i < blocks; ++i) {
      Add(3, "b" + n + "-" + std::to_string(i), i % 3 == 0 ? "block role=user" : "block",
          i % 5 - 2);
      if (turns_.size() % 4 != 0 || i != blocks / 2) continue;
      Add(3, "g" + n, "cont", 1);
      for (int j = 0; j < 40; ++j)
        Add(4, "d" + n + "-" + std::to_string(j), "block role=user", j % 3);
    }
    if (turns_.size() % 3 != 0) return;
    Add(2, "p" + n, "cont offset=1", 0);
    Add(3, "e" + n, "block", 1);
  }
  void Add(int level, const std::string& id, const std::string& rest, int priority) {
    sketch_ += std::string(static_cast<std::size_t>(level) * 2, ' ') + id + " " + rest +
               " priority=" + std::to_string(priority) + "\n";
    turns_.back().push_back({id, rest.starts_with("block"), rest.contains("user"), priority});
  }

  std::string sketch_;
  std::vector<std::vector<Drawn>> turns_;
  std::unique_ptr<SketchTree> tree_;
};

TEST(Scan, FindsAllThatPassesInLongListsToo) {
  const LargeTree tree;
  const auto check = [&](std::string_view filters, const auto& passes) {
    for (const Dialect dialect : {Dialect::kCanonical, Dialect::kClassic}) {
      for (const std::string_view before : {"", "^seq "}) {
        const std::string text = std::string(before) + std::string(filters);
        const auto nodes =
            MatchNodes(Selector::Parse(text, dialect).value(), tree.view(), MatchOptions());
        ASSERT_TRUE(nodes) << text;
        std::vector<std::string> ids;
        for (const Node* node : *nodes) {
          if (!node->is_fixed()) ids.emplace_back(tree.view().id(*node));
        }
        EXPECT_EQ(ids, tree.Wanted(dialect, passes)) << text;
        for (const std::size_t limit : {std::size_t{1}, std::size_t{33}, std::size_t{500}}) {
          const auto some = MatchNodes(
              Selector::Parse(text + " @limit=" + std::to_string(limit), dialect).value(),
              tree.view(), MatchOptions());
          ASSERT_TRUE(some) << text;
          EXPECT_TRUE(std::ranges::equal(
              *some, std::span(*nodes).subspan(0, std::min(limit, nodes->size()))))
              << text << " " << limit;
        }
      }
    }
  };
  check(".cb", [](const Drawn& node) { return node.is_block; });
  check(".cb[role=user]", [](const Drawn& node) { return node.is_block && node.is_user; });
  check(".cb[role!=user]", [](const Drawn& node) { return node.is_block && !node.is_user; });
  check(".cb[priority>0]", [](const Drawn& node) { return node.is_block && node.priority > 0; });
  check(".cb[priority>=0]", [](const Drawn& node) { return node.is_block && node.priority >= 0; });
  check(".cb[priority<1]", [](const Drawn& node) { return node.is_block && node.priority < 1; });
  check(".cb[priority<=-1]",
        [](const Drawn& node) { return node.is_block && node.priority <= -1; });
  check(".cb[priority=1][role=user]",
        [](const Drawn& node) { return node.is_block && node.is_user && node.priority == 1; });
  check(".cb[priority!=1]", [](const Drawn& node) { return node.is_block && node.priority != 1; });
  check("[priority=1]", [](const Drawn& node) { return node.priority == 1; });
  check("[priority>1]", [](const Drawn& node) { return node.priority > 1; });
  check(".mt", [](const Drawn& node) { return node.id[0] == 't'; });
  check(".mc", [](const Drawn& node) {
    return node.id[0] == 'c' || node.id[0] == 'g' || node.id[0] == 'p';
  });
  check(".mc .cb[role=user]", [](const Drawn& node) { return node.is_block && node.is_user; });
  check(".mc .mc .cb", [](const Drawn& node) { return node.id[0] == 'd'; });
  check(".mc > .cb", [](const Drawn& node) { return node.is_block; });
}

// What is found is written in lots of some hundred.
TEST(Scan, FindsAllInManyTurnsThatAreAlike) {
  std::string sketch = "seq\n";
  std::vector<std::string> wanted;
  for (int turn = 0; turn < 40; ++turn) {
    const std::string n = std::to_string(turn);
    sketch += "  t" + n + " seg\n    c" + n + " cont core\n";
    for (int i = 0; i < 20 + turn % 12; ++i) {
      wanted.push_back("b" + n + "-" + std::to_string(i));
      sketch += "      " + wanted.back() + " block\n";
    }
  }
  const SketchTree tree(sketch + "ah\n");
  const TreeView view = tree.Working();
  const auto nodes = MatchNodes(Selector::Parse(".cb", Dialect::kClassic).value(), view, {});
  std::vector<std::string> ids;
  for (const Node* node : nodes.value()) ids.emplace_back(view.id(*node));
  EXPECT_EQ(ids, wanted);
}

TEST(Scan, KnowsTheDepthOfEveryTurnFromEitherEnd) {
  std::string sketch = "seq\n";
  for (const std::string n : {"1", "2", "3", "4"})
    sketch += "  t" + n + " seg\n    c" + n + " cont core\n      b" + n + " block ttl=3\n";
  const SketchTree tree(sketch + "ah\n");
  for (const Dialect dialect : {Dialect::kCanonical, Dialect::kClassic}) {
    for (int depth = 1; depth <= 4; ++depth) {
      for (const std::string filter : {"", "[ttl=3]"}) {
        const std::string text = ".cb" + filter + "[depth=" + std::to_string(depth) + "]";
        const auto nodes =
            MatchNodes(Selector::Parse(text, dialect).value(), tree.Snapshot(), {}).value();
        ASSERT_EQ(nodes.size(), 1) << text;
        EXPECT_EQ(tree.Snapshot().id(*nodes[0]), "b" + std::to_string(5 - depth)) << text;
      }
    }
  }
}

}  // namespace
}  // namespace pactdb::select
