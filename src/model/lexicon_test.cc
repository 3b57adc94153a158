#include "model/lexicon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/node.h"
#include "support/nodes.h"
#include "support/random.h"

namespace pactdb {
namespace {

TEST(Lexicon, GivesAnIdOneNumberForLife) {
  Lexicon lexicon;
  const NodeNumber a = lexicon.InternId("a", 1);
  const NodeNumber b = lexicon.InternId("b", 1);
  EXPECT_NE(a, b);
  EXPECT_EQ(lexicon.InternId("a", 1), a);
  EXPECT_EQ(lexicon.FindId("b"), b);
  EXPECT_EQ(lexicon.FindId("c"), std::nullopt);
  EXPECT_EQ(lexicon.id(a), "a");
  EXPECT_EQ(lexicon.id_count(), 2u);
}

TEST(Lexicon, WritesWordsAsJson) {
  Lexicon lexicon;
  const WordNumber word = lexicon.InternWord("us\"er\xC3\xA9");
  EXPECT_EQ(lexicon.InternWord("us\"er\xC3\xA9"), word);
  EXPECT_EQ(lexicon.word(word), "us\"er\xC3\xA9");
  EXPECT_EQ(lexicon.word_json(word), "\"us\\\"er\\u00e9\"");
  EXPECT_EQ(lexicon.word_json(kNoWord), "");
  EXPECT_EQ(lexicon.FindWord("other"), std::nullopt);
}

TEST(Lexicon, KnowsWhetherASnapshotEverHeldANode) {
  Lexicon lexicon;
  const Ref<Node> node = support::NewNode(lexicon, "a");
  EXPECT_FALSE(lexicon.IsInHistory(node->number));
  lexicon.AddVersion(node->number, 3, node.get());
  EXPECT_TRUE(lexicon.IsInHistory(node->number));
  lexicon.AddVersion(node->number, 5, nullptr);
  EXPECT_TRUE(lexicon.IsInHistory(node->number));
  lexicon.DropVersion(node->number);
  lexicon.DropVersion(node->number);
  EXPECT_FALSE(lexicon.IsInHistory(node->number));
}

// Versions of some nodes come and go; every snapshot sees what a plain map of maps says.
TEST(Lexicon, FindsTheVersionOfEverySnapshot) {
  constexpr Ordinal kOrdinals = 200;
  support::Random random(7);
  Lexicon lexicon;
  std::vector<Ref<Node>> versions;
  std::map<NodeNumber, std::map<Ordinal, const Node*>> want;
  for (int i = 0; i < 20; ++i) lexicon.InternId("n" + std::to_string(i), 1);
  for (Ordinal at = 0; at < kOrdinals; ++at) {
    for (NodeNumber number = 0; number < 20; ++number) {
      if (!random.Chance(number * 5)) continue;
      const bool known = want.contains(number);
      const Node* version = nullptr;
      if (!known || random.Chance(70)) {
        versions.push_back(support::NewNode(lexicon, lexicon.id(number)));
        version = versions.back().get();
      }
      lexicon.AddVersion(number, at, version);
      want[number][at] = version;
    }
  }
  for (NodeNumber number = 0; number < 20; ++number) {
    const Node* now = nullptr;
    for (Ordinal at = 0; at < kOrdinals; ++at) {
      if (const auto change = want[number].find(at); change != want[number].end())
        now = change->second;
      ASSERT_EQ(lexicon.VersionAt(number, at), now) << number << " at " << at;
    }
  }
}

TEST(Lexicon, TakesBackTheNewestVersionOnly) {
  Lexicon lexicon;
  const Ref<Node> first = support::NewNode(lexicon, "a");
  const Ref<Node> second = support::NewNode(lexicon, "a");
  const Ref<Node> third = support::NewNode(lexicon, "a");
  const NodeNumber number = first->number;
  lexicon.AddVersion(number, 1, first.get());
  lexicon.AddVersion(number, 2, second.get());
  lexicon.AddVersion(number, 4, nullptr);
  lexicon.DropVersion(number);
  EXPECT_EQ(lexicon.VersionAt(number, 4), second.get());
  lexicon.DropVersion(number);
  EXPECT_EQ(lexicon.VersionAt(number, 4), first.get());
  lexicon.DropVersion(number);
  EXPECT_EQ(lexicon.VersionAt(number, 4), nullptr);
  lexicon.AddVersion(number, 3, third.get());
  EXPECT_EQ(lexicon.VersionAt(number, 2), nullptr);
  EXPECT_EQ(lexicon.VersionAt(number, 3), third.get());
}

std::multiset<NodeNumber> Postings(const Lexicon& lexicon, IndexKind kind, std::string_view value,
                                   Ordinal at) {
  std::multiset<NodeNumber> nodes;
  lexicon.ForEachPosting(kind, value, at, [&nodes](NodeNumber node) { nodes.insert(node); });
  return nodes;
}

TEST(Lexicon, CountsTheMemoryOfIdsWordsAndPostings) {
  Lexicon lexicon;
  std::size_t before = lexicon.allocated_bytes();
  const auto grows = [&] {
    const std::size_t now = lexicon.allocated_bytes();
    return std::exchange(before, now) < now;
  };
  for (int i = 0; i < 5'000; ++i) lexicon.InternId("id " + std::to_string(i), 1);
  EXPECT_TRUE(grows());
  for (int i = 0; i < 5'000; ++i) lexicon.InternWord("word " + std::to_string(i));
  EXPECT_TRUE(grows());
  for (NodeNumber i = 0; i < 5'000; ++i)
    lexicon.AddPosting(IndexKind::kKey, "key " + std::to_string(i), i);
  EXPECT_TRUE(grows());
}

TEST(Lexicon, KeepsKindsOfPostingsApart) {
  Lexicon lexicon;
  lexicon.AddPosting(IndexKind::kKey, "v", 1);
  lexicon.AddPosting(IndexKind::kTag, "v", 2);
  lexicon.AddPosting(IndexKind::kRef, "v", 3);
  lexicon.AddPosting(IndexKind::kCall, "v", 4);
  lexicon.AddPosting(IndexKind::kTag, "kv", 5);
  EXPECT_EQ(Postings(lexicon, IndexKind::kKey, "v", kNever), (std::multiset<NodeNumber>{1}));
  EXPECT_EQ(Postings(lexicon, IndexKind::kTag, "v", kNever), (std::multiset<NodeNumber>{2}));
  EXPECT_EQ(Postings(lexicon, IndexKind::kRef, "v", kNever), (std::multiset<NodeNumber>{3}));
  EXPECT_EQ(Postings(lexicon, IndexKind::kCall, "v", kNever), (std::multiset<NodeNumber>{4}));
  EXPECT_TRUE(Postings(lexicon, IndexKind::kKey, "other", kNever).empty());
}

TEST(Lexicon, EndsAPostingFromOneCommitOn) {
  Lexicon lexicon;
  lexicon.AddPosting(IndexKind::kKey, "v", 1);
  lexicon.AddPosting(IndexKind::kKey, "v", 2);
  lexicon.EndPosting(IndexKind::kKey, "v", 1, 5);
  EXPECT_EQ(Postings(lexicon, IndexKind::kKey, "v", 4), (std::multiset<NodeNumber>{1, 2}));
  EXPECT_EQ(Postings(lexicon, IndexKind::kKey, "v", 5), (std::multiset<NodeNumber>{2}));
  EXPECT_EQ(Postings(lexicon, IndexKind::kKey, "v", kNever), (std::multiset<NodeNumber>{2}));
  lexicon.EndPosting(IndexKind::kKey, "unknown", 1, 5);
  lexicon.AddPosting(IndexKind::kKey, "v", 1);  // it came back
  EXPECT_EQ(Postings(lexicon, IndexKind::kKey, "v", kNever), (std::multiset<NodeNumber>{1, 2}));
}

// A lookup may name a node too many, never one too few.
TEST(Lexicon, NeverMissesANodeThatCarriesTheValue) {
  support::Random random(3);
  Lexicon lexicon;
  std::set<NodeNumber> living;
  std::vector<std::set<NodeNumber>> at_commit;
  for (Ordinal at = 0; at < 150; ++at) {
    for (int i = 0; i < 4; ++i) {
      const auto node = static_cast<NodeNumber>(random.Below(30));
      if (living.contains(node)) {
        lexicon.EndPosting(IndexKind::kTag, "t", node, at);
        living.erase(node);
      } else {
        lexicon.AddPosting(IndexKind::kTag, "t", node);
        living.insert(node);
      }
    }
    at_commit.push_back(living);
    const auto now = Postings(lexicon, IndexKind::kTag, "t", kNever);
    ASSERT_EQ(std::set<NodeNumber>(now.begin(), now.end()), living);
  }
  for (Ordinal at = 0; at < at_commit.size(); ++at) {
    const auto found = Postings(lexicon, IndexKind::kTag, "t", at);
    for (const NodeNumber node : at_commit[at]) ASSERT_TRUE(found.contains(node)) << at;
  }
}

}  // namespace
}  // namespace pactdb
