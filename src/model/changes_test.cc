#include "model/changes.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/nodes.h"

namespace pactdb {
namespace {

using support::NewNode;

class CountChangesTest : public ::testing::Test {
 protected:
  Ref<const CommitRecord> Commit(const CommitRecord* before) {
    tree_.Refresh();
    auto* record = new CommitRecord();
    record->ordinal = ordinal_;
    record->cycle = ++ordinal_;
    record->lexicon = lexicon_;
    record->root = tree_.Share();
    record->NoteFixed();
    CountChanges(tree_, before, *record);
    tree_.changes().ForEach([&](NodeNumber number, const Node* node) {
      if (node != tree_.Base(number)) lexicon_->AddVersion(number, record->ordinal, node);
    });
    tree_ = WorkingTree(lexicon_, *record->root, record->ordinal);
    return Ref<const CommitRecord>::Adopt(record);
  }
  void Put(std::string_view id, const support::NodeTraits& traits) {
    tree_.Insert(tree_.region(NodeClass::kSys).number, NewNode(*lexicon_, id, traits));
  }
  static std::vector<std::uint64_t> Counts(const CommitRecord& record) {
    return {record.added, record.removed, record.changed};
  }

  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
  WorkingTree tree_{lexicon_};
  Ordinal ordinal_ = 0;
};

TEST_F(CountChangesTest, CountsAddedRemovedAndChangedNodes) {
  Put("a", {});
  Put("b", {});
  const auto first = Commit(nullptr);
  EXPECT_EQ(Counts(*first), (std::vector<std::uint64_t>{2, 0, 0}));
  Put("c", {});
  tree_.Erase(*lexicon_->FindId("a"));
  tree_.Own(*lexicon_->FindId("b"))->priority = 3;
  const auto second = Commit(first.get());
  EXPECT_EQ(Counts(*second), (std::vector<std::uint64_t>{1, 1, 1}));
  EXPECT_EQ(Counts(*Commit(second.get())), (std::vector<std::uint64_t>{0, 0, 0}));
}

TEST_F(CountChangesTest, ForgetsWhatCameAndWentOrWasPutBack) {
  Put("a", {});
  const auto first = Commit(nullptr);
  Put("passing", {});
  tree_.Erase(*lexicon_->FindId("passing"));
  tree_.Own(*lexicon_->FindId("a"))->priority = 3;
  tree_.Own(*lexicon_->FindId("a"))->priority = 0;
  EXPECT_EQ(Counts(*Commit(first.get())), (std::vector<std::uint64_t>{0, 0, 0}));
}

// A running ttl is a change in every snapshot until it stands at 0; ten nodes that nobody touched.
TEST_F(CountChangesTest, CountsTtlsThatRun) {
  for (int i = 0; i < 10; ++i) Put("n" + std::to_string(i), {.expiry = 4});
  auto before = Commit(nullptr);  // shows 2
  EXPECT_EQ(Counts(*before), (std::vector<std::uint64_t>{10, 0, 0}));
  const std::vector<std::uint64_t> changed = {10, 10, 0, 0};  // 1, 0, 0, 0
  for (const std::uint64_t want : changed) {
    const auto record = Commit(before.get());
    EXPECT_EQ(Counts(*record), (std::vector<std::uint64_t>{0, 0, want}));
    before = record;
  }
}

// Nodes that were touched are compared, all others counted by their ttl: none is counted twice.
TEST_F(CountChangesTest, CountsTouchedAndRunningNodesOnce) {
  for (int i = 0; i < 3; ++i) Put("short" + std::to_string(i), {.expiry = 3});
  for (int i = 0; i < 4; ++i) Put("long" + std::to_string(i), {.expiry = 100});
  Put("plain", {});
  const auto first = Commit(nullptr);
  EXPECT_EQ(Counts(*first), (std::vector<std::uint64_t>{8, 0, 0}));
  // The ttls of all seven run; one of them was touched too, and one is new.
  tree_.Own(*lexicon_->FindId("long0"))->priority = 3;
  tree_.Own(*lexicon_->FindId("plain"))->priority = 3;
  Put("new", {.expiry = 100});
  const auto second = Commit(first.get());
  EXPECT_EQ(Counts(*second), (std::vector<std::uint64_t>{1, 0, 8}));
  // The short ones stand at 0 now; one of them is touched.
  tree_.Own(*lexicon_->FindId("short1"))->priority = 3;
  tree_.Erase(*lexicon_->FindId("long3"));
  const auto third = Commit(second.get());
  EXPECT_EQ(Counts(*third), (std::vector<std::uint64_t>{0, 1, 5}));
  EXPECT_EQ(Counts(*Commit(third.get())), (std::vector<std::uint64_t>{0, 0, 4}));
}

TEST_F(CountChangesTest, RegionsAreNeitherAddedNorRemoved) {
  EXPECT_EQ(Counts(*Commit(nullptr)), (std::vector<std::uint64_t>{0, 0, 0}));
}

}  // namespace
}  // namespace pactdb
