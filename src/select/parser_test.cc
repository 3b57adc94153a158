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
