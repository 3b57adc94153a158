// Every reason for which a selector is refused, and the byte it is told of.
#include <gtest/gtest.h>
#include <pactdb/selector.h>

#include <string>
#include <vector>

#include "select/parser.h"
#include "select/select.h"

namespace pactdb::select {
namespace {

struct Case {
  std::string_view text;
  std::int64_t pos;
  std::string_view reason;
};

std::string Told(std::int64_t pos, std::string_view reason) {
  return std::to_string(pos) + ": " + std::string(reason);
}

template <typename T>
std::string ToldBy(const Result<T>& result) {
  if (result) return "nothing";
  const std::string& message = result.error().message();
  return Told(result.error().details().front().number, message.substr(0, message.find('\n')));
}

void Check(const std::vector<Case>& cases) {
  for (const Case& test : cases)
    EXPECT_EQ(ToldBy(Parser(test.text, Dialect::kCanonical).ParseSelector()),
              Told(test.pos, test.reason))
        << test.text;
}

TEST(SelectorParser, SaysWhereAndWhyStepsThatAreNone) {
  Check({
      {".block )", 7, "expected a step here"},
      {".block*x", 7, "expected a blank, '>' or ',' here"},
      {".block (a)", 7, "a position stands at the start; a group stands right after its type"},
      {"* > > *", 4, "expected a step here"},
      {"* >", 3, "expected a step, found the end"},
      {"* > , *", 4, "expected a step here"},
      {"* ,", 3, "expected a selector, found the end"},
      {".", 1, "expected a type name after '.'"},
      {"..a", 1, "expected a type name after '.'"},
      {".1", 1, "expected a type name after '.'"},
      {".a:", 3, "expected a name after ':'"},
      {".a:b:", 5, "expected a name after ':'"},
      {".block.cont", 6, "a step has one type"},
      {"^seq^ah", 4, "a step has one root"},
      {"d1^ah", 2, "a step has one root"},
      {"^ah(x)", 3, "'(' may follow a type, not a root"},
      {"^", 0, "unknown root '^', expected ^sys, ^seq, ^ah or ^root"},
      {"^ahx", 0, "unknown root '^ahx', did you mean '^ah'?"},
      {"#", 1, "expected a name or a quoted string after '#'"},
      {"#'x", 1, "the string is not closed"},
      {"#a#b", 2, "a step has one '#'"},
      {"*:nth", 5, "expected '(' after ':nth'"},
      {"*:nth(", 6, "':nth' takes a whole number from 1"},
      {"*:nth(x)", 6, "':nth' takes a whole number from 1"},
      {"*:nth(0)", 6, "':nth' takes a whole number from 1"},
      {"*:nth( 2 ", 9, "expected ')' to close ':nth'"},
      {"*:nth(2 3)", 8, "expected ')' to close ':nth'"},
      {"*:first(1)", 7, "':first' takes no argument"},
      {"*:pre()", 5, "':pre' takes no argument"},
      {"*:", 2, "expected a name after ':'"},
      {"*:x", 1, "unknown pseudo ':x'"},
      {"+1", 0, "'+N' is an insertion mark; only add and move take one"},
      {"+", 0, "expected a tag, a word, after '+'"},
      {"+a+", 2, "expected a tag, a word, after '+'"},
      {".a+-", 2, "expected a tag, a word, after '+'"},
      {"**", 1, "a step has one '*'"},
      {"*.a*", 3, "a step has one '*'"},
      {"d1d2", 0, "'d1d2' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
      {"d1x", 0, "'d1x' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
      {"d", 0, "'d' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
      {"dx", 0, "'dx' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
  });
}

TEST(SelectorParser, SaysWhereAndWhyFiltersThatAreNone) {
  Check({
      {"#a[b]#c", 5, "a step has one '#'"},
      {".block[a] #c{d}#e", 15, "a step has one '#'"},
      {"[]", 1, "a filter cannot be empty"},
      {"{}", 1, "a filter cannot be empty"},
      {".a( )", 4, "a filter cannot be empty"},
      {"[a", 2, "expected ']' to close the filter"},
      {"[a b]", 3, "expected ']' to close the filter"},
      {"[a=1 b]", 5, "expected ']' to close the filter"},
      {"{a=1 b}", 5, "expected '}' to close the filter"},
      {".a(a=1;b)", 6, "expected ')' to close the group"},
      {".a(a=1", 6, "expected ')' to close the group"},
      {".a(a=1 ", 7, "expected ')' to close the group"},
      {"[=1]", 1, "expected an attribute name"},
      {"[1=2]", 1, "expected an attribute name"},
      {"[a=]", 3, "expected a value"},
      {"[a=", 3, "expected a value, found the end"},
      {"[a= ]", 4, "expected a value"},
      {"[a==1]", 3, "expected a value"},
      {"[a<[1]]", 3, "a list goes with '=' or '!=' only"},
      {"[a~[x]]", 3, "a list goes with '=' or '!=' only"},
      {"[a=[]]", 4, "expected a value"},
      {"[a=[1]", 6, "expected ']' to close the filter"},
      {"[a=[1 2]]", 6, "expected ',' or ']' in the list"},
      {"[a=[1,]]", 6, "expected a value"},
      {"[a=[1", 5, "expected ',' or ']' in the list"},
      {"[a~5]", 3, "'~' takes a pattern, a string"},
      {"[a~null]", 3, "'~' takes a pattern, a string"},
      {"[a=5x]", 3, "a number ends at a blank or a bracket; quote it to make it a string"},
      {"[a=5:]", 3, "a number ends at a blank or a bracket; quote it to make it a string"},
      {"[a=5.]", 3, "a number ends at a blank or a bracket; quote it to make it a string"},
      {"[a=5.5.5]", 3, "a number ends at a blank or a bracket; quote it to make it a string"},
      {"[a=-]", 3, "expected a value"},
      {"[a='x]", 3, "the string is not closed"},
      {"[a=\"x']", 3, "the string is not closed"},
      {"[a=(]", 3, "expected a value"},
  });
}

TEST(SelectorParser, SaysWhereAndWhyDepthsThatAreNone) {
  Check({
      {"*:depth", 7, "expected '(' and a depth"},
      {"*:depth(", 8, "expected a depth, a whole number"},
      {"*:depth()", 8, "expected a depth, a whole number"},
      {"*:depth(1", 9, "expected ',' or ')' after the depth"},
      {"*:depth(1;2)", 9, "expected ',' or ')' after the depth"},
      {"*:depth(x)", 8, "expected a depth, a whole number"},
      {"*:depth(-)", 8, "expected a depth, a whole number"},
      {"*:depth(1.5)", 8, "a depth is a whole number"},
      {"*:depth(1x)", 8, "a depth is a whole number"},
      {"*:depth(1_)", 8, "a depth is a whole number"},
      {"*:depth(3..1)", 8, "the range of depths runs backwards"},
      {"*:depth(1..)", 11, "expected a depth, a whole number"},
      {"*:depth(1-)", 10, "expected a depth, a whole number"},
      {"*:depth({1,>2})", 11, "a set holds numbers and ranges, no comparisons"},
      {"*:depth({1,2)", 12, "expected ',' or '}' in the set of depths"},
      {"*:depth({})", 9, "expected a depth, a whole number"},
      {"*:depth(<x)", 9, "expected a depth, a whole number"},
      {"*:depth(>= )", 11, "expected a depth, a whole number"},
      {"depth(1", 7, "expected ',' or ')' after the depth"},
  });
}

TEST(SelectorParser, SaysWhereAndWhyPositionsAndSearchesThatAreNone) {
  Check({
      {".block?\? {a}", 6, "expected a blank, '>' or ',' here"},
      {"()", 1, "expected a hop: dN, a type, an offset, '*' or '?'"},
      {"(", 1, "expected a hop: dN, a type, an offset, '*' or '?'"},
      {"(d1", 3, "expected ',' or ')' after the hop"},
      {"(d1,", 4, "expected a hop: dN, a type, an offset, '*' or '?'"},
      {"(d1,)", 4, "expected a hop: dN, a type, an offset, '*' or '?'"},
      {"(d1,d2)", 4, "a depth stands only as the first hop"},
      {"(cont,d1)", 6, "a depth stands only as the first hop"},
      {"(d1 seg)", 4, "expected ',' or ')' after the hop"},
      {"(d1, end)", 5, "'end' is an insertion mark; only add and move take one"},
      {"(endx)", 1, "'endx' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
      {"(x)", 1, "'x' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
      {"(d1, +1)", 5, "'+N' is an insertion mark; only add and move take one"},
      {"(d1, 1.5)", 5, "a hop by offset is a whole number"},
      {"(d1, 1x)", 5, "a hop by offset is a whole number"},
      {"(d1, *:)", 7, "expected a type name after ':'"},
      {"(d1, 1:)", 7, "expected a type name after ':'"},
      {"(d1, *:2)", 7, "expected a type name after ':'"},
      {"(d1, *.x)", 6, "expected ',' or ')' after the hop"},
      {"(d1, cont.)", 10, "expected a kind after '.'"},
      {"(d1, cont:x)", 5,
       "'cont:x' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
      {"(d1, ?)", 6, "expected '{' after '?'"},
      {"(d1, ?\?{a})", 6, "'?' cannot follow '?'; '?\?' searches all depths"},
      {"(d1, ? ?{a})", 7, "'?' cannot follow '?'; '?\?' searches all depths"},
      {"(d1, ? {})", 8, "a filter cannot be empty"},
      {"(d1, ;)", 5, "expected a hop: dN, a type, an offset, '*' or '?'"},
      {"(d1, [a])", 5, "expected a hop: dN, a type, an offset, '*' or '?'"},
      {"(d1).x", 4, "expected a blank, '>' or ',' here"},
      {"(d1) (d2)", 5, "a position stands at the start; a group stands right after its type"},
      {"(d1)(d2)", 4, "a position stands at the start; a group stands right after its type"},
      {"(d1) x", 5, "expected a step here"},
      {"within", 0, "'within' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
      {"within ", 7, "expected '(' after 'within'"},
      {"within d1", 7, "expected '(' after 'within'"},
      {"within()", 7, "expected a hop: dN, a type, an offset, '*' or '?'"},
      {"within(d1)", 10, "expected '?\?' after 'within(..)'"},
      {"within(d1) ?{a}", 11, "expected '?\?' after 'within(..)'"},
      {"within(d1) ?\?", 13, "expected '{' after '?\?'"},
      {"within(d1) ?\? [a]", 14, "expected '{' after '?\?'"},
      {"within(cont,d1) ?\?{a}", 12, "a depth stands only as the first hop"},
      {"withinx", 0, "'withinx' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
      {"?", 1, "expected '{' after '?'"},
      {"? ", 2, "expected '{' after '?'"},
      {"?{}", 2, "a filter cannot be empty"},
      {"? [a]", 2, "expected '{' after '?'"},
      {"?\? ", 3, "expected '{' after '?\?'"},
      {"?\? [a]", 3, "expected '{' after '?\?'"},
      {"?\?{a", 4, "expected '}' to close the filter"},
      {"? ? {a}", 2, "'?' cannot follow '?'; '?\?' searches all depths"},
      {"?\? ? {a}", 3, "expected '{' after '?\?'"},
      {"? {a} ? {b}", 6, "'?' cannot follow '?'; '?\?' searches all depths"},
      {".a ?\? [b]", 6, "expected '{' after '?\?'"},
      {".a ? [b]", 5, "expected '{' after '?'"},
      {".a ? {b} ? {c}", 9, "'?' cannot follow '?'; '?\?' searches all depths"},
      {".a ?\?", 5, "expected '{' after '?\?'"},
      {"seg.", 4, "expected a kind after '.'"},
      {"foo", 0, "'foo' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
      {"1.5", 0, "a hop by offset is a whole number"},
      {"1x", 0, "a hop by offset is a whole number"},
      {"-", 0, "expected a step here"},
      {"-x", 0, "expected a step here"},
  });
}

TEST(SelectorParser, SaysWhereAndWhyTimesThatAreNone) {
  Check({
      {"@t0..@t1 * @mode=union @mode=latest", 23, "'@mode' stands twice"},
      {"@t0..@t1 * @mode=unio", 16, "'@mode' is union, latest or reduce"},
      {"@", 0, "expected a time: @tN, @t-N, @cN, @* or @history"},
      {"@x", 0, "expected a time: @tN, @t-N, @cN, @* or @history"},
      {"@t", 0, "expected a time: @tN, @t-N, @cN, @* or @history"},
      {"@tx", 0, "expected a time: @tN, @t-N, @cN, @* or @history"},
      {"@t0..", 5, "expected a time: @tN, @t-N, @cN, @* or @history"},
      {"@t0..x", 5, "expected a time: @tN, @t-N, @cN, @* or @history"},
      {"@t0.. @", 6, "expected a time: @tN, @t-N, @cN, @* or @history"},
      {"@t-", 0, "expected a time: @tN, @t-N, @cN, @* or @history"},
      {"@c-1 *", 0, "expected a time: @tN, @t-N, @cN, @* or @history"},
      {"@c+1 *", 0, "expected a time: @tN, @t-N, @cN, @* or @history"},
      {"@t0:", 3, "expected a blank after the time"},
      {"@t0:x *", 3, "expected a blank after the time"},
      {"@t0..@c1 *", 5, "a range has two @t ends or two @c ends"},
      {"@c0..@t1 *", 5, "a range has two @t ends or two @c ends"},
      {"@*..@t1 *", 0, "'@*' cannot be an end of a range"},
      {"@t1..@* *", 5, "'@*' cannot be an end of a range"},
      {"@*..@* *", 0, "'@*' cannot be an end of a range"},
      {"@t0..* *", 5, "expected a time: @tN, @t-N, @cN, @* or @history"},
      {"@t0x *", 3, "expected a blank after the time"},
      {"@t0..1x *", 6, "expected a blank after the time"},
      {"@history..@t1 *", 8, "expected a blank after the time"},
      {"@historyx", 8, "expected a blank after the time"},
      {"@t-*x", 4, "expected a blank after the time"},
  });
}

TEST(SelectorParser, SaysWhereAndWhyControlsThatAreNone) {
  Check({
      {"* @first @first", 9, "'@first' stands twice"},
      {"* @unique @unique", 10, "'@unique' stands twice"},
      {"* @order=pre @order=pre", 13, "'@order' stands twice"},
      {"* @limit", 8, "expected '=' after '@limit'"},
      {"* @limit=", 9, "'@limit' takes a whole number"},
      {"* @limit=-1", 9, "'@limit' takes a whole number"},
      {"* @p=2 @p=2", 7, "'@p' stands twice"},
      {"* @p=", 5, "pages count from 1"},
      {"* @p=0", 5, "pages count from 1"},
      {"* @p", 4, "expected '=' after '@p'"},
      {"* @limit=5x", 10, "expected a blank after the control"},
      {"* @order", 8, "'@order' is pre, post, bfs, path, turn:asc,pre or turn:desc,pre"},
      {"* @order=prex", 8, "'@order' is pre, post, bfs, path, turn:asc,pre or turn:desc,pre"},
      {"* @order=turn:asc", 8, "'@order' is pre, post, bfs, path, turn:asc,pre or turn:desc,pre"},
      {"* @", 2, "unknown control '@'"},
      {"* @frist", 2, "unknown control '@frist', did you mean '@first'?"},
      {"* @limit=5 .block", 11, "controls come last; only filters may follow them"},
      {"* @limit=5, .block", 10, "expected a blank after the control"},
      {"* @limit=5 [a]", 11, "controls come last; only filters may follow them"},
      {".block{a} @limit=5[b]", 18, "expected a blank after the control"},
      {"* @first @limit=1", 2, "'@first' is '@limit=1'; it goes with neither '@limit' nor '@p'"},
      {"* @p=2 @first", 7, "'@first' is '@limit=1'; it goes with neither '@limit' nor '@p'"},
      {"* @limit=1@p=1", 10, "expected a blank after the control"},
      {"*@limit=5", 1, "expected a blank before the control"},
  });
}

TEST(SelectorParser, SaysWhereAndWhyNothingMayBeGlued) {
  Check({
      {"(d1) +t.block", 7, "expected a blank, '>' or ',' here"},
      {"+a.block, (d1) +t.block", 17, "expected a blank, '>' or ',' here"},
      {".a {b}.c", 6, "a step has one type"},
      {"(d1) {b}#k", 8, "expected a blank, '>' or ',' here"},
      {"* @limit=5 +1", 11, "controls come last; only filters may follow them"},
      {".a +1", 3, "expected a tag, a word, after '+'"},
      {".a?{b}", 2, "expected a blank, '>' or ',' here"},
      {"d1.5", 3, "expected a type name after '.'"},
      {"depth (1)", 0, "'depth' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
      {"*:blocks", 1, "unknown pseudo ':blocks'"},
      {"^ah > > .b", 6, "expected a step here"},
      {"@t0 : pre", 5, "expected a name after ':'"},
      {"@c3..+4 *", 5, "expected a time: @tN, @t-N, @cN, @* or @history"},
      {"@* : 3 *", 0, "'@*' cannot be an end of a range"},
  });
}

template <typename Parse>
void CheckWith(const std::vector<Case>& cases, Parse parse) {
  for (const Case& test : cases)
    EXPECT_EQ(ToldBy(parse(test.text)), Told(test.pos, test.reason)) << test.text;
}

TEST(NodeLiteral, SaysWhereAndWhyATextIsNone) {
  CheckWith(
      {
          {"block{a=1][b=2]", 9, "expected ',' or the closing bracket"},
          {"block{tags=[a]}+b", 0,
           "the node has 'tags' and tags of their own: give one or the other"},
          {"block{tags=[a],tag=b}", 0,
           "the node has 'tags' and tags of their own: give one or the other"},
          {"block{a=[1 2]}", 11, "expected ',' or ']' in the list"},
          {"block{a=[1", 10, "expected ',' or ']' in the list"},
          {"block{a=[[1]]}", 9, "expected a value"},
          {"block{a=+05}", 8, "this is no JSON number"},
          {"block{a=05}", 8, "this is no JSON number"},
          {"block{a=007}", 8, "this is no JSON number"},
          {"block{a=-07}", 8, "this is no JSON number"},
          {"block{a=1,a=2}", 10, "'a' is given twice"},
          {"block{type=x}", 6, "'type' is given twice"},
          {"block{nodeType=x}", 6, "'nodeType' is given twice"},
          {"block{a=1,}", 10, "expected an attribute name"},
          {"block{,}", 6, "expected an attribute name"},
          {"block{}", 6, "expected an attribute name"},
          {"block{ }", 7, "expected an attribute name"},
          {"block{a}", 7, "expected '=': a node literal gives values"},
          {"block{a:1}", 9, "expected '=': a node literal gives values"},
          {"block{a=}", 8, "expected a value"},
          {"block{a=1", 9, "expected ',' or the closing bracket"},
          {"block{a=1 b=2}", 10, "expected ',' or the closing bracket"},
          {"block{a=1]", 9, "expected ',' or the closing bracket"},
          {"block[a=1}", 9, "expected ',' or the closing bracket"},
          {"block x", 6, "expected '{', '[' or '+tag' after the node type"},
          {"block+", 5, "expected a tag, a word, after '+'"},
          {"block +1", 6, "expected a tag, a word, after '+'"},
          {"block,", 5, "expected '{', '[' or '+tag' after the node type"},
          {"{a=1}", 0, "expected a node type, such as block:text"},
          {"", 0, "expected a node type, such as block:text"},
          {"1", 0, "expected a node type, such as block:text"},
          {"block{a='x}", 8, "the string is not closed"},
          {"block{a=5x}", 8, "a number ends at a blank or a bracket; quote it to make it a string"},
          {"  block { a = 1 , b = 'c d' } [ e = f ] + ", 40, "expected a tag, a word, after '+'"},
          {" :x", 1, "expected a node type, such as block:text"},
      },
      [](std::string_view text) { return ParseNodeLiteral(text); });
}

TEST(Place, SaysWhereAndWhyATextIsNone) {
  CheckWith(
      {
          {"(d0, end x)", 9, "expected ')' after the insertion mark"},
          {"(d0, endx)", 5,
           "'endx' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
          {"(d0, end, cont)", 8, "expected ')' after the insertion mark"},
          {"(d0, + 1)", 5, "'+N' is an insertion mark; only add and move take one"},
          {"(d0, +)", 5, "'+N' is an insertion mark; only add and move take one"},
          {"(d0, +1, cont)", 5, "'+N' is an insertion mark; only add and move take one"},
          {"(d0, cont:x)", 5,
           "'cont:x' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
          {"(d0, cont", 9, "expected ',' or ')' after the hop"},
          {"(d0)", 3,
           "expected an insertion mark before ')': ',' for the start, 'end', '+N' or '-N'"},
          {"(d0, cont)", 9,
           "expected an insertion mark before ')': ',' for the start, 'end', '+N' or '-N'"},
          {"(end)", 1, "'end' is an insertion mark; only add and move take one"},
          {"(+1)", 1, "'+N' is an insertion mark; only add and move take one"},
          {"()", 1, "expected a hop: dN, a type, an offset, '*' or '?'"},
          {"d0", 0, "expected '(': a place is a position with a mark"},
          {"(d0, end) x", 10, "nothing may follow a place"},
          {"(d0, end)[a]", 9, "nothing may follow a place"},
          {"@t0 (d0, end)", 0, "a place is in the working state; it takes no time"},
          {" @t0", 1, "a place is in the working state; it takes no time"},
          {"(d0, end:x)", 5,
           "'end:x' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'"},
          {"(d0,d1, end)", 4, "a depth stands only as the first hop"},
          {"(d0 end)", 4, "expected ',' or ')' after the hop"},
          {"", 0, "expected '(': a place is a position with a mark"},
      },
      [](std::string_view text) { return ParsePlace(text, Dialect::kCanonical); });
}

}  // namespace
}  // namespace pactdb::select
