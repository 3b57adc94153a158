#include <gtest/gtest.h>

#include <string>

#include "base/limits.h"
#include "select/select.h"
#include "support/error_text.h"
#include "support/sketch_tree.h"

namespace pactdb::select {
namespace {

using support::SketchTree;

// "id mark n", "core of id mark n", or the message of the error.
std::string PlaceOf(const TreeView& view, std::string_view text,
                    Dialect dialect = Dialect::kCanonical) {
  const auto place = ParsePlace(text, dialect);
  if (!place) return std::string(WireName(place.error().code()));
  const auto found = FindPlace(place->position, view);
  if (!found) return found.error().message();
  constexpr std::string_view kMarks[] = {"start", "end", "after", "before"};
  std::string out = found->in_missing_core ? "core of " : "";
  out += std::string(view.id(*found->parent)) + " ";
  out += kMarks[static_cast<std::size_t>(place->mark.kind)];
  if (place->mark.n > 0) out += " " + std::to_string(place->mark.n);
  return out;
}

TEST(Place, SEL_63_NamesOneParentAndAMark) {
  const SketchTree tree(R"(seq
  t1 seg
    c1 cont core
    g1 cont offset=1
    g2 cont offset=2
ah
)");
  const TreeView view = tree.Working();
  EXPECT_EQ(PlaceOf(view, "(d1, cont[offset=0], )"), "c1 start");
  EXPECT_EQ(PlaceOf(view, "(d1, seg, cont[offset=0], end)"), "c1 end");
  EXPECT_EQ(PlaceOf(view, "(d1, 1, +2)"), "g1 after 2");
  EXPECT_EQ(PlaceOf(view, "(d1, 1, -1)"), "g1 before 1");
  EXPECT_EQ(PlaceOf(view, "(d0, cont[offset=0], end)"), "core of ah end");
  EXPECT_EQ(PlaceOf(view, "(d0, end)"), "ah end");
  EXPECT_EQ(PlaceOf(view, "(d0, end)", Dialect::kClassic),
            "the position names no node, one is needed");
  EXPECT_EQ(PlaceOf(view, "(d1, cont, end)"),
            "the position names 3 nodes, one is needed: 'c1', 'g1', 'g2'");
}

TEST(Place, MayHaveBlanksBetweenItsParts) {
  const SketchTree tree(R"(seq
  t1 seg
    g1 cont offset=1
ah
)");
  for (const std::string_view text : {"(d1,1,end)", " (d1, 1, end)", "(d1, 1, end) ",
                                      "( d1 , 1 , end )", "\t(\nd1,\n1,\nend\n)\n"})
    EXPECT_EQ(PlaceOf(tree.Working(), text), "g1 end") << text;
  EXPECT_EQ(PlaceOf(tree.Working(), "(d1, 1, +2 )"), "g1 after 2");
  EXPECT_EQ(PlaceOf(tree.Working(), "(d1, 1,  )"), "g1 start");
  EXPECT_EQ(PlaceOf(tree.Working(), "(d1, 1, + 2)"), "E_SELECTOR_INVALID");
}

TEST(Place, MarksHaveASignAndANumber) {
  const SketchTree tree(R"(seq
  t1 seg
    g1 cont offset=1
      g2 cont offset=-3
ah
)");
  EXPECT_EQ(PlaceOf(tree.Working(), "(d1, 1, +0)"), "g1 after");
  EXPECT_EQ(PlaceOf(tree.Working(), "(d1, 1, -3)"), "g1 before 3");
  EXPECT_EQ(PlaceOf(tree.Working(), "(d1, 1, -3, end)"), "g2 end") << "before another hop, a hop";
  for (const std::string_view text : {"(d1, 1, +)", "(d1, 1, -)", "(d1, 1, +2, end)", "(d1, 1, 3)",
                                      "(d1, 1, +x)", "(+1)", "(-1)", "(d1, end, end)"})
    EXPECT_EQ(PlaceOf(tree.Working(), text), "E_SELECTOR_INVALID") << text;
}

TEST(Place, SEL_65_RefusesWhatIsNoPlace) {
  const SketchTree tree("ah\n");
  for (const std::string_view text : {"(d0)", "(d0, end) .block", "(d0, end", "(end)", "( )", "d0",
                                      "(d0, end, cont)", "(d0, ,)", ""}) {
    EXPECT_EQ(PlaceOf(tree.Working(), text), "E_SELECTOR_INVALID") << text;
  }
  EXPECT_EQ(PlaceOf(tree.Working(), "@t0 (d0, end)"), "E_REQUEST_INVALID");
}

struct Case {
  std::string_view text;
  std::string_view want;
};

TEST(Place, IsAPositionAndAMark) {
  const Case cases[] = {
      {"(d0, )", "(d0) start 0"},
      {"(d0,)", "(d0) start 0"},
      {"(d0, end)", "(d0) end 0"},
      {"(d0, end )", "(d0) end 0"},
      {"(d0, +1)", "(d0) after 1"},
      {"(d0, +1 )", "(d0) after 1"},
      {"(d0, -1)", "(d0) before 1"},
      {"(d0, -1, end)", "(d0, ? { offset=-1 }) end 0"},
      {"(d0, -1, -2)", "(d0, ? { offset=-1 }) before 2"},
      {"(d0, 1, +2)", "(d0, ? { offset=1 }) after 2"},
      {"(d0, cont, +99999999999999999999)", "(d0, cont) after 1000000000000000000"},
      {" (d0, end) ", "(d0) end 0"},
      {"(d0, cont[a], end)", "(d0, cont) { a } end 0"},
      {"(d0, ? {a}, end)", "(d0, ? { a }) end 0"},
      {"(cont, )", "(cont) start 0"},
  };
  for (const Case& test : cases) {
    const auto place = ParsePlace(test.text, Dialect::kCanonical);
    ASSERT_TRUE(place) << test.text;
    constexpr std::string_view kMarks[] = {"start", "end", "after", "before"};
    EXPECT_EQ(place->position.canonical() + " " +
                  std::string(kMarks[static_cast<std::size_t>(place->mark.kind)]) + " " +
                  std::to_string(place->mark.n),
              test.want)
        << test.text;
  }
}

TEST(Place, ListsTenNodesThatItsPositionNames) {
  std::string sketch = "ah\n";
  std::string wanted;
  for (int i = 1; i <= 11; ++i) {
    sketch += "  b" + std::to_string(i) + " block offset=" + std::to_string(i) + "\n";
    if (i <= 10) wanted += (i > 1 ? ", 'b" : "'b") + std::to_string(i) + "'";
  }
  EXPECT_EQ(PlaceOf(SketchTree(sketch).Working(), "(d0, *:block, end)"),
            "the position names 11 nodes, one is needed: " + wanted + ", ...");
  const SketchTree ten(sketch.substr(0, sketch.find("  b11")));
  EXPECT_EQ(PlaceOf(ten.Working(), "(d0, *:block, end)"),
            "the position names 10 nodes, one is needed: " + wanted);
}

TEST(Place, SaysWhatItsPositionNamesInItsError) {
  const SketchTree tree("ah\n  c1 cont offset=1\n");
  const auto place = ParsePlace("(d0, cont, end)", Dialect::kCanonical);
  EXPECT_EQ(support::ErrorText(FindPlace(place->position, tree.Working())),
            "E_PLACEMENT_INVALID: the position names 2 nodes, one is needed: the core of 'ah', "
            "'c1' {at=(d0, cont, end) matched=2}");
  const auto aged = ParsePlace("(d0, cont[age=1], end)", Dialect::kCanonical);
  EXPECT_EQ(support::ErrorText(FindPlace(aged->position, tree.Working())),
            "E_FACET_NEEDS_SNAPSHOT: born_turn, age, depth and sdepth exist in snapshots only; a "
            "place is in the working state");
}

std::string FieldsOf(std::string_view text) {
  const auto fields = ParseNodeLiteral(text);
  if (!fields) return std::string(WireName(fields.error().code()));
  std::string out;
  for (const auto& [name, value] : *fields) out += name + "=" + value.text() + " ";
  return out;
}

TEST(NodeLiteral, GivesFields) {
  EXPECT_EQ(FieldsOf("block:text { key='hero' } [ ttl=3 ]"),
            "nodeType=\"block:text\" key=\"hero\" ttl=3 ");
  EXPECT_EQ(
      FieldsOf("block{content='a b', pinned=true, data_x=[1,'b',null]} +x +y"),
      "nodeType=\"block\" content=\"a b\" pinned=true data_x=[1,\"b\",null] tags=[\"x\",\"y\"] ");
  EXPECT_EQ(FieldsOf("cont"), "nodeType=\"cont\" ");
  for (const std::string_view text : {"", "{a=1}", "block {a}", "block {a>1}", "block {a=1, a=2}",
                                      "block {}", "block {a=007}", "block x"}) {
    EXPECT_EQ(FieldsOf(text), "E_SELECTOR_INVALID") << text;
  }
}

TEST(NodeLiteral, ValuesAreWordsTextsNumbersAndJsonsOwn) {
  const auto value = [](const std::string& text) {
    const std::string fields = FieldsOf("block {a=" + text + "}");
    return fields.starts_with("nodeType=\"block\" a=") ? fields.substr(19, fields.size() - 20)
                                                       : fields;
  };
  EXPECT_EQ(value("word"), R"("word")");
  EXPECT_EQ(value("'a b'"), R"("a b")");
  EXPECT_EQ(value("\"a'b\""), R"("a'b")");
  EXPECT_EQ(value("''"), R"("")");
  EXPECT_EQ(value("true"), "true");
  EXPECT_EQ(value("false"), "false");
  EXPECT_EQ(value("null"), "null");
  EXPECT_EQ(value("'true'"), R"("true")");
  EXPECT_EQ(value("\"false\""), R"("false")");
  EXPECT_EQ(value("'null'"), R"("null")");
  EXPECT_EQ(value("5"), "5");
  EXPECT_EQ(value("+5"), "5");
  EXPECT_EQ(value("-5"), "-5");
  EXPECT_EQ(value("1.50"), "1.5");
  EXPECT_EQ(value("'5'"), R"("5")");
  EXPECT_EQ(value("[]"), "[]");
  EXPECT_EQ(value("[ ]"), "[]");
  EXPECT_EQ(value("[1]"), "[1]");
  EXPECT_EQ(value("[ 1 , 'b' , true , null ]"), R"([1,"b",true,null])");
  for (const char* bad :
       {"", "007", "-007", "+", "[1,]", "[,1]", "[1 2]", "[1", "[[1]]", "'a", "="})
    EXPECT_EQ(value(bad), "E_SELECTOR_INVALID") << bad;
}

TEST(NodeLiteral, MayHaveBlanksBetweenItsParts) {
  const std::string_view want = R"(nodeType="block" a=1 b=2 tags=["t"] )";
  for (const std::string_view text :
       {"block{a=1,b=2}+t", " block { a = 1 , b = 2 } +t ", "block[a=1]{b=2}+t",
        "block +t {a=1} [b=2]", "\nblock\t{\na=1\n,\nb=2\n}\n+t\n"})
    EXPECT_EQ(FieldsOf(text), want) << text;
}

TEST(NodeLiteral, TagsAreCollectedInOrder) {
  EXPECT_EQ(FieldsOf("block {tag=a, x=1, tag=b} +c"),
            R"(nodeType="block" x=1 tags=["a","b","c"] )");
  EXPECT_EQ(FieldsOf("block +a +a"), R"(nodeType="block" tags=["a","a"] )");
  EXPECT_EQ(FieldsOf("block {tags=['a','b']}"), R"(nodeType="block" tags=["a","b"] )");
  EXPECT_EQ(FieldsOf("block {tags=[a]} +b"), "E_SELECTOR_INVALID");
  EXPECT_EQ(FieldsOf("block +b {tags=[a]}"), "E_SELECTOR_INVALID");
  EXPECT_EQ(FieldsOf("block {tag=b, tags=[a]}"), "E_SELECTOR_INVALID");
}

// "message at byte".
std::string LiteralFault(std::string_view text) {
  const auto fields = ParseNodeLiteral(text);
  if (fields) return "ok";
  std::string fault(fields.error().message().substr(0, fields.error().message().find('\n')));
  for (const Error::Detail& detail : fields.error().details()) {
    if (detail.name == "pos") fault += " at " + std::to_string(detail.number);
  }
  return fault;
}

TEST(NodeLiteral, SaysWhatItMissesAndWhere) {
  EXPECT_EQ(LiteralFault(" {a=1}"), "expected a node type, such as block:text at 1");
  EXPECT_EQ(LiteralFault("block x"), "expected '{', '[' or '+tag' after the node type at 6");
  EXPECT_EQ(LiteralFault("block {}"), "expected an attribute name at 7");
  EXPECT_EQ(LiteralFault("block {a=1,}"), "expected an attribute name at 11");
  EXPECT_EQ(LiteralFault("block {a>1}"), "expected '=': a node literal gives values at 8");
  EXPECT_EQ(LiteralFault("block {a=1]"), "expected ',' or the closing bracket at 10");
  EXPECT_EQ(LiteralFault("block [a=1}"), "expected ',' or the closing bracket at 10");
  EXPECT_EQ(LiteralFault("block {a=[1;2]}"), "expected ',' or ']' in the list at 11");
  EXPECT_EQ(LiteralFault("block {a=1, b=2, a=3}"), "'a' is given twice at 17");
  EXPECT_EQ(LiteralFault("block {type=x}"), "'type' is given twice at 7");
  EXPECT_EQ(LiteralFault("block {nodeType=x}"), "'nodeType' is given twice at 7");
  EXPECT_EQ(LiteralFault("block {a=01}"), "this is no JSON number at 9");
}

TEST(NodeLiteral, HasAsManyFieldsAsASelectorHasFilters) {
  const auto literal = [](std::size_t fields) {
    std::string text = "block {";
    for (std::size_t i = 0; i < fields; ++i)
      text += (i == 0 ? "a" : ",a") + std::to_string(i) + "=1";
    return text + "}";
  };
  EXPECT_EQ(LiteralFault(literal(limits::kSelectorFiltersMax)), "ok");
  EXPECT_TRUE(LiteralFault(literal(limits::kSelectorFiltersMax + 1))
                  .starts_with("too many fields in a node literal"));
}

TEST(Place, NamesTheFirstTenNodesOfTooMany) {
  const auto refused = [](int groups) {
    std::string sketch = "seq\n  t1 seg\n";
    for (int i = 1; i <= groups; ++i)
      sketch += "    g" + std::to_string(i) + " cont offset=" + std::to_string(i) + "\n";
    const SketchTree tree(sketch);
    const auto found =
        FindPlace(ParsePlace("(d1, cont, end)", Dialect::kCanonical)->position, tree.Working());
    return found ? "ok" : found.error().message();
  };
  constexpr std::string_view kTen =
      "the core of 't1', 'g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7', 'g8', 'g9'";
  EXPECT_EQ(refused(0), "ok");
  EXPECT_EQ(refused(1), "the position names 2 nodes, one is needed: the core of 't1', 'g1'");
  EXPECT_EQ(refused(9), "the position names 10 nodes, one is needed: " + std::string(kTen));
  EXPECT_EQ(refused(10),
            "the position names 11 nodes, one is needed: " + std::string(kTen) + ", ...");
}

TEST(NodeLiteral, ReadsEveryKindOfValue) {
  const Case cases[] = {
      {"block", "nodeType=\"block\" "},
      {" block:text ", "nodeType=\"block:text\" "},
      {"block:a-b_c:d", "nodeType=\"block:a-b_c:d\" "},
      {"block{a=1}", "nodeType=\"block\" a=1 "},
      {"block[a=1]", "nodeType=\"block\" a=1 "},
      {"block{a=1}{b=x}[c='y']+t", "nodeType=\"block\" a=1 b=\"x\" c=\"y\" tags=[\"t\"] "},
      {"block +t {a=1} +u", "nodeType=\"block\" a=1 tags=[\"t\",\"u\"] "},
      {"block{tag=x} +y", "nodeType=\"block\" tags=[\"x\",\"y\"] "},
      {"block{tag=x,tag=z}", "nodeType=\"block\" tags=[\"x\",\"z\"] "},
      {"block{tags=[a]}", "nodeType=\"block\" tags=[\"a\"] "},
      {"block{a=[]}", "nodeType=\"block\" a=[] "},
      {"block{a=[ ]}", "nodeType=\"block\" a=[] "},
      {"block{a=[ 1 , 'x' , true , null ]}", "nodeType=\"block\" a=[1,\"x\",true,null] "},
      {"block{a=true,b=false,c='true',d=\"false\",e=null,f='null',g=None,h=truex}",
       "nodeType=\"block\" a=true b=false c=\"true\" d=\"false\" e=null f=\"null\" g=null "
       "h=\"truex\" "},
      {"block{a=+5,b=-5,c=1.50,d=0,e=-0}", "nodeType=\"block\" a=5 b=-5 c=1.5 d=0 e=0 "},
  };
  for (const Case& test : cases) EXPECT_EQ(FieldsOf(test.text), test.want) << test.text;
}

}  // namespace
}  // namespace pactdb::select
