// The orders of results, on one tree that has a bit of everything.
#include "select/result_order.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "select/select.h"
#include "support/sketch_tree.h"

namespace pactdb::select {
namespace {

using support::SketchTree;

struct Case {
  std::string_view text;
  std::string_view want;
};

std::string IdsOf(const TreeView& view, std::string_view text, Dialect dialect) {
  const auto nodes = MatchNodes(Selector::Parse(text, dialect).value(), view, {});
  if (!nodes) return nodes.error().message();
  std::string ids;
  for (const Node* node : *nodes) ids += (ids.empty() ? "" : " ") + std::string(view.id(*node));
  return ids;
}

void Check(const SketchTree& tree, const std::vector<Case>& cases,
           Dialect dialect = Dialect::kCanonical) {
  for (const Case& test : cases)
    EXPECT_EQ(IdsOf(tree.Working(), test.text, dialect), test.want) << test.text;
}

constexpr std::string_view kSketch = R"(sys
  s1 block
seq
  t1 seg index=1
    p1 cont offset=-1
      pb1 block
    c1 cont core
      b1 block
      b2 block offset=2
  t2 seg index=2
    c2 cont core
      b3 block
    g2 cont offset=1
      gb2 block
ah
  h1 block
)";

TEST(ResultOrder, TurnsComeFromTheNewestOrTheOldest) {
  const SketchTree tree(kSketch);
  const std::string_view newest = "s1 b3 gb2 pb1 b1 b2 h1";
  const std::string_view oldest = "s1 pb1 b1 b2 b3 gb2 h1";
  Check(tree, {{".block", newest},
               {".block @order=pre", newest},
               {".block @order=turn:desc,pre", newest},
               {".block @order=turn:asc,pre", oldest},
               {".seg", "t2 t1"},
               {".seg @order=turn:asc,pre", "t1 t2"},
               {".seg, .block, .cont", "s1 t2 c2 b3 g2 gb2 t1 p1 pb1 c1 b1 b2 h1"}});
  Check(tree,
        {{".cb", oldest},
         {".cb @order=pre", oldest},
         {".cb @order=turn:desc,pre", newest},
         {".mt", "t1 t2"}},
        Dialect::kClassic);
}

TEST(ResultOrder, ParentsComeBehindTheirChildrenOrByLevelOrByPath) {
  const SketchTree tree(kSketch);
  Check(tree, {{".seg, .block, .cont @order=post", "s1 b3 c2 gb2 g2 t2 pb1 p1 b1 b2 c1 t1 h1"},
               {".seg, .block, .cont @order=bfs", "s1 t2 t1 h1 c2 g2 p1 c1 b3 gb2 pb1 b1 b2"},
               {".block @order=bfs", "s1 h1 b3 gb2 pb1 b1 b2"},
               {".seg, .cont @order=path", "t1 c1 p1 t2 c2 g2"},
               {"^root, ^ah, ^sys, ^seq @order=post", "sys seq ah root"},
               {"^root, ^ah, ^sys, ^seq @order=bfs", "root sys seq ah"},
               {"#t1 @order=post", "t1"},
               {".none @order=bfs", ""}});
}

// The nearest turn first, then the head of each; ^sys after all turns.
TEST(ResultOrder, KeysComeFromTheNewest) {
  const SketchTree tree(R"(sys
  s block key=k ns=900
seq
  t1 seg index=1
    c1 cont core
      old block key=k ns=100
      late block key=k ns=200 index=1
      last block key=k ns=200 index=2
      twin2 block key=k ns=50 index=5
      twin1 block key=k ns=50 index=5
  t2 seg index=2
    c2 cont core
      new block key=k ns=10
      other block key=x ns=11
ah
  h block key=k ns=1
)");
  const std::string_view all = "h new last late old twin1 twin2 s";
  Check(tree, {{"#k", all},
               {"[key=k]", all},
               {".block[key=k]", all},
               {"#'k':first", "h"},
               {"#'k':last", "s"},
               {"#k @limit=2", "h new"},
               {"#k @limit=2 @p=2", "last late"},
               {"#k, #x", "s new other twin1 twin2 old late last h"},
               {".block @unique", "other h"},
               {"^seq .block @unique", "new other"},
               {"^seq .block[key=k] @unique", "new"},
               {"^sys .block, #t1 .block @unique", "last"}});
}

TEST(ResultOrder, NodesWithoutAKeyAreEachUnique) {
  const SketchTree tree(R"(ah
  a block
  b block
  c block key=k
  d block key=k
  e block key=l
)");
  Check(tree, {{".block @unique", "a b d e"}, {".block @unique @order=path", "a b d e"}});
}

// Blocks of a turn without a core stand in one all the same, before what is at offset 0 by itself.
TEST(ResultOrder, AnImplicitCoreStandsAtOffsetZero) {
  const SketchTree tree(R"(seq
  t1 seg
    p cont offset=-1
      pb block
    b1 block
    b2 block
    g cont offset=1
      gb block
ah
)");
  Check(tree, {{"#t1 > .cont > .block", "pb b1 b2 gb"},
               {"#t1 .block", "pb b1 b2 gb"},
               {"#t1 > .cont:core > .block", "b1 b2"},
               {"#t1 > .cont:pre > .block", "pb"},
               {"#t1 > .cont:post > .block", "gb"},
               {"#t1 > .cont:nth(2) > .block", "b1 b2"},
               {"#t1 > .cont[offset=0] > .block", "b1 b2"},
               {"#t1 > .cont[offset=0][kind=null] > .block", "b1 b2"},
               {"#t1 > .cont[nodeType=cont][offset=0] > .block", "b1 b2"},
               {"#t1 > .cont[role] > .block", ""},
               {"#t1 > .cont", "p g"}});
}

}  // namespace
}  // namespace pactdb::select
