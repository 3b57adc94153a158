// A fork's lexicon: what it inherits, what it adds, and what stays out of its sight.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/lexicon.h"
#include "model/node.h"
#include "support/nodes.h"
#include "support/random.h"

namespace pactdb {
namespace {

std::set<NodeNumber> Postings(const Lexicon& lexicon, std::string_view tag, Ordinal at) {
  std::set<NodeNumber> nodes;
  lexicon.ForEachPosting(IndexKind::kTag, tag, at,
                         [&nodes](NodeNumber node) { nodes.insert(node); });
  return nodes;
}

TEST(LexiconFork, SharesTheNumbersThatWereThere) {
  const auto parent = std::make_shared<Lexicon>();
  const NodeNumber own = parent->InternId("own", 1);
  const NodeNumber made = parent->InternId("block:1.3", 1);
  const WordNumber word = parent->InternWord("user");
  Lexicon fork(parent, 0);
  EXPECT_EQ(fork.FindId("own"), own);
  EXPECT_EQ(fork.InternId("block:1.3", 1), made);
  EXPECT_EQ(fork.id(made), "block:1.3");
  EXPECT_EQ(fork.InternWord("user"), word);
  EXPECT_EQ(fork.word_json(word), "\"user\"");
  EXPECT_EQ(fork.id_count(), 2u);
}

TEST(LexiconFork, DoesNotSeeWhatTheParentInternsLater) {
  const auto parent = std::make_shared<Lexicon>();
  parent->InternId("a", 1);
  Lexicon fork(parent, 0);
  parent->InternId("later", 2);
  parent->InternId("block:2.0", 2);
  parent->InternWord("late");
  EXPECT_EQ(fork.FindId("later"), std::nullopt);
  EXPECT_EQ(fork.FindWord("late"), std::nullopt);
  const NodeNumber mine = fork.InternId("mine", 2);
  EXPECT_EQ(fork.InternId("block:2.0", 2), mine + 1);
  EXPECT_EQ(fork.id(mine), "mine");
  EXPECT_EQ(parent->id(mine), "later");
  EXPECT_EQ(parent->FindId("mine"), std::nullopt);
  EXPECT_EQ(fork.word(fork.InternWord("mine too")), "mine too");
}

TEST(LexiconFork, ChangesAndRemovesInItsOwnLayer) {
  const auto parent = std::make_shared<Lexicon>();
  const Ref<Node> old = support::NewNode(*parent, "a");
  const Ref<Node> kept = support::NewNode(*parent, "b");
  const Ref<Node> parents = support::NewNode(*parent, "a");
  const NodeNumber a = old->number;
  const NodeNumber b = kept->number;
  parent->AddVersion(a, 0, old.get());
  parent->AddVersion(b, 1, kept.get());
  Lexicon fork(parent, 1);
  const Ref<Node> forks = support::NewNode(fork, "a");
  parent->AddVersion(a, 2, parents.get());
  parent->AddVersion(b, 2, nullptr);
  fork.AddVersion(a, 2, forks.get());
  EXPECT_EQ(fork.VersionAt(a, 1), old.get());
  EXPECT_EQ(fork.VersionAt(a, 2), forks.get());
  EXPECT_EQ(fork.VersionAt(b, 9), kept.get()) << "the parent's removal is its own";
  EXPECT_EQ(parent->VersionAt(a, 2), parents.get());
  fork.AddVersion(b, 3, nullptr);
  EXPECT_EQ(fork.VersionAt(b, 2), kept.get());
  EXPECT_EQ(fork.VersionAt(b, 3), nullptr);
  fork.DropVersion(b);
  EXPECT_EQ(fork.VersionAt(b, 3), kept.get());
}

TEST(LexiconFork, KnowsAnIdThatOnlyTheParentUsedAsFree) {
  const auto parent = std::make_shared<Lexicon>();
  const Ref<Node> later = support::NewNode(*parent, "x");
  Lexicon fork(parent, 4);
  parent->AddVersion(later->number, 5, later.get());
  EXPECT_FALSE(fork.IsInHistory(later->number));
  const Ref<Node> mine = support::NewNode(fork, "x");
  fork.AddVersion(mine->number, 7, mine.get());
  EXPECT_TRUE(fork.IsInHistory(mine->number));
  EXPECT_FALSE(fork.IsInHistory(mine->number, 6));
  EXPECT_EQ(fork.VersionAt(mine->number, 6), nullptr);
}

// Loaded by the fork: commits before those it shares.
TEST(LexiconFork, KnowsSinceWhenWhatItInheritedIsThere) {
  const auto parent = std::make_shared<Lexicon>();
  parent->SetBase(8);
  const Ref<Node> old = support::NewNode(*parent, "old");
  const Ref<Node> made = support::NewNode(*parent, "made");
  for (const Node* node : {old.get(), made.get()}) parent->AddVersion(node->number, 8, node);
  Lexicon fork(parent, 8, 8);
  fork.AddPastVersion(made->number, 8, nullptr);
  EXPECT_TRUE(fork.IsInHistory(made->number, 8));
  EXPECT_FALSE(fork.IsInHistory(made->number, 7));
  EXPECT_TRUE(fork.IsInHistory(old->number, 7));
}

TEST(LexiconFork, TellsNothingOfNumbersThatOnlyADescendantHas) {
  const auto parent = std::make_shared<Lexicon>();
  Lexicon fork(parent, 0);
  NodeNumber last = 0;
  for (int i = 0; i < 1000; ++i) last = fork.InternId("n" + std::to_string(i), 1);
  EXPECT_EQ(parent->VersionAt(last, 0), nullptr);
  parent->PrefetchId(last);
}

TEST(LexiconFork, CountsWhatTheParentEndedAfterTheFork) {
  const auto parent = std::make_shared<Lexicon>();
  for (const char* id : {"a", "b", "c"}) parent->InternId(id, 1);
  parent->AddPosting(IndexKind::kTag, "t", 0);
  parent->AddPosting(IndexKind::kTag, "t", 1);
  parent->EndPosting(IndexKind::kTag, "t", 0, 1);
  Lexicon fork(parent, 1);
  parent->EndPosting(IndexKind::kTag, "t", 1, 2);
  parent->AddPosting(IndexKind::kTag, "t", parent->InternId("new", 2));
  fork.AddPosting(IndexKind::kTag, "t", 2);
  EXPECT_EQ(Postings(fork, "t", kNever), (std::set<NodeNumber>{1, 2}));
  EXPECT_EQ(Postings(fork, "t", 5), (std::set<NodeNumber>{1, 2}));
  fork.EndPosting(IndexKind::kTag, "t", 2, 6);
  EXPECT_EQ(Postings(fork, "t", 6), (std::set<NodeNumber>{1}));
  EXPECT_EQ(Postings(*parent, "t", kNever), (std::set<NodeNumber>{3}));
}

// Contexts that fork at random commits; what each sees is compared with a plain table a context.
class Lineage {
 public:
  explicit Lineage(std::uint64_t seed) : random_(seed) { branches_.emplace_back(); }

  void Run(int steps) {
    for (int i = 0; i < steps; ++i) {
      if (branches_.size() < 8 && random_.Chance(4)) {
        Fork(random_.Below(branches_.size()));
      } else {
        Commit(branches_[random_.Below(branches_.size())]);
      }
    }
    for (Branch& branch : branches_) Check(branch);
  }

 private:
  using Versions = std::map<std::string, std::map<Ordinal, const Node*>>;
  struct Branch {
    std::vector<std::shared_ptr<Lexicon>> lexicons = {std::make_shared<Lexicon>()};  // one a commit
    std::shared_ptr<Lexicon> lexicon = lexicons[0];
    Versions versions;
    std::set<std::string> words;
    Ordinal next = 0;
  };

  void Commit(Branch& branch) {
    branch.lexicons.resize(branch.next);
    for (std::size_t i = random_.Below(6); i > 0; --i) {
      const std::string id = random_.Chance(50) ? "n" + std::to_string(random_.Below(30))
                                                : "block:" + std::to_string(branch.next) + "." +
                                                      std::to_string(random_.Below(5));
      auto& versions = branch.versions[id];
      if (!versions.empty() && versions.rbegin()->first == branch.next) continue;
      const bool is_there = !versions.empty() && versions.rbegin()->second != nullptr;
      const NodeNumber number = branch.lexicon->InternId(id, branch.next);
      const Node* version = nullptr;
      if (!is_there || random_.Chance(60)) {
        nodes_.push_back(support::NewNode(*branch.lexicon, id));
        version = nodes_.back().get();
      }
      branch.lexicon->AddVersion(number, branch.next, version);
      versions[branch.next] = version;
      const std::string word = "w" + std::to_string(random_.Below(20));
      branch.lexicon->InternWord(word);
      branch.words.insert(word);
    }
    branch.lexicons.push_back(branch.lexicon);
    ++branch.next;
  }

  void Fork(std::size_t from) {
    const Branch& origin = branches_[from];
    if (origin.next == 0) return;
    const auto at = static_cast<Ordinal>(random_.Below(origin.next));
    Branch fork;
    fork.lexicons = origin.lexicons;
    fork.lexicons.resize(at + 1);
    fork.lexicon = std::make_shared<Lexicon>(origin.lexicons[at], at);
    for (const auto& [id, versions] : origin.versions) {
      for (const auto& [ordinal, node] : versions) {
        if (ordinal <= at) fork.versions[id][ordinal] = node;
      }
    }
    fork.next = at + 1;
    branches_.push_back(std::move(fork));
  }

  void Check(const Branch& branch) {
    for (int i = 0; i < 30; ++i) CheckId(branch, "n" + std::to_string(i));
    for (const auto& [id, versions] : branch.versions) CheckId(branch, id);
    for (const std::string& word : branch.words) {
      const auto number = branch.lexicon->FindWord(word);
      ASSERT_TRUE(number) << word;
      ASSERT_EQ(branch.lexicon->word(*number), word);
    }
  }

  void CheckId(const Branch& branch, const std::string& id) {
    const auto known = branch.versions.find(id);
    const auto number = branch.lexicon->FindId(id);
    if (known == branch.versions.end() || known->second.empty()) {
      ASSERT_TRUE(!number || !branch.lexicon->IsInHistory(*number)) << id;
      return;
    }
    ASSERT_TRUE(number) << id;
    ASSERT_EQ(branch.lexicon->id(*number), id);
    ASSERT_EQ(branch.lexicon->InternId(id, 0), *number);
    const Node* now = nullptr;
    for (Ordinal at = 0; at < branch.next; ++at) {
      if (const auto change = known->second.find(at); change != known->second.end())
        now = change->second;
      ASSERT_EQ(branch.lexicon->VersionAt(*number, at), now) << id << " at " << at;
      ASSERT_EQ(branch.lexicon->IsInHistory(*number, at), known->second.begin()->first <= at);
    }
    std::map<Ordinal, const Node*> all;
    branch.lexicon->ForEachVersion(*number, [&all](Ordinal at, const Node* node) {
      ASSERT_TRUE(all.emplace(at, node).second);
    });
    ASSERT_EQ(all, known->second) << id;
  }

  support::Random random_;
  std::vector<Branch> branches_;
  std::vector<Ref<Node>> nodes_;
};

TEST(LexiconFork, SeesInEveryBranchWhatATableOfItsOwnWould) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Lineage(seed).Run(200);
  }
}

}  // namespace
}  // namespace pactdb
