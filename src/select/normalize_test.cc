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
