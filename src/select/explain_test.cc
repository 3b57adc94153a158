// How a selector was read and will be run: tokens, tree, plan and cost.
#include "select/explain.h"

#include <gtest/gtest.h>
#include <pactdb/selector.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "select/parser.h"
#include "select/select.h"
#include "text/json_doc.h"

namespace pactdb::select {
namespace {

std::vector<Token> TokensOf(std::string_view text, Dialect dialect = Dialect::kCanonical) {
  std::vector<Token> tokens;
  EXPECT_TRUE(Parser(text, dialect, &tokens).ParseSelector()) << text;
  std::ranges::sort(tokens, {}, &Token::pos);
  return tokens;
}

bool IsBlankAlone(std::string_view text) {
  return std::ranges::all_of(text, IsBlank);
}

// Each byte but blanks is in one token.
void ExpectCovered(std::string_view text, Dialect dialect = Dialect::kCanonical) {
  std::size_t end = 0;
  for (const Token& token : TokensOf(text, dialect)) {
    ASSERT_GE(token.pos, end) << text << ": " << token.text;
    EXPECT_TRUE(IsBlankAlone(text.substr(end, token.pos - end))) << text << ": " << token.text;
    EXPECT_EQ(token.text, text.substr(token.pos, token.text.size())) << text;
    end = token.pos + token.text.size();
  }
  EXPECT_TRUE(IsBlankAlone(text.substr(end))) << text;
}

constexpr std::string_view kTexts[] = {
    "@t-3..@t0 ^seq > .seg:depth(1..3, {4, 6-7}, >=9):first {role!='user', ttl<=5}[a] +x "
    "@order=pre @limit=5 @unique",
    "@history .block(a=1 b)#k",
    "@t0 : -3 *",
    "@c1:2 (d1, seg.plan[a], *:block.text, -1:cont, ? {b=[1,'x',y,null]}) +t :nth( 2 )",
    "@* #'a b'[k~\"x\"]",
    "@t-* within (depth(1),d-2) ?\? {a} ? {b} ?\? {c}",
    "? {a}:last",
    "-1, 0, cont.x, *:block",
    "d1.seg, d+2",
    "+a+b .c:d:e:first",
    "@t0..-* *",
    "@history * @mode=latest @p=2",
    "  * @first ",
    ":pre > :core > :post",
    ".block{a} @limit=5 [b] +c",
    "@t0(d1)",
    "@t+1 *",
    ".block:depth( < 2 , > 4 )",
    "[a='it\\'s']",
};

TEST(Explain, ItsTokensAreTheWholeTextButBlanks) {
  for (const std::string_view text : kTexts) ExpectCovered(text);
  std::ifstream file(PACTDB_SOURCE_DIR "/conformance/select_corpus.jsonl");
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    const JsonDoc doc = JsonDoc::Parse(line, 4).value();
    const JsonRef row = doc.root();
    const std::string text(row.Find("selector")->string());
    const Dialect dialect = ParseDialect(row.Find("dialect")->string()).value();
    if (!Selector::Parse(text, dialect)) continue;
    ExpectCovered(text, dialect);
    ++count;
  }
  EXPECT_GT(count, 100);
}

std::string KindsIn(std::string_view text) {
  std::string kinds;
  for (const Token& token : TokensOf(text)) {
    if (token.kind == TokenKind::kPunctuation) continue;
    if (!kinds.empty()) kinds += ' ';
    kinds += std::string(Name(token.kind)) + "(" + std::string(token.text) + ")";
  }
  return kinds;
}

struct Case {
  std::string_view text;
  std::string_view want;
};

TEST(Explain, SaysOfEveryTokenWhatItIs) {
  const Case cases[] = {
      {kTexts[0],
       "time(@t-3) time(..) time(@t0) root(^seq) operator(>) type(.seg) pseudo(:depth) number(1) "
       "operator(..) number(3) number(4) number(6) operator(-) number(7) operator(>=) number(9) "
       "pseudo(:first) word(role) operator(!=) string('user') word(ttl) operator(<=) number(5) "
       "word(a) tag(+x) control(@order=pre) control(@limit=5) control(@unique)"},
      {kTexts[1], "time(@history) type(.block) word(a) operator(=) number(1) word(b) key(#k)"},
      {kTexts[2], "time(@t0) time(:) time(-3) operator(*)"},
      {kTexts[3],
       "time(@c1) time(:) time(2) word(d1) word(seg) type(.plan) word(a) operator(*) type(:block) "
       "type(.text) number(-1) type(:cont) operator(?) word(b) operator(=) number(1) string('x') "
       "word(y) word(null) tag(+t) pseudo(:nth) number(2)"},
      {kTexts[4], "time(@*) key(#) string('a b') word(k) operator(~) string(\"x\")"},
      {kTexts[5],
       "time(@t-*) word(within) word(depth) number(1) word(d-2) operator(?\?) word(a) operator(?) "
       "word(b) operator(?\?) word(c)"},
      {kTexts[11], "time(@history) operator(*) control(@mode=latest) control(@p=2)"},
  };
  for (const Case& test : cases) EXPECT_EQ(KindsIn(test.text), test.want) << test.text;
}

// What stands between `from` and `to` in what is told of a selector.
std::string Told(std::string_view text, std::string_view from, std::string_view to,
                 Dialect dialect = Dialect::kCanonical) {
  const std::string told = Selector::Parse(text, dialect)->Explain();
  const std::size_t start = told.find(from) + from.size();
  return told.substr(start, told.find(to, start) - start);
}

TEST(Explain, TellsTheFormOfEveryGroupAndTheControls) {
  const Case cases[] = {
      {"*, (d1), ?? {a}, ? {b} @unique @limit=3",
       R"json({"dialect":"canonical","time":null,"groups":[)json"
       R"json({"form":"chain","steps":[{"relation":"anywhere","parts":["any"]}]},)json"
       R"json({"form":"position","steps":[{"relation":"anywhere","parts":["stem=depth(1)"]}]},)json"
       R"json({"form":"search","steps":[{"relation":"below-root","parts":["a"]}]},)json"
       R"json({"form":"children","steps":[{"relation":"region-child","parts":["b"]}]}],)json"
       R"json("controls":"@unique @limit=3"})json"},
      {"@c4..2 (cont) > ^ah[a]:nth(2) :post:last",
       R"json({"dialect":"canonical","time":"@c4..@c2","groups":[{"form":"position","steps":[)json"
       R"json({"relation":"root-child","parts":["type=cont"]},)json"
       R"json({"relation":"child","parts":["region=ah","a","pick=nth(2)"]},)json"
       R"json({"relation":"descendant","parts":["slot=post","pick=last"]}]}],"controls":""})json"},
      {"within(d1[a][b=2],d3,seg[c]) ?? {d}",
       R"json({"dialect":"canonical","time":null,"groups":[{"form":"search","steps":[)json"
       R"json({"relation":"anywhere","parts":["stem=depth(1,3)",)json"
       R"json("scopes=depth(3),depth(1)[a][b=2]",)json"
       R"json("c"]},{"relation":"descendant","parts":["d"]}]}],"controls":""})json"},
  };
  for (const Case& test : cases)
    EXPECT_EQ(Told(test.text, "\"ast\":", ",\"canonical\""), test.want) << test.text;
}

// An index answers before a window, a window before what is fixed, that before turns; and what
// stands behind a pick is never asked first.
TEST(Plan, TakesTheStrongestAccessOfAStep) {
  const Case cases[] = {
      {"[key=x][id=y]", R"json(["id id='y'"])json"},
      {"+t[key=x]", R"json(["key-index key='x'"])json"},
      {"+t", R"json(["tag-index tag='t'"])json"},
      {"*:first[id=y]", R"json(["scan"])json"},
      {"[id!=y]", R"json(["scan"])json"},
      {"[id=[y]]", R"json(["scan"])json"},
      {"[id=null]", R"json(["scan"])json"},
      {"[id=5]", R"json(["id id=5"])json"},
      {"d1[id=x]", R"json(["id id='x'"])json"},
      {".seg:depth(1)", R"json(["window depth(1)"])json"},
      {"d1.seg", R"json(["window depth(1)"])json"},
      {"^ah:depth(0)", R"json(["window depth(0)"])json"},
      {".block:depth(1..2):depth(2)", R"json(["window depth(1..2) depth(2)"])json"},
      {":first:depth(1)", R"json(["scan"])json"},
      {"^seq", R"json(["fixed"])json"},
      {"^ah.seg", R"json(["fixed"])json"},
      {"(seg)", R"json(["turns"])json"},
      {".seg", R"json(["turns"])json"},
      {".block", R"json(["scan"])json"},
      {".foo", R"json(["scan"])json"},
      {"* > .seg", R"json(["scan","turns"])json"},
  };
  for (const Case& test : cases)
    EXPECT_EQ(Told(test.text, "\"plan\":[", "],\"cost\""), test.want) << test.text;
}

}  // namespace
}  // namespace pactdb::select
