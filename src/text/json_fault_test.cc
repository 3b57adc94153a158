// Where a text stops being JSON: the first fault, and the byte at which it stands.
#include "text/json_fault.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace pactdb {
namespace {

using namespace std::literals;

std::string TextOf(const JsonFault& fault) {
  return std::to_string(fault.pos) + ": " + std::string(fault.message);
}

// "byte: message", or nothing.
std::string Lexical(std::string_view text) {
  const auto fault = FindLexicalFault(text);
  return fault ? TextOf(*fault) : "";
}

TEST(LexicalFault, IsNoneInTextThatMayBeJson) {
  for (const std::string_view text :
       {"1"sv, " x "sv, R"("a\"b")"sv, R"("\\")"sv, R"(["a\\","b"])"sv, R"("\n")"sv,
        R"("\u00e9")"sv, "\"\\\xc3\xa9\""sv, "\"\xc2\x80\xdf\xbf\""sv,
        "\"\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\""sv, "\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\""sv,
        "\"\x7f \""sv, "\t1\n"sv}) {
    EXPECT_EQ(Lexical(text), "") << text;
  }
}

TEST(LexicalFault, IsTheFirstByteThatIsNoUtf8) {
  for (const std::string_view bad :
       {"\x80"sv, "\xbf"sv, "\xc1\x80"sv, "\xf5\x80\x80\x80"sv, "\xc3"sv, "\xc3("sv,
        "\xe0\x9f\xbf"sv, "\xed\xa0\x80"sv, "\xe1\x80"sv, "\xe1\x80("sv, "\xf0\x8f\xbf\xbf"sv,
        "\xf4\x90\x80\x80"sv, "\xf1\x80\x80"sv, "\xf1\x80\x80("sv}) {
    EXPECT_EQ(Lexical("[\"" + std::string(bad) + "\"]"), "2: invalid UTF-8");
    EXPECT_EQ(Lexical(bad), "0: invalid UTF-8");
  }
}

TEST(LexicalFault, IsAControlCharacterInAStringAndNoneBesideIt) {
  EXPECT_EQ(Lexical("\"a\tb\""), "2: a control character must be escaped");
  EXPECT_EQ(Lexical("\"a\0b\""sv), "2: a control character must be escaped");
  EXPECT_EQ(Lexical("\"a\x1f\""), "2: a control character must be escaped");
  EXPECT_EQ(Lexical("\"\\\n\""), "2: a control character must be escaped") << "nor behind a \\";
  EXPECT_EQ(Lexical("[\t1,\n\"a\"]"), "");
}

TEST(LexicalFault, IsABackslashOutsideOfStrings) {
  EXPECT_EQ(Lexical(R"([\"a"])"), "1: not a JSON value");
  EXPECT_EQ(Lexical(R"(["a"\])"), "4: not a JSON value");
}

TEST(LexicalFault, IsAStringWithoutAnEnd) {
  EXPECT_EQ(Lexical(R"(["a","b)"), "5: a string is not closed");
  EXPECT_EQ(Lexical(R"("a\")"), "0: a string is not closed");
  EXPECT_EQ(Lexical(R"("a\)"), "0: a string is not closed");
  EXPECT_EQ(Lexical(R"(")"), "0: a string is not closed");
}

TEST(LexicalFault, IsThatThereIsNothing) {
  EXPECT_EQ(Lexical(""), "0: there is no JSON value");
  EXPECT_EQ(Lexical(" \t\r\n"), "4: there is no JSON value");
}

std::string Root(std::string_view text) {
  return TextOf(FindRootFault(text));
}

TEST(RootFault, IsWhatStandsBehindTheValue) {
  EXPECT_EQ(Root("[1] 2"), "4: text after the JSON value");
  EXPECT_EQ(Root("{}]"), "2: text after the JSON value");
  EXPECT_EQ(Root("[[1],{}]\n\t\r x"), "12: text after the JSON value");
}

TEST(RootFault, IsABracketThatIsMissing) {
  EXPECT_EQ(Root(" [1,[2]"), "1: an array is not closed");
  EXPECT_EQ(Root(R"({"a":{})"), "0: an object is not closed");
  EXPECT_EQ(Root("["), "0: an array is not closed");
}

TEST(RootFault, IsABracketOfTheWrongKind) {
  EXPECT_EQ(Root("[1}"), "2: the closing bracket is of the wrong kind");
  EXPECT_EQ(Root(R"({"a":1] )"), "6: the closing bracket is of the wrong kind");
}

TEST(RootFault, DoesNotCountBracketsInStrings) {
  EXPECT_EQ(Root(R"(["]"] 1)"), "6: text after the JSON value");
  EXPECT_EQ(Root(R"(["\"]"] 1)"), "8: text after the JSON value");
  EXPECT_EQ(Root(R"(["\\"] 1)"), "7: text after the JSON value");
  EXPECT_EQ(Root(R"(["[" )"), "0: an array is not closed");
}

}  // namespace
}  // namespace pactdb
