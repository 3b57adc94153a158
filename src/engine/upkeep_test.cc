#include <gtest/gtest.h>
#include <pactdb/database.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/times.h"
#include "model/history.h"
#include "support/contexts.h"
#include "support/error_text.h"
#include "support/folder.h"
#include "support/random.h"

namespace pactdb {
namespace {

using support::CodeOf;
using support::Must;

// Letters that do not compress to much less.
std::string LongText(std::uint64_t seed) {
  support::Random random(seed);
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += static_cast<char>('a' + random.Below(26));
  return text;
}

// Ten turns; the text of the odd ones expires with the turn after it.
class UpkeepTest : public ::testing::Test {
 protected:
  UpkeepTest() : database_(Must(Database::Open(path_, Access::kCreate))) {
    Must(main().Configure(support::SteppedOptions()));
    for (int turn = 1; turn <= 10; ++turn) {
      NodeSpec spec;
      spec.Role("user").Offset(1).Text(turn % 2 == 1 ? LongText(turn) : "short");
      if (turn % 2 == 1) spec.Ttl(2);
      Must(main().Add(spec));
      Must(main().Add(NodeSpec().Role("assistant").Text("answer")));
      Must(main().Commit());
    }
  }

  Context& main() { return *Must(database_.Find("main")); }
  void Reopen() {
    database_ = Database();
    database_ = Must(Database::Open(path_));
  }
  std::string Serialized(std::int64_t cycle) {
    return main().Serialize("@c" + std::to_string(cycle)).value_or("none");
  }

  support::Folder folder_;
  std::string path_ = folder_.path("a.pactdb");
  Database database_;
};

TEST_F(UpkeepTest, RetentionTakesWholeSnapshotsAndLeavesTheOthersAsTheyWere) {
  std::vector<std::string> before;
  for (int cycle = 8; cycle <= 10; ++cycle) before.push_back(Serialized(cycle));
  const RetentionRules rules{.keep_last = 3, .older_than = std::nullopt};
  const RetentionResult planned = Must(database_.Gc("main", rules, /*dry_run=*/true));
  EXPECT_EQ(planned.snapshots, 7);
  EXPECT_NE(Serialized(1), "none") << "a dry run takes nothing";
  const RetentionResult done = Must(database_.Gc("main", rules));
  EXPECT_EQ(done.snapshots, 7);
  EXPECT_EQ(done.bytes, planned.bytes);
  EXPECT_GT(done.bytes, 36'000u) << "three expired texts of 12,000 bytes, compressed, at least";
  for (int round = 0; round < 2; ++round) {
    for (int cycle = 1; cycle <= 7; ++cycle) EXPECT_EQ(Serialized(cycle), "none");
    for (int cycle = 8; cycle <= 10; ++cycle) EXPECT_EQ(Serialized(cycle), before[cycle - 8]);
    EXPECT_TRUE(Must(database_.Verify()).empty());
    Reopen();
  }
}

TEST_F(UpkeepTest, RetentionGivesSpaceBackAndTheContextGoesOn) {
  Reopen();
  const auto size = std::filesystem::file_size(path_);
  Must(database_.Gc("main", {.keep_last = 1, .older_than = std::nullopt}));
  Reopen();
  EXPECT_LT(std::filesystem::file_size(path_) + 30'000, size);
  Must(main().Add(NodeSpec().Text("on")));
  EXPECT_EQ(Must(main().Commit()).cycle, 11);
  EXPECT_TRUE(Must(database_.Verify()).empty());
}

TEST_F(UpkeepTest, RetentionGoesOverWhatItLeftOfEarlierRuns) {
  // The long text is so little of its record that the record stays as it is and names it still.
  for (int block = 0; block < 30; ++block) {
    Must(main().Add(NodeSpec().Role("user").Offset(block).Text(LongText(block).substr(0, 900))));
  }
  Must(main().Add(NodeSpec().Role("tool").Offset(30).Text(LongText(30)).Ttl(1)));
  Must(main().Commit());
  for (int turn = 12; turn <= 14; ++turn) {
    Must(main().Add(NodeSpec().Text("on")));
    Must(main().Commit());
  }
  Must(database_.Gc("main", {.keep_last = 2, .older_than = std::nullopt}));
  const std::string newest = Serialized(14);
  const RetentionRules rules{.keep_last = 1, .older_than = std::nullopt};
  const RetentionResult planned = Must(database_.Gc("main", rules, /*dry_run=*/true));
  const RetentionResult done = Must(database_.Gc("main", rules));
  EXPECT_EQ(done.snapshots, 1);
  EXPECT_EQ(done.bytes, planned.bytes);
  EXPECT_LT(done.bytes, 20'000u) << "the long text went before, and is not counted again";
  EXPECT_EQ(Must(database_.Gc("main", rules, /*dry_run=*/true)).bytes, 0) << "all of it is gone";
  EXPECT_EQ(Serialized(14), newest);
  EXPECT_TRUE(Must(database_.Verify()).empty());
}

TEST_F(UpkeepTest, RetentionLeavesWhatADeletedContextStandsOn) {
  const auto go_on = [](Context& context) {
    Must(context.Add(NodeSpec().Text("on")));
    Must(context.Commit());
  };
  // Of the snapshot at the fork nothing else is left: the tree after it has no node of it.
  Options options = support::SteppedOptions();
  options.policy = Policy{.max_turns = 1};
  Context& middle = *Must(database_.Fork("main", "@c8", "middle"));
  Must(middle.Configure(options));
  for (int turn = 0; turn < 3; ++turn) go_on(middle);
  Context& last = *Must(database_.Fork("middle", "@t0", "last"));
  go_on(last);
  const std::string before = Must(last.Serialize("@t0"));
  Must(database_.Delete("middle"));
  Must(main().Configure(options));
  for (int turn = 0; turn < 3; ++turn) go_on(main());
  Must(database_.Gc("main", {.keep_last = 1, .older_than = std::nullopt}));
  EXPECT_EQ(Must(database_.Verify()), std::vector<std::string>());
  EXPECT_NE(Serialized(8), "none");
  EXPECT_EQ(Serialized(7), "none");
  Reopen();
  EXPECT_EQ(Must(Must(database_.Find("last"))->Serialize("@t0")), before);
}

TEST_F(UpkeepTest, RetentionGivesBackWhatADeletedContextHeldThoughNoSnapshotGoes) {
  Context& other = *Must(database_.Make("other"));
  Must(other.Add(NodeSpec().Role("user").Text(LongText(77))));
  Must(other.Add(NodeSpec().Role("user").Text(LongText(1))));  // `main` says it too
  Must(other.Commit());
  Must(database_.Delete("other"));
  Reopen();
  const auto size = std::filesystem::file_size(path_);
  const RetentionRules rules{.keep_last = 10, .older_than = std::nullopt};
  const RetentionResult planned = Must(database_.Gc("main", rules, /*dry_run=*/true));
  EXPECT_EQ(planned.snapshots, 0);
  const std::uint64_t stored = Must(database_.Stats()).content_stored_bytes;
  const RetentionResult done = Must(database_.Gc("main", rules));
  EXPECT_EQ(done.snapshots, 0);
  EXPECT_EQ(planned.bytes, stored - Must(database_.Stats()).content_stored_bytes);
  EXPECT_GT(planned.bytes, 10'000u) << "the text, compressed";
  EXPECT_EQ(done.bytes, planned.bytes);
  EXPECT_EQ(Must(database_.Gc("main", rules)).bytes, 0u) << "there is nothing more to give back";
  EXPECT_NE(Serialized(1), "none");
  EXPECT_TRUE(Must(database_.Verify()).empty());
  Reopen();
  EXPECT_LT(std::filesystem::file_size(path_) + 10'000, size);
}

TEST_F(UpkeepTest, RetentionGivesBackWhatADeletedContextSaidInShort) {
  Context& other = *Must(database_.Make("other"));
  Must(other.Configure(support::SteppedOptions()));
  for (int turn = 0; turn < 100; ++turn) {
    Must(other.Add(NodeSpec().Role("user").Text(LongText(turn).substr(0, 900))));
    Must(other.Commit());
  }
  Must(database_.Delete("other"));
  Reopen();
  const auto size = std::filesystem::file_size(path_);
  const RetentionRules rules{.keep_last = 10, .older_than = std::nullopt};
  const RetentionResult planned = Must(database_.Gc("main", rules, /*dry_run=*/true));
  EXPECT_EQ(planned.snapshots, 0);
  EXPECT_EQ(planned.bytes, Must(database_.Stats()).free_bytes);
  EXPECT_GT(planned.bytes, 90'000u);
  EXPECT_EQ(Must(database_.Gc("main", rules)).bytes, planned.bytes);
  EXPECT_EQ(Must(database_.Stats()).free_bytes, 0u);
  Reopen();
  EXPECT_EQ(std::filesystem::file_size(path_), size - planned.bytes);
  EXPECT_TRUE(Must(database_.Verify()).empty());
}

TEST_F(UpkeepTest, RetentionByAnotherIsNoProblemToAReader) {
  Database reader = Must(Database::Open(path_, Access::kRead));
  Must(reader.Find("main"));
  Must(database_.Gc("main", {.keep_last = 3, .older_than = std::nullopt}));
  EXPECT_EQ(Must(reader.Verify()), std::vector<std::string>());
}

TEST_F(UpkeepTest, AReaderBesideRetentionHearsThatASnapshotIsGone) {
  Database reader = Must(Database::Open(path_, Access::kRead));
  const Context& read = *Must(reader.Find("main"));
  const std::string newest = Must(read.Serialize("@t0"));
  Must(database_.Gc("main", {.keep_last = 3, .older_than = std::nullopt}));
  EXPECT_EQ(CodeOf(read.Serialize("@t-5")), "E_SNAPSHOT_NOT_FOUND");
  EXPECT_EQ(CodeOf(read.Serialize("@c5")), "E_SNAPSHOT_NOT_FOUND");
  EXPECT_EQ(support::ErrorText(read.Log()),
            "E_SNAPSHOT_NOT_FOUND: commit 7 is no snapshot any more: retention took it "
            "{context_number=1 commit=7}");
  EXPECT_EQ(Must(read.Serialize("@t-2")), Serialized(8)) << "what stayed is read as before";
  EXPECT_EQ(Must(read.Serialize("@t0")), newest);
}

TEST_F(UpkeepTest, RetentionRefusesWhatItWouldLose) {
  Must(main().Add(NodeSpec().Text("not committed")));
  EXPECT_EQ(CodeOf(database_.Gc("main", {.keep_last = 1, .older_than = std::nullopt})),
            "E_CONFLICT");
  EXPECT_EQ(CodeOf(database_.Gc("main", {})), "E_REQUEST_INVALID");
  EXPECT_EQ(CodeOf(database_.Gc("other", {.keep_last = 1, .older_than = std::nullopt})),
            "E_CONTEXT_NOT_FOUND");
  Database memory;
  EXPECT_EQ(CodeOf(memory.Gc("main", {.keep_last = 1, .older_than = std::nullopt})),
            "E_REQUEST_INVALID");
}

TEST_F(UpkeepTest, RetentionRefusesToLoseARemovalAsWell) {
  Must(main().Add(NodeSpec().Id("s"), {.parent = "^sys"}));
  Must(main().Commit());
  Must(main().Remove("s"));
  EXPECT_EQ(CodeOf(database_.Gc("main", {.keep_last = 1, .older_than = std::nullopt})),
            "E_CONFLICT");
}

TEST_F(UpkeepTest, RetentionKeepsWhatIsTaggedHereOrInAForkUnlessToldOtherwise) {
  Must(main().Tag("mine", "@c2"));
  Context& fork = *Must(database_.Fork("main", "@c8", "fork"));
  Must(fork.Tag("theirs", "@c4"));
  const auto kept = [this] {
    std::vector<int> cycles;
    for (int cycle = 1; cycle <= 10; ++cycle) {
      if (Serialized(cycle) != "none") cycles.push_back(cycle);
    }
    return cycles;
  };
  Must(database_.Gc("main", {.keep_last = 1, .older_than = std::nullopt}));
  EXPECT_EQ(kept(), (std::vector<int>{2, 4, 8, 10}));
  Must(database_.Gc("main", {.keep_last = 1, .older_than = std::nullopt, .keep_tagged = false}));
  EXPECT_EQ(kept(), (std::vector<int>{8, 10}));
}

TEST_F(UpkeepTest, OlderThanCountsFromTheCommit) {
  // The clock steps from 1,000 ns; all of it is long ago.
  EXPECT_EQ(
      Must(database_.Gc("main", {.keep_last = std::nullopt, .older_than = "1970-01-01"}, true))
          .snapshots,
      0);
  EXPECT_EQ(
      Must(database_.Gc("main", {.keep_last = std::nullopt, .older_than = "1d"}, true)).snapshots,
      9)
      << "all but the newest";
}

// It says when its nodes were made, not when it came here.
TEST_F(UpkeepTest, OlderThanLeavesImportedSnapshots) {
  const std::string snapshot = Must(main().Export({.at = "@c5"}));
  Context& copy = *Must(database_.Make("copy"));
  Must(copy.ImportSnapshot(snapshot));
  for (int turn = 0; turn < 2; ++turn) {
    Must(copy.Add(NodeSpec().Text("on")));
    Must(copy.Commit());
  }
  const auto gone = [&](RetentionRules rules) {
    return Must(database_.Gc("copy", rules, /*dry_run=*/true)).snapshots;
  };
  EXPECT_EQ(gone({.keep_last = std::nullopt, .older_than = "2100-01-01"}), 1)
      << "of three the newest and the imported stay";
  EXPECT_EQ(gone({.keep_last = 1, .older_than = std::nullopt}), 2);
}

TEST_F(UpkeepTest, ACommitIsNotOlderThanItself) {
  const Snapshot fifth = Must(main().At("@c5"));
  const auto planned = [this](std::int64_t ns, std::optional<std::int64_t> keep_last) {
    std::string fraction = std::to_string(ns);
    fraction.insert(0, 9 - fraction.size(), '0');
    return Must(database_.Gc(
                    "main",
                    {.keep_last = keep_last, .older_than = "1970-01-01T00:00:00." + fraction + "Z"},
                    /*dry_run=*/true))
        .snapshots;
  };
  const std::int64_t at_ns = fifth.record().committed_at_ns;
  ASSERT_LT(at_ns, 1'000'000'000);
  EXPECT_EQ(planned(at_ns, {}), 4);
  EXPECT_EQ(planned(at_ns + 1, {}), 5);
  EXPECT_EQ(planned(0, {}), 0);
  EXPECT_EQ(planned(999'999'999, {}), 9) << "the newest stays";
  // Both rules must allow it.
  EXPECT_EQ(planned(999'999'999, 0), 9);
  EXPECT_EQ(planned(999'999'999, 1), 9);
  EXPECT_EQ(planned(999'999'999, 2), 8);
  EXPECT_EQ(planned(999'999'999, 10), 0);
  EXPECT_EQ(planned(999'999'999, 11), 0);
  EXPECT_EQ(planned(at_ns, 7), 3);
  EXPECT_EQ(planned(at_ns, 6), 4);
}

TEST_F(UpkeepTest, ABackupIsTheSameDatabase) {
  const std::string copy = folder_.path("b.pactdb");
  Must(database_.Backup(copy));
  Database other = Must(Database::Open(copy, Access::kRead));
  EXPECT_EQ(Must(Must(other.Find("main"))->Export({.history = true})),
            Must(main().Export({.history = true})));
  EXPECT_EQ(CodeOf(database_.Backup(copy)), "E_STORE_IO") << "nothing is overwritten";
}

TEST_F(UpkeepTest, VerifySaysHowFarItIs) {
  Must(database_.Fork("main", "@c5", "fork"));
  std::vector<double> progress;
  Must(database_.Verify([&](double done) { progress.push_back(done); }));
  ASSERT_GT(progress.size(), 2);
  EXPECT_TRUE(std::ranges::is_sorted(progress));
  EXPECT_GE(progress.front(), 0.0);
  EXPECT_LE(progress.back(), 1.0);
  EXPECT_GT(progress.back(), 0.5) << "the contexts are its second half";
  const auto in_main = [](double done) { return done > 0.75 && done < 1.0; };  // after `fork`
  EXPECT_GE(std::ranges::count_if(progress, in_main), 18) << "each of ten, loaded and looked at";
}

TEST_F(UpkeepTest, StatisticsCountTheLogThatBelongsToTheFile) {
  const auto log_bytes = std::filesystem::file_size(path_ + "-wal");
  ASSERT_GT(log_bytes, 0);
  EXPECT_EQ(Must(database_.Stats()).bytes, std::filesystem::file_size(path_) + log_bytes);
}

TEST(Times, AreReadStrictly) {
  constexpr std::int64_t kNow = 1'000'000'000'000'000'000;
  EXPECT_EQ(Must(ParseTimeOrAge("90s", kNow)), kNow - 90'000'000'000);
  EXPECT_EQ(Must(ParseTimeOrAge("45m", kNow)), kNow - 2'700'000'000'000);
  EXPECT_EQ(Must(ParseTimeOrAge("12h", kNow)), kNow - 43'200'000'000'000);
  EXPECT_EQ(Must(ParseTimeOrAge("2d", kNow)), kNow - 172'800'000'000'000);
  EXPECT_EQ(Must(ParseTimeOrAge("1970-01-02", kNow)), 86'400'000'000'000);
  EXPECT_EQ(Must(ParseTimeOrAge("1970-01-01T00:00:01.5Z", kNow)), 1'500'000'000);
  EXPECT_EQ(Must(ParseTimeOrAge("1970-01-01T23:59:59.123456789Z", kNow)), 86'399'123'456'789);
  EXPECT_EQ(Must(ParseTimeOrAge(std::string_view("1970-01-029").substr(0, 10), kNow)),
            86'400'000'000'000)
      << "no further than the text";
  EXPECT_EQ(Must(ParseTimeOrAge("1678-01-01", kNow)), -9'214'560'000'000'000'000);
  EXPECT_EQ(Must(ParseTimeOrAge("2261-12-31", kNow)), 9'214'560'000'000'000'000);
  for (const char* text :
       {"", "d", "1w", "-1d", "1.5d", "1dd", "1970-02-30", "1970-01-01T", "1970-01-01T1",
        "1970-01-01T00:00:00", "1970-01-01T24:00:00Z", "99999999999999999999d",
        // Ages that nanoseconds cannot say, and years.
        "999999d", "9999999999s", "1677-12-31", "2262-01-01",
        // A mark or a figure that is not there, a place at a time.
        "197-01-01", "1970/01/01", "1970-1-01", "1970-01/01", "1970-01-1", "1970-13-01",
        "1970-01-01 00:00:00Z", "1970-01-01T0:00:00Z", "1970-01-01T00.00:00Z",
        "1970-01-01T00:0:00Z", "1970-01-01T00:00.00Z", "1970-01-01T00:00:0Z",
        "1970-01-01T00:60:00Z", "1970-01-01T00:00:60Z", "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00.1234567890Z", "1970-01-01T00:00:00.5"})
    EXPECT_EQ(CodeOf(ParseTimeOrAge(text, kNow)), "E_REQUEST_INVALID") << text;
}

TEST_F(UpkeepTest, RetentionRefusesToKeepLessThanNothing) {
  EXPECT_EQ(support::ErrorText(database_.Gc("main", {.keep_last = -1, .older_than = {}})),
            "E_REQUEST_INVALID: keep_last is 0 or more {argument=keep_last}");
  EXPECT_EQ(support::ErrorText(database_.Gc("main", {.keep_last = {}, .older_than = "soon"})),
            "E_REQUEST_INVALID: 'soon' is no time and no age; write 2026-01-31, "
            "2026-01-31T12:00:00Z, 30d, 12h, 45m or 90s {argument=older_than}");
  EXPECT_NE(Serialized(1), "none");
}

}  // namespace
}  // namespace pactdb
