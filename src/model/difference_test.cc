#include "model/difference.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/nodes.h"

namespace pactdb {
namespace {

using support::NewNode;
using Names = std::vector<std::string>;

class Difference : public ::testing::Test {
 protected:
  TreeView View(std::int64_t now = 5) const { return {.lexicon = &lexicon_, .now = now}; }
  Names Fields(const Ref<Node>& before, const Ref<Node>& after) const {
    const Names fields = DifferentFields(View(), *before, View(), *after);
    EXPECT_EQ(Differs(View(), *before, View(), *after), !fields.empty());
    return fields;
  }
  Ref<Node> Make(const support::NodeTraits& traits) { return NewNode(lexicon_, "x", traits); }

  Lexicon lexicon_;
};

TEST_F(Difference, NamesEveryStoredHeader) {
  const auto make = [this] { return Make({.role = "user", .content = "\"a\""}); };
  EXPECT_EQ(Fields(make(), make()), Names{});
  const std::vector<std::pair<Names, std::function<void(Node&)>>> changes = {
      {{"parent"}, [](Node& node) { node.parent = 7; }},
      {{"nodeType"}, [this](Node& node) { node.type = lexicon_.InternWord("block:x"); }},
      {{"role"}, [this](Node& node) { node.role = lexicon_.InternWord("tool"); }},
      {{"kind"}, [this](Node& node) { node.kind = lexicon_.InternWord("text"); }},
      {{"offset"}, [](Node& node) { node.offset = 1; }},
      {{"ttl"}, [](Node& node) { node.expiry = 7; }},
      {{"priority"}, [](Node& node) { node.priority = 1; }},
      {{"cycle"}, [](Node& node) { node.cycle = 9; }},
      {{"created_at_ns", "created_at_iso"}, [](Node& node) { node.created_at_ns = 1; }},
      {{"creation_index"}, [](Node& node) { node.creation_index = 1; }},
      {{"pinned"}, [](Node& node) { node.Set(Node::kPinned, true); }},
      {{"removable"}, [](Node& node) { node.Set(Node::kHasRemovable, true); }},
      {{"offset"}, [](Node& node) { node.Set(Node::kHasOffset, false); }},
      {{"created_at_iso"}, [](Node& node) { node.Set(Node::kHasCreatedIso, false); }},
      {{"content_hash"}, [](Node& node) { node.SetBody({}); }},
  };
  for (const auto& [fields, change] : changes) {
    const Ref<Node> node = make();
    change(*node);
    EXPECT_EQ(Fields(make(), node), fields);
    EXPECT_EQ(Fields(node, make()), fields);
  }
}

TEST_F(Difference, LooksAtContentAndAttributesByValue) {
  const auto fields = [this](const std::string& a, const std::vector<Attribute>& a_attributes,
                             const std::string& b, const std::vector<Attribute>& b_attributes) {
    return Fields(Make({.content = a, .attributes = a_attributes}),
                  Make({.content = b, .attributes = b_attributes}));
  };
  EXPECT_EQ(fields("\"a\"", {{"key", "1"}}, "\"a\"", {{"key", "1"}}), Names{});
  EXPECT_EQ(fields("\"a\"", {}, "\"b\"", {}), Names{"content_hash"});
  EXPECT_EQ(fields("\"a\"", {{"key", "1"}}, "\"a\"", {{"key", "2"}}), Names{"key"});
  EXPECT_EQ(fields("\"a\"", {{"key", "1"}}, "\"a\"", {}), Names{"key"});
  // No content and an empty one hash alike, yet are not the same.
  EXPECT_EQ(fields("\"\"", {}, "", {{"key", "1"}}), (Names{"content_hash", "key"}));
  // What the content hash covers is named twice: by its own name too.
  EXPECT_EQ(fields("\"a\"", {}, "\"a\"", {{"data_n", "1"}}), (Names{"content_hash", "data_n"}));
  // Absent and null are the same to a diff.
  EXPECT_EQ(fields("\"a\"", {{"ns:x", "null"}}, "\"a\"", {}), Names{});
}

TEST_F(Difference, NamesFieldsInTheOrderOfTheSpecification) {
  const Ref<Node> before = Make({.content = "\"a\"", .attributes = {{"a:z", "1"}, {"tags", "[]"}}});
  const Ref<Node> after = Make({.offset = 1,
                                .created_at_ns = 2,
                                .creation_index = 3,
                                .priority = 4,
                                .expiry = 9,
                                .flags = Node::kPinned | Node::kHasRemovable,
                                .role = "tool",
                                .content = "\"b\"",
                                .attributes = {{"key", "\"k\""}, {"zeta:a", "1"}}});
  after->type = lexicon_.InternWord("block:x");
  after->kind = lexicon_.InternWord("text");
  after->cycle = 8;
  after->parent = 7;
  EXPECT_EQ(Fields(before, after),
            (Names{"nodeType", "offset", "ttl", "priority", "cycle", "created_at_ns",
                   "created_at_iso", "creation_index", "role", "kind", "parent", "content_hash",
                   "a:z", "key", "pinned", "removable", "tags", "zeta:a"}));
}

// The ttl is shown as what is left, so one and the same node differs from itself over time.
TEST_F(Difference, ComparesTheShownTtl) {
  const Ref<Node> node = Make({.expiry = 8});
  EXPECT_TRUE(Differs(View(5), *node, View(6), *node));
  EXPECT_FALSE(Differs(View(8), *node, View(9), *node)) << "0 is left at both times";
  EXPECT_FALSE(Differs(View(5), *node, View(6), *Make({.expiry = 9})));
}

// created_at_ns of a listed turn is its place in the listing, which is not a header.
TEST_F(Difference, DoesNotTakeThePlaceInAListingForATime) {
  const auto turn = [this](std::int64_t place) {
    return Make({.node_class = NodeClass::kTurn, .created_at_ns = place, .flags = Node::kListed});
  };
  EXPECT_EQ(Fields(turn(1), turn(2)), Names{});
}

// created_at_iso mirrors created_at_ns unless a document said otherwise; what is shown counts.
TEST_F(Difference, ComparesTheShownTime) {
  const auto told = [this](std::int64_t ns, const std::string& iso) {
    return Make({.created_at_ns = ns, .attributes = {{"created_at_iso", iso}}});
  };
  const auto mirrored = [this](std::int64_t ns) { return Make({.created_at_ns = ns}); };
  const std::string one = "\"1970-01-01T00:00:00.000000001Z\"";
  EXPECT_EQ(Fields(told(5, one), mirrored(1)), Names{"created_at_ns"});
  EXPECT_EQ(Fields(mirrored(5), told(5, one)), Names{"created_at_iso"});
  EXPECT_EQ(Fields(told(5, "\"later\""), told(5, one)), Names{"created_at_iso"});
  EXPECT_EQ(Fields(told(5, one), told(6, one)), Names{"created_at_ns"});
}

TEST_F(Difference, ComparesByTextBetweenLexicons) {
  Lexicon other;
  other.InternWord("something else first");
  other.InternId("y", 1);
  const TreeView there{.lexicon = &other, .now = 5};
  const auto fields = [&](const support::NodeTraits& traits, const support::NodeTraits& others) {
    return DifferentFields(View(), *Make(traits), there, *NewNode(other, "x", others));
  };
  EXPECT_EQ(fields({.role = "user"}, {.role = "user"}), Names{});
  EXPECT_EQ(fields({.role = "user"}, {.role = "tool"}), (Names{"role", "content_hash"}));
}

}  // namespace
}  // namespace pactdb
