// What a repair saves of a damaged file: everything that is intact, and nothing that is not.
#include <gtest/gtest.h>
#include <pactdb/database.h>
#include <pactdb/repair.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/contexts.h"
#include "support/folder.h"
#include "support/random.h"
#include "support/scale.h"

namespace pactdb {
namespace {

using support::CodeOf;
using support::Must;
using support::Random;

constexpr std::size_t kPage = 4096;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteAll(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string LongText(std::uint64_t seed) {
  Random random(seed);
  std::string text;
  for (int i = 0; i < 3'000; ++i) text += static_cast<char>('a' + random.Below(26));
  return text;
}

void AddTurns(Context& context, int first, int last) {
  for (int turn = first; turn <= last; ++turn) {
    NodeSpec spec;
    spec.Role("user").Offset(1).Text(turn % 5 == 0 ? LongText(turn) : "text of the turn");
    if (turn % 5 == 0) spec.Ttl(3);
    if (turn % 4 == 0) spec.Id("given-" + std::to_string(turn));
    Must(context.Add(spec));
    Must(context.Add(NodeSpec().Role("assistant").Text("answer " + std::to_string(turn))));
    CommitOptions options;
    if (turn % 3 == 0) options.idempotency_key = "key-" + std::to_string(turn);
    Must(context.Commit(options));
  }
}

// Hashes of snapshots, by context and cycle.
using Hashes = std::map<std::string, std::map<std::int64_t, std::string>>;

Hashes HashesOf(Database& database) {
  Hashes hashes;
  for (const ContextInfo& info : Must(database.List())) {
    const Context& context = *Must(database.Find(info.name));
    const std::string log = Must(context.Log());
    for (std::size_t at = log.find("\"cycle\":"); at != std::string::npos;
         at = log.find("\"cycle\":", at + 1)) {
      const std::int64_t cycle = std::stoll(log.substr(at + 8));
      hashes[info.name][cycle] = Must(context.At("@c" + std::to_string(cycle))).tree_sha256();
    }
  }
  return hashes;
}

// Two forks, tags, a gap that retention left, keys, given ids, long contents, a journal.
class RepairTest : public ::testing::Test {
 protected:
  RepairTest() {
    Database database = Must(Database::Open(path_, Access::kCreate));
    Context& main = *Must(database.Find("main"));
    Options options = support::SteppedOptions();
    options.journal = true;
    Must(main.Configure(options));
    AddTurns(main, 1, 12);
    Must(main.Tag("early", "@c9"));
    Must(database.Gc("main", {.keep_last = 6, .older_than = std::nullopt}));
    Context& again = *Must(database.Find("main"));
    AddTurns(again, 13, 24);
    Must(again.Tag("late", "@c20"));
    AddTurns(*Must(database.Fork("main", "@c15", "branch")), 16, 22);
    AddTurns(*Must(database.Fork("branch", "@c20", "twig")), 21, 24);
    AddTurns(again, 25, 30);
    Must(again.Add(NodeSpec().Id("loose").Text("not committed")));
    hashes_ = HashesOf(database);
  }

  std::string bytes() const { return ReadAll(path_); }
  // Repairs these bytes; the new file, if there is one, verifies and has nothing that was not.
  Result<RepairReport> RepairBytes(const std::string& bytes) {
    const std::string damaged = folder_.path("damaged.pactdb");
    std::filesystem::remove(repaired_);
    WriteAll(damaged, bytes);
    auto report = RepairFile(damaged, repaired_);
    EXPECT_EQ(ReadAll(damaged), bytes) << "the damaged file is only read";
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path("")))
      EXPECT_FALSE(entry.path().filename().string().contains("-new")) << entry.path();
    EXPECT_EQ(std::filesystem::exists(repaired_), report.has_value());
    if (report) CheckRepaired(*report);
    return report;
  }

  void CheckRepaired(const RepairReport& report) {
    Database database = Must(Database::Open(repaired_, Access::kWrite));
    EXPECT_EQ(Must(database.Verify()), std::vector<std::string>());
    const Hashes kept = HashesOf(database);
    for (const auto& [name, hashes] : kept) {
      if (!hashes_.contains(name)) continue;  // its entry was lost
      for (const auto& [cycle, hash] : hashes) {
        ASSERT_TRUE(hashes_[name].contains(cycle)) << name << " " << cycle;
        EXPECT_EQ(hash, hashes_[name][cycle]) << name << " " << cycle;
      }
    }
    if (report.whole()) {
      EXPECT_EQ(kept, hashes_);
    }
    // It goes on.
    for (const auto& [name, hashes] : kept) {
      Context& context = *Must(database.Find(name));
      Must(context.Add(NodeSpec().Text("on")));
      Must(context.Commit());
    }
    EXPECT_EQ(Must(database.Verify()), std::vector<std::string>());
  }

  support::Folder folder_;
  std::string path_ = folder_.path("a.pactdb");
  std::string repaired_ = folder_.path("repaired.pactdb");
  Hashes hashes_;
};

TEST_F(RepairTest, KeepsAllOfAFileThatIsWhole) {
  const RepairReport report = Must(RepairBytes(bytes()));
  EXPECT_TRUE(report.whole());
  ASSERT_EQ(report.contexts.size(), 3u);
  EXPECT_EQ(report.contexts[1].name, "main");
  EXPECT_EQ(report.contexts[1].kept, 24);
  std::filesystem::remove(repaired_);
  Must(RepairFile(path_, repaired_));
  Database database = Must(Database::Open(repaired_));
  Context& main = *Must(database.Find("main"));
  EXPECT_TRUE(main.Get("loose").has_value()) << "edits in the journal come along";
  EXPECT_EQ(Must(main.At("late")).cycle(), 20);
  EXPECT_EQ(CodeOf(main.Add(NodeSpec().Id("given-4"))), "E_ID_EXISTS") << "ids stay taken";
  EXPECT_EQ(Must(main.Commit({.idempotency_key = "key-27"})).cycle, 27) << "and keys answered";
}

TEST_F(RepairTest, IdsOfNodesThatAreGoneStayTaken) {
  Must(RepairBytes(bytes()));
  Database database = Must(Database::Open(repaired_));
  Context& main = *Must(database.Find("main"));
  ASSERT_EQ(CodeOf(main.Get("given-20")), "E_NODE_NOT_FOUND");
  EXPECT_EQ(CodeOf(main.Add(NodeSpec().Id("given-20"))), "E_ID_EXISTS");
  EXPECT_EQ(CodeOf(main.Add(NodeSpec().Id("given-32"))), "ok");
  // What came after a fork is free in it.
  Context& branch = *Must(database.Find("branch"));
  EXPECT_EQ(CodeOf(branch.Add(NodeSpec().Id("given-20"))), "E_ID_EXISTS");
  EXPECT_EQ(CodeOf(branch.Add(NodeSpec().Id("given-24"))), "ok");
}

TEST_F(RepairTest, NeverWritesOverAFile) {
  WriteAll(repaired_, "mine");
  EXPECT_EQ(CodeOf(RepairFile(path_, repaired_)), "E_STORE_IO");
  EXPECT_EQ(ReadAll(repaired_), "mine");
  EXPECT_EQ(CodeOf(RepairFile(path_, path_)), "E_STORE_IO");
  EXPECT_EQ(CodeOf(RepairFile(folder_.path("none"), folder_.path("b"))), "E_STORE_IO");
  EXPECT_EQ(CodeOf(RepairFile(folder_.path(), folder_.path("b"))), "E_STORE_IO");
}

TEST_F(RepairTest, RefusesAFileThatIsBeingWritten) {
  const Database database = Must(Database::Open(path_));
  EXPECT_EQ(CodeOf(RepairFile(path_, repaired_)), "E_STORE_BUSY");
}

TEST_F(RepairTest, WhatIsNoDatabaseGivesNoFile) {
  EXPECT_EQ(CodeOf(RepairBytes("")), "E_STORE_CORRUPT");
  EXPECT_EQ(CodeOf(RepairBytes("{\"messages\":[]}")), "E_STORE_CORRUPT");
  EXPECT_EQ(CodeOf(RepairBytes(std::string(5 * kPage, '\x0d'))), "E_STORE_CORRUPT");
}

TEST_F(RepairTest, AFirstPageOfNothingLosesNothingElse) {
  std::string damaged = bytes();
  std::fill_n(damaged.begin(), kPage, '\0');
  const RepairReport report = Must(RepairBytes(damaged));
  EXPECT_EQ(report.losses, std::vector<std::string>({"the first page of the file is damaged"}));
  for (const RepairedContext& context : report.contexts) EXPECT_EQ(context.losses.size(), 0u);
}

TEST_F(RepairTest, AFileThatIsCutKeepsWhatIsLeft) {
  const std::string whole = bytes();
  std::int64_t before = 0;
  for (std::size_t pages = 8; pages * kPage < whole.size(); pages += 8) {
    const auto report = RepairBytes(whole.substr(0, pages * kPage + 100));
    if (!report) continue;  // nothing but empty tables is left
    std::int64_t kept = 0;
    for (const RepairedContext& context : report->contexts) kept += context.kept;
    EXPECT_FALSE(report->whole());
    before = std::max(before, kept);
  }
  EXPECT_GT(before, 0);
}

TEST_F(RepairTest, APageThatLeadsNowhereLosesNoRowsBelowIt) {
  const std::string whole = bytes();
  std::size_t damaged_pages = 0;
  for (std::size_t at = kPage; at < whole.size(); at += kPage) {
    if (whole[at] != 0x05) continue;  // an inner page of a table
    std::string damaged = whole;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(at), kPage, '\xff');
    const RepairReport report = Must(RepairBytes(damaged));
    for (const RepairedContext& context : report.contexts) EXPECT_EQ(context.lost, 0);
    ++damaged_pages;
  }
  EXPECT_GT(damaged_pages, 0u);
}

TEST_F(RepairTest, ALogThatIsDamagedInTheMiddleIsReadToItsEnd) {
  const std::string live = folder_.path("live.pactdb");
  std::filesystem::copy_file(path_, live);
  Database database = Must(Database::Open(live));
  AddTurns(*Must(database.Find("main")), 31, 40);
  const Hashes without_log = std::exchange(hashes_, HashesOf(database));
  std::string log = ReadAll(live + "-wal");
  ASSERT_GT(log.size(), 20 * kPage);
  // As a killed process leaves it, and a bit of the third frame, which has a page of its own later.
  const std::string torn = folder_.path("torn.pactdb");
  WriteAll(torn, ReadAll(live));
  log[32 + 2 * (24 + kPage) + 24 + 9] ^= 1;
  WriteAll(torn + "-wal", log);
  const RepairReport report = Must(RepairFile(torn, repaired_));
  EXPECT_EQ(report.contexts[1].lost, 0) << ::testing::PrintToString(report.contexts[1].losses);
  CheckRepaired(report);
  EXPECT_EQ(ReadAll(torn + "-wal"), log);
  // Without its log the file is as it was when it was closed.
  std::filesystem::remove(repaired_);
  std::filesystem::remove(torn + "-wal");
  hashes_ = without_log;
  CheckRepaired(Must(RepairFile(torn, repaired_)));
}

TEST_F(RepairTest, AnyDamageLosesOnlyWhatItHit) {
  const std::string whole = bytes();
  std::int64_t kept = 0;
  for (std::uint64_t seed = 0; seed < support::Scaled(150); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::string damaged = whole;
    const std::size_t kind = random.Below(6);
    for (std::size_t n = kind == 4 ? 0 : 1 + random.Below(kind == 3 ? 50 : 2); n > 0; --n) {
      const std::size_t at = random.Below(damaged.size());
      if (kind == 5) {
        std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(at / kPage * kPage), kPage,
                    static_cast<char>(random.Below(3)));
      } else {
        damaged[at] = static_cast<char>(damaged[at] ^ 1 << random.Below(8));
      }
    }
    if (kind == 4) damaged.resize(random.Below(damaged.size()));
    const auto report = RepairBytes(damaged);
    if (!report) {
      EXPECT_EQ(CodeOf(report), "E_STORE_CORRUPT");
      EXPECT_EQ(kind, 4u) << "only a file that was cut can lose everything";
      continue;
    }
    for (const RepairedContext& context : report->contexts) kept += context.kept;
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(kept, 0);
}

// A backup that was put in the place of a file whose writer was killed: the log is the old file's.
TEST(Repair, LeavesALogOutThatIsAnotherFiles) {
  const support::Folder folder;
  const std::string path = folder.path("a.pactdb");
  Database database = Must(Database::Open(path, Access::kCreate));
  Context& main = *Must(database.Find("main"));
  AddTurns(main, 1, 3);
  Must(database.Backup(folder.path("backup.pactdb")));
  for (int turn = 4; turn < 400; ++turn) {
    Must(main.Add(NodeSpec().Role("user").Text(LongText(static_cast<std::uint64_t>(turn)))));
    Must(main.Commit());
  }
  const std::string restored = folder.path("restored.pactdb");
  WriteAll(restored, ReadAll(folder.path("backup.pactdb")));
  WriteAll(restored + "-wal", ReadAll(path + "-wal"));
  const auto report = RepairFile(restored, folder.path("sound.pactdb"));
  ASSERT_TRUE(report.has_value());
  ASSERT_EQ(report->contexts.size(), 1u);
  EXPECT_EQ(report->contexts[0].kept, 3);
  ASSERT_FALSE(report->whole());
  EXPECT_EQ(report->losses.back(),
            "the log beside the file (-wal) was left out, and may be another file's: with it 0 "
            "snapshots are kept");
  Database sound = Must(Database::Open(folder.path("sound.pactdb"), Access::kWrite));
  EXPECT_EQ(Must(sound.Verify()), std::vector<std::string>());
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("")))
    EXPECT_FALSE(entry.path().filename().string().contains("-new")) << entry.path();
}

// A log that is the file's, and damaged, is worth more than none.
TEST(Repair, KeepsWhatLiesInADamagedLog) {
  const support::Folder folder;
  const std::string path = folder.path("a.pactdb");
  Database database = Must(Database::Open(path, Access::kCreate));
  AddTurns(*Must(database.Find("main")), 1, 40);
  const std::string damaged = folder.path("damaged.pactdb");
  std::string log = ReadAll(path + "-wal");
  log.replace(log.size() / 4, 3 * kPage, 3 * kPage, 'x');
  WriteAll(damaged, ReadAll(path));
  WriteAll(damaged + "-wal", log);
  const auto refused = Database::Open(damaged, Access::kRead);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::kStoreCorrupt);
  const auto report = RepairFile(damaged, folder.path("sound.pactdb"));
  ASSERT_TRUE(report.has_value());
  ASSERT_EQ(report->contexts.size(), 1u);
  EXPECT_GT(report->contexts[0].kept, 30);
  EXPECT_EQ(std::ranges::count(report->losses, "the log beside the file is damaged"), 1);
  EXPECT_EQ(ReadAll(damaged + "-wal"), log);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("")))
    EXPECT_FALSE(entry.path().filename().string().contains("-new")) << entry.path();
}

// What a log did to a context is as good as what it added to another: that a context was deleted in
// it, and that a snapshot in the file is damaged, does not make the file alone the better one.
TEST(Repair, KeepsALogInWhichAContextWasDeleted) {
  const support::Folder folder;
  const std::string path = folder.path("a.pactdb");
  const auto commit = [](Context& context, int first, int last) {
    for (int turn = first; turn <= last; ++turn) {
      const std::string name = "turn " + std::to_string(turn) + " ";
      NodeSpec spec;
      spec.Text(name + LongText(7).substr(0, 900));
      // The next commit takes the text and stores its turn anew: no later one needs this record.
      if (turn == 5) spec.Ttl(1);
      Must(context.Add(spec));
      Must(context.Commit());
    }
  };
  {
    Database database = Must(Database::Open(path, Access::kCreate));
    commit(*Must(database.Find("main")), 1, 20);
    commit(*Must(database.Make("old")), 101, 150);
  }
  Database database = Must(Database::Open(path));
  Must(database.Delete("old"));
  commit(*Must(database.Find("main")), 21, 30);
  // As it is when the process is killed here.
  const std::string damaged = folder.path("damaged.pactdb");
  std::string bytes = ReadAll(path);
  const std::size_t fifth = bytes.find("turn 5 ");
  ASSERT_NE(fifth, std::string::npos);
  bytes[fifth] ^= 1;
  WriteAll(damaged, bytes);
  WriteAll(damaged + "-wal", ReadAll(path + "-wal"));
  const auto report = RepairFile(damaged, folder.path("sound.pactdb"));
  ASSERT_TRUE(report.has_value());
  ASSERT_EQ(report->contexts.size(), 1u);
  EXPECT_EQ(report->contexts[0].name, "main");
  EXPECT_EQ(report->contexts[0].kept, 29);
  EXPECT_EQ(report->contexts[0].lost, 1);
  EXPECT_EQ(report->losses, std::vector<std::string>());
  Database sound = Must(Database::Open(folder.path("sound.pactdb"), Access::kRead));
  EXPECT_EQ(Must(sound.List()).size(), 1u);
  EXPECT_EQ(Must(Must(sound.Find("main"))->At("@t0")).cycle(), 30);
}

}  // namespace
}  // namespace pactdb
