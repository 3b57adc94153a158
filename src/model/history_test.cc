#include "model/history.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "model/working_tree.h"

namespace pactdb {
namespace {

CommitRecord* MakeRecord(const std::shared_ptr<Lexicon>& lexicon, Ordinal ordinal,
                         std::int64_t cycle) {
  auto* record = new CommitRecord();
  WorkingTree tree(lexicon);
  tree.Refresh();
  record->ordinal = ordinal;
  record->cycle = cycle;
  record->lexicon = lexicon;
  record->root = tree.Share();
  record->NoteFixed();
  return record;
}

// Snapshots of cycles 1, 2, 5 and 9: imports may leave gaps.
class HistoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Ordinal ordinal = 0;
    for (const std::int64_t cycle : {1, 2, 5, 9})
      history_.Append(MakeRecord(lexicon_, ordinal++, cycle));
    history_.Publish();
  }
  // The cycle, or the error's wire name.
  std::string Resolve(std::string_view address) const {
    const auto record = history_.Resolve(address);
    return record ? std::to_string((*record)->cycle) : std::string(WireName(record.error().code()));
  }

  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
  History history_;
};

TEST_F(HistoryTest, ResolvesAddresses) {
  struct Case {
    std::string_view address;
    std::string_view want;
  };
  constexpr std::array<Case, 27> kCases = {{
      {"@t0", "9"},
      {"@t-0", "9"},
      {"@t+0", "9"},
      {"@t-1", "5"},
      {"@t-3", "1"},
      {"@t-03", "1"},
      {"@t-4", "E_SNAPSHOT_NOT_FOUND"},
      {"@t-99999999999999999999", "E_SNAPSHOT_NOT_FOUND"},
      {"@t1", "E_SNAPSHOT_NOT_FOUND"},
      {"@t+1", "E_SNAPSHOT_NOT_FOUND"},
      {"@c1", "1"},
      {"@c5", "5"},
      {"@c005", "5"},
      {"@c3", "E_SNAPSHOT_NOT_FOUND"},
      {"@c0", "E_SNAPSHOT_NOT_FOUND"},
      {"@c10", "E_SNAPSHOT_NOT_FOUND"},
      {"@c99999999999999999999", "E_SNAPSHOT_NOT_FOUND"},
      {"tag", "E_SNAPSHOT_NOT_FOUND"},
      {"", "E_SNAPSHOT_NOT_FOUND"},
      {"@", "E_REQUEST_INVALID"},
      {"@t", "E_REQUEST_INVALID"},
      {"@c", "E_REQUEST_INVALID"},
      {"@t-", "E_REQUEST_INVALID"},
      {"@c-1", "E_REQUEST_INVALID"},
      {"@t--1", "E_REQUEST_INVALID"},
      {"@t0 ", "E_REQUEST_INVALID"},
      {"@x1", "E_REQUEST_INVALID"},
  }};
  for (const auto& [address, want] : kCases) EXPECT_EQ(Resolve(address), want) << address;
}

TEST_F(HistoryTest, SaysWhichSnapshotIsMissing) {
  const Error error = history_.Resolve("@c7").error();
  EXPECT_EQ(
      error,
      Error(ErrorCode::kSnapshotNotFound, "there is no snapshot @c7").With("snapshot", "@c7"));
}

TEST_F(HistoryTest, FindsCyclesAcrossGaps) {
  for (std::int64_t cycle = -1; cycle < 12; ++cycle) {
    const CommitRecord* record = *history_.FindCycle(cycle);
    const bool is_there = cycle == 1 || cycle == 2 || cycle == 5 || cycle == 9;
    ASSERT_EQ(record != nullptr, is_there) << cycle;
    EXPECT_EQ(is_there ? record->cycle : cycle, cycle);
  }
}

TEST_F(HistoryTest, ReadersSeeARecordOncePublished) {
  const CommitRecord* before = history_.newest();
  history_.Append(MakeRecord(lexicon_, 4, 10));
  EXPECT_EQ(history_.newest(), before);
  EXPECT_EQ(history_.last()->cycle, 10);
  history_.Publish();
  EXPECT_EQ(history_.newest()->cycle, 10);
}

TEST_F(HistoryTest, TakesBackWhatWasNotPublished) {
  history_.Append(MakeRecord(lexicon_, 4, 10));
  history_.DropLast();
  EXPECT_EQ(history_.size(), 4u);
  EXPECT_EQ(history_.last(), history_.newest());
  EXPECT_EQ(Resolve("@c10"), "E_SNAPSHOT_NOT_FOUND");
}

TEST_F(HistoryTest, SnapshotsKeepTheirRecord) {
  const Snapshot snapshot(*history_.FindCycle(5));
  EXPECT_EQ(snapshot.cycle(), 5);
  EXPECT_EQ(snapshot.record().refs.load(), 2u);
  const Snapshot copy = snapshot;
  EXPECT_EQ(snapshot.record().refs.load(), 3u);
}

TEST(History, IsEmptyAtFirst) {
  const History history;
  EXPECT_EQ(history.newest(), nullptr);
  EXPECT_EQ(history.last(), nullptr);
  EXPECT_EQ(history.Resolve("@t0").error().code(), ErrorCode::kSnapshotNotFound);
}

TEST(History, LetsGoOfItsSnapshotsWhenItGoes) {
  const auto lexicon = std::make_shared<Lexicon>();
  {
    History history;
    for (Ordinal i = 0; i < 3; ++i) history.Append(MakeRecord(lexicon, i, i + 1));
    history.Publish();
    EXPECT_GT(lexicon.use_count(), 1);
  }
  EXPECT_EQ(lexicon.use_count(), 1) << "a snapshot holds its lexicon";
}

TEST_F(HistoryTest, OfAForkGoesOnFromASharedSnapshot) {
  const auto parent = std::make_shared<History>();
  for (Ordinal ordinal = 0; ordinal < 3; ++ordinal)
    parent->Append(MakeRecord(lexicon_, ordinal, ordinal + 1));
  parent->Publish();
  parent->tags().Set("parent's", 1);
  History fork(parent, 1);
  EXPECT_EQ(fork.size(), 2u);
  EXPECT_EQ(fork.newest(), &parent->at(1));
  EXPECT_EQ(fork.last(), &parent->at(1));
  CommitRecord* own = MakeRecord(lexicon_, 2, 7);
  fork.Append(own);
  EXPECT_EQ(fork.newest(), &parent->at(1)) << "not published yet";
  fork.Publish();
  EXPECT_EQ(fork.newest(), own);
  EXPECT_EQ(fork.Resolve("@t-1").value(), &parent->at(1));
  EXPECT_EQ(fork.Resolve("@c7").value(), own);
  EXPECT_EQ(fork.FindCycle(3).value(), nullptr) << "the parent's alone";
  EXPECT_EQ(fork.LowerBound(3), 2u);
  EXPECT_EQ(fork.Resolve("parent's").error().code(), ErrorCode::kSnapshotNotFound);
  EXPECT_EQ(parent->size(), 3u);

  const auto middle = std::make_shared<History>(parent, 1);
  middle->Append(MakeRecord(lexicon_, 2, 8));
  middle->Publish();
  History deeper(middle, 2);
  EXPECT_EQ(deeper.size(), 3u);
  EXPECT_EQ(deeper.at(2).cycle, 8);
  EXPECT_EQ(&deeper.at(0), &parent->at(0));
}

// A store whose commits are not in the order that their cycles say.
class WrongPast final : public PastSource {
 public:
  Result<CommitRecord*> LoadBefore(const CommitRecord&) override { return Refused(); }
  Result<std::size_t> LowerBound(std::int64_t) override { return 100; }
  Result<CommitLine> Line(std::size_t) override { return Refused(); }
  std::unique_ptr<PastSource> CloneFor(std::shared_ptr<Lexicon>) const override {
    return std::make_unique<WrongPast>();
  }

 private:
  static std::unexpected<Error> Refused() {
    return std::unexpected(Error(ErrorCode::kStoreCorrupt, "damaged"));
  }
};

TEST_F(HistoryTest, BelievesNoPlaceThatIsNotThere) {
  const History history(MakeRecord(lexicon_, 3, 9), std::make_unique<WrongPast>());
  EXPECT_EQ(history.FirstFrom(4).value(), 3u) << "the newest is later than any before it";
  EXPECT_EQ(history.FindCycle(4).value(), nullptr);
  EXPECT_EQ(history.FindCycle(9).value(), history.newest());
  EXPECT_EQ(history.Line(4).error().code(), ErrorCode::kSnapshotNotFound);
  EXPECT_EQ(history.Line(2).error().code(), ErrorCode::kStoreCorrupt);
}

}  // namespace
}  // namespace pactdb
