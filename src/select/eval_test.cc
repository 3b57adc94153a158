// The rules of selection on small trees. Trees are drawn; see test/support/sketch_tree.h.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "select/select.h"
#include "support/sketch_tree.h"

namespace pactdb::select {
namespace {

using support::SketchTree;

// Ids in order, or the code of the error.
std::string Ids(const TreeView& view, std::string_view text, Dialect dialect,
                const MatchOptions& options = {}) {
  const auto selector = Selector::Parse(text, dialect);
  if (!selector) return std::string(WireName(selector.error().code()));
  const auto nodes = MatchNodes(*selector, view, options);
  if (!nodes) return std::string(WireName(nodes.error().code()));
  std::string ids;
  for (const Node* node : *nodes) ids += (ids.empty() ? "" : " ") + std::string(view.id(*node));
  return ids;
}

// The fixtures of the three selector chapters, §6.2 and §6.3.
constexpr std::string_view kClassicFixture = R"(sys
  cb:sysA cb role=system kind=text
seq
  mt:1 mt
    cb:u1 cb role=user kind=text ttl=2
  mt:2 mt
    cb:a1 cb role=assistant kind=text ttl=1
ah
  cb:u2 cb role=user kind=text
)";
constexpr std::string_view kClassicThreeTurns = R"(seq
  mt:1 mt
    cb:u1 cb role=user kind=text
  mt:2 mt
    cb:u2 cb role=user kind=text
  mt:3 mt
    cb:u3 cb role=user kind=text
)";
// Listed newest first there: seg:1 is the newest turn.
constexpr std::string_view kCanonicalFixture = R"(sys
  block:sysA block role=system kind=text
seq
  seg:2 seg
    cont:3 cont core
      block:u2 block role=user kind=text
  seg:1 seg
    cont:1 cont core
      block:u1 block role=user kind=text ttl=2
    cont:2 cont core
      block:a1 block role=assistant kind=text ttl=1
ah
  block:u3 block role=user kind=text
)";
constexpr std::string_view kCanonicalThreeTurns = R"(seq
  seg:3 seg
    cont:3 cont core
      block:u3 block role=user kind=text
  seg:2 seg
    cont:2 cont core
      block:u2 block role=user kind=text
  seg:1 seg
    cont:1 cont core
      block:u1 block role=user kind=text
)";

struct Case {
  std::string_view selector;
  std::string_view want;
};

void Check(const TreeView& view, Dialect dialect, const std::vector<Case>& cases) {
  for (const Case& test : cases) {
    EXPECT_EQ(Ids(view, test.selector, dialect), test.want) << test.selector;
  }
}

const std::vector<Case>& ClassicGoldens() {
  static const std::vector<Case> cases = {{"@t0 ^sys .cb", "cb:sysA"},
                                          {"@t0 ^seq .mt:depth(1)", "mt:2"},
                                          {"@t0 ^seq .mt:depth(1,2)", "mt:1 mt:2"},
                                          {"@t0 ^seq .mt:depth(1-2) .mc > .cb", "cb:u1 cb:a1"},
                                          {"@t0 #cb:u2", "cb:u2"},
                                          {"@t0 ^seq .mt:depth(1) > .cb", "cb:a1"},
                                          {"@t0 .cb[role='assistant']", "cb:a1"},
                                          {"@t0 ^seq .mt:depth(1-2) .cb[ttl<=1]", "cb:a1"},
                                          {"@t0 ^seq .mt:depth()", "E_SELECTOR_INVALID"},
                                          {"@t0 ^seq .mt:depth(3) .cb[role='user']", ""}};
  return cases;
}

TEST(Goldens, SEL_40_OfTheClassicChapter) {
  Check(SketchTree(kClassicFixture).Snapshot(), Dialect::kClassic, ClassicGoldens());
  Check(SketchTree(kClassicThreeTurns).Snapshot(), Dialect::kClassic,
        {{"@t0 ^seq .mt:depth(1-3) .cb[role='user']", "cb:u1 cb:u2 cb:u3"}});
}

TEST(Goldens, SEL_46_OfTheDepthChapter) {
  Check(SketchTree(kClassicFixture).Snapshot(), Dialect::kDepth, ClassicGoldens());
  Check(SketchTree(kClassicThreeTurns).Snapshot(), Dialect::kDepth,
        {{"@t0 ^seq .mt:depth(1-3) .cb[role='user']", "cb:u1 cb:u2 cb:u3"}});
}

TEST(Goldens, SEL_97_OfTheCanonicalChapter) {
  Check(SketchTree(kCanonicalFixture).Snapshot(), Dialect::kCanonical,
        {{"@t0 ^sys .block", "block:sysA"},
         {"@t0 ^seq .seg:depth(1)", "seg:1"},
         {"@t0 ^seq .seg:depth(1,2)", "seg:1 seg:2"},
         // What the rules give; the chapter prints containers here (an erratum).
         {"@t0 ^seq .seg:depth(1-2) .cont > .block", "block:u1 block:a1 block:u2"},
         {"@t0 ^seq .seg:depth(1) > .cont", "cont:1 cont:2"},
         {"@t0 ^seq .seg:depth(1) > .block", ""},
         {"@t0 ^seq .seg:depth(1) > .cont > .block", "block:u1 block:a1"},
         {"@t0 #block:u2", "block:u2"},
         {"@t0 { id=\"block:u2\" }", "block:u2"},
         {"@t0 .block[role='assistant']", "block:a1"},
         {"@t0 ^seq .seg:depth(1-2) .block[ttl<=1]", "block:a1"},
         {"@t0 ^seq .seg:depth()", "E_SELECTOR_INVALID"},
         {"@t0 ^seq .seg:depth(3) .block[role='user']", ""}});
  Check(SketchTree(kCanonicalThreeTurns).Snapshot(), Dialect::kCanonical,
        {{"@t0 ^seq .seg:depth(1-3) .block[role='user']", "block:u1 block:u2 block:u3"}});
}

TEST(Equivalence, SEL_41_DepthsAndRegions) {
  const SketchTree tree(kClassicFixture);
  Check(tree.Working(), Dialect::kDepth,
        {{"^sys > *", "cb:sysA"},
         {"depth(-1) > *", "cb:sysA"},
         {"^ah > *", "cb:u2"},
         {"depth(0) > *", "cb:u2"},
         {"^ah > .mc[offset=0] > .cb", "cb:u2"},
         {"depth(0) > .mc[offset=0] > .cb", "cb:u2"},
         {".mt:depth(1)", "mt:2"},
         {".mt:depth(0)", "ah"},
         {".mt:depth(<0)", "sys"},
         {".mt:depth(<=0)", "sys ah"},
         {".mt", "mt:1 mt:2"},
         {"depth(<=1)", "sys mt:2 ah"}});
}

TEST(Equivalence, SEL_42_AllFormsOfDepth) {
  const SketchTree tree(kCanonicalThreeTurns);
  for (const std::string_view text :
       {"1,2", "1-2", "1..2", "{1,2}", "{1-2}", "<3", "<=2", "2,1", " 1 , 2 ", "-5-2", "{1},2"}) {
    const std::string both = ".seg[nodeType='seg']:depth(" + std::string(text) + ")";
    EXPECT_EQ(Ids(tree.Working(), both, Dialect::kCanonical), "seg:1 seg:2") << text;
  }
  Check(tree.Working(), Dialect::kCanonical,
        {{"^seq .seg:depth(>=2)", "seg:2 seg:3"},
         {"^seq .seg:depth(>99)", ""},
         {".block:depth(2)", "block:u2"},
         {"depth(2) .block", "block:u2"}});
}

TEST(Equivalence, SEL_45_TypeAndKind) {
  const SketchTree tree(R"(ah
  a block:summary
  b block kind=summary
  c block:summary kind=other
  d cb:summary
  e custom:note
  f cont:summary offset=2
)");
  Check(tree.Working(), Dialect::kCanonical,
        {{".block:summary", "a b d"},
         {"[nodeType='block'][kind='summary']", "a b d"},
         {"[nodeType='block:summary']", "a c d"},
         {"[nodeType='cb:summary']", "a c d"},
         {".block", "a b c d e"},
         {".custom:note", "e"},
         {".cont:summary", "f"},
         {".block[kind=null]", "e"},
         {".tool_call", ""}});
  Check(tree.Working(), Dialect::kClassic,
        {{".cb:summary", "a c d"},
         {"[nodeType='cb:summary']", "a c d"},
         {"[nodeType='cb']", "b"},
         {"[nodeType='block']", "b"},
         {".cb", "a b c d e"}});
}

constexpr std::string_view kTree = R"(sys
  policy block role=system key=rules priority=9
seq
  t1 seg
    c1 cont core
      u1 block role=user kind=text key=k tags=a|b ns=100
      r1 block role=assistant kind=text ns=101
    p1 block offset=-1 kind=note
  t2 seg
    c2 cont core
      u2 block role=user kind=text key=k ns=200
      r2 block role=assistant kind=text tags=b ns=201
    g2 cont offset=1 removable
      n2 block kind=note tags=a
ah
  c3 cont core
    u3 block role=user ttl=1 cad=1 key=k ns=300
  p3 block offset=-1 ttl=0
)";

TEST(Steps, SEL_14_DescendantAndChild) {
  const SketchTree tree(kTree);
  Check(tree.Working(), Dialect::kCanonical,
        {{"^seq .block", "u2 r2 n2 p1 u1 r1"},
         {"^seq > .block", ""},
         {".seg > .block", "p1"},
         {".seg > .cont > .block", "u2 r2 n2 u1 r1"},
         {"^root > *", "sys seq ah"},
         {"^root", "root"},
         {"^seq", "seq"},
         {"* * * *", "u2 r2 n2 u1 r1"},
         {"^ah *", "p3 c3 u3"},
         {"*", "sys policy seq t2 c2 u2 r2 g2 n2 t1 p1 c1 u1 r1 ah p3 c3 u3"}});
  Check(tree.Working(), Dialect::kClassic,
        {{"*", "sys policy seq t1 p1 c1 u1 r1 t2 c2 u2 r2 g2 n2 ah p3 c3 u3"}});
}

TEST(Steps, SEL_15_UnionInResultOrder) {
  const SketchTree tree(kTree);
  Check(tree.Working(), Dialect::kCanonical,
        {{"#u1, ^sys .block, .block[role=user]", "policy u2 u1 u3"},
         {"[key=k], [key=k]", "u2 u1 u3"}});
}

TEST(Steps, SEL_9_Slots) {
  const SketchTree tree(kTree);
  Check(tree.Working(), Dialect::kCanonical,
        {{"^ah :pre .block", "p3"},
         {"^ah :pre", "p3"},
         {".seg :post .block", "n2"},
         {".seg > :post .block", "n2"},
         {".seg > :post > .block", ""},
         {".seg > :post > .cont", "g2"},
         {".block:pre", "p1 p3"},
         {".seg > :core", "c2 c1"}});
}

TEST(Picks, SEL_11_PerParent) {
  const SketchTree tree(kTree);
  Check(tree.Working(), Dialect::kCanonical,
        {{"^seq .block:first", "u2 n2 p1 u1"},
         {"^seq .block:last", "r2 n2 p1 r1"},
         {"^seq .block:nth(2)", "r2 r1"},
         {"^seq .block:nth( 2 )", "r2 r1"},
         {".seg:first", "t2"},
         {".seg:last", "t1"},
         {"^seq .block:first[role=user]", "u2 u1"},
         {"^seq .block[role=assistant]:first", "r2 r1"},
         {".block:nth(9)", ""}});
  Check(tree.Working(), Dialect::kDepth, {{".seg:first", "t1"}});
}

TEST(Keys, SEL_53_NewestFirstAndWholeSetPicks) {
  const SketchTree tree(kTree);
  for (const Dialect dialect : {Dialect::kClassic, Dialect::kDepth, Dialect::kCanonical}) {
    Check(tree.Working(), dialect,
          {{"[key='k']", "u3 u2 u1"},
           {"{ key='k' }", "u3 u2 u1"},
           {"[key='k']:first", "u3"},
           {"[key='k']:depth(>0):first", "u2"},
           {"[key='k']:last", "u1"},
           {"[key='k']:nth(2)", "u2"}});
  }
  Check(tree.Working(), Dialect::kCanonical,
        {{"#k", "u3 u2 u1"}, {"#k:first", ""}, {"#'k':first", "u3"}});
}

TEST(Keys, SEL_69_EffectiveKey) {
  const SketchTree tree(kTree);
  Check(tree.Working(), Dialect::kCanonical,
        {{"#r1", "r1"},
         {"#u1", ""},
         {"[key=r1]", "r1"},
         {"{ id=u1 }", "u1"},
         {"^seq .block[key]", "u2 u1"},
         {"^seq .block[key=null]", "r2 n2 p1 r1"},
         {"^seq .block[key~'^[ru]1']", "r1"},
         {"^seq .block[key!='k']", "r2 n2 p1 r1"},
         {"^seq .block[key=[r1,k]]", "u2 u1 r1"},
         {"#root", "root"}});
  Check(tree.Working(), Dialect::kDepth, {{"#u1", "u1"}, {"[key=r1]", ""}});
}

TEST(Tags, SEL_72_SearchAndFilter) {
  const SketchTree tree(kTree);
  Check(tree.Working(), Dialect::kCanonical,
        {{"+a", "n2 u1"},
         {"+a +b", "u1"},
         {"?? { tag='a' }", "n2 u1"},
         {"^seq +a", ""},
         {".block +b", "r2 u1"},
         {".block[tag!=a][tags]", "r2"},
         {"^seq .block[tag=null]", "u2 p1 r1"},
         {"[tag~'^[ab]$']", "r2 n2 u1"},
         {"(d2, cont, *:block) +b", "u1"}});
}

TEST(Positions, SEL_62_Hops) {
  const SketchTree tree(kTree);
  Check(tree.Working(), Dialect::kCanonical,
        {{"(d1, cont[offset=0], *:block)", "u2 r2"},
         {"(d1, seg, cont[offset=0], *:block) { role=user }", "u2"},
         {"(d-1, *:block)", "policy"},
         {"(d0, *:block)", "p3"},
         {"(d0, -1)", "p3"},
         {"(d2, -1:block.note)", "p1"},
         {"(d1, 1:cont, ?{kind=note})", "n2"},
         {"d1", "t2"},
         {"d1 [key=x]", ""},
         {"depth(1) [key=k]", "u2"},
         {"(cont)", ""},
         {"(*)", "sys seq ah"},
         {"? { role=system }", "policy"},
         {"?? { kind=note }", "n2 p1"},
         {"within(d1,d2) ?? { kind=note }", "n2 p1"},
         {"within(d1, cont) ?? { kind=note }", "n2"},
         {"within(d2) ?? { type=block }", "p1 u1 r1"}});
  Check(tree.Working(), Dialect::kClassic,
        {{"(d0, *:block)", ""}, {":depth(0)", ""}, {":depth(<0)", ""}});
}

// Only the step `.seg` takes the regions where it has a depth (S8); a hop means child turns (S9).
TEST(Positions, S9_AHopOfTurnsIsNoRegionWhateverDepthFollows) {
  const SketchTree tree(kTree);
  Check(tree.Working(), Dialect::kCanonical,
        {{".seg:depth(0)", "ah"},
         {"(seg):depth(0)", ""},
         {"(*:seg):depth(-1)", ""},
         {"(*):depth(0)", "ah"},
         {"(d0, seg):depth(0)", "ah"}});
}

TEST(Controls, SEL_80_Orders) {
  const SketchTree tree(kTree);
  Check(tree.Working(), Dialect::kCanonical,
        {{"^seq * @order=pre", "t2 c2 u2 r2 g2 n2 t1 p1 c1 u1 r1"},
         {"^seq * @order=post", "u2 r2 c2 n2 g2 t2 p1 u1 r1 c1 t1"},
         {"^seq * @order=bfs", "t2 t1 c2 g2 p1 c1 u2 r2 n2 u1 r1"},
         {"^seq * @order=path", "t1 c1 r1 u1 p1 t2 c2 r2 u2 g2 n2"},
         {"^seq * @order=turn:asc,pre", "t1 p1 c1 u1 r1 t2 c2 u2 r2 g2 n2"},
         {"^seq * @order=turn:desc,pre", "t2 c2 u2 r2 g2 n2 t1 p1 c1 u1 r1"},
         {"[key=k] @order=turn:asc,pre", "u1 u2 u3"}});
}

TEST(Controls, SEL_79_Windows) {
  const SketchTree tree(kTree);
  Check(tree.Working(), Dialect::kCanonical,
        {{".block @limit=2", "policy u2"},
         {".block @limit=2 @p=2", "r2 n2"},
         {".block @limit=2 @p=9", ""},
         {".block @limit=0", ""},
         {".block @first", "policy"},
         {".block[role=user] @p=2", "u2 u1 u3"},
         {".block[role=user] @unique", "u3"},
         {".block @unique @limit=3", "policy r2 n2"}});
  EXPECT_EQ(Ids(tree.Working(), "[key=k]", Dialect::kCanonical, {.limit = 1}), "u3");
  EXPECT_EQ(Ids(tree.Working(), "[key=k]", Dialect::kCanonical, {.skip = 1, .limit = 1}), "u2");
  const Selector where = *Selector::Parse(".seg:depth(>0)");
  EXPECT_EQ(Ids(tree.Working(), "[key=k]", Dialect::kCanonical, {.where = &where}), "u2 u1");
}

TEST(Facets, SEL_60_NeedASnapshot) {
  const SketchTree tree(R"(seq
  t1 seg cycle=8
    c1 cont core cycle=8
      u1 block cycle=8
  t2 seg cycle=9
    c2 cont core cycle=9
      u2 block cycle=9
)");
  Check(
      tree.Working(), Dialect::kCanonical,
      {{".block[age<2]", "E_FACET_NEEDS_SNAPSHOT"}, {".block[depth=2]", "E_FACET_NEEDS_SNAPSHOT"}});
  Check(tree.Snapshot(), Dialect::kCanonical,
        {{"@t0 .block[age<1]", "u2"},
         {"@t0 .block[age=1]", "u1"},
         {"@t0 .block[born_turn=8]", "u1"},
         {"@t0 .block[depth=2]", "u1"},
         {"@t0 [sdepth=4]", "u2 u1"},
         {"@t0 ^root[sdepth=0]", "root"}});
}

TEST(Behaviors, SEL_93_EphemeralAndSticky) {
  const SketchTree tree(kTree);
  Check(tree.Working(), Dialect::kCanonical,
        {{".block[ephemeral]", "p3 u3"},
         {".block {sticky}", "u3"},
         {"(d0, *:block) [ ephemeral ]", "p3"}});
}

TEST(ImplicitCore, IsAChildOfTheTurnAndHasItsBlocks) {
  const SketchTree tree(R"(seq
  t1 seg
    g1 cont offset=-1
      b1 block
    b2 block
    b3 block offset=3
)");
  Check(tree.Working(), Dialect::kCanonical,
        {{".cont .block", "b1 b2"},
         {".cont[offset=0] > .block", "b2"},
         {".seg > .cont > .block", "b1 b2"},
         {".seg > .block", "b2 b3"},
         {".seg > .cont:first > .block", "b1"},
         {".seg > .cont:last > .block", "b2"},
         {".seg > *", "g1 b2 b3"},
         {".cont", "g1"},
         {".cont[key=null] > .block", "b1 b2"},
         {"[offset=0] > .block", "b2 b3"},
         {"(d1, cont[offset=0], *:block)", "b2"}});
}

// Found by an index, a block is in the core if a walk would have found it there.
TEST(ImplicitCore, HasTheSameBlocksByIdKeyAndTag) {
  const SketchTree tree(R"(seq
  t1 seg
    g1 cont offset=-1
      b1 block tags=x key=k
      b4 block tags=x key=k offset=1
    b2 block tags=x key=k
    b3 block tags=x key=k offset=3
)");
  for (const std::string filter : {"", "[tag=x]", "[key=k]"}) {
    const auto with = [&filter](const std::string& text) { return text + ".block" + filter; };
    const bool by_key = filter == "[key=k]";
    EXPECT_EQ(Ids(tree.Working(), with(".cont[offset=0] > "), Dialect::kCanonical), "b2") << filter;
    EXPECT_EQ(Ids(tree.Working(), with(".cont[offset=0] "), Dialect::kCanonical), "b2") << filter;
    EXPECT_EQ(Ids(tree.Working(), with(".cont[offset=-1] > "), Dialect::kCanonical),
              by_key ? "b4 b1" : "b1 b4");
    EXPECT_EQ(Ids(tree.Working(), with(".seg > "), Dialect::kCanonical),
              by_key ? "b3 b2" : "b2 b3");
  }
  Check(tree.Working(), Dialect::kCanonical,
        {{".cont[offset=0] > .block[id=b2]", "b2"},
         {".cont[offset=0] > .block[id=b3]", ""},
         {".cont[offset=0] .block[id=b3]", ""},
         {".cont .block[id=b3]", ""},
         {".cont .block[id=b2]", "b2"},
         {".cont .block[id=b1]", "b1"},
         {".seg > .block[id=b1]", ""},
         {".seg .block[id=b1]", "b1"}});
}

TEST(Comparison, ATTR_1_NumbersAndStrings) {
  const SketchTree tree(R"(ah
  a block ttl=9 priority=10 data_n=5 data_s="10" role=user
  b block ttl=10 priority=-3 data_n=5.0 data_s="9" kind=b
  c block data_n="5" data_b=true data_big=123456789012345678901234567890
  d block data_n=null data_a=[1]
)");
  Check(tree.Working(), Dialect::kCanonical,
        {{".block[ttl<10]", "a"},
         {".block[ttl>='9']", "a b"},
         {".block[ttl>=9.5]", "b"},
         {".block[ttl=null]", "c d"},
         {".block[ttl!=9]", "b c d"},
         {".block[ttl<=1]", ""},
         {".block[ttl]", "a b"},
         {".block[priority>5]", "a"},
         {".block[priority<0]", "b"},
         {".block[priority='x']", ""},
         {".block[priority!='x']", "a b c d"},
         {".block[data_n=5]", "a b"},
         {".block[data_n='5']", "c"},
         {".block[data_n>4]", "a b c"},
         {".block[data_n!=5]", "c d"},
         {".block[data_n=null]", "d"},
         {".block[data_s>9]", "a"},
         {".block[data_b=true]", "c"},
         {".block[data_b='true']", "c"},
         {".block[data_b~'t']", ""},
         {".block[data_big=123456789012345678901234567890]", "c"},
         {".block[data_big=123456789012345678901234567891]", ""},
         {".block[data_a=1]", ""},
         {".block[data_a]", "d"},
         {".block[role='User']", ""},
         {".block[role!=user]", "b c d"},
         {".block[role='']", ""},
         {".block[role=[user,x]]", "a"},
         {".block[role!=[user,null]]", ""},
         {".block[id~'[ab]']", "a b"},
         {".block[kind>=a]", "b"},
         {".block[data_x!=1]", "a b c d"},
         {".block[content_hash~'^[0-9a-f]{64}$']", "a b c d"},
         {".block[parent_id=ah][id<c]", "a b"}});
}

TEST(Comparison, StringHeadersAreTextsWhateverTheyLookLike) {
  const SketchTree tree(R"(ah
  10 block key=5 role=7 kind=1.0
  9 block key=05 mime="5" tags=5
  x block key=a role=true tags=5.0|6 mime=5
)");
  Check(tree.Working(), Dialect::kCanonical,
        {{".block[key=5]", "10"},
         {".block[key='5']", "10"},
         {".block[key=5.0]", ""},
         {".block[key!=5]", "9 x"},
         {".block[key=[05,a]]", "9 x"},
         {".block[role=7]", "10"},
         {".block[role=true]", "x"},
         {".block[kind=1]", ""},
         {".block[kind=1.0]", "10"},
         {".block[mime=5]", "9"},
         {".block[id=9]", "9"},
         {".block[id<9]", "10"},
         {".block[id>=9]", "9 x"},
         {".block[tag=5]", "9"},
         {".block[tag=5.0]", "x"},
         {".block[tag>5]", "x"}});
}

TEST(Comparison, NumberHeadersAreNumbersHoweverTheyAreWritten) {
  const SketchTree tree(R"(ah
  a block ttl=5 priority=0 offset=1
  b block ttl=6 priority=-2 offset=2
)");
  Check(tree.Working(), Dialect::kCanonical,
        {{".block[ttl=5.0]", "a"},
         {".block[ttl='5']", "a"},
         {".block[ttl=[5,6]]", "a b"},
         {".block[ttl!=5.0]", "b"},
         {".block[ttl<5]", ""},
         {".block[ttl<=5]", "a"},
         {".block[ttl>5]", "b"},
         {".block[ttl>=6]", "b"},
         {".block[ttl>6]", ""},
         {".block[ttl>x]", ""},
         {".block[priority=-2.0]", "b"},
         {".block[priority=-0]", "a"},
         {".block[offset>1]", "b"}});
}

TEST(Where, TakesNoTimeAndNoControls) {
  const auto checked = [](std::string_view text) {
    const Status status = CheckWhere(Selector::Parse(text, Dialect::kCanonical).value());
    return status ? "ok" : std::string(WireName(status.error().code()));
  };
  for (const std::string_view good : {".block", "#a", ".seg > .cont", "+x, +y"})
    EXPECT_EQ(checked(good), "ok") << good;
  for (const std::string_view bad :
       {"@t0 .block", "@c1 .block", "@t-1..@t0 .block", ".block @first", ".block @limit=2",
        ".block @order=bfs", ".block @unique", "@t0 .block @limit=2"})
    EXPECT_EQ(checked(bad), "E_SELECTOR_INVALID") << bad;
}

}  // namespace
}  // namespace pactdb::select
