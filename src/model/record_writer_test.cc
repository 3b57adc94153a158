// What a commit writes: what no earlier record has, each thing once.
#include "model/record_writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/working_tree.h"
#include "support/error_text.h"
#include "support/nodes.h"

namespace pactdb {
namespace {

using support::ErrorText;
using support::NewNode;
using Ids = std::vector<std::string>;

class RecordWriterTest : public ::testing::Test {
 protected:
  void Put(std::string_view id, const support::NodeTraits& traits = {}, std::int64_t cycle = 5) {
    Ref<Node> node = NewNode(*lexicon_, id, traits);
    node->cycle = cycle;
    tree_.Insert(tree_.region(NodeClass::kSys).number, std::move(node));
  }
  // A commit of cycle 5, which seals what has this id; an import if it is empty.
  CommitRecord* Commit(std::string_view sealed) {
    tree_.Refresh();
    commit_ = std::make_unique<CommitRecord>();
    commit_->cycle = 5;
    commit_->committed_at_ns = 1000;
    commit_->lexicon = lexicon_;
    commit_->root = tree_.Share();
    commit_->NoteFixed();
    if (!sealed.empty()) commit_->sealed = lexicon_->InternId(sealed, 5);
    return commit_.get();
  }
  StoredRecord Write(RecordWriter& writer) {
    return StoredRecord::Parse(writer.Write(*commit_).value(), {1, 2}).value();
  }
  // The node of this id in the record.
  static StoredNode Find(const StoredRecord& record, std::string_view id) {
    StoredNode node;
    for (std::uint32_t i = 0; i < record.object_count(); ++i) {
      if (record.object(i)[0] == record::kChunkObject) continue;
      EXPECT_TRUE(record.ReadNode(i, node));
      if (node.made_id ? IdText(*node.made_id) == id : node.id == id) return node;
    }
    ADD_FAILURE() << id;
    return node;
  }

  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
  WorkingTree tree_{lexicon_};
  RecordNumbers numbers_;
  std::unique_ptr<CommitRecord> commit_;
};

TEST_F(RecordWriterTest, WritesEveryFieldOfANode) {
  Put("mine", {.offset = -3,
               .created_at_ns = 1234,
               .creation_index = 7,
               .priority = -2,
               .expiry = 44,
               .flags = Node::kPinned,
               .role = "user",
               .content = "\"text\"",
               .attributes = {{"a", "1"}, {"key", "\"k\""}}});
  Put("plain");
  Commit("seg:5");
  RecordWriter writer(*lexicon_, numbers_, {1, 2});
  const StoredRecord record = Write(writer);
  const StoredNode node = Find(record, "mine");
  EXPECT_EQ(node.node_class, NodeClass::kBlock);
  EXPECT_EQ(node.flags, record::MadeFlags(NodeClass::kBlock) | Node::kPinned);
  EXPECT_EQ(node.offset, -3);
  EXPECT_EQ(node.cycle, 5);
  EXPECT_EQ(node.created_at_ns, 1234);
  EXPECT_EQ(node.creation_index, 7);
  EXPECT_EQ(node.priority, -2);
  EXPECT_EQ(node.expiry, 44);
  EXPECT_EQ(record.head().words.at(node.type - 1), "block");
  EXPECT_EQ(record.head().words.at(node.role - 1), "user");
  EXPECT_EQ(node.kind, 0);
  EXPECT_EQ(node.content->bytes, "\"text\"");
  ASSERT_EQ(node.attributes.size(), 2);
  EXPECT_EQ(node.attributes[0].name, "a");
  EXPECT_EQ(node.attributes[1].value.bytes, "\"k\"");
  const StoredNode plain = Find(record, "plain");
  EXPECT_EQ(plain.flags, record::MadeFlags(NodeClass::kBlock));
  EXPECT_EQ(plain.priority, 0);
  EXPECT_EQ(plain.expiry, kNoExpiry);
  EXPECT_EQ(plain.type, node.type);
  EXPECT_FALSE(plain.has_body);
  EXPECT_EQ(Find(record, lexicon_->id(commit_->root->number)).children.has_value(), true);
  EXPECT_EQ(record.head().words.size(),
            std::set(record.head().words.begin(), record.head().words.end()).size());
}

TEST_F(RecordWriterTest, WritesTheHead) {
  Put("a");
  CommitRecord* commit = Commit("seg:5");
  auto notes = std::make_unique<CommitNotes>();
  notes->imported_iso = "2024";
  const NodeNumber gone = lexicon_->InternId("gone", 1);
  const NodeNumber with = lexicon_->InternId("with", 1);
  notes->departures = {{gone, gone, Departure::Cause::kExpired},
                       {with, gone, Departure::Cause::kCascaded}};
  commit->notes = std::move(notes);
  commit->clock = {.next_tick_ns = 9, .last_stamp = 8};
  RecordWriter writer(*lexicon_, numbers_, {1, 2});
  const StoredRecord record = Write(writer);
  EXPECT_EQ(record.head().cycle, 5);
  EXPECT_EQ(record.head().time_ns, 1000);
  EXPECT_EQ(record.head().sealed, "seg:5");
  EXPECT_EQ(record.head().imported_iso, "2024");
  ASSERT_EQ(record.head().departures.size(), 2);
  EXPECT_EQ(record.head().departures[0].id, "gone");
  EXPECT_EQ(record.head().departures[0].with, "");
  EXPECT_EQ(record.head().departures[0].cause, Departure::Cause::kExpired);
  EXPECT_EQ(record.head().departures[1].id, "with");
  EXPECT_EQ(record.head().departures[1].with, "gone");
  EXPECT_EQ(record.head().departures[1].cause, Departure::Cause::kCascaded);
  EXPECT_EQ(record.head().clock.next_tick_ns, 9);
  EXPECT_EQ(record.head().clock.last_stamp, 8);
  Commit("");
  RecordWriter other(*lexicon_, numbers_, {1, 2});
  EXPECT_EQ(Write(other).head().sealed, std::nullopt);
}

// An id is its parts if the node's headers say them, and a text if not.
TEST_F(RecordWriterTest, AMadeIdIsNotWrittenTwice) {
  Put("block:5.7", {.creation_index = 7});
  Put("block:5.8", {.creation_index = 9});
  Put("block:4.1", {.creation_index = 1});
  Put("block:5", {.creation_index = 3});
  Commit("seg:5");
  RecordWriter writer(*lexicon_, numbers_, {1, 2});
  const StoredRecord record = Write(writer);
  EXPECT_TRUE(Find(record, "block:5.7").made_id.has_value());
  EXPECT_FALSE(Find(record, "block:5.8").made_id.has_value());
  EXPECT_FALSE(Find(record, "block:4.1").made_id.has_value());
  EXPECT_TRUE(Find(record, "block:5").made_id.has_value());
  EXPECT_EQ(std::set(writer.given_ids().begin(), writer.given_ids().end()),
            (std::set<std::string>{"block:4.1", "block:5.8"}));
}

// What was given by an earlier commit is written again and is not new.
TEST_F(RecordWriterTest, IdsAreNewInTheCommitThatMadeTheirNodes) {
  Put("now", {}, 5);
  Put("before", {}, 4);
  Commit("seg:5");
  RecordWriter writer(*lexicon_, numbers_, {1, 2});
  Write(writer);
  EXPECT_EQ(writer.given_ids(), Ids{"now"});
  // An import brings all of them, those of the regions too.
  Commit("");
  RecordWriter import(*lexicon_, numbers_, {1, 2});
  Write(import);
  const std::set<std::string> given(import.given_ids().begin(), import.given_ids().end());
  EXPECT_TRUE(given.contains("now"));
  EXPECT_TRUE(given.contains("before"));
  EXPECT_EQ(given.size(), 6);
}

TEST_F(RecordWriterTest, LongValuesAreKeptOnceByTheirHash) {
  const std::string at_bound = "\"" + std::string(StoredValue::kInlineBytesMax - 2, 'x') + "\"";
  const std::string over = "\"" + std::string(StoredValue::kInlineBytesMax - 1, 'x') + "\"";
  Put("a", {.content = at_bound});
  Put("b", {.content = over});
  Put("c", {.content = over, .attributes = {{"long", over}}});
  Commit("seg:5");
  RecordWriter writer(*lexicon_, numbers_, {1, 2});
  const StoredRecord record = Write(writer);
  EXPECT_EQ(Find(record, "a").content->bytes, at_bound);
  EXPECT_EQ(Find(record, "b").content->hash, Sha256Of(over));
  EXPECT_EQ(Find(record, "c").content->hash, Sha256Of(over));
  EXPECT_EQ(Find(record, "c").attributes[0].value.hash, Sha256Of(over));
  ASSERT_EQ(writer.contents().size(), 1);
  EXPECT_EQ(writer.contents()[0].hash, Sha256Of(over));
  EXPECT_EQ(writer.contents()[0].bytes, over);
}

TEST_F(RecordWriterTest, WhatIsStoredIsNotWrittenAgain) {
  Put("a");
  Put("b");
  Commit("seg:5");
  RecordWriter first(*lexicon_, numbers_, {1, 2});
  const std::uint32_t all = Write(first).object_count();
  // Root, three regions, two blocks, the lists of the root and of ^sys.
  EXPECT_EQ(all, 8);
  RecordWriter unmarked(*lexicon_, numbers_, {1, 3});
  EXPECT_EQ(StoredRecord::Parse(unmarked.Write(*commit_).value(), {1, 3})->object_count(), all);
  first.MarkStored();
  EXPECT_EQ(numbers_.Unpack(commit_->root->stored_at), (StoredAddress{{1, 2}, all - 1}));
  Put("c");
  Commit("seg:5");
  RecordWriter second(*lexicon_, numbers_, {1, 3});
  const StoredRecord record = StoredRecord::Parse(second.Write(*commit_).value(), {1, 3}).value();
  // The block, two lists, ^sys and the root.
  EXPECT_EQ(record.object_count(), 5);
  second.MarkStored();
  second.UnmarkStored();
  EXPECT_EQ(commit_->root->stored_at, kNotStored);
  EXPECT_EQ(commit_->root->children->stored_at, kNotStored);
}

TEST_F(RecordWriterTest, SaysWhichBoundACommitPasses) {
  Put("a");
  Commit("seg:5");
  const auto told = [this](const RecordBounds& bounds) {
    RecordNumbers numbers;
    return ErrorText(RecordWriter(*lexicon_, numbers, {1, 2}, bounds).Write(*commit_));
  };
  EXPECT_EQ(told({}), "ok");
  EXPECT_EQ(told({.objects = 2}),
            "E_LIMIT_EXCEEDED: the commit has more than one record can hold {limit=record_objects "
            "max=2}");
  EXPECT_EQ(told({.bytes = 20}),
            "E_LIMIT_EXCEEDED: the commit has more than one record can hold {limit=record_bytes "
            "max=20}");
}

}  // namespace
}  // namespace pactdb
