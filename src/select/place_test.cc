#include <gtest/gtest.h>

#include <string>

#include "select/select.h"
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

}  // namespace
}  // namespace pactdb::select
