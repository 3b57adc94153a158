#include "store/sqlite/log_frames.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pactdb/ext/store.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "store/sqlite/lock_file.h"
#include "support/error_text.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb {

namespace sqlite {

void PrintTo(const LogDamage& damage, std::ostream* out) {
  *out << TextOf(damage);
}

}  // namespace sqlite

namespace {

using enum StoreAccess;
using sqlite::FindLogDamage;
using sqlite::kFrameBytes;
using sqlite::kFrameHeaderBytes;
using sqlite::kLogHeaderBytes;
using sqlite::kPageBytes;
using sqlite::LogDamage;
using support::AppendSample;
using support::Folder;
using support::MakeSample;
using support::OpenOrFail;
using support::ReadFile;
using support::SampleRecord;
using support::WriteFile;

// --- made logs ---

void PutWord(std::string& bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i)
    bytes[at + i] = static_cast<char>(value >> (8 * (3 - i)) & 0xff);
}

// As SQLite makes one, written from its description: words big end first.
class MadeLog {
 public:
  explicit MadeLog(std::uint32_t salt = 7) : salt_(salt) {
    std::string header(24, '\0');
    PutWord(header, 0, 0x377f0683);
    PutWord(header, 4, 3007000);
    PutWord(header, 8, kPageBytes);
    PutWord(header, 16, salt);
    PutWord(header, 20, salt * 31);
    bytes_ = header;
    Sum(header);
    PutSums(bytes_);
  }

  // Frames of which the last one ends a transaction.
  MadeLog& Commit(std::size_t frames) {
    for (std::size_t i = 1; i <= frames; ++i) Frame(i == frames ? 60 : 0);
    return *this;
  }
  MadeLog& Frame(std::uint32_t pages_after) {
    std::string start(8, '\0');
    PutWord(start, 0, 3 + ++made_ % 40);
    PutWord(start, 4, pages_after);
    std::string page(kPageBytes, '\0');
    for (std::size_t i = 0; i < page.size(); ++i)
      page[i] = static_cast<char>((i * 17 + made_ * 91 + salt_) % 251);
    Sum(start);
    Sum(page);
    PutWord(start.append(8, '\0'), 8, salt_);
    PutWord(start, 12, salt_ * 31);
    PutSums(start);
    bytes_ += start + page;
    return *this;
  }
  // The next frames are written from here on, over those that are there.
  MadeLog Before(std::size_t frames) const {
    MadeLog log = *this;
    log.bytes_.resize(kLogHeaderBytes + frames * kFrameBytes);
    log.first_ = Word(log.bytes_, log.bytes_.size() - kFrameBytes + 16);
    log.second_ = Word(log.bytes_, log.bytes_.size() - kFrameBytes + 20);
    return log;
  }
  std::string Over(const std::string& before) const {
    return bytes_.size() < before.size() ? bytes_ + before.substr(bytes_.size()) : bytes_;
  }

  const std::string& bytes() const { return bytes_; }
  std::size_t frames() const { return (bytes_.size() - kLogHeaderBytes) / kFrameBytes; }

 private:
  static std::uint32_t Word(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  }
  void Sum(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      first_ += Word(bytes, at) + second_;
      second_ += Word(bytes, at + 4) + first_;
    }
  }
  void PutSums(std::string& to) const {
    const std::size_t at = to.size();
    to.append(8, '\0');
    PutWord(to, at, first_);
    PutWord(to, at + 4, second_);
  }

  std::uint32_t salt_;
  std::uint32_t first_ = 0;
  std::uint32_t second_ = 0;
  std::uint32_t made_ = 0;
  std::string bytes_;
};

std::optional<LogDamage> Find(const std::string& bytes, bool unsynced = false) {
  const Folder folder;
  WriteFile(folder.path("a-wal"), bytes);
  return FindLogDamage(folder.path("a-wal"), unsynced);
}

std::size_t StartOf(std::size_t frame) {
  return kLogHeaderBytes + (frame - 1) * kFrameBytes;
}

std::string FlippedAt(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 4);
  return bytes;
}

std::string FlippedIn(const MadeLog& log, std::size_t frame, std::size_t at) {
  return FlippedAt(log.bytes(), StartOf(frame) + at);
}

constexpr std::size_t kFlagAt = 4;
constexpr std::size_t kSaltAt = 8;
constexpr std::size_t kChecksumAt = 16;
constexpr std::size_t kPageAt = 1000;

using Found = std::optional<LogDamage>;
constexpr Found kNothing = std::nullopt;

TEST(LogDamage, IsNoneInALogThatIsWhole) {
  const MadeLog log = MadeLog().Commit(3).Commit(2).Commit(1);
  EXPECT_EQ(Find(log.bytes()), kNothing);
  EXPECT_EQ(Find(""), kNothing);
  EXPECT_EQ(Find(std::string(20, 'x')), kNothing);
  EXPECT_EQ(Find(log.bytes().substr(0, kLogHeaderBytes)), kNothing);
  // Zeros ahead, also those of a log without a header.
  EXPECT_EQ(Find(log.bytes() + std::string(5 * kFrameBytes, '\0')), kNothing);
  EXPECT_EQ(Find(std::string(kLogHeaderBytes + 5 * kFrameBytes, '\0')), kNothing);
  // Cut in a frame, and an open transaction.
  EXPECT_EQ(Find(log.bytes().substr(0, log.bytes().size() - 100)), kNothing);
  EXPECT_EQ(Find(MadeLog().Commit(3).Frame(0).Frame(0).bytes()), kNothing);
  EXPECT_EQ(FindLogDamage("/nowhere/a-wal", false), kNothing);
}

TEST(LogDamage, IsNotWhatAnOlderLogLeftBehindTheEnd) {
  const std::string older = MadeLog(6).Commit(3).Commit(2).Commit(2).Commit(4).bytes();
  for (std::size_t frames : {0, 1, 2, 3, 5, 6}) {
    MadeLog log;
    if (frames > 0) log.Commit(frames);
    EXPECT_EQ(Find(log.Over(older)), kNothing) << frames;
  }
  // Nor is one that breaks in its last transaction.
  EXPECT_EQ(Find(FlippedAt(MadeLog().Commit(2).Commit(3).Over(older), StartOf(3) + 50)), kNothing);
}

TEST(LogDamage, IsABreakBehindWhichACommitIsFollowed) {
  // Frames 1-3, 4-5, 6, 7-9.
  const MadeLog log = MadeLog().Commit(3).Commit(2).Commit(1).Commit(3);
  for (const std::size_t at : {kSaltAt, kPageAt, kFrameBytes - 1}) {
    const std::size_t commits[] = {4, 4, 4, 3, 3, 2};
    for (std::size_t frame = 1; frame <= 6; ++frame) {
      EXPECT_EQ(Find(FlippedIn(log, frame, at)), Found({frame, commits[frame - 1]}))
          << frame << " at " << at;
    }
    // The last transaction may be one that the machine did not finish.
    for (std::size_t frame = 7; frame <= 9; ++frame) {
      EXPECT_EQ(Find(FlippedIn(log, frame, at)), kNothing) << frame << " at " << at;
    }
  }
  // A frame that says wrongly that a transaction ends is taken by its word.
  EXPECT_EQ(Find(FlippedIn(log, 4, kFlagAt + 3)), Found({4, 4}));
  EXPECT_EQ(Find(FlippedIn(log, 7, kFlagAt + 3)), Found({7, 2}));
  // More than a bit.
  std::string wiped = log.bytes();
  wiped.replace(StartOf(2), 2 * kFrameBytes, 2 * kFrameBytes, '\0');
  EXPECT_EQ(Find(wiped), Found({2, 3}));
}

TEST(LogDamage, IsToldByTheNextFrameWhereAChecksumIsDamaged) {
  const MadeLog log = MadeLog().Commit(3).Commit(2).Commit(1).Commit(3);
  const std::size_t commits[] = {4, 4, 4, 3, 3, 2};
  for (std::size_t frame = 1; frame <= 6; ++frame) {
    EXPECT_EQ(Find(FlippedIn(log, frame, kChecksumAt)), Found({frame, commits[frame - 1]}));
    EXPECT_EQ(Find(FlippedIn(log, frame, kChecksumAt + 7)), Found({frame, commits[frame - 1]}));
  }
  for (std::size_t frame = 7; frame <= 9; ++frame)
    EXPECT_EQ(Find(FlippedIn(log, frame, kChecksumAt)), kNothing) << frame;
}

// Nothing is written behind a commit that is not synced: an open transaction vouches for it too.
TEST(LogDamage, IsToldByATransactionThatNeverEnded) {
  const MadeLog log = MadeLog().Commit(2).Commit(2).Frame(0).Frame(0);
  EXPECT_EQ(Find(FlippedIn(log, 3, kPageAt)), Found({3, 1}));
  EXPECT_EQ(Find(FlippedIn(log, 5, kPageAt)), kNothing);
}

TEST(LogDamage, IsNotATransactionThatTheMachineDidNotFinish) {
  const MadeLog done = MadeLog().Commit(3).Commit(2);
  MadeLog log = done;
  log.Commit(6);
  // Any of its frames may be missing.
  for (unsigned missing = 0; missing < 64; ++missing) {
    std::string bytes = log.bytes();
    for (std::size_t i = 0; i < 6; ++i) {
      if ((missing >> i & 1) != 0) bytes.replace(StartOf(6 + i), kFrameBytes, kFrameBytes, '\0');
    }
    EXPECT_EQ(Find(bytes), kNothing) << missing;
  }
}

// The next writer goes on over what the one before left, and may not finish either.
TEST(LogDamage, IsNotWhatTransactionsLeftThatWereNotFinished) {
  MadeLog torn = MadeLog().Commit(3);
  torn.Commit(12);
  for (std::size_t length = 1; length <= 12; ++length) {
    const MadeLog later = torn.Before(3).Commit(length);
    EXPECT_EQ(Find(later.Over(torn.bytes())), kNothing) << length;
    for (const std::size_t missing : {std::size_t{1}, (length + 1) / 2, length}) {
      // In its place there is what was there.
      std::string bytes = later.Over(torn.bytes());
      bytes.replace(StartOf(3 + missing), kFrameBytes, torn.bytes(), StartOf(3 + missing),
                    kFrameBytes);
      EXPECT_EQ(Find(bytes), kNothing) << length << " without " << missing;
    }
  }
  // Also if the later one was finished, and has a successor.
  const MadeLog later = torn.Before(3).Commit(4).Commit(2);
  EXPECT_EQ(Find(later.Over(torn.bytes())), kNothing);
  EXPECT_EQ(Find(FlippedAt(later.Over(torn.bytes()), StartOf(9) + 50)), kNothing);
}

TEST(LogDamage, IsNotWhatARollbackLeft) {
  const MadeLog spilled = MadeLog().Commit(3).Frame(0).Frame(0).Frame(0).Frame(0).Frame(0);
  EXPECT_EQ(Find(spilled.bytes()), kNothing);
  EXPECT_EQ(Find(spilled.Before(3).Commit(2).Over(spilled.bytes())), kNothing);
  EXPECT_EQ(Find(spilled.Before(3).Commit(1).Commit(1).Over(spilled.bytes())), kNothing);
}

// Of frame 42 the flag lies in another sector than the checksum: after a power cut it may be that
// of a frame that was there before, so it says nothing.
TEST(LogDamage, BelievesAFlagOnlyIfItWasWrittenWithTheChecksum) {
  ASSERT_EQ((StartOf(42) + 8) % 512, 0);
  MadeLog older(6);
  MadeLog log;
  for (int i = 0; i < 41; ++i) {
    older.Commit(1);
    log.Commit(1);
  }
  older.Commit(1).Commit(1).Commit(1);
  log.Frame(0).Commit(2);
  std::string bytes = log.bytes();
  bytes.replace(StartOf(42), 8, older.bytes(), StartOf(42), 8);
  EXPECT_EQ(Find(bytes), kNothing);
}

TEST(LogDamage, IsNotKnownOfALogWhoseCommitsWereNotSynced) {
  const MadeLog log = MadeLog().Commit(3).Commit(2).Commit(2);
  EXPECT_EQ(Find(FlippedIn(log, 2, kPageAt), /*unsynced=*/true), kNothing);
  // But the header was.
  EXPECT_EQ(Find(FlippedAt(log.bytes(), 13), /*unsynced=*/true), Found({0, 3}));
}

TEST(LogDamage, OfTheHeaderIsToldByTheFrames) {
  const MadeLog log = MadeLog().Commit(3).Commit(2);
  for (std::size_t at = 0; at < kLogHeaderBytes; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = log.bytes();
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      const Found found = Find(bytes);
      ASSERT_TRUE(found.has_value()) << at;
      EXPECT_EQ(found->frame, 0);
      EXPECT_EQ(found->commits, 2) << at << " " << bit;
    }
  }
  EXPECT_EQ(TextOf(LogDamage{0, 2}),
            "the beginning of the log is damaged, and 2 commits lie behind it");
  EXPECT_EQ(TextOf(LogDamage{3, 1}), "frame 3 of the log is damaged, and 1 commit lies behind it");
}

// --- files ---

constexpr CommitNumber kCommits = 50;

// What a killed writer leaves of durable commits, with a bit flipped in the middle of its log.
class DamagedLog : public testing::Test {
 protected:
  DamagedLog() {
    MakeSample(made(), 0);
    store_ = OpenOrFail(made(), kWrite);
    for (CommitNumber n = 1; n <= kCommits; ++n)
      EXPECT_TRUE(AppendSample(*store_, 1, n).has_value());
    file_ = ReadFile(made());
    log_ = FlippedAt(ReadFile(made() + "-wal"), 60'000);
    WriteFile(path(), file_);
    WriteFile(path() + "-wal", log_);
  }

  std::string made() const { return folder_.path("made"); }
  std::string path() const { return folder_.path("a"); }
  Store& writer() { return *store_; }

  void ExpectUntouched() const {
    EXPECT_EQ(ReadFile(path()), file_);
    EXPECT_EQ(ReadFile(path() + "-wal"), log_);
    EXPECT_FALSE(std::filesystem::exists(path() + "-lock"));
    EXPECT_FALSE(std::filesystem::exists(path() + "-shm"));
  }

  static constexpr std::string_view kWhat =
      "frame 15 of the log is damaged, and 37 commits lie behind it";

 private:
  Folder folder_;
  std::unique_ptr<Store> store_;
  std::string file_;
  std::string log_;
};

TEST_F(DamagedLog, KeepsEverybodyOutAndStaysAsItIs) {
  for (const StoreAccess access : {kRead, kWrite, kCreate}) {
    const auto store = OpenSqliteStore(path(), access);
    ASSERT_FALSE(store.has_value());
    EXPECT_EQ(store.error().code(), ErrorCode::kStoreCorrupt);
    EXPECT_EQ(store.error().message(), kWhat);
    ExpectUntouched();
  }
}

TEST_F(DamagedLog, IsNotLookedAtWhileAWriterHasTheFile) {
  const auto lock =
      sqlite::LockFile::Take(path() + "-lock", sqlite::LockFile::Kind::kWriter).value();
  EXPECT_TRUE(OpenSqliteStore(path(), kRead).has_value());
}

TEST_F(DamagedLog, IsReportedByVerify) {
  const auto reader = OpenOrFail(made(), kRead);
  WriteFile(made() + "-wal", ReadFile(path() + "-wal"));
  const auto problems = writer().Verify({});
  ASSERT_FALSE(problems->empty());
  EXPECT_EQ(problems->front().what, "the log");
  EXPECT_EQ(problems->front().message, kWhat);
}

// --- commits that are not synced ---

std::string LockText(const std::string& path) {
  return ReadFile(path + "-lock");
}

TEST(UnsyncedLog, IsNotedBeforeAnythingIsWrittenBehindACommitThatIsNotSynced) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  const std::string plain = fmt::format("{}\n", getpid());
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  ASSERT_TRUE(AppendSample(*store, 1, 2).has_value());
  ASSERT_TRUE(AppendSample(*store, 1, 3).has_value());
  ASSERT_TRUE(AppendSample(*store, 1, 4, Durability::kRelaxed).has_value());
  EXPECT_EQ(LockText(folder.path("a")), plain);
  ASSERT_TRUE(AppendSample(*store, 1, 5).has_value());
  EXPECT_EQ(LockText(folder.path("a")), fmt::format("{} unsynced\n", getpid()));
}

TEST(UnsyncedLog, IsSaidForAsLongAsThereIsALog) {
  const Folder folder;
  MakeSample(folder.path("made"), 0);
  const auto writer = OpenOrFail(folder.path("made"), kWrite);
  for (CommitNumber n = 1; n <= kCommits; ++n)
    ASSERT_TRUE(AppendSample(*writer, 1, n, Durability::kRelaxed).has_value());
  const std::string path = folder.path("a");
  WriteFile(path, ReadFile(folder.path("made")));
  WriteFile(path + "-wal", FlippedAt(ReadFile(folder.path("made-wal")), 60'000));
  WriteFile(path + "-lock", LockText(folder.path("made")));
  {
    // Somebody for a moment, and a reader.
    const auto lock =
        sqlite::LockFile::Take(path + "-lock", sqlite::LockFile::Kind::kUpkeep).value();
  }
  EXPECT_TRUE(sqlite::ReadLock(path + "-lock").has_unsynced);
  {
    const auto reader = OpenOrFail(path, kRead);
    EXPECT_EQ(reader->GetContext(1)->head, 13);
  }
  {
    const auto store = OpenOrFail(path, kWrite);
    EXPECT_EQ(store->GetContext(1)->head, 13);
    EXPECT_TRUE(store->Verify({})->empty());
    ASSERT_TRUE(AppendSample(*store, 1, 14).has_value());
    EXPECT_EQ(LockText(path), fmt::format("{} unsynced\n", getpid()));
  }
  EXPECT_FALSE(std::filesystem::exists(path + "-lock"));
  EXPECT_EQ(OpenOrFail(path, kWrite)->ReadRecord({1, 14}), SampleRecord(14));
}

TEST(UnsyncedLog, OfAFileThatIsGoneSaysNothing) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  WriteFile(folder.path("a-lock"), "1 unsynced\n");
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  EXPECT_EQ(LockText(folder.path("a")), fmt::format("{}\n", getpid()));
}

}  // namespace
}  // namespace pactdb
