// Two columns: what is written, what is understood.
#include "select/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/limits.h"
#include "select/select.h"

namespace pactdb::select {
namespace {

std::string DumpOf(std::string_view text, Dialect dialect = Dialect::kCanonical) {
  const auto ast = Parser(text, dialect).ParseSelector();
  return ast ? Dump(*ast) : std::string(WireName(ast.error().code()));
}

struct Case {
  std::string_view text;
  std::string_view want;
};

void Check(const std::vector<Case>& cases, Dialect dialect = Dialect::kCanonical) {
  for (const Case& test : cases) EXPECT_EQ(DumpOf(test.text, dialect), test.want) << test.text;
}

TEST(SelectorParser, SEL_22_ReadsChains) {
  Check({{"^seq .seg:depth(1-3) > .block[role=user]",
          "anywhere region=seq\n"
          "descendant type=seg in=depth(1..3)\n"
          "child type=block role='user'\n"},
         {"^ah>.cont", "anywhere region=ah\nchild type=cont\n"},
         {"*", "anywhere any\n"},
         {".a, .b", "anywhere type='a'\nor\nanywhere type='b'\n"},
         {"^ah :pre .block", "anywhere region=ah\ndescendant slot=pre\ndescendant type=block\n"}});
}

TEST(SelectorParser, SEL_23_TakesPartsInAnyOrder) {
  const std::string want = "anywhere region=ah type=block role='user' key='x'\n";
  Check({{"^ah.block[role=user]#x", want},
         {"[role=user]#x^ah.block", want},
         {".block^ah[role=user]#x", "anywhere type=block region=ah role='user' key='x'\n"},
         {"^ah^seq", "E_SELECTOR_INVALID"},
         {".a.b", "E_SELECTOR_INVALID"},
         {"#a#b", "E_SELECTOR_INVALID"}});
}

TEST(SelectorParser, SEL_28_SplitsTypesAtPseudos) {
  Check({{".block:first", "anywhere type=block pick=first\n"},
         {".block:summary:first", "anywhere type=block kind='summary' pick=first\n"},
         {"#k:first", "anywhere key='k:first'\n"},
         {"#'k':first", "anywhere key='k' pick=first\n"},
         {"#block:12.3", "anywhere key='block:12.3'\n"},
         {"#x.block", "anywhere type=block key='x'\n"}});
}

TEST(SelectorParser, SEL_47_ReadsGroupsAsFilters) {
  const std::string want = "anywhere type=block kind='important' ttl=5\n";
  Check({{".block(kind='important' ttl=5)", want},
         {".block(kind='important',ttl=5)", want},
         {".block(kind='important')[ttl=5]", want},
         {".block{kind='important', ttl=5}", want},
         {".block()", "E_SELECTOR_INVALID"},
         {".block (ttl=5)", "E_SELECTOR_INVALID"},
         {"^ah(ttl=5)", "E_SELECTOR_INVALID"}});
}

TEST(SelectorParser, SEL_31_ReadsLiterals) {
  Check({{"[a='it\\'s']", "anywhere a='it\\'s'\n"},
         {"[a=\"it's\"]", "anywhere a='it\\'s'\n"},
         {"[a='\\n']", "anywhere a='\\\\n'\n"},
         {"[a=null]", "anywhere a=null\n"},
         {"[a=None]", "anywhere a=null\n"},
         {"[a=-1.50]", "anywhere a=-1.50\n"},
         {"[a=[1, x, 'y']]", "anywhere a=[1,'x','y']\n"},
         {"[a=5x]", "E_SELECTOR_INVALID"},
         {"[a<[1]]", "E_SELECTOR_INVALID"},
         {"[a~5]", "E_SELECTOR_INVALID"},
         {"[a~'(']", "E_SELECTOR_INVALID"}});
}

TEST(SelectorParser, SEL_25_ReadsTimes) {
  Check({{"@t0 *", "time @t0\nanywhere any\n"},
         {"@t-5..-1 *", "time @t-5..@t-1\nanywhere any\n"},
         {"@t-5:@t-1 *", "time @t-5..@t-1\nanywhere any\n"},
         {"@c3..9 *", "time @c3..@c9\nanywhere any\n"},
         {"@t-5 .. @t-1 *", "time @t-5..@t-1\nanywhere any\n"},
         {"@t0 :pre", "time @t0\nanywhere slot=pre\n"},
         {"@history *", "time @t0..@t-*\nanywhere any\n"},
         {"@* *", "time @*\nanywhere any\n"},
         {"@t0(d1)", "time @t0\nanywhere stem=depth(1)\n"},
         {"@t0^seq", "E_SELECTOR_INVALID"},
         {"@t0", "E_SELECTOR_INVALID"},
         {"@t-3..@c5 .cb", "E_SNAPSHOT_RANGE_KIND_MISMATCH"},
         {"@*..@c5 .cb", "E_SNAPSHOT_RANGE_WILDCARD"},
         {"@t0..@* .cb", "E_SNAPSHOT_RANGE_WILDCARD"},
         {"@t0..@* .cb[", "E_SELECTOR_INVALID"}});
}

TEST(SelectorParser, SEL_88_ReadsPositions) {
  Check({{"(d1, seg, cont[offset=0], *:block.text) [ttl>0]",
          "anywhere stem=depth(1)\n"
          "child type=cont offset=0\n"
          "child type=block kind='text' ttl>0\n"},
         {"(d1, -1)", "anywhere stem=depth(1)\nchild offset=-1\n"},
         {"(d1, ?{a=1})", "anywhere stem=depth(1)\nchild a=1\n"},
         {"within(d1,d3) ?? {a=1}", "anywhere stem=depth(1,3)\ndescendant a=1\n"},
         {"within(d1[b=2],d3,d5,seg[c]) ?? {a=1}",
          "anywhere stem=depth(1,3,5) scopes=depth(3,5),depth(1)[b=2] c\ndescendant a=1\n"},
         {"?? {a=1}", "below-root a=1\n"},
         {"? {a=1}", "region-child a=1\n"},
         {"+a +b", "below-root tag='a' tag='b'\n"},
         {"(d1, d2)", "E_SELECTOR_INVALID"},
         {"(d1, end)", "E_SELECTOR_INVALID"},
         {"(d1, +1)", "E_SELECTOR_INVALID"},
         {"(d1, )", "E_SELECTOR_INVALID"},
         {"(d1) (d2)", "E_SELECTOR_INVALID"},
         {"within(d1) {a=1}", "E_SELECTOR_INVALID"},
         {"? ? { tag=x }", "E_SELECTOR_INVALID"}});
}

TEST(SelectorParser, SEL_95_ReadsControls) {
  Check({{"* @limit=5 @p=2 @unique @order=turn:desc,pre",
          "anywhere any\ncontrols @order=turn:desc,pre @unique @p=2 @limit=5\n"},
         {"@t0..@t-3 (d2, *:cb) @mode=latest [depth=2]",
          "time @t0..@t-3\nanywhere stem=depth(2)\nchild type=block depth=2\n"
          "controls @mode=latest\n"},
         {"*@limit=5", "E_SELECTOR_INVALID"},
         {"* @first @limit=1", "E_SELECTOR_INVALID"},
         {"* @limit=1 @limit=1", "E_SELECTOR_INVALID"},
         {"* @p=0", "E_SELECTOR_INVALID"},
         {"* @mode=union", "E_SELECTOR_INVALID"},
         {"@t0 * @mode=union", "E_SELECTOR_INVALID"},
         {"* @order=random", "E_SELECTOR_INVALID"}});
}

// What is glued to a step is of it, and so are filters behind a blank where nothing else can be
// meant; what follows is the next step.
TEST(SelectorParser, ReadsWhatIsGluedAndWhatStandsApart) {
  Check({
      {".a ? {b} .c ? {d}",
       "anywhere type='a'\n"
       "child b\n"
       "descendant type='c'\n"
       "child d\n"},
      {"? {a} > .b ? {c}",
       "region-child a\n"
       "child type='b'\n"
       "child c\n"},
      {".a {b}:first", "anywhere type='a' b pick=first\n"},
      {".a {b}#k", "anywhere type='a' b key='k'\n"},
      {"+a, .b [c]",
       "below-root tag='a'\n"
       "or\n"
       "anywhere type='b'\n"
       "descendant c\n"},
      {"{a}, .b [c]",
       "anywhere a\n"
       "or\n"
       "anywhere type='b'\n"
       "descendant c\n"},
      {".b{a} [c]", "anywhere type='b' a c\n"},
      {".b[a] [c]",
       "anywhere type='b' a\n"
       "descendant c\n"},
      {"#k [c]", "anywhere key='k' c\n"},
      {"#k.b [c]",
       "anywhere type='b' key='k'\n"
       "descendant c\n"},
      {".b#k [c]",
       "anywhere type='b' key='k'\n"
       "descendant c\n"},
      {"[a]#k [c]",
       "anywhere a key='k'\n"
       "descendant c\n"},
      {"+t [c] [d] {e} .f",
       "below-root tag='t' c d e\n"
       "descendant type='f'\n"},
      {".a ?{b}",
       "anywhere type='a'\n"
       "child b\n"},
      {"d-0", "anywhere stem=depth(0)\n"},
      {"d+1.seg", "anywhere stem=depth(1) type=seg\n"},
      {"depth(1)[a]", "anywhere stem=depth(1) a\n"},
      {"within\t(d1) ?\? {a}",
       "anywhere stem=depth(1)\n"
       "descendant a\n"},
      {"within(d1,d2[a]) ?\? {b}",
       "anywhere stem=depth(1..2) scopes=depth(1),depth(2)[a]\n"
       "descendant b\n"},
      {"within(d1[a],d2[b]) ?\? {c}",
       "anywhere stem=depth(1..2) scopes=depth(1)[a],depth(2)[b]\n"
       "descendant c\n"},
      {"within(d1[a],d1) ?\? {c}",
       "anywhere stem=depth(1) scopes=depth(1),depth(1)[a]\n"
       "descendant c\n"},
      {"within(d2,d1,cont,*:block) ?\? {c}",
       "anywhere stem=depth(1..2)\n"
       "child type=cont\n"
       "child type=block\n"
       "descendant c\n"},
      {"within(d1, seg) ?\? {c}",
       "anywhere stem=depth(1)\n"
       "descendant c\n"},
      {"within(d1, seg, seg) ?\? {c}",
       "anywhere stem=depth(1)\n"
       "child type=seg\n"
       "descendant c\n"},
      {"(d1[a], seg.plan{b}, cont)",
       "anywhere stem=depth(1) a kind='plan' b\n"
       "child type=cont\n"},
      {"(seg, seg)",
       "root-child type=seg\n"
       "child type=seg\n"},
      {"(d1 {a} [b] , cont {c})",
       "anywhere stem=depth(1) a b\n"
       "child type=cont c\n"},
      {"(d1, *:block.text[a])",
       "anywhere stem=depth(1)\n"
       "child type=block kind='text' a\n"},
      {"(d1, 0:cont.x)",
       "anywhere stem=depth(1)\n"
       "child type=cont offset=0 kind='x'\n"},
      {"(d1, -1[a])",
       "anywhere stem=depth(1)\n"
       "child offset=-1 a\n"},
      {"(d1, ?{a}[b])",
       "anywhere stem=depth(1)\n"
       "child a b\n"},
      {"(*, *)",
       "root-child any\n"
       "child any\n"},
      {"*:block.x[a]:first", "root-child type=block kind='x' a pick=first\n"},
      {"*:first", "anywhere any pick=first\n"},
      {"cont[a] .b",
       "root-child type=cont a\n"
       "descendant type='b'\n"},
      {"-1 .b",
       "root-child offset=-1\n"
       "descendant type='b'\n"},
      {".block:summary:first:last", "anywhere type=block kind='summary' pick=first pick=last\n"},
      {".block:summary:x:depth(1)", "anywhere type=block kind='summary:x' in=depth(1)\n"},
      {".block:first-x", "anywhere type=block kind='first-x'\n"},
      {".a:b-c", "anywhere type='a:b-c'\n"},
      {".seg:depth(1):nth(2)[a]:pre", "anywhere type=seg in=depth(1) pick=nth(2) a slot=pre\n"},
      {"[a]^ah*.b:pre:depth(1)", "anywhere region=ah any type='b' a slot=pre in=depth(1)\n"},
      {":pre.a", "anywhere type='a' slot=pre\n"},
      {"*.a", "anywhere any type='a'\n"},
      {"^ah>.b>.c",
       "anywhere region=ah\n"
       "child type='b'\n"
       "child type='c'\n"},
      {".a,.b,.c",
       "anywhere type='a'\n"
       "or\n"
       "anywhere type='b'\n"
       "or\n"
       "anywhere type='c'\n"},
      {".a ?\? {b}{c}[d]+e:first",
       "anywhere type='a'\n"
       "descendant b c d tag='e:first'\n"},
      {".a ? {b}:first +c",
       "anywhere type='a'\n"
       "child b pick=first tag='c'\n"},
      {"@t0..@t1(d1)",
       "time @t0..@t1\n"
       "anywhere stem=depth(1)\n"},
      {"@t0 : @t1 *",
       "time @t0..@t1\n"
       "anywhere any\n"},
      {"@t0 ..1 *",
       "time @t0..@t1\n"
       "anywhere any\n"},
      {"@t0:1 *",
       "time @t0..@t1\n"
       "anywhere any\n"},
      {"@c0:@c1 *",
       "time @c0..@c1\n"
       "anywhere any\n"},
      {"@t0 :pre *",
       "time @t0\n"
       "anywhere slot=pre\n"
       "descendant any\n"},
      {"@t-*..@t0 *",
       "time @t-*..@t0\n"
       "anywhere any\n"},
      {"@t-3..-* *",
       "time @t-3..@t-*\n"
       "anywhere any\n"},
      {"@t3..+4 *",
       "time @t3..@t4\n"
       "anywhere any\n"},
  });
}

TEST(SelectorParser, SEL_39_ClassicTypesAreNodeTypes) {
  Check({{".cb:summary", "anywhere type='cb:summary'\n"}, {"#x", "anywhere id='x'\n"}},
        Dialect::kClassic);
  Check({{".cb:summary", "anywhere type=block kind='summary'\n"}, {"#x", "anywhere id='x'\n"}},
        Dialect::kDepth);
}

std::string Repeat(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(SelectorLimits, HoldAtTheirBoundAndNotBeyond) {
  const auto is_over = [](const std::string& text) { return DumpOf(text) == "E_LIMIT_EXCEEDED"; };
  const std::string pad(limits::kSelectorBytesMax - 1, ' ');
  EXPECT_FALSE(is_over("*" + pad));
  EXPECT_TRUE(is_over("*" + pad + " "));
  EXPECT_FALSE(is_over(Repeat("* ", limits::kSelectorStepsMax)));
  EXPECT_TRUE(is_over(Repeat("* ", limits::kSelectorStepsMax + 1)));
  EXPECT_FALSE(is_over("*" + Repeat(",*", limits::kSelectorGroupsMax - 1)));
  EXPECT_TRUE(is_over("*" + Repeat(",*", limits::kSelectorGroupsMax)));
  EXPECT_FALSE(is_over("*" + Repeat("[a]", limits::kSelectorFiltersMax)));
  EXPECT_TRUE(is_over("*" + Repeat("[a]", limits::kSelectorFiltersMax + 1)));
  EXPECT_FALSE(is_over(":depth(1" + Repeat(",1", limits::kSelectorDepthsMax - 1) + ")"));
  EXPECT_TRUE(is_over(":depth(1" + Repeat(",1", limits::kSelectorDepthsMax) + ")"));
}

TEST(SelectorLimits, NameTheLimit) {
  const auto ast = Parser(Repeat("* ", 65), Dialect::kCanonical).ParseSelector();
  ASSERT_FALSE(ast);
  EXPECT_EQ(ast.error(), Error(ErrorCode::kLimitExceeded, "a selector has at most 64 steps")
                             .With("limit", "selector_steps")
                             .With("max", std::int64_t{64}));
}

}  // namespace
}  // namespace pactdb::select
