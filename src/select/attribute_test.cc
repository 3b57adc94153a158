// What filters see of a node, and how values compare.
#include "select/attribute.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "select/select.h"
#include "support/error_text.h"
#include "support/sketch_tree.h"

namespace pactdb::select {
namespace {

using support::SketchTree;

struct Case {
  std::string_view text;
  std::string_view want;
};

std::string IdsOf(const TreeView& view, std::string_view text, const MatchOptions& options = {},
                  Dialect dialect = Dialect::kCanonical) {
  const auto selector = Selector::Parse(text, dialect);
  if (!selector) return selector.error().message();
  const auto nodes = MatchNodes(*selector, view, options);
  if (!nodes) return nodes.error().message();
  std::string ids;
  for (const Node* node : *nodes) ids += (ids.empty() ? "" : " ") + std::string(view.id(*node));
  return ids;
}

void Check(const TreeView& view, const std::vector<Case>& cases,
           Dialect dialect = Dialect::kCanonical) {
  for (const Case& test : cases)
    EXPECT_EQ(IdsOf(view, test.text, {}, dialect), test.want) << test.text;
}

TEST(Attribute, TypesAreTheSameButForTheSpellingOfTheirFirstPart) {
  EXPECT_TRUE(IsSameType("block", "cb"));
  EXPECT_TRUE(IsSameType("block:x", "cb:x"));
  EXPECT_TRUE(IsSameType("seg", "mt"));
  EXPECT_TRUE(IsSameType("foo:x", "foo:x"));
  EXPECT_FALSE(IsSameType("block", "cont"));
  EXPECT_FALSE(IsSameType("block:x", "cb:y"));
  EXPECT_FALSE(IsSameType("block:x", "cb"));
  EXPECT_FALSE(IsSameType("block", "cb:x"));
  EXPECT_FALSE(IsSameType("block:", "cb"));
  EXPECT_FALSE(IsSameType("foo", "bar"));
  EXPECT_FALSE(IsSameType("foo:x", "bar:x"));
  EXPECT_FALSE(IsSameType("foo", "cb"));
}

TEST(Attribute, TheKindIsTheGivenOneOrThatOfTheType) {
  const SketchTree tree(R"(ah
  a cb:x
  b cb:x kind=y
  c block
  d block kind=x
  e odd:x
  f cont:x
)");
  Check(tree.Working(), {{".block[kind=x]", "a d"},
                         {".block[kind!=x]", "b c e"},
                         {".block[kind=null]", "c e"},
                         {"[kind=y]", "b"},
                         {".block:x", "a d"},
                         {".cont:x", "f"},
                         {".block[kind]", "a b d"},
                         {"[kind>x]", "b"},
                         {"[kind=[y, null]].block", "b c e"}});
}

TEST(Attribute, ValuesCompareByTheirJsonType) {
  const SketchTree tree(R"(ah
  s block v="5"
  n block v=5
  f block v=5.0
  t block v=true
  u block v="true"
  l block v=[5]
  o block v={"a":5}
  z block v=null
  q block v="a\"b\\c"
)");
  Check(tree.Working(), {
                            {".block[v=5]", "n f"},
                            {".block[v='5']", "s"},
                            {".block[v=true]", "t u"},
                            {".block[v='true']", "t u"},
                            {".block[v=null]", "z"},
                            {".block[v!=null]", "s n f t u l o q"},
                            {".block[v]", "s n f t u l o q"},
                            {".block[v!=5]", "s t u l o z q"},
                            {".block[v='a\"b\\\\c']", "q"},
                            {".block[v~'^a.b']", "q"},
                            {".block[v~'5']", "s"},
                            {".block[v>=5][v<=5]", "s n f"},
                            {".block[v>4]", "s n f t u q"},
                            {".block[v<x]", "s n f t u q"},
                            {".block[v=[5,'5']]", "s n f"},
                            {".block[v!=[5,null]]", "s t u l o q"},
                        });
}

TEST(Attribute, ATagIsAnyOfTheNodes) {
  const SketchTree tree(R"(ah
  a block tags=x|y
  b block tags=y"z\|w
  c block
  d block tags=\\
)");
  Check(tree.Working(), {
                            {".block[tag=y]", "a"},
                            {".block[tag='y\"z\\\\']", "b"},
                            {".block[tag=w]", "b"},
                            {".block[tag='\\\\\\\\']", "d"},
                            {".block[tag]", "a b d"},
                            {".block[tag=null]", "c"},
                            {".block[tag!=null]", "a b d"},
                            {".block[tag!=x]", "b c d"},
                            {".block[tag=[x,w]]", "a b"},
                            {".block[tag!=[x,w]]", "c d"},
                            {".block[tag=[x,null]]", "a c"},
                            {".block[tag!=[x,null]]", "b d"},
                            {".block[tag>x]", "a b"},
                            {".block[tag<x]", "b d"},
                            {".block[tag~'^w$']", "b"},
                            {".block[tag=5]", ""},
                            {".block[tag<null]", ""},
                            {".block[tag>=null]", ""},
                        });
}

TEST(Attribute, FlagsAreTrueFalseOrNull) {
  const SketchTree tree(R"(ah
  a block pinned
  b block removable
  c block
)");
  Check(tree.Working(), {{".block[pinned]", "a"},
                         {".block[pinned=true]", "a"},
                         {".block[pinned=null]", "b c"},
                         {".block[pinned=false]", ""},
                         {".block[removable=true]", "b"},
                         {".block[removable=null]", "a c"}});
}

TEST(Attribute, StickyIsATtlOfOneWithACadenceOfOne) {
  const SketchTree tree(R"(ah
  a block ttl=1 cad=1
  b block ttl=2 cad=1
  c block ttl=1 cad=2
  d block ttl=1
  e block cad=1
)");
  Check(tree.Working(), {{".block[sticky]", "a"},
                         {".block[ephemeral]", "a b c d"},
                         {".block[ttl=1]", "a c d"},
                         {".block[ttl]", "a b c d"},
                         {".block[cad=1]", "a b e"},
                         {".block[ttl!=1]", "b e"}});
}

// Age and born_turn go by the cycle, depth by the turn, sdepth by the levels above.
TEST(Attribute, FacetsOfASnapshot) {
  const SketchTree tree(R"(sys
  s block cycle=9
seq
  t1 seg cycle=2
    c1 cont core cycle=2
      b1 block cycle=3
  t2 seg cycle=5
ah
  h block cycle=7
)");
  Check(tree.Snapshot(), {{".block[age=0]", "s"},
                          {".block[age=2]", "h"},
                          {".block[age=6]", "b1"},
                          {".block[age>=2]", "b1 h"},
                          {".block[born_turn=3]", "b1"},
                          {".seg[depth=1]", "t2"},
                          {".seg[depth=2]", "t1"},
                          {".block[depth=2]", "b1"},
                          {".block[depth=0]", "h"},
                          {".block[depth=-1]", "s"},
                          {".block[depth<1]", "s h"},
                          {"^root[sdepth=0]", "root"},
                          {"^ah[sdepth=1]", "ah"},
                          {".seg[sdepth=2]", "t2 t1"},
                          {".block[sdepth=4]", "b1"},
                          {"[sdepth=3]", "c1"}});
  Check(tree.Snapshot(),
        {{".cb[depth=2]", "b1"}, {".cb[depth<=1]", ""}, {".cb[depth=null]", "s h"}},
        Dialect::kClassic);
}

// Plain numbers of a node are compared as such, whatever way the other one is written.
TEST(Attribute, NumbersCompareWhateverTheSpelling) {
  const SketchTree tree(R"(ah
  a block offset=-2 priority=-2 index=-2 ttl=0
  b block offset=0 priority=0 index=0 ttl=1
  c block offset=2 priority=2 index=2 ttl=2
  d block offset=3 priority=3 index=3
)");
  for (const std::string_view name : {"offset", "priority", "creation_index"}) {
    const auto ids = [&](std::string_view test) {
      return IdsOf(tree.Working(), ".block[" + std::string(name) + std::string(test) + "]");
    };
    EXPECT_EQ(ids("=2"), "c") << name;
    EXPECT_EQ(ids("=+2"), "c") << name;
    EXPECT_EQ(ids("=2.0"), "c") << name;
    EXPECT_EQ(ids("='2'"), "c") << name;
    EXPECT_EQ(ids("='2e0'"), "c") << name;
    EXPECT_EQ(ids("=-2"), "a") << name;
    EXPECT_EQ(ids("='+-2'"), "") << name;
    EXPECT_EQ(ids("=' 2'"), "") << name;
    EXPECT_EQ(ids("=''"), "") << name;
    EXPECT_EQ(ids("='x'"), "") << name;
    EXPECT_EQ(ids("!=2"), "a b d") << name;
    EXPECT_EQ(ids("!='x'"), "a b c d") << name;
    EXPECT_EQ(ids("<2"), "a b") << name;
    EXPECT_EQ(ids("<=2"), "a b c") << name;
    EXPECT_EQ(ids(">2"), "d") << name;
    EXPECT_EQ(ids(">=2"), "c d") << name;
    EXPECT_EQ(ids("<2.5"), "a b c") << name;
    EXPECT_EQ(ids(">=-0.5"), "b c d") << name;
    EXPECT_EQ(ids("<99999999999999999999"), "a b c d") << name;
    EXPECT_EQ(ids(">-99999999999999999999"), "a b c d") << name;
    EXPECT_EQ(ids(">99999999999999999999"), "") << name;
    EXPECT_EQ(ids("=[2,-2,x]"), "a c") << name;
    EXPECT_EQ(ids("!=[2,-2]"), "b d") << name;
    EXPECT_EQ(ids(""), "a b c d") << name;
    EXPECT_EQ(ids("=null"), "") << name;
    EXPECT_EQ(ids("!=null"), "a b c d") << name;
  }
  Check(tree.Working(), {{".block[ttl=0]", "a"},
                         {".block[ttl<=1]", "a b"},
                         {".block[ttl<1]", "a"},
                         {".block[ttl>0]", "b c"},
                         {".block[ttl>=2]", "c"},
                         {".block[ttl!=1]", "a c d"},
                         {".block[ttl=null]", "d"},
                         {".block[ttl=+1]", "b"},
                         {".block[ttl='x']", ""},
                         {".block[ttl!='x']", "a b c d"}});
}

// Words that no node has are in no dictionary.
TEST(Attribute, WordsThatNobodyHasAreOfNobody) {
  const SketchTree tree(R"(ah
  a block role=user kind=text
  b block
  c block:text
)");
  Check(tree.Working(), {{".block[role=nobody]", ""},
                         {".block[role!=nobody]", "a b c"},
                         {".block[role!=user]", "b c"},
                         {".block[kind=nothing]", ""},
                         {".block[kind!=nothing]", "a b c"},
                         {".block[kind=text]", "a c"},
                         {".block[kind!=text]", "b"},
                         {".block:nothing", ""},
                         {".block:text", "a c"},
                         {".nothing", ""},
                         {"[nodeType=nothing]", ""},
                         {".block[nodeType!=nothing]", "a b c"},
                         {".block[role=[user,nobody]]", "a"},
                         {".block[role~'us']", "a"},
                         {".block[role]", "a"},
                         {".block[role=null]", "b c"}});
}

TEST(Attribute, ParentsAndIdsAreTexts) {
  const SketchTree tree(R"(ah
  c cont core
    a block
    b block key=a
)");
  Check(tree.Working(), {{"[parent_id=c]", "a b"},
                         {"[parent_id!=c].block", ""},
                         {"^root[parent_id=null]", "root"},
                         {"[id>=b].block", "b"},
                         {".block[key=null]", "a"},
                         {".block[key!=null]", "b"},
                         {".block[key]", "b"},
                         {".block[key=a]", "b a"},
                         {".block[key!=a]", ""},
                         {".block[key=[a,null]]", "a b"},
                         {".block[key=[null,z]]", "a"},
                         {".block[key>=b]", ""},
                         {".block[key~'^a$']", "a b"}});
  Check(tree.Working(), {{".cb[key=a]", "b"}, {".cb[key!=a]", "a"}, {".cb[key=null]", "a"}},
        Dialect::kClassic);
}

TEST(MatchNodes, TakesPagesOfWhatItsControlsSayAndThenOfItsOptions) {
  std::string sketch = "ah\n";
  for (int i = 1; i <= 9; ++i) sketch += "  b" + std::to_string(i) + " block\n";
  const SketchTree tree(sketch);
  const TreeView view = tree.Working();
  Check(view, {{".block @limit=2", "b1 b2"},
               {".block @limit=2 @p=1", "b1 b2"},
               {".block @limit=2 @p=2", "b3 b4"},
               {".block @limit=4 @p=3", "b9"},
               {".block @limit=3 @p=4", ""},
               {".block @limit=0", ""},
               {".block @first", "b1"},
               {".block @p=2", "b1 b2 b3 b4 b5 b6 b7 b8 b9"},
               {".block @limit=99999999999999999999 @p=99999999999999999999", ""},
               // The product of the two is 2 to the power of 64.
               {".block @limit=4294967296 @p=4294967297", ""},
               {".block @limit=4294967296 @p=1", "b1 b2 b3 b4 b5 b6 b7 b8 b9"},
               {".block @order=post @limit=2 @p=2", "b3 b4"}});
  EXPECT_EQ(IdsOf(view, ".block @limit=5", {.skip = 1, .limit = 2}), "b2 b3");
  EXPECT_EQ(IdsOf(view, ".block @limit=2 @p=2", {.skip = 1}), "b4");
  EXPECT_EQ(IdsOf(view, ".block", {.skip = 8}), "b9");
  EXPECT_EQ(IdsOf(view, ".block", {.skip = 9}), "");
  EXPECT_EQ(IdsOf(view, ".block", {.limit = 1}), "b1");
  EXPECT_EQ(IdsOf(view, ".block", {.limit = 0}), "");
  EXPECT_EQ(IdsOf(view, ".block @limit=1", {.skip = 0, .limit = 3, .page = false}), "b1 b2 b3");
  EXPECT_EQ(IdsOf(view, "#b3", {.skip = 1}), "");
  EXPECT_EQ(IdsOf(view, "#b3", {.limit = 0}), "");
  EXPECT_EQ(IdsOf(view, "#b3", {.limit = 1}), "b3");
}

TEST(MatchNodes, KeepsWhatLiesInAMatchOfWhere) {
  const SketchTree tree(R"(seq
  t1 seg
    c1 cont core
      b1 block
  t2 seg
    c2 cont core
      b2 block
ah
  h block
)");
  const TreeView view = tree.Working();
  const auto within = [&](std::string_view text, std::string_view where) {
    const Selector scope = Selector::Parse(where).value();
    return IdsOf(view, text, {.where = &scope});
  };
  EXPECT_EQ(within(".block", "^seq"), "b2 b1");
  EXPECT_EQ(within(".block", "#t1"), "b1");
  EXPECT_EQ(within(".block", "#t1, #h"), "b1 h");
  EXPECT_EQ(within(".seg", "#t1"), "t1");
  EXPECT_EQ(within("#b2", "#t1"), "");
  EXPECT_EQ(within("#b2", "#t2"), "b2");
  EXPECT_EQ(within("^seq", "#t1"), "");
}

TEST(MatchNodes, WhereTakesNoTimeAndNoControls) {
  const auto told = [](std::string_view where) {
    return support::ErrorText(CheckWhere(Selector::Parse(where).value()));
  };
  EXPECT_EQ(told("[a='@']"), "ok");
  EXPECT_EQ(
      told("@t0 *"),
      "E_SELECTOR_INVALID: 'where' takes no time and no controls\n  @t0 *\n  ^ {pos=0 token=@}");
  EXPECT_EQ(told("* @limit=1"),
            "E_SELECTOR_INVALID: 'where' takes no time and no controls\n  * @limit=1\n    ^ "
            "{pos=2 token=@}");
}

TEST(Selector, IsEqualByWhatItSaysInItsDialect) {
  const auto parsed = [](std::string_view text, Dialect dialect = Dialect::kCanonical) {
    return Selector::Parse(text, dialect).value();
  };
  EXPECT_EQ(parsed(".cb{a=1}"), parsed(".block[ a = 1 ]"));
  EXPECT_FALSE(parsed(".block") == parsed(".cont"));
  EXPECT_FALSE(parsed("*") == parsed("*", Dialect::kClassic));
}

}  // namespace
}  // namespace pactdb::select
