// The bytes of docs/format/tree-hash.md. They are a format: a test here fails only together with a
// new version of that page.
#include "model/tree_hash.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "model/working_tree.h"
#include "support/nodes.h"

namespace pactdb {
namespace {

using support::NewNode;

std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

std::string EncodingHex(const Node& node, const Lexicon& lexicon) {
  std::string bytes;
  AppendNodeEncoding(node, lexicon, bytes);
  return Hex(bytes);
}

std::string TreeHash(WorkingTree& tree) {
  tree.Refresh();
  return ToHex(tree.Share()->digest);
}

// The example of the page.
Ref<Node> ExampleBlock(Lexicon& lexicon) {
  return NewNode(lexicon, "block:1.1",
                 {.created_at_ns = 1001,
                  .creation_index = 1,
                  .expiry = 3,
                  .role = "user",
                  .content = "\"Hi\"",
                  .attributes = {{"data_lang", "\"en\""}, {"tags", "[\"a\"]"}}});
}

Ref<Node> ExampleCore(Lexicon& lexicon) {
  return NewNode(lexicon, "cont:1.0",
                 {.node_class = NodeClass::kCont, .created_at_ns = 1000, .flags = Node::kCore});
}

TEST(NodeEncoding, IsThatOfThePage) {
  Lexicon lexicon;
  EXPECT_EQ(EncodingHex(*ExampleBlock(lexicon), lexicon),
            "6909000000626c6f636b3a312e31"
            "7405000000626c6f636b"
            "6f0000000000000000"
            "780300000000000000"
            "700000000000000000"
            "630100000000000000"
            "73e903000000000000"
            "6d"
            "640100000000000000"
            "720400000075736572"
            "6805462b72ae6a365bf50d9309b333f88bd67246fe90b4b050713dee66b59a2647"
            "43"
            "6109000000646174615f6c616e67"
            "3d00000000"
            "610400000074616773"
            "3d050000005b2261225d");
  EXPECT_EQ(EncodingHex(*ExampleCore(lexicon), lexicon),
            "6908000000636f6e743a312e30"
            "7404000000636f6e74"
            "6f0000000000000000"
            "6e"
            "700000000000000000"
            "630100000000000000"
            "73e803000000000000"
            "6d"
            "640000000000000000"
            "79"
            "683d81012112ce288f5f9061f4973ab485bbe28d04ce7989ab351215f75d5a2058");
}

TEST(NodeEncoding, LeavesOutWhatANodeLacks) {
  Lexicon lexicon;
  const Ref<Node> node = MakeNode(NodeClass::kBlock);
  node->number = lexicon.InternId("x", 1);
  const std::string hash = "683d81012112ce288f5f9061f4973ab485bbe28d04ce7989ab351215f75d5a2058";
  EXPECT_EQ(EncodingHex(*node, lexicon), "490100000078" + hash);
  node->Set(Node::kHasId, true);
  node->Set(Node::kHasRemovable, true);
  EXPECT_EQ(EncodingHex(*node, lexicon), "69010000007856" + hash);
  node->Set(Node::kRemovable, true);
  node->Set(Node::kPinned, true);
  EXPECT_EQ(EncodingHex(*node, lexicon), "6901000000787650" + hash);
  node->Set(Node::kListed, true);
  node->created_at_ns = 2;
  EXPECT_EQ(EncodingHex(*node, lexicon), "6901000000786c02000000000000007650" + hash);
}

TEST(NodeEncoding, WritesNegativeNumbersInTwosComplement) {
  Lexicon lexicon;
  const Ref<Node> node = NewNode(lexicon, "x", {.offset = -2, .priority = INT64_MIN});
  const std::string hex = EncodingHex(*node, lexicon);
  EXPECT_NE(hex.find("6ffeffffffffffffff"), std::string::npos);
  EXPECT_NE(hex.find("700000000000000080"), std::string::npos);
}

TEST(TreeHash, OfTheEmptyTreeIsPinned) {
  WorkingTree tree(std::make_shared<Lexicon>());
  EXPECT_EQ(TreeHash(tree), "2620f586eee487e613f24917a6dd8a4a8314f93d3b1b7cd8c95f92f794116ac6");
}

TEST(TreeHash, OfThePagesExampleIsPinned) {
  const auto lexicon = std::make_shared<Lexicon>();
  WorkingTree tree(lexicon);
  tree.Insert(tree.region(NodeClass::kAh).number, ExampleCore(*lexicon));
  tree.Insert(*lexicon->FindId("cont:1.0"), ExampleBlock(*lexicon));
  EXPECT_EQ(TreeHash(tree), "578ce9e474455c80dff4a2c75b4571aa3f9b90b044ca52a684f1f55e6d6ea8ff");
  const auto digest = [&tree](std::string_view id) {
    return ToHex(tree.View(1).FindId(id)->AsContainer()->digest);
  };
  EXPECT_EQ(digest("sys"), "442d86bc425e5c37739e789bd397ae6801cf74848a63ba7810aaef17a16d9038");
  EXPECT_EQ(digest("seq"), "42c0c7ac39bb95b1be15e4747095e9f8ae6f9aafabee82cf36dcafe154e7ced0");
  EXPECT_EQ(digest("cont:1.0"), "ac5942ecd3dfaa0337ff6ad6733e9987c7b9b5259753245678334b92a99a67ed");
  EXPECT_EQ(digest("ah"), "0edd8580ed2f3e15125980a798cfae1d5cf61a818b70882a4913fb4c4555806a");
}

// Enough blocks for chunks of level 2; the list is the same whichever end it grows at.
TEST(TreeHash, OfAListOfManyLevelsIsPinned) {
  for (const bool backwards : {false, true}) {
    const auto lexicon = std::make_shared<Lexicon>();
    WorkingTree tree(lexicon);
    for (int i = 0; i < 5'000; ++i) {
      const int index = backwards ? 4'999 - i : i;
      tree.Insert(tree.region(NodeClass::kSys).number,
                  NewNode(*lexicon, "block:1." + std::to_string(index),
                          {.created_at_ns = 1000 + index, .creation_index = index}));
    }
    EXPECT_EQ(TreeHash(tree), "0e3571137a5992d9204ef56903f7569dda2b8a1003c6e31dd47c099690f02db1");
    EXPECT_EQ(tree.region(NodeClass::kSys).children->level, 2);
  }
}

TEST(TreeHash, CoversTheExpiryCycleAndNotTheShownTtl) {
  const auto hash = [](std::int64_t made_in, std::uint64_t expiry) {
    const auto lexicon = std::make_shared<Lexicon>();
    WorkingTree tree(lexicon);
    Ref<Node> node = NewNode(*lexicon, "x", {.expiry = expiry});
    node->cycle = made_in;
    tree.Insert(tree.region(NodeClass::kSys).number, std::move(node));
    return TreeHash(tree);
  };
  EXPECT_EQ(hash(1, 5), hash(1, 5));
  EXPECT_NE(hash(1, 5), hash(1, 6));
  EXPECT_NE(hash(1, 5), hash(2, 5));
}

}  // namespace
}  // namespace pactdb
