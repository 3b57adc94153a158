// Error texts are output: whole texts are compared.
#include "select/fault.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <pactdb/selector.h>

namespace pactdb::select {
namespace {

struct Case {
  std::string_view selector;
  std::string_view message;
};

TEST(SelectorFault, ERR_4_ShowsReasonLineAndCaret) {
  const std::vector<Case> cases = {
      {"^seq .block[role=user",
       "expected ']' to close the filter\n"
       "  ^seq .block[role=user\n"
       "                       ^"},
      {"^seq .seg:depth()",
       "expected a depth, a whole number\n"
       "  ^seq .seg:depth()\n"
       "                  ^"},
      {".block:frist", ""},
      {"*:frist",
       "unknown pseudo ':frist', did you mean ':first'?\n"
       "  *:frist\n"
       "   ^"},
      {"^sec .block",
       "unknown root '^sec', did you mean '^seq'?\n"
       "  ^sec .block\n"
       "  ^"},
      {"* @limt=5",
       "unknown control '@limt', did you mean '@limit'?\n"
       "  * @limt=5\n"
       "    ^"},
      {"? ? { tag=x }",
       "'?' cannot follow '?'; '\?\?' searches all depths\n"
       "  ? ? { tag=x }\n"
       "    ^"},
      {".block()",
       "a filter cannot be empty\n"
       "  .block()\n"
       "         ^"},
      {"",
       "expected a selector, found the end\n"
       "  \n"
       "  ^"},
      {"@t0",
       "expected a selector, found the end\n"
       "  @t0\n"
       "     ^"},
      {"[a='open",
       "the string is not closed\n"
       "  [a='open\n"
       "     ^"},
      {"@t0..@c1 *",
       "a range has two @t ends or two @c ends\n"
       "  @t0..@c1 *\n"
       "       ^"},
      {"@t0..@* *",
       "'@*' cannot be an end of a range\n"
       "  @t0..@* *\n"
       "       ^"},
      {"* @mode=union",
       "'@mode' needs a range of snapshots\n"
       "  * @mode=union\n"
       "    ^"},
      {"*:nth(0)",
       "':nth' takes a whole number from 1\n"
       "  *:nth(0)\n"
       "        ^"},
      {".block[a=5x]",
       "a number ends at a blank or a bracket; quote it to make it a string\n"
       "  .block[a=5x]\n"
       "           ^"},
  };
  for (const Case& test : cases) {
    const auto selector = Selector::Parse(test.selector);
    EXPECT_EQ(selector ? std::string() : selector.error().message(), test.message) << test.selector;
  }
}

TEST(SelectorFault, SuggestsTheNearestNameThatTwoEditsReach) {
  constexpr std::string_view kNames[] = {"pre", "first", "fist"};
  const auto suggested = [&kNames](std::string_view wrong) {
    return Suggestion(wrong, kNames, ":");
  };
  constexpr std::string_view kFirst = ", did you mean ':first'?";
  for (const std::string_view wrong : {"firsts", "irst", "fxrst", "firstxy", "fir", "xirstx"})
    EXPECT_EQ(suggested(wrong), kFirst) << wrong;
  EXPECT_EQ(suggested("fis"), ", did you mean ':fist'?");
  EXPECT_EQ(suggested("p"), ", did you mean ':pre'?");
  for (const std::string_view wrong : {"", "x", "f", "firstxyz", "xxrxt", "tsrif"})
    EXPECT_EQ(suggested(wrong), "") << wrong;
}

TEST(SelectorFault, PointsIntoTheRightLineAndCountsCharacters) {
  const auto selector = Selector::Parse("^seq\n[role='\xC3\xA9\xC3\xA9'] !\n.block");
  ASSERT_FALSE(selector);
  EXPECT_EQ(selector.error().message(),
            "expected a step here\n"
            "  [role='\xC3\xA9\xC3\xA9'] !\n"
            "              ^");
}

TEST(SelectorFault, ShowsAStringThatHasALineFeedWhole) {
  for (const std::string text : {"[key='a\nb'] !", "^seq\n[key='a\nb'] !\n.block"}) {
    const auto selector = Selector::Parse(text);
    ASSERT_FALSE(selector);
    EXPECT_EQ(selector.error().message(),
              "expected a step here\n"
              "  [key='a?b'] !\n"
              "              ^");
  }
}

TEST(SelectorFault, GivesPositionAndToken) {
  const auto selector = Selector::Parse("^seq .seg:depth()");
  ASSERT_FALSE(selector);
  const std::vector<Error::Detail> want = {{"pos", "", 16, true}, {"token", ")", 0, false}};
  EXPECT_EQ(selector.error().details(), want);
}

TEST(SelectorFault, ATokenIsAWholeWord) {
  const auto selector = Selector::Parse(".block:first\u00e9azAZ09_-(1)");
  ASSERT_FALSE(selector);
  EXPECT_EQ(selector.error().details().back(),
            (Error::Detail{"token", "\u00e9azAZ09_-", 0, false}));
}

TEST(SelectorFault, ReplacesWhatIsNoText) {
  const auto selector = Selector::Parse("[a='\xff\x01']");
  ASSERT_FALSE(selector);
  EXPECT_EQ(selector.error().message(),
            "the selector is not valid UTF-8\n"
            "  [a='?\?']\n"
            "      ^");
}

}  // namespace
}  // namespace pactdb::select
