// How many nodes a query looks at, and that it ends when they are too many.
#include <gtest/gtest.h>

#include <string>

#include "select/eval.h"
#include "select/select.h"
#include "support/sketch_tree.h"

namespace pactdb::select {
namespace {

using support::SketchTree;

TEST(Visits, EndAQueryThatLooksAtMoreThanTenMillionNodes) {
  // Every step of `.cont .cont .cont .block` looks at all blocks.
  std::string sketch = "sys\n  a cont\n    b cont\n      c cont\n";
  for (int i = 0; i < 156'248; ++i) sketch += "        n" + std::to_string(i) + " block\n";
  const SketchTree tree(sketch);
  std::string selector = ".cont .cont .cont .block[role=x]";
  for (int i = 0; i < 14; ++i) selector += ", .cont .cont .cont .block[role=x]";
  const auto within =
      MatchNodes(Selector::Parse(selector + ", .cont .cont .cont", Dialect::kCanonical).value(),
                 tree.Working());
  ASSERT_TRUE(within);
  ASSERT_EQ(within->size(), 1u);
  EXPECT_EQ(tree.Working().id(*within->front()).view(), "c");
  selector += ", .cont .cont .cont .block[role=x]";
  const auto parsed = Selector::Parse(selector, Dialect::kCanonical);
  ASSERT_TRUE(parsed);
  const auto nodes = MatchNodes(*parsed, tree.Working());
  ASSERT_FALSE(nodes);
  EXPECT_EQ(nodes.error().code(), ErrorCode::kLimitExceeded);
  EXPECT_EQ(nodes.error().message(), "the selector looks at more than 10000000 nodes");
}

constexpr std::string_view kTagged = R"(sys
  s block tags=x
seq
  t1 seg
    c1 cont core
      a block tags=x key=k
      b block
  t2 seg
    c2 cont core
      c block tags=x|y
      d block key=k
ah
  h block
)";

// Ids in order if it may look at so many nodes, or the error.
std::string IdsWithin(std::uint64_t visits_max, std::string_view text) {
  const SketchTree tree(kTagged);
  const TreeView view = tree.Snapshot();
  const Selector selector = Selector::Parse(text, Dialect::kCanonical).value();
  const auto found = Evaluator(selector.impl().ast, selector.impl().plan, view, visits_max).Run();
  if (!found) return std::string(WireName(found.error().code())) + ": " + found.error().message();
  std::string ids;
  for (const Match match : found->items)
    ids += (ids.empty() ? "" : " ") + std::string(view.id(match.node()));
  return ids;
}

TEST(Visits, OfAnIndexAreWhatItHas) {
  struct Counted {
    std::string_view selector;
    std::uint64_t visits;
    std::string_view ids;
  };
  const Counted all[] = {
      {"[id=a]", 1, "a"},
      {"[id=none]", 0, ""},
      {"#k", 2, "d a"},
      {"#b", 1, "b"},
      {"+x", 3, "s c a"},
      {"+y", 1, "c"},
      {"+none", 0, ""},
      // Every candidate is looked at, whether or not it stands in the right place.
      {".seg[id=t1] .block[tag=x]", 4, "a"},
      {"[id=c1] > +x", 4, "a"},
      {"[id=t1] > +x", 4, ""},
      // The groups of a union spend together.
      {"+x, +y", 4, "s c a"},
      {"[id=a], [id=a]", 2, "a"},
  };
  for (const Counted& counted : all) {
    EXPECT_EQ(IdsWithin(counted.visits, counted.selector), counted.ids) << counted.selector;
    if (counted.visits == 0) continue;
    const std::string less = std::to_string(counted.visits - 1);
    EXPECT_EQ(IdsWithin(counted.visits - 1, counted.selector),
              "E_LIMIT_EXCEEDED: the selector looks at more than " + less + " nodes")
        << counted.selector;
  }
}

}  // namespace
}  // namespace pactdb::select
