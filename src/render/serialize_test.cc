#include "render/serialize.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "model/working_tree.h"
#include "support/nodes.h"

namespace pactdb {
namespace {

using support::NewNode;
using support::NodeTraits;

constexpr std::string_view kEpoch = "1970-01-01T00:00:00.000000000Z";

// A fixed container as the engine makes it.
std::string Fixed(std::string_view id, std::string_view children) {
  return "{\"children\":[" + std::string(children) + "],\"created_at_iso\":\"" +
         std::string(kEpoch) + "\",\"created_at_ns\":0,\"cycle\":0,\"id\":\"" + std::string(id) +
         "\",\"nodeType\":\"^" + std::string(id) + "\",\"offset\":0,\"priority\":0,\"ttl\":null}";
}

class SerializeTest : public ::testing::Test {
 protected:
  void Put(std::string_view parent, std::string_view id, const NodeTraits& traits) {
    tree_.Insert(*lexicon_->FindId(parent), NewNode(*lexicon_, id, traits));
  }
  std::string Serialized(std::int64_t now = 1) const {
    std::string out;
    SerializeSnapshot(tree_.View(now), out);
    return out;
  }

  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
  WorkingTree tree_{lexicon_};
};

TEST_F(SerializeTest, WritesSortedKeysWithoutBlanks) {
  EXPECT_EQ(Serialized(),
            Fixed("root", Fixed("sys", "") + "," + Fixed("seq", "") + "," + Fixed("ah", "")));
}

TEST_F(SerializeTest, SER_8_WritesTheCoveredFieldsAndNothingElse) {
  Put("sys", "b",
      {.offset = -3,
       .created_at_ns = 1'500,
       .creation_index = 4,
       .priority = 7,
       .expiry = 9,
       .flags = Node::kPinned | Node::kHasRemovable,
       .role = "user",
       .content = "{\"a\":[1,2.5]}",
       .attributes = {{"data_x", "1"}, {"key", "\"k\""}}});
  const std::string block =
      "{\"content\":{\"a\":[1,2.5]},\"created_at_iso\":\"1970-01-01T00:00:00.000001500Z\","
      "\"created_at_ns\":1500,\"cycle\":1,\"id\":\"b\",\"nodeType\":\"block\",\"offset\":-3,"
      "\"priority\":7,\"role\":\"user\",\"ttl\":5}";
  EXPECT_EQ(Serialized(4),
            Fixed("root", Fixed("sys", block) + "," + Fixed("seq", "") + "," + Fixed("ah", "")));
}

TEST_F(SerializeTest, ShowsTheTtlThatIsLeft) {
  Put("sys", "b", {.expiry = 9});
  EXPECT_NE(Serialized(2).find("\"ttl\":7}"), std::string::npos);
  EXPECT_NE(Serialized(9).find("\"ttl\":0}"), std::string::npos);
  EXPECT_NE(Serialized(50).find("\"ttl\":0}"), std::string::npos);
}

// An imported node comes out with the headers it came in with.
TEST_F(SerializeTest, LeavesOutTheHeadersANodeLacks) {
  Ref<Node> node = NewNode(*lexicon_, "bare", {.content = "\"x\""});
  node->flags &= ~std::uint32_t{Node::kMadeHere};
  node->Set(Node::kHasId, true);
  tree_.Insert(*lexicon_->FindId("sys"), std::move(node));
  EXPECT_NE(Serialized().find("[{\"content\":\"x\",\"id\":\"bare\"}]"), std::string::npos);
}

TEST_F(SerializeTest, ListsChildrenOfEveryContainerMadeHere) {
  Put("sys", "g", {.node_class = NodeClass::kCont});
  EXPECT_NE(Serialized().find("{\"children\":[],\"created_at_iso\":\"" + std::string(kEpoch) +
                              "\",\"created_at_ns\":0,\"cycle\":1,\"id\":\"g\""),
            std::string::npos);
}

// The reference serializer sorts by the plain comparator; a listing is unknown to it.
TEST_F(SerializeTest, OrdersListedTurnsByTheLiteralComparator) {
  Put("seq", "b", {.node_class = NodeClass::kTurn, .created_at_ns = 0, .flags = Node::kListed});
  Put("seq", "a", {.node_class = NodeClass::kTurn, .created_at_ns = 1, .flags = Node::kListed});
  const std::string bytes = Serialized();
  EXPECT_LT(bytes.find("\"id\":\"a\""), bytes.find("\"id\":\"b\""));
}

TEST_F(SerializeTest, NeedsNoStackForDeepTrees) {
  std::string parent = "sys";
  for (int i = 0; i < 1'000; ++i) {
    const std::string id = "g" + std::to_string(i);
    Ref<Node> node = NewNode(*lexicon_, id, {.node_class = NodeClass::kCont});
    node->flags &= ~std::uint32_t{Node::kMadeHere};
    node->Set(Node::kHasChildren, true);
    tree_.Insert(*lexicon_->FindId(parent), std::move(node));
    parent = id;
  }
  const std::string bytes = Serialized();
  std::string nested;
  for (int i = 0; i < 1'000; ++i) nested += "{\"children\":[";
  EXPECT_NE(bytes.find(nested), std::string::npos);
}

TEST_F(SerializeTest, SNAP_5_GivesTheSameBytesEachTime) {
  Put("sys", "a", {.content = "1"});
  Put("ah", "b", {.content = "2"});
  const std::string first = Serialized();
  EXPECT_EQ(Serialized(), first);
  WorkingTree other(lexicon_);
  other.Insert(*lexicon_->FindId("ah"), NewNode(*lexicon_, "b", {.content = "2"}));
  other.Insert(*lexicon_->FindId("sys"), NewNode(*lexicon_, "a", {.content = "1"}));
  std::string again;
  SerializeSnapshot(other.View(1), again);
  EXPECT_EQ(again, first);
}

}  // namespace
}  // namespace pactdb
