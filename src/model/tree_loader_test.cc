// Trees from records made by hand: what a record says is there, and nothing is believed that cannot
// be.
#include "model/tree_loader.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/hash64.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "support/error_text.h"

namespace pactdb {
namespace {

using enum NodeClass;
using support::ErrorText;
using Slots = std::vector<StoredAddress>;

// Makes a record object by object.
class Maker {
 public:
  explicit Maker(CommitNumber commit) : own_{.context = 1, .commit = commit} {}

  StoredAddress Add(const std::string& object) {
    objects_.push_back(object);
    return {.record = own_, .index = static_cast<std::uint32_t>(objects_.size() - 1)};
  }
  // A node of this id at this offset, without children.
  StoredAddress Leaf(NodeClass node_class, std::string_view id, std::int64_t offset = 0) {
    return Node(node_class, id, std::nullopt, offset);
  }
  StoredAddress Node(NodeClass node_class, std::string_view id,
                     const std::optional<StoredAddress>& children, std::int64_t offset = 0) {
    std::string object(1, static_cast<char>(node_class));
    object += static_cast<char>(children ? record::kChildren : 0);
    AppendSigned(offset, object);
    object.append(3, '\0');  // cycle, time, index
    AppendSized(id, object);
    object += {1, 0, 0};  // a type, no role, no kind
    if (node_class != kBlock) AppendDigest(Sha256Of(id), object);
    CommitNumber near = own_.commit;
    if (children) record::AppendAddress(*children, own_, near, object);
    return Add(object);
  }
  StoredAddress List(unsigned level, bool has_hash, const Slots& slots) {
    std::string object(1, static_cast<char>(record::kChunkObject));
    AppendVarint(2 * level + (has_hash ? 1 : 0), object);
    AppendVarint(slots.size(), object);
    CommitNumber near = own_.commit;
    for (const StoredAddress& slot : slots) record::AppendAddress(slot, own_, near, object);
    if (has_hash) AppendDigest(Sha256Of("list"), object);
    return Add(object);
  }
  // A tree with these lists in its head.
  void RootOver(const std::optional<StoredAddress>& in_ah) {
    Node(kRoot, "root", List(0, false, {Node(kAh, "^ah", in_ah)}));
  }
  std::string Bytes() const {
    std::string out;
    record::AppendHead({.cycle = 5, .time_ns = 1000, .words = {"type", "user", "text"}}, out);
    AppendVarint(objects_.size(), out);
    for (const std::string& object : objects_) AppendVarint(object.size(), out);
    for (const std::string& object : objects_) out += object;
    return out;
  }

 private:
  RecordId own_;
  std::vector<std::string> objects_;
};

class Records final : public RecordSource {
 public:
  std::map<CommitNumber, std::string> bytes;
  std::map<Digest, std::string> contents;

  Result<const StoredRecord*> Record(const RecordId& id) override {
    if (!bytes.contains(id.commit))
      return std::unexpected(Error(ErrorCode::kStoreCorrupt, "no such record"));
    auto parsed = StoredRecord::Parse(bytes[id.commit], id);
    if (!parsed) return std::unexpected(parsed.error());
    last_ = *std::move(parsed);
    return &*last_;
  }
  Result<std::string> Content(const Digest& hash) override {
    if (!contents.contains(hash))
      return std::unexpected(Error(ErrorCode::kStoreCorrupt, "no such content"));
    return contents[hash];
  }

 private:
  std::optional<StoredRecord> last_;
};

constexpr std::size_t kMany = 1'000'000;

// What is said of the tree of the one record there is.
std::string Told(const Maker& made, std::size_t nodes_max = kMany,
                 const std::map<Digest, std::string>& contents = {}) {
  Records records;
  records.bytes[1] = made.Bytes();
  records.contents = contents;
  Lexicon lexicon;
  RecordNumbers numbers;
  const auto root = TreeLoader(lexicon, numbers, records).Load({1, 1}, nodes_max, nullptr);
  return root ? "ok" : root.error().message();
}

TEST(TreeLoader, GivesEveryNodeWhatItsObjectSays) {
  const std::string text = "\"" + std::string(2000, 'x') + "\"";
  Maker made(1);
  std::string object(1, static_cast<char>(kBlock));
  object += static_cast<char>(record::kMadeId | record::kBody | record::kContent | record::kExpiry |
                              record::kPriority | record::kOddFlags);
  AppendVarint(::pactdb::Node::kPinned, object);
  for (const std::int64_t number : {-3, 2, 7, 4}) AppendSigned(number, object);
  object += '\1';            // block:7.4
  object += {1, 2, 3};       // type, role, kind
  AppendSigned(-8, object);  // priority
  AppendVarint(12, object);  // expiry
  AppendDigest(Sha256Of("h"), object);
  AppendVarint(1, object);  // content, by hash
  AppendDigest(Sha256Of(text), object);
  AppendVarint(1, object);  // attributes
  AppendSized("key", object);
  AppendVarint(6, object);
  object += "\"k\"";
  const StoredAddress block = made.Add(object);
  made.RootOver(made.List(0, true, {block}));
  Records records;
  records.bytes[1] = made.Bytes();
  records.contents[Sha256Of(text)] = text;
  Lexicon lexicon;
  RecordNumbers numbers;
  TreeLoader loader(lexicon, numbers, records);
  const auto root = loader.Load({1, 1}, 3, nullptr);
  ASSERT_EQ(ErrorText(root), "ok");
  std::vector<const Node*> nodes;
  loader.ForEachMade([&](const Node& node) { nodes.push_back(&node); });
  ASSERT_EQ(nodes.size(), 3);
  EXPECT_EQ(nodes[0], root->get());
  EXPECT_EQ(lexicon.id(nodes[0]->number), "root");
  EXPECT_EQ(nodes[0]->parent, kNoNode);
  EXPECT_EQ(nodes[0]->shape, static_cast<std::uint32_t>(ShapeHash("root")));
  EXPECT_EQ(nodes[0]->AsContainer()->digest, Sha256Of("root"));
  EXPECT_FALSE(nodes[0]->Has(Node::kStale));
  EXPECT_EQ(nodes[1]->parent, nodes[0]->number);
  EXPECT_EQ(nodes[1]->AsContainer()->digest, Sha256Of("^ah"));
  const Node& node = *nodes[2];
  EXPECT_EQ(lexicon.id(node.number), "block:7.4");
  EXPECT_EQ(node.parent, nodes[1]->number);
  EXPECT_EQ(node.shape, static_cast<std::uint32_t>(ShapeHash("block:7.4")));
  EXPECT_TRUE(node.Has(Node::kPinned));
  EXPECT_FALSE(node.Has(Node::kHasId));
  EXPECT_TRUE(node.Has(Node::kKeyed));
  EXPECT_EQ(node.offset, -3);
  EXPECT_EQ(node.cycle, 7);
  EXPECT_EQ(node.created_at_ns, 1007);
  EXPECT_EQ(node.creation_index, 4);
  EXPECT_EQ(node.priority, -8);
  EXPECT_EQ(node.expiry, 12);
  EXPECT_EQ(lexicon.word(node.type), "type");
  EXPECT_EQ(lexicon.word(node.role), "user");
  EXPECT_EQ(lexicon.word(node.kind), "text");
  EXPECT_EQ(node.content(), text);
  EXPECT_EQ(node.Find("key"), "\"k\"");
  EXPECT_EQ(node.content_hash(), Sha256Of("h"));
  EXPECT_EQ(numbers.Unpack(node.stored_at), block);
}

TEST(TreeLoader, ATreeHasNoMoreNodesThanItsCommitSays) {
  Maker made(1);
  made.RootOver(made.List(0, true, {made.Leaf(kBlock, "a"), made.Leaf(kBlock, "b")}));
  EXPECT_EQ(Told(made, 4), "ok");
  EXPECT_EQ(Told(made, 3), "object 0 of commit 1: its tree has more nodes than it says");
  EXPECT_EQ(Told(made, 0), "object 0 of commit 1: its tree has more nodes than it says");
}

TEST(TreeLoader, TheLastObjectIsARoot) {
  Maker made(1);
  made.Leaf(kAh, "^ah");
  EXPECT_EQ(Told(made), "object 0 of commit 1: it is no root");
  Maker alone(1);
  alone.Leaf(kRoot, "root");
  EXPECT_EQ(Told(alone), "ok");
}

TEST(TreeLoader, NodesStandWhereTheyCan) {
  const auto told = [](NodeClass parent, NodeClass child) {
    Maker made(1);
    const StoredAddress list = made.List(0, child == kBlock, {made.Leaf(child, "x")});
    if (parent == kRoot) {
      made.Node(kRoot, "root", list);
    } else if (parent == kSys || parent == kSeq || parent == kAh) {
      made.Node(kRoot, "root", made.List(0, false, {made.Node(parent, "parent", list)}));
    } else {
      // A turn stands in ^seq, a cont anywhere.
      const StoredAddress above = made.List(0, false, {made.Node(parent, "parent", list)});
      made.Node(kRoot, "root", made.List(0, false, {made.Node(kSeq, "^seq", above)}));
    }
    return Told(made) == "ok";
  };
  for (const NodeClass parent : {kRoot, kSys, kSeq, kAh, kTurn, kCont}) {
    EXPECT_FALSE(told(parent, kRoot));
    for (const NodeClass region : {kSys, kSeq, kAh})
      EXPECT_EQ(told(parent, region), parent == kRoot);
    EXPECT_EQ(told(parent, kTurn), parent == kSeq);
    for (const NodeClass other : {kCont, kBlock}) EXPECT_EQ(told(parent, other), parent != kRoot);
  }
}

TEST(TreeLoader, EachRegionStandsOnce) {
  Maker made(1);
  made.Node(kRoot, "root",
            made.List(0, false,
                      {made.Leaf(kSys, "^sys"), made.Leaf(kSeq, "^seq"), made.Leaf(kAh, "^ah")}));
  EXPECT_EQ(Told(made), "ok");
  for (const NodeClass twice : {kSys, kSeq, kAh}) {
    Maker wrong(1);
    wrong.Node(kRoot, "root",
               wrong.List(0, false, {wrong.Leaf(twice, "one"), wrong.Leaf(twice, "two")}));
    EXPECT_EQ(Told(wrong), "object 0 of commit 1: a node stands where it cannot stand");
  }
}

TEST(TreeLoader, ALeafWithBlocksHasAHashAndNoOtherDoes) {
  const auto told = [](unsigned level, NodeClass node_class, bool has_hash) {
    Maker made(1);
    StoredAddress list =
        made.List(0, level > 0 ? node_class == kBlock : has_hash, {made.Leaf(node_class, "x")});
    if (level > 0) list = made.List(1, has_hash, {list});
    made.RootOver(list);
    return Told(made);
  };
  EXPECT_EQ(told(0, kBlock, true), "ok");
  EXPECT_EQ(told(0, kBlock, false), "object 1 of commit 1: its hash is missing");
  EXPECT_EQ(told(0, kCont, false), "ok");
  EXPECT_EQ(told(0, kCont, true), "object 1 of commit 1: its hash is missing");
  EXPECT_EQ(told(1, kBlock, false), "ok");
  EXPECT_EQ(told(1, kBlock, true), "object 2 of commit 1: its hash is missing");
}

TEST(TreeLoader, LevelsFallOneByOne) {
  const auto told = [](unsigned upper, unsigned lower) {
    Maker made(1);
    StoredAddress list = made.List(0, true, {made.Leaf(kBlock, "x")});
    for (unsigned level = 1; level <= lower; ++level) list = made.List(level, false, {list});
    made.RootOver(made.List(upper, false, {list}));
    return Told(made);
  };
  EXPECT_EQ(told(1, 0), "ok");
  EXPECT_EQ(told(2, 1), "ok");
  EXPECT_EQ(told(8, 7), "ok");
  EXPECT_EQ(told(2, 0), "object 2 of commit 1: its levels do not fall one by one");
  EXPECT_EQ(told(1, 1), "object 2 of commit 1: its levels do not fall");
  EXPECT_EQ(told(1, 2), "object 3 of commit 1: its levels do not fall");
}

TEST(TreeLoader, NodesAreInOrder) {
  const auto told = [](const std::vector<std::vector<std::int64_t>>& leaves) {
    Maker made(1);
    Slots lists;
    int n = 0;
    for (const std::vector<std::int64_t>& offsets : leaves) {
      Slots slots;
      for (const std::int64_t offset : offsets)
        slots.push_back(made.Leaf(kBlock, "b" + std::to_string(n++), offset));
      lists.push_back(made.List(0, true, slots));
    }
    made.RootOver(lists.size() == 1 ? lists[0] : made.List(1, false, lists));
    const std::string text = Told(made);
    return text == "ok" ? "ok" : text.substr(text.find(':') + 2);
  };
  const std::string wrong = "its nodes are not in order";
  EXPECT_EQ(told({{1, 2, 3}}), "ok");
  EXPECT_EQ(told({{1, 1, 1}}), "ok");  // then the ids decide
  EXPECT_EQ(told({{2, 1}}), wrong);
  EXPECT_EQ(told({{1, 3, 2}}), wrong);
  EXPECT_EQ(told({{1, 2}, {3, 4}, {5}}), "ok");
  EXPECT_EQ(told({{1, 3}, {2, 4}}), wrong);
  EXPECT_EQ(told({{1, 2}, {3, 5}, {4}}), wrong);
}

TEST(TreeLoader, ANodeIsThereOnce) {
  Maker made(1);
  const StoredAddress block = made.Leaf(kBlock, "b");
  made.RootOver(made.List(0, true, {block, block}));
  EXPECT_EQ(Told(made), "object 0 of commit 1: its tree has it twice");
}

// Of a record with any number of objects, wherever in it the one is.
TEST(TreeLoader, ANodeOfALargeRecordIsThereOnce) {
  for (const std::size_t twice : {0u, 1u, 63u, 64u, 65u, 130u, 131u}) {
    for (const bool is_twice : {false, true}) {
      Maker made(1);
      Slots lists;
      for (std::size_t i = 0; i < 132; i += 11) {
        Slots slots;
        for (std::size_t j = i; j < i + 11; ++j)
          slots.push_back(made.Leaf(kBlock, "b" + std::to_string(1000 + j)));
        lists.push_back(made.List(0, true, slots));
      }
      const StoredAddress other = made.Leaf(kBlock, "other");
      const StoredAddress again{.record = other.record,
                                .index = static_cast<std::uint32_t>(twice + twice / 11)};
      lists.push_back(made.List(0, true, {is_twice ? again : other}));
      made.RootOver(made.List(1, false, lists));
      EXPECT_EQ(Told(made), is_twice ? "object " + std::to_string(again.index) +
                                           " of commit 1: its tree has it twice"
                                     : "ok")
          << twice;
    }
  }
}

TEST(TreeLoader, ATreeIsNoDeeperThanTheLimit) {
  const auto told = [](std::size_t containers) {
    Maker made(1);
    StoredAddress list = made.List(0, true, {made.Leaf(kBlock, "b")});
    // The root and ^ah are two of them.
    for (std::size_t i = 2; i < containers; ++i)
      list = made.List(0, false, {made.Node(kCont, "c" + std::to_string(i), list)});
    made.RootOver(list);
    const std::string text = Told(made);
    return text == "ok" ? "ok" : text.substr(text.find(':') + 2);
  };
  EXPECT_EQ(told(limits::kTreeDepthMax + 1), "ok");
  EXPECT_EQ(told(limits::kTreeDepthMax + 2), "its tree is too deep");
  // Depth is not length.
  Maker wide(1);
  Slots slots;
  for (std::size_t i = 0; i < 2 * limits::kTreeDepthMax; ++i) {
    const StoredAddress inner = wide.List(0, true, {wide.Leaf(kBlock, "b" + std::to_string(i))});
    slots.push_back(wide.Node(kCont, "c" + std::to_string(i), inner, static_cast<int>(i)));
  }
  wide.RootOver(wide.List(0, false, slots));
  EXPECT_EQ(Told(wide), "ok");
}

TEST(TreeLoader, AContentIsThereAndJson) {
  Maker made(1);
  std::string object(1, static_cast<char>(kBlock));
  object += static_cast<char>(record::kBody | record::kContent);
  object.append(4, '\0');
  AppendSized("b", object);
  object += {1, 0, 0};
  AppendDigest({}, object);
  AppendVarint(1, object);
  AppendDigest(Sha256Of("c"), object);
  AppendVarint(0, object);
  made.RootOver(made.List(0, true, {made.Add(object)}));
  EXPECT_EQ(Told(made, kMany, {{Sha256Of("c"), "[1]"}}), "ok");
  EXPECT_EQ(Told(made, kMany, {{Sha256Of("c"), "[1,]"}}),
            "object 0 of commit 1: a content is no JSON");
  EXPECT_EQ(Told(made), "no such content");
}

TEST(TreeLoader, TakesFromANewerTreeWhatBothHave) {
  // The older commit has a, b and a cont with c; the newer one has d in place of b.
  Maker older(1);
  const StoredAddress a = older.Leaf(kBlock, "a", 1);
  const StoredAddress b = older.Leaf(kBlock, "b", 2);
  const StoredAddress inner = older.List(0, true, {older.Leaf(kBlock, "c")});
  const StoredAddress cont = older.Node(kCont, "cont", inner, 3);
  older.RootOver(older.List(0, true, {a, b, cont}));
  Maker newer(2);
  const StoredAddress d = newer.Leaf(kBlock, "d", 2);
  newer.RootOver(newer.List(0, true, {a, d, cont}));
  Records records;
  records.bytes = {{1, older.Bytes()}, {2, newer.Bytes()}};
  Lexicon lexicon;
  RecordNumbers numbers;
  TreeLoader loader(lexicon, numbers, records);
  const auto ids_made = [&] {
    std::vector<std::string> ids;
    loader.ForEachMade([&](const Node& node) { ids.emplace_back(lexicon.id(node.number)); });
    return ids;
  };
  const auto in_head = [](const Container& root) {
    std::vector<const Node*> nodes;
    const Node* ah = ChildCursor(root).get();
    for (ChildCursor child(*ah->AsContainer()); child.get() != nullptr; child.Next())
      nodes.push_back(child.get());
    return nodes;
  };
  const auto base = loader.Load({1, 2}, 6, nullptr);
  ASSERT_EQ(ErrorText(base), "ok");
  EXPECT_EQ(ids_made(), (std::vector<std::string>{"root", "^ah", "a", "d", "cont", "c"}));
  const auto before = loader.Load({1, 1}, 6, base->get());
  ASSERT_EQ(ErrorText(before), "ok");
  EXPECT_EQ(ids_made(), (std::vector<std::string>{"root", "^ah", "b"}));
  const auto now = in_head(**base);
  const auto then = in_head(**before);
  ASSERT_EQ(now.size(), 3);
  ASSERT_EQ(then.size(), 3);
  EXPECT_EQ(then[0], now[0]);
  EXPECT_NE(then[1], now[1]);
  EXPECT_EQ(then[2], now[2]);
  // All of it, once more: only the root is a node of its own.
  const auto again = loader.Load({1, 2}, 6, base->get());
  ASSERT_EQ(ErrorText(again), "ok");
  EXPECT_EQ(ids_made(), (std::vector<std::string>{"root"}));
  EXPECT_EQ(in_head(**again), now);
}

}  // namespace
}  // namespace pactdb
