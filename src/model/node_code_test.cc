#include "model/node_code.h"

#include <gtest/gtest.h>

#include <string>

#include "support/nodes.h"

namespace pactdb {
namespace {

using support::NewNode;

TEST(NodeCode, SaysClassRoleKindAndPriority) {
  Lexicon lexicon;
  const Ref<Node> node =
      NewNode(lexicon, "x", {.node_class = NodeClass::kCont, .priority = -7, .role = "user"});
  const std::uint32_t code = node_code::Of(*node, false);
  EXPECT_EQ(node_code::Class(code), NodeClass::kCont);
  EXPECT_EQ(node_code::Role(code), node_code::WordField(*lexicon.FindWord("user")));
  EXPECT_EQ(node_code::Kind(code), node_code::kAbsent);
  EXPECT_EQ(node_code::Priority(code), -7);
}

TEST(NodeCode, SaysWhetherATtlIsThere) {
  Lexicon lexicon;
  const Ref<Node> node = NewNode(lexicon, "x", {.priority = -127, .role = "user"});
  const std::uint32_t without = node_code::Of(*node, false);
  const std::uint32_t with = node_code::Of(*node, true);
  EXPECT_FALSE(node_code::HasTtl(without));
  EXPECT_TRUE(node_code::HasTtl(with));
  EXPECT_EQ(with & ~node_code::kTtl, without);
}

TEST(NodeCode, KeepsEveryFieldApart) {
  Lexicon lexicon;
  const Ref<Node> node = NewNode(lexicon, "x");
  for (const std::int64_t priority : {-127, -1, 0, 126}) {
    for (const WordNumber role : {WordNumber{0}, WordNumber{1021}, kNoWord}) {
      for (const WordNumber kind : {WordNumber{5}, WordNumber{5'000}, kNoWord}) {
        node->priority = priority;
        node->role = role;
        node->kind = kind;
        const std::uint32_t code = node_code::Of(*node, false);
        EXPECT_EQ(node_code::Class(code), NodeClass::kBlock);
        EXPECT_EQ(node_code::Role(code), node_code::WordField(role));
        EXPECT_EQ(node_code::Kind(code), node_code::WordField(kind));
        EXPECT_EQ(node_code::Priority(code), priority);
      }
    }
  }
}

TEST(NodeCode, SaysWhenItCannotSay) {
  EXPECT_EQ(node_code::WordField(kNoWord), node_code::kAbsent);
  EXPECT_EQ(node_code::WordField(0), 1u);
  EXPECT_EQ(node_code::WordField(1'021), 1'022u);
  EXPECT_EQ(node_code::WordField(1'022), node_code::kOther);
  EXPECT_EQ(node_code::WordField(1'000'000), node_code::kOther);
  Lexicon lexicon;
  const Ref<Node> node = NewNode(lexicon, "x");
  for (const std::int64_t priority : {std::int64_t{127}, std::int64_t{128}, INT64_MAX}) {
    node->priority = priority;
    EXPECT_EQ(node_code::Priority(node_code::Of(*node, false)), node_code::kPriorityEnd);
    node->priority = -priority;
    EXPECT_EQ(node_code::Priority(node_code::Of(*node, false)), -node_code::kPriorityEnd);
  }
  node->priority = INT64_MIN;
  EXPECT_EQ(node_code::Priority(node_code::Of(*node, false)), -node_code::kPriorityEnd);
}

}  // namespace
}  // namespace pactdb
