#include "select/node_matcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/sketch_tree.h"

namespace pactdb::select {
namespace {

constexpr std::string_view kTree = R"(sys
  s1 block role=system key=k1
  g1 cont
    s2 block role=user tags=a
seq
  t1 seg
    b0 block offset=-1 role=tool
    c1 cont core
      u1 block role=user kind=text ttl=2
    g2 cont:grp offset=1
      x1 block:note role=user
      g3 cont
        x2 block role=user key=k1
  t2 seg
    d1 block role=user
ah
  a1 block role=user tags=a|b
)";

Selector Parse(std::string_view text, Dialect dialect) {
  return Selector::Parse(text, dialect).value();
}

TEST(NodeMatcher, TakesSelectorsThatDependOnTheNodeAndItsAncestors) {
  for (const std::string_view text :
       {".block", "*", "^seq", "^seq .block", "^seq > .seg > .block", ".seg .block[role=user]",
        "[ttl<=1]", "+a", "?? {role=user}", "? {role=user}", ".cont", ".cont > .block",
        "^sys .block, ^ah > *", "#'s1'[role=x] .block", "[key!=k1]", "[parent_id=g2]",
        "(*, *:block)", ".block @order=pre"}) {
    EXPECT_TRUE(NodeMatcher::CanTest(Parse(text, Dialect::kCanonical))) << text;
  }
}

TEST(NodeMatcher, LeavesSelectorsThatLookAtOthersToTheEvaluator) {
  for (const std::string_view text :
       {".block:first", ".seg:depth(1)", "^ah :pre .block", ".block:core", "[age<2]", "[depth=1]",
        "#k1", "[key=k1]", ".block @limit=1", ".block @first", ".block @unique",
        ".block @order=bfs", "(d1, *)", ".block, .seg:last"}) {
    EXPECT_FALSE(NodeMatcher::CanTest(Parse(text, Dialect::kCanonical))) << text;
  }
}

TEST(NodeMatcher, KnowsSelectorsThatLookAtTheNodeAlone) {
  for (const std::string_view text : {".block", "*", "+a", "?? {role=user}", ".block, .seg"})
    EXPECT_TRUE(NodeMatcher::LooksAtNodeAlone(Parse(text, Dialect::kCanonical))) << text;
  for (const std::string_view text : {"^seq .block", "? {role=user}", ".block, ^ah *"})
    EXPECT_FALSE(NodeMatcher::LooksAtNodeAlone(Parse(text, Dialect::kCanonical))) << text;
}

TEST(NodeMatcher, AgreesWithTheEvaluatorOnEveryNode) {
  const support::SketchTree tree(kTree);
  const TreeView view = tree.Snapshot();
  const std::vector<std::string> steps = {".block",      "*",         "^seq",       ".seg", "^root",
                                          "[role=user]", ".cont:grp", "[offset=0]", ".cont"};
  std::vector<std::string> texts = {"? {role=user}",
                                    "?? {role=user}",
                                    "+a",
                                    ".block, ^sys",
                                    "(*)",
                                    "(*, *:block)",
                                    ".cont",
                                    "^seq.cont > .block",
                                    "* ^seq.cont > .block"};
  for (const std::string& first : steps) {
    texts.push_back(first);
    for (const std::string& second : steps) {
      texts.push_back(first + " " + second);
      texts.push_back(first + " > " + second);
      for (const std::string& third : steps) texts.push_back(first + " " + second + " > " + third);
    }
  }
  std::size_t tested = 0;
  for (const Dialect dialect : {Dialect::kClassic, Dialect::kDepth, Dialect::kCanonical}) {
    for (const std::string& text : texts) {
      const Selector selector = Parse(text, dialect);
      if (!NodeMatcher::CanTest(selector)) continue;
      const auto matches = MatchNodes(selector, view).value();
      NodeMatcher matcher(selector, view);
      for (PreorderCursor node(*view.root); node.get() != nullptr; node.Next()) {
        const bool is_match = std::ranges::find(matches, node.get()) != matches.end();
        EXPECT_EQ(matcher.Holds(*node.get()), is_match) << text << ' ' << view.id(*node.get());
      }
      ++tested;
    }
  }
  EXPECT_GT(tested, 1000u);
}

TEST(NodeMatcher, SortsAsTheEvaluatorDoes) {
  const support::SketchTree tree(kTree);
  const TreeView view = tree.Snapshot();
  for (const Dialect dialect : {Dialect::kDepth, Dialect::kCanonical}) {
    const Selector selector = Parse("[role=user], .seg, ^sys", dialect);
    const auto matches = MatchNodes(selector, view).value();
    auto shuffled = matches;
    std::ranges::reverse(shuffled);
    SortMatches(selector, view, shuffled);
    EXPECT_EQ(shuffled, matches);
  }
}

}  // namespace
}  // namespace pactdb::select
