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

TEST(NodeLiteral, HasSoManyFieldsAndNotMore) {
  std::string text = "block{tag=a";
  for (std::size_t i = 1; i < limits::kSelectorFiltersMax; ++i)
    text += ",f" + std::to_string(i) + "=1";
  EXPECT_TRUE(ParseNodeLiteral(text + "}"));
  const auto over = ParseNodeLiteral(text + ",more=1}");
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().message().substr(0, over.error().message().find('\n')),
            "too many fields in a node literal");
  EXPECT_EQ(over.error().details().front().number, static_cast<std::int64_t>(text.size() + 1));
}

}  // namespace
}  // namespace pactdb::select
