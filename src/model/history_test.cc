#include "model/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
  Result<CommitRecord*> LoadFar(std::size_t, const CommitRecord&) override { return Refused(); }
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

class FarCount final : public FarSource {
 public:
  explicit FarCount(std::size_t nodes) : nodes_(nodes) {}
  const Node* Find(NodeNumber) const override { return nullptr; }
  std::size_t own_nodes() const override { return nodes_; }

 private:
  std::size_t nodes_;
};

// Commits of these cycles, as a store would give them; says which were asked for. Far ones keep
// `far_nodes`, and have the ordinal of what they were loaded from in `added`.
class KeptPast final : public PastSource {
 public:
  KeptPast(std::shared_ptr<Lexicon> lexicon, std::vector<std::int64_t> cycles,
           std::shared_ptr<std::vector<std::size_t>> loaded, std::size_t far_nodes = 0)
      : lexicon_(std::move(lexicon)),
        cycles_(std::move(cycles)),
        loaded_(std::move(loaded)),
        far_nodes_(far_nodes) {}
  Result<CommitRecord*> LoadBefore(const CommitRecord& newer) override {
    const Ordinal ordinal = newer.ordinal - 1;
    loaded_->push_back(ordinal);
    return MakeRecord(lexicon_, ordinal, cycles_[ordinal]);
  }
  Result<CommitRecord*> LoadFar(std::size_t ordinal, const CommitRecord& newer) override {
    loaded_->push_back(ordinal);
    CommitRecord* record = MakeRecord(lexicon_, static_cast<Ordinal>(ordinal), cycles_[ordinal]);
    record->far_nodes = std::make_unique<FarCount>(far_nodes_);
    record->added = newer.ordinal;
    return record;
  }
  Result<std::size_t> LowerBound(std::int64_t cycle) override {
    return static_cast<std::size_t>(std::ranges::lower_bound(cycles_, cycle) - cycles_.begin());
  }
  Result<CommitLine> Line(std::size_t ordinal) override {
    return CommitLine{.cycle = cycles_[ordinal], .added = 7};
  }
  std::unique_ptr<PastSource> CloneFor(std::shared_ptr<Lexicon> lexicon) const override {
    return std::make_unique<KeptPast>(std::move(lexicon), cycles_, loaded_, far_nodes_);
  }

 private:
  std::shared_ptr<Lexicon> lexicon_;
  std::vector<std::int64_t> cycles_;
  std::shared_ptr<std::vector<std::size_t>> loaded_;
  std::size_t far_nodes_;
};

TEST_F(HistoryTest, LoadsWhatIsAskedForAndWhatLiesBetween) {
  using Ordinals = std::vector<std::size_t>;
  const auto loaded = std::make_shared<Ordinals>();
  const std::vector<std::int64_t> cycles = {2, 4, 6, 8, 10};
  History history(MakeRecord(lexicon_, 5, 12),
                  std::make_unique<KeptPast>(lexicon_, cycles, loaded));
  EXPECT_EQ(history.size(), 6);
  EXPECT_EQ(history.loaded_from(), 5);
  // Found without being loaded.
  for (std::int64_t cycle = 0; cycle <= 13; ++cycle) {
    const auto wanted = static_cast<std::size_t>(cycle <= 2 ? 0 : (cycle - 1) / 2);
    EXPECT_EQ(history.FirstFrom(cycle).value(), wanted) << cycle;
  }
  EXPECT_EQ(history.FirstFrom(-1).value(), 0);
  EXPECT_EQ(history.FindCycle(7).value(), nullptr);
  EXPECT_EQ(history.FindCycle(13).value(), nullptr);
  EXPECT_EQ(history.Line(4)->cycle, 10);
  EXPECT_EQ(history.Line(4)->added, 7);
  EXPECT_EQ(history.Line(5)->cycle, 12);
  EXPECT_EQ(*loaded, Ordinals());
  EXPECT_EQ(history.Resolve("@t0").value(), history.newest());
  EXPECT_EQ(*loaded, Ordinals());
  EXPECT_EQ(history.Resolve("@t-2").value()->cycle, 8);
  EXPECT_EQ(*loaded, (Ordinals{4, 3}));
  EXPECT_EQ(history.loaded_from(), 3);
  EXPECT_EQ(history.at(4).cycle, 10);
  EXPECT_EQ(history.FindCycle(10).value(), &history.at(4));
  EXPECT_EQ(history.LowerBound(9), 4);
  EXPECT_EQ(*loaded, (Ordinals{4, 3}));
  EXPECT_EQ(history.Line(3)->added, 0);
  history.tags().Set("first", 0);
  EXPECT_EQ(history.Resolve("first").value()->cycle, 2);
  EXPECT_EQ(*loaded, (Ordinals{4, 3, 2, 1, 0}));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(history.at(i).ordinal, i);
  EXPECT_EQ(history.FirstFrom(1).value(), 0);
  ASSERT_TRUE(history.Need(0));
  EXPECT_EQ(loaded->size(), 5);
}

// What the parent has loaded when the fork is made is shared; the fork loads the rest itself.
// A history of so many commits, of cycles 10, 20 and so on, of which the last is loaded.
class LongHistory {
 public:
  explicit LongHistory(std::size_t size, std::size_t far_nodes = 0)
      : lexicon_(std::make_shared<Lexicon>()), loaded_(std::make_shared<Loaded>()) {
    std::vector<std::int64_t> cycles;
    for (std::size_t i = 1; i <= size; ++i) cycles.push_back(static_cast<std::int64_t>(10 * i));
    history_ = std::make_unique<History>(
        MakeRecord(lexicon_, static_cast<Ordinal>(size - 1), cycles.back()),
        std::make_unique<KeptPast>(lexicon_, cycles, loaded_, far_nodes));
  }
  const History& history() const { return *history_; }
  const CommitRecord& Find(std::size_t ordinal) const { return **history_->Find(ordinal); }
  // What was loaded since it was asked last.
  std::vector<std::size_t> TakeLoaded() const { return std::exchange(*loaded_, {}); }

 private:
  using Loaded = std::vector<std::size_t>;
  std::shared_ptr<Lexicon> lexicon_;
  std::shared_ptr<Loaded> loaded_;
  std::unique_ptr<History> history_;
};

using Ordinals = std::vector<std::size_t>;

TEST(LongHistory, GoesStraightToWhatIsFar) {
  const LongHistory test(100);
  EXPECT_EQ(test.Find(5).cycle, 60);
  EXPECT_EQ(test.TakeLoaded(), Ordinals{5});
  EXPECT_TRUE(test.Find(5).is_far());
  EXPECT_EQ((*test.history().Resolve("@c60"))->ordinal, 5);
  EXPECT_EQ((*test.history().Resolve("@t-94"))->ordinal, 5);
  EXPECT_EQ(test.TakeLoaded(), Ordinals{}) << "it is kept";
  EXPECT_EQ((*test.history().Resolve("@c50"))->ordinal, 4);
  EXPECT_EQ((*test.history().Resolve("@c70"))->ordinal, 6);
  EXPECT_EQ(test.TakeLoaded(), (Ordinals{4, 6}));
  EXPECT_FALSE(test.history().Resolve("@c55"));
  EXPECT_EQ(test.history().loaded_from(), 99);
}

TEST(LongHistory, GoesThroughWhatIsNear) {
  const LongHistory test(100);
  EXPECT_EQ(test.Find(99 - History::kNear).ordinal, 99 - History::kNear);
  EXPECT_EQ(test.TakeLoaded(), (Ordinals{98, 97, 96, 95, 94, 93, 92, 91}));
  EXPECT_FALSE(test.Find(91).is_far());
  // Near to what is loaded by now.
  EXPECT_FALSE(test.Find(90 - (History::kNear - 1)).is_far());
  test.TakeLoaded();
  EXPECT_TRUE(test.Find(82 - (History::kNear + 1)).is_far());
  EXPECT_EQ(test.TakeLoaded(), Ordinals{73});
}

TEST(LongHistory, HasAFarOneWithItsNeighboursOnceTheyAreLoaded) {
  const LongHistory test(40);
  EXPECT_TRUE(test.Find(10).is_far());
  ASSERT_TRUE(test.history().Need(10));
  EXPECT_FALSE(test.Find(10).is_far());
  EXPECT_EQ(test.Find(10).cycle, 110);
  EXPECT_FALSE((*test.history().FindCycle(110))->is_far());
  EXPECT_FALSE((*test.history().Resolve("@t-29"))->is_far());
}

TEST(LongHistory, LetsGoOfFarOnesOnceTheyAreLoadedWithTheirNeighbours) {
  const LongHistory test(100, 7);
  test.Find(10);
  test.Find(40);
  EXPECT_EQ(test.history().far_nodes(), 14);
  ASSERT_TRUE(test.history().Need(20));
  EXPECT_EQ(test.history().far_nodes(), 14) << "whoever has asked for it may look at it still";
  test.history().DropFar();
  EXPECT_EQ(test.history().far_nodes(), 7);
  test.TakeLoaded();
  EXPECT_TRUE(test.Find(10).is_far());
  EXPECT_EQ(test.TakeLoaded(), Ordinals{});
}

TEST(LongHistory, ReachesManyStepByStepFromTheNewest) {
  const LongHistory test(100);
  ASSERT_TRUE(test.history().Reach(10, 14));
  EXPECT_EQ(test.TakeLoaded(), (Ordinals{14, 13, 12, 11, 10}));
  EXPECT_EQ(test.Find(14).added, 99) << "loaded from the first that is loaded";
  for (std::size_t i = 10; i < 14; ++i) EXPECT_EQ(test.Find(i).added, i + 1);
  // A single one near to these too.
  EXPECT_EQ(test.Find(8).added, 9);
  EXPECT_EQ(test.TakeLoaded(), (Ordinals{9, 8}));
  ASSERT_TRUE(test.history().Reach(5, 16));
  EXPECT_EQ(test.TakeLoaded(), (Ordinals{16, 15, 7, 6, 5}));
  EXPECT_EQ(test.Find(7).added, 8);
  EXPECT_EQ(test.history().loaded_from(), 99);
}

TEST(LongHistory, ReachesThroughThoseBehindIfTheyAreNoMore) {
  const LongHistory test(100);
  ASSERT_TRUE(test.history().Reach(70, 85));
  EXPECT_EQ(test.history().loaded_from(), 70);
  for (std::size_t i = 70; i < 99; ++i) EXPECT_FALSE(test.Find(i).is_far());
}

TEST(LongHistory, GoesThereOnceBeingFarHasCostAsMuch) {
  constexpr std::size_t kNodes = 1'000;
  const LongHistory test(200, kNodes);
  for (const std::size_t i : {0, 20, 40}) {
    EXPECT_LE(kNodes * (i / 20), History::kNodesPerCommit * (199 - i));
    EXPECT_TRUE(test.Find(i).is_far());
  }
  ASSERT_GT(kNodes * 3, History::kNodesPerCommit * (199 - 60));
  EXPECT_FALSE(test.Find(60).is_far());
  EXPECT_EQ(test.history().loaded_from(), 60);
}

TEST(LongHistory, KeepsFarOnesWhileTheyAreFewInNodes) {
  const LongHistory test(100, History::kFarNodesMax / 4);
  ASSERT_TRUE(test.history().Reach(10, 13));
  test.history().DropFar();
  test.TakeLoaded();
  EXPECT_TRUE(test.Find(10).is_far());
  EXPECT_TRUE(test.Find(9).is_far());
  EXPECT_EQ(test.TakeLoaded(), Ordinals{9});
  EXPECT_GT(test.history().far_nodes(), History::kFarNodesMax);
  test.history().DropFar();
  EXPECT_EQ(test.history().far_nodes(), 0);
}

TEST_F(HistoryTest, OfAForkLoadsItsOwnPast) {
  const auto loaded = std::make_shared<std::vector<std::size_t>>();
  const std::vector<std::int64_t> cycles = {2, 4, 6};
  const auto parent = std::make_shared<History>(
      MakeRecord(lexicon_, 3, 8), std::make_unique<KeptPast>(lexicon_, cycles, loaded));
  ASSERT_TRUE(parent->Need(2));
  History fork(parent, 3, parent->past()->CloneFor(lexicon_));
  EXPECT_EQ(fork.size(), 4);
  EXPECT_EQ(fork.loaded_from(), 2);
  EXPECT_EQ(&fork.at(2), &parent->at(2));
  ASSERT_TRUE(fork.Need(1));
  EXPECT_EQ(fork.loaded_from(), 1);
  EXPECT_EQ(parent->loaded_from(), 2);
  ASSERT_TRUE(parent->Need(1));
  EXPECT_NE(&fork.at(1), &parent->at(1));
  EXPECT_EQ(fork.at(1).cycle, 4);
  const auto shared = std::make_shared<History>(parent, 3, parent->past()->CloneFor(lexicon_));
  EXPECT_EQ(History::OwnerOf(shared, 2), parent);
  shared->Append(MakeRecord(lexicon_, 4, 9));
  EXPECT_EQ(History::OwnerOf(shared, 4), shared);
  EXPECT_EQ(History::OwnerOf(shared, 3), parent);
}

TEST_F(HistoryTest, SaysWhatIsNoNameOfASnapshot) {
  EXPECT_EQ(
      history_.Resolve("@x1").error(),
      Error(ErrorCode::kRequestInvalid, "'@x1' is not a snapshot name; use @t0, @t-N, @cN or a tag")
          .With("snapshot", "@x1"));
  EXPECT_EQ(history_.Line(4).error(),
            Error(ErrorCode::kSnapshotNotFound, "there is no snapshot 4").With("snapshot", "4"));
}

TEST_F(HistoryTest, ACommitKnowsWhatItTookAndWhenItWas) {
  const std::unique_ptr<CommitRecord> record(MakeRecord(lexicon_, 4, 10));
  EXPECT_EQ(record->FindDeparture(3), nullptr);
  EXPECT_EQ(record->CommittedAtIso(), std::nullopt);
  auto notes = std::make_unique<CommitNotes>();
  notes->departures = {{3, 3, Departure::Cause::kExpired}, {5, 3, Departure::Cause::kCascaded}};
  notes->imported_iso = "2024-01-01";
  record->notes = std::move(notes);
  EXPECT_EQ(record->FindDeparture(3)->cause, Departure::Cause::kExpired);
  EXPECT_EQ(record->FindDeparture(5)->with, 3);
  for (const NodeNumber other : {2, 4, 6}) EXPECT_EQ(record->FindDeparture(other), nullptr);
  EXPECT_EQ(record->CommittedAtIso(), "2024-01-01");
  record->sealed = 1;
  record->committed_at_ns = 1'000'000'000;
  EXPECT_EQ(record->CommittedAtIso(), "1970-01-01T00:00:01.000000000Z");
}

}  // namespace
}  // namespace pactdb
