#include "select/normalize.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "select/parser.h"
#include "select/select.h"
#include "text/json_doc.h"

namespace pactdb::select {
namespace {

// Parsing the canonical text gives the normalized AST again.
void CheckRoundTrip(std::string_view text, Dialect dialect) {
  const auto ast = Parser(text, dialect).ParseSelector();
  ASSERT_TRUE(ast) << text << "\n" << ast.error().message();
  const Ast normal = Normalize(*ast);
  const std::string canonical = Print(normal);
  const auto again = Parser(canonical, dialect).ParseSelector();
  ASSERT_TRUE(again) << text << "\n" << again.error().message();
  EXPECT_EQ(Normalize(*again), normal) << text << "\n" << canonical;
  EXPECT_EQ(Print(Normalize(*again)), canonical);
}

// The selector inside `select("...")` or `ctx.add("...", ...)`; all others as they are.
std::string Bare(std::string text) {
  const std::size_t call = text.find("(\"");
  if (call == std::string::npos || !(text.starts_with("select") || text.starts_with("ctx")))
    return text;
  return text.substr(call + 2, text.find('"', call + 2) - call - 2);
}

TEST(Normalize, SEL_83_EverySelectorOfTheDocumentsComesBack) {
  std::ifstream file(PACTDB_SOURCE_DIR "/conformance/select_corpus.jsonl");
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const JsonDoc doc = JsonDoc::Parse(line, 4).value();
    const JsonRef row = doc.root();
    const Dialect dialect = ParseDialect(row.Find("dialect")->string()).value();
    std::string text = Bare(std::string(row.Find("selector")->string()));
    const std::string_view kind = row.Find("kind")->string();
    if (kind == "insert") {
      EXPECT_TRUE(ParsePlace(text, dialect)) << text;
      continue;
    }
    // A fragment may be a time alone.
    if (kind == "fragment" && text.starts_with('@')) text += " *";
    if (row.Find("parses")->boolean()) {
      CheckRoundTrip(text, dialect);
    } else {
      EXPECT_FALSE(Selector::Parse(text, dialect)) << text;
    }
  }
  EXPECT_EQ(count, 205);
}

struct Case {
  std::string_view text;
  std::string_view want;
};

TEST(Normalize, SEL_67_PrintsTheCanonicalShape) {
  const std::vector<Case> cases = {
      {"#hero", "{ key='hero' }"},
      {"[key=hero]", "{ key='hero' }"},
      {"+b +a", "+a +b"},
      {"+b[tag='@x']^ah", "+b^ah[tag='@x']"},
      {"?? { tag='featured' }", "+featured"},
      {"?? {kind=x}[ttl>1]", "?? { kind='x' } [ ttl>1 ]"},
      {".cb(role='system' ttl=20)", ".block[role='system'][ttl=20]"},
      {"^seq .mt:depth({1,2})", "^seq .seg:depth(1..2)"},
      {":depth(>0,<=-1)", ":depth(<=-1,>=1)"},
      {":depth( > 0 , <=  -1 )", ":depth(<=-1,>=1)"},
      {"@t-5:-1 ^ah .cb", "@t-1..@t-5 ^ah .block"},
      {"@history * @first", "@t0..@t-* * @limit=1"},
      {"(d1, seg, cont[offset=0], *:block[role=user]) [age<2] +x {kind=a}",
       "(d1, cont[offset=0], *:block) +x { role='user', kind='a' } [ age<2 ]"},
      {"within(d3,d1) ?? { type=block, kind=summary } @order=bfs @limit=50",
       "within(depth(1,3)) ?? { nodeType='block', kind='summary' } @order=bfs @limit=50"},
      {"within(d5[ttl=2]{a=x}, d3, d4, turn.plan) ?? {b}",
       "within(depth(3..4), d5[ttl=2][a='x'], seg[kind='plan']) ?? { b }"},
      {"(d1, -1, ?{a=1})", "(d1, ? { offset=-1 }, ? { a=1 })"},
      {".block{a=1} > [b]", ".block[a=1] > [b]"},
      {".block +b[x] .cont", ".block[x] +b .cont"},
      {"(d1) ?? {a=1} ?? {b=2}", "(d1) ?? { a=1 } ?? { b=2 }"},
      {"(d1):first[a]", "(d1):first[a]"},
      {"d0.seg", "depth(0).seg"},
      {"(d1, seg, seg)", "(d1, *:seg)"},
      {"a, b", ""},
      {".a, .b", ".a, .b"},
  };
  for (const Case& test : cases) {
    const auto selector = Selector::Parse(test.text);
    EXPECT_EQ(selector ? selector->canonical() : "", test.want) << test.text;
    if (selector) CheckRoundTrip(test.text, Dialect::kCanonical);
  }
}

TEST(Normalize, PrintsEveryConstructInOneWay) {
  const std::vector<Case> cases = {
      {"+a", "+a"},
      {"+a^root", "+a^root"},
      {"+a^root+b[tag='@x'][c]", "+a^root[c][tag='@x'][tag='b']"},
      {"+a^seq", "+a^seq"},
      {"+a.block", ".block +a"},
      {"+a.block:first", ".block[tag='a']:first"},
      {"+a:first", "+a:first"},
      {"+a:pre", "+a:pre"},
      {"[tag='@x']+a", "{ tag='@x', tag='a' }"},
      {"[tag='1x']", "{ tag='1x' }"},
      {"[tag='a b'][tag=b]", "{ tag='a b', tag='b' }"},
      {"[tag=5]", "{ tag=5 }"},
      {".block[tag='@x']+c+b", ".block[tag='@x'] +b +c"},
      {".block[tag='a:b-c_9']", ".block +a:b-c_9"},
      {".block+c:first+b", ".block +b +c:first"},
      {".block+c+c", ".block +c"},
      {".block[ttl=1][a][age<2][tag=x][sticky][pinned][b]",
       ".block[a][pinned][b][ttl=1][age<2][sticky] +x"},
      {"(d1)[ttl=1][a][age<2]+x[ephemeral][pinned]",
       "(d1) +x { a, pinned } [ ttl=1, age<2, ephemeral ]"},
      {"(d1, *:block.text) +x", "(d1, *:block) +x { kind='text' }"},
      {"(d1, *:block) :first", "(d1, *:block) :first"},
      {"(d1, *:block):first[a]", "(d1, *:block):first[a]"},
      {"(d1, *:block)[b]:first[a]", "(d1, *:block[b]):first[a]"},
      {"(d1, *:block)[b]:pre", "(d1, *:block[b]):pre"},
      {"(d1, cont.x[a])", "(d1, cont) { kind='x', a }"},
      {"(d1, cont, ? {a, b})[c]", "(d1, cont, ? { a, b, c })"},
      {"(d1, cont, ? {a, b}):last", "(d1, cont, ? { a, b }):last"},
      {"(d1, 3:block)", "(d1, *:block) { offset=3 }"},
      {"(d1, *)", "(d1, *)"},
      {"(d1, *[a])", "(d1, *) { a }"},
      {"(*:seg, cont)", "(*:seg, cont)"},
      {"(seg, cont)", "(*:seg, cont)"},
      {"(block.x, cont)", "(*:block[kind='x'], cont)"},
      {"(d1, *:block:summary)", "(d1, *:block:summary)"},
      {"(d1, *:foo)", "(d1, *:foo)"},
      {"(depth(1,3), cont)", "(depth(1,3), cont)"},
      {"(depth(1..3))", "(depth(1..3))"},
      {"(d-1)", "(d-1)"},
      {"(depth(>5))", "(depth(>=6))"},
      {"(d1[a])", "(d1) { a }"},
      {"(d1[a], seg[b], cont)", "(d1[a][b], cont)"},
      {"(d1) > .block", "(d1) > .block"},
      {"(d1) .block[a]", "(d1) .block[a]"},
      {"(d1) [a] [b]", "(d1) { a, b }"},
      {"(d1) ?\? {a}", "(d1) ?\? { a }"},
      {"(d1) ? {a}", "(d1) > [a]"},
      {"(d1) > [a]", "(d1) > [a]"},
      {"^seq [a]", "^seq [a]"},
      {"^seq {a}", "^seq[a]"},
      {"^seq > [a]", "^seq > [a]"},
      {"^seq .block [a]", "^seq .block [a]"},
      {"^seq :pre [a]", "^seq :pre [a]"},
      {"^seq ?\? {a}:first", "^seq [a]:first"},
      {"^seq ?\? {a} ?\? {b}", "^seq [a] [b]"},
      {"[a] [b]", "[a] [b]"},
      {"[a] > [b]", "[a] > [b]"},
      {"[a].block", ".block[a]"},
      {"{a}{b}", "{ a, b }"},
      {"{ttl=1}", "{ ttl=1 }"},
      {"{ttl=1, a}", "{ a } [ ttl=1 ]"},
      {"[a]:first", "[a]:first"},
      {":first[a]", ":first[a]"},
      {"?\? {a}", "?\? { a }"},
      {"?\? {ttl=1}", "?\? { ttl=1 }"},
      {"?\? {ttl=1, a}", "?\? { a } [ ttl=1 ]"},
      {"?\? {a}:first", "?\? { a }:first"},
      {"?\? {a}:pre:depth(2)", "?\? { a }:depth(2):pre"},
      {"?\? {a}+x", "+x { a }"},
      {"?\? {tag=x}", "+x"},
      {"?\? {tag=x}[ttl=1][b]", "+x { b } [ ttl=1 ]"},
      {"?\? {tag='@x'}", "?\? { tag='@x' }"},
      {"?\? {tag=x} .block", "+x .block"},
      {"? {a}", "? { a }"},
      {"? {tag=x}", "? { tag='x' }"},
      {"? {ttl=1}", "? { ttl=1 }"},
      {"? {a}:first[b]", "? { a }:first[b]"},
      {"within(d1) ?\? {a}", "within(d1) ?\? { a }"},
      {"within(d1) ?\? {tag=x}", "within(d1) ?\? { tag='x' }"},
      {"within(d1, d2) ?\? {a}:first", "within(depth(1..2)) ?\? { a }:first"},
      {"within(d1[x], d2) ?\? {a}[ttl=1]", "within(d2, d1[x]) ?\? { a } [ ttl=1 ]"},
      {"within(d1[x], d2, seg) ?\? {a}", "within(d2, d1[x]) ?\? { a }"},
      {"within(d1[x], seg[y], cont) ?\? {a}", "within(d1[x][y], cont) ?\? { a }"},
      {"within(cont[x]) ?\? {a} > .block", "within(cont[x]) ?\? { a } > .block"},
      {"d1", "depth(1)"},
      {"d1[a]", "depth(1)[a]"},
      {"d1.seg > .cont", "depth(1).seg > .cont"},
      {"depth(1,2) .block", "depth(1..2) .block"},
      {".block:depth(99999999999999999999)", ".block:depth(>=1000000000000000000)"},
      {".block:depth(>99999999999999999999)", ".block:depth(>1000000000000000000)"},
      {".block:depth(<=0,>=1)", ".block:depth(<=0,>=1)"},
      {".block:depth({1,2},3)", ".block:depth(1..3)"},
      {".block:nth(3)", ".block:nth(3)"},
      {".block:core", ".block:core"},
      {".block:post", ".block:post"},
      {"^root", "^root"},
      {"^sys, ^ah,^seq", "^sys, ^ah, ^seq"},
      {".mt, .mc, .cb, .turn", ".seg, .cont, .block, .seg"},
      {".cb:x", ".block:x"},
      {"*.block^ah", "^ah.block*"},
      {"*", "*"},
      {"#a", "{ key='a' }"},
      {"#'it\\'s \\\\ x'", "{ key='it\\'s \\\\ x' }"},
      {"#a.block", ".block[key='a']"},
      {"#a .block", "[key='a'] .block"},
      {".block#a", ".block[key='a']"},
      {"[id=a]", "{ id='a' }"},
      {"[key=a][b]", "{ key='a', b }"},
      {"[a='x'][a=\"y\"][a=z][a=5][a=-5.0][a=null]",
       "{ a='x', a='y', a='z', a=5, a=-5.0, a=null }"},
      {"[a!=[1,x,null]]", "{ a!=[1,'x',null] }"},
      {"[a<1][a<=1][a>1][a>=1][a!=1][a~'x']", "{ a<1, a<=1, a>1, a>=1, a!=1, a~'x' }"},
      {"[type=block]", "{ nodeType='block' }"},
      {"[nodeType=block]", "{ nodeType='block' }"},
      {"@t0 *", "@t0 *"},
      {"@t-0 *", "@t0 *"},
      {"@t+0 *", "@t0 *"},
      {"@c5 *", "@c5 *"},
      {"@* *", "@* *"},
      {"@t-* *", "@t-* *"},
      {"@t0..@t-* *", "@t0..@t-* *"},
      {"@t-*..@t0 *", "@t0..@t-* *"},
      {"@t-*..@t-* *", "@t-*..@t-* *"},
      {"@t-5..@t-5 *", "@t-5..@t-5 *"},
      {"@t-1..-5 *", "@t-1..@t-5 *"},
      {"@t-5..-1 *", "@t-1..@t-5 *"},
      {"@c1..2 *", "@c2..@c1 *"},
      {"@c2..1 *", "@c2..@c1 *"},
      {"@history *", "@t0..@t-* *"},
      {"@t0..1 * @mode=union", "@t1..@t0 *"},
      {"@t0..1 * @mode=latest", "@t1..@t0 * @mode=latest"},
      {"@t0..1 * @mode=reduce", "@t1..@t0 * @mode=reduce"},
      {"* @p=3", "*"},
      {"* @p=3 @limit=2", "* @p=3 @limit=2"},
      {"* @limit=0", "* @limit=0"},
      {"* @first", "* @limit=1"},
      {"* @unique", "* @unique"},
      {"* @order=pre", "* @order=pre"},
      {"* @order=post", "* @order=post"},
      {"* @order=path", "* @order=path"},
      {"* @order=bfs", "* @order=bfs"},
      {"* @order=turn:asc,pre", "* @order=turn:asc,pre"},
      {"* @limit=2 @order=turn:desc,pre @unique", "* @order=turn:desc,pre @unique @limit=2"},
      {"*, *", "*, *"},
      {"@t0 *, (d1), +x", "@t0 *, (d1), +x"},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(Selector::Parse(test.text)->canonical(), test.want) << test.text;
    CheckRoundTrip(test.text, Dialect::kCanonical);
  }
}

// The names of types are those of the dialect.
TEST(Normalize, PrintsTypesInTheWordsOfTheDialect) {
  for (const std::string_view text : {".seg", ".mt", ".turn"})
    EXPECT_EQ(Selector::Parse(text, Dialect::kClassic)->canonical(), ".mt") << text;
  EXPECT_EQ(Selector::Parse("(d1, cont, *:block)", Dialect::kClassic)->canonical(),
            "(d1, mc, *:cb)");
  EXPECT_EQ(Selector::Parse(".block:x", Dialect::kClassic)->canonical(), ".cb:x");
}

TEST(Explain, TellsHowASelectorIsReadAndRun) {
  EXPECT_EQ(
      Selector::Parse("@t0 ^seq .seg:depth(1-3) .block[role=user]")->Explain(),
      R"json({"tokens":[{"kind":"time","text":"@t0","pos":0},)json"
      R"json({"kind":"root","text":"^seq","pos":4},)json"
      R"json({"kind":"type","text":".seg","pos":9},{"kind":"pseudo","text":":depth","pos":13},)json"
      R"json({"kind":"punctuation","text":"(","pos":19},{"kind":"number","text":"1","pos":20},)json"
      R"json({"kind":"operator","text":"-","pos":21},{"kind":"number","text":"3","pos":22},)json"
      R"json({"kind":"punctuation","text":")","pos":23},)json"
      R"json({"kind":"type","text":".block","pos":25},)json"
      R"json({"kind":"punctuation","text":"[","pos":31},)json"
      R"json({"kind":"word","text":"role","pos":32},)json"
      R"json({"kind":"operator","text":"=","pos":36},{"kind":"word","text":"user","pos":37},)json"
      R"json({"kind":"punctuation","text":"]","pos":41}],)json"
      R"json("ast":{"dialect":"canonical","time":"@t0","groups":[{"form":"chain","steps":[)json"
      R"json({"relation":"anywhere","parts":["region=seq"]},)json"
      R"json({"relation":"descendant","parts":["type=seg","in=depth(1..3)"]},)json"
      R"json({"relation":"descendant","parts":["type=block","role='user'"]}]}],"controls":""},)json"
      R"json("canonical":"@t0 ^seq .seg:depth(1..3) .block[role='user']",)json"
      R"json("plan":[["fixed","window depth(1..3)","scan"]],"cost":{"looks_at":["reach"]}})json");
}

TEST(Explain, SaysWhatEachGroupLooksAt) {
  const Case cases[] = {
      {"#a", R"(["hits"])"},
      {"#a .block", R"(["reach"])"},
      {"[id=a]", R"(["constant"])"},
      {"[id=a] .block", R"(["reach"])"},
      {"^ah", R"(["constant"])"},
      {"^ah .block", R"(["reach"])"},
      {"+t", R"(["hits"])"},
      {"+t .block", R"(["reach"])"},
      {".seg", R"(["turns"])"},
      {".seg .block", R"(["reach"])"},
      {".seg:depth(1-3)", R"(["window"])"},
      {".block", R"(["tree"])"},
      {".seg, .block, #a", R"(["turns","tree","hits"])"},
  };
  for (const Case& test : cases) {
    const std::string told = Selector::Parse(test.text)->Explain();
    EXPECT_TRUE(told.ends_with(R"("cost":{"looks_at":)" + std::string(test.want) + "}}"))
        << test.text << ": " << told;
  }
}

}  // namespace
}  // namespace pactdb::select
