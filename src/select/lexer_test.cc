#include "select/lexer.h"

#include <gtest/gtest.h>

#include <utility>

#include "select/depth_set.h"

namespace pactdb::select {
namespace {

// What was taken, and what is left.
using Taken = std::pair<std::string_view, std::string_view>;

template <typename Take>
Taken Of(std::string_view text, Take take) {
  Lexer lexer(text, nullptr);
  const std::string_view taken = take(lexer);
  return {taken, text.substr(lexer.pos())};
}

TEST(Lexer, ANameBeginsWithALetter) {
  const auto plain = [](Lexer& lexer) { return lexer.TakeName(false); };
  const auto joined = [](Lexer& lexer) { return lexer.TakeName(true); };
  EXPECT_EQ(Of("azAZ09_-:b.", plain), Taken("azAZ09_-", ":b."));
  EXPECT_EQ(Of("azAZ09_-:b.", joined), Taken("azAZ09_-:b", "."));
  for (const std::string_view text : {"", "1a", "_a", "-a", ":a", "@a", "[a", "`a", "{a"})
    EXPECT_EQ(Of(text, joined), Taken("", text));
  EXPECT_EQ(Of("a", plain), Taken("a", ""));
}

TEST(Lexer, AKeyHasAPointOnlyBeforeADigit) {
  const auto key = [](Lexer& lexer) { return lexer.TakeKey(); };
  EXPECT_EQ(Of("block:12.3", key), Taken("block:12.3", ""));
  EXPECT_EQ(Of("x.block", key), Taken("x", ".block"));
  EXPECT_EQ(Of("9.", key), Taken("9", "."));
  EXPECT_EQ(Of(".5", key), Taken("", ".5"));
  EXPECT_EQ(Of("-_:a[", key), Taken("-_:a", "["));
  EXPECT_EQ(Of("1.2.3.x", key), Taken("1.2.3", ".x"));
  EXPECT_EQ(Of("", key), Taken("", ""));
}

TEST(Lexer, ANumberHasDigitsOnBothSidesOfItsPoint) {
  const auto number = [](Lexer& lexer) { return lexer.TakeNumber(); };
  EXPECT_EQ(Of("12", number), Taken("12", ""));
  EXPECT_EQ(Of("-1.50]", number), Taken("-1.50", "]"));
  EXPECT_EQ(Of("+7x", number), Taken("+7", "x"));
  EXPECT_EQ(Of("1.", number), Taken("1", "."));
  EXPECT_EQ(Of("1..2", number), Taken("1", "..2"));
  EXPECT_EQ(Of("1.2.3", number), Taken("1.2", ".3"));
  for (const std::string_view text : {"", "-", "+", "--1", "-x", ".5", "x"})
    EXPECT_EQ(Of(text, number), Taken("", text));
}

TEST(Lexer, AStringEndsAtItsOwnQuote) {
  const auto decoded = [](std::string_view text) {
    Lexer lexer(text, nullptr);
    const auto taken = lexer.TakeString();
    return taken ? *taken + "|" + std::string(text.substr(lexer.pos())) : "none";
  };
  EXPECT_EQ(decoded("'a'b"), "a|b");
  EXPECT_EQ(decoded("''"), "|");
  EXPECT_EQ(decoded("\"it's\" "), "it's| ");
  EXPECT_EQ(decoded("'it\\'s'"), "it's|");
  EXPECT_EQ(decoded("'a\\\"b'"), "a\"b|");
  EXPECT_EQ(decoded("'a\\\\'b"), "a\\|b");
  EXPECT_EQ(decoded("'a\\n'"), "a\\n|");
  EXPECT_EQ(decoded("'a"), "none");
  EXPECT_EQ(decoded("'a\\'"), "none");
  EXPECT_EQ(decoded("'"), "none");
  Lexer open("x'a", nullptr);
  open.Rewind(1);
  EXPECT_EQ(open.TakeString(), std::nullopt);
  EXPECT_EQ(open.pos(), 1);
}

TEST(Lexer, BlanksAreSkippedOrLookedOver) {
  Lexer lexer(" \t\r\nx ", nullptr);
  EXPECT_EQ(lexer.PeekPastBlanks(), 'x');
  EXPECT_EQ(lexer.pos(), 0);
  EXPECT_TRUE(lexer.SkipBlanks());
  EXPECT_EQ(lexer.pos(), 4);
  EXPECT_FALSE(lexer.SkipBlanks());
  EXPECT_EQ(lexer.PeekPastBlanks(), 'x');
  EXPECT_TRUE(lexer.Accept('x'));
  EXPECT_FALSE(lexer.Accept('x'));
  EXPECT_EQ(lexer.PeekPastBlanks(), '\0');
  EXPECT_TRUE(lexer.SkipBlanks());
  EXPECT_TRUE(lexer.at_end());
  EXPECT_FALSE(lexer.Accept('\0'));
  EXPECT_EQ(lexer.Peek(), '\0');
}

TEST(Lexer, NotesWhatItTookAndWhere) {
  std::vector<Token> tokens;
  Lexer lexer("a>=b", &tokens);
  EXPECT_TRUE(lexer.Accept('a', TokenKind::kWord));
  EXPECT_FALSE(lexer.AcceptText("<=", TokenKind::kOperator));
  EXPECT_EQ(lexer.pos(), 1);
  EXPECT_TRUE(lexer.AcceptText(">=", TokenKind::kOperator));
  EXPECT_TRUE(lexer.Accept('b'));
  ASSERT_EQ(tokens.size(), 3);
  EXPECT_EQ(tokens[0].kind, TokenKind::kWord);
  EXPECT_EQ(tokens[0].pos, 0);
  EXPECT_EQ(tokens[0].text, "a");
  EXPECT_EQ(tokens[1].kind, TokenKind::kOperator);
  EXPECT_EQ(tokens[1].pos, 1);
  EXPECT_EQ(tokens[1].text, ">=");
  EXPECT_EQ(tokens[2].kind, TokenKind::kPunctuation);
  EXPECT_EQ(tokens[2].pos, 3);
}

TEST(SaturatingInteger, IsTheNumberOrTheNearestThatIsHad) {
  EXPECT_EQ(SaturatingInteger("0"), 0);
  EXPECT_EQ(SaturatingInteger("-12"), -12);
  EXPECT_EQ(SaturatingInteger("+12"), 12);
  EXPECT_EQ(SaturatingInteger("0000000000000000000000000000012"), 12);
  EXPECT_EQ(SaturatingInteger("99999999999999999"), 99'999'999'999'999'999);
  EXPECT_EQ(SaturatingInteger("999999999999999999"), 999'999'999'999'999'999);
  EXPECT_EQ(SaturatingInteger("1000000000000000000"), kDepthMax);
  EXPECT_EQ(SaturatingInteger("1000000000000000001"), kDepthMax);
  EXPECT_EQ(SaturatingInteger("-1000000000000000001"), kDepthMin);
  EXPECT_EQ(SaturatingInteger("99999999999999999999999999"), kDepthMax);
}

}  // namespace
}  // namespace pactdb::select
