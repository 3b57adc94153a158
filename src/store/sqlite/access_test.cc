// Who may open a file beside whom, in this process and in others.
#include <gtest/gtest.h>
#include <pactdb/ext/store.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "support/error_text.h"
#include "support/folder.h"
#include "support/scale.h"
#include "support/store_requests.h"

namespace pactdb {
namespace {

using enum StoreAccess;
using support::AppendSample;
using support::Folder;
using support::MakeSample;
using support::OpenOrFail;
using support::SampleRecord;

// Runs `work` in a process of its own; it says with its exit code whether all went well.
template <typename Work>
pid_t InProcess(Work work) {
  const pid_t pid = fork();
  if (pid == 0) _exit(work() ? 0 : 1);
  return pid;
}

bool EndedWell(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::int64_t PidIn(const Error& error) {
  for (const Error::Detail& detail : error.details()) {
    if (detail.name == "pid") return detail.number;
  }
  return 0;
}

TEST(SqliteAccess, RefusesASecondWriterAndNamesTheFirst) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  std::filesystem::create_symlink(folder.path("a"), folder.path("link"));
  const auto writer = OpenOrFail(folder.path("a"), kWrite);
  const pid_t holder = getpid();
  for (const char* name : {"a", "link"}) {
    const auto refused = [&] {
      const auto second = OpenSqliteStore(folder.path(name), kCreate);
      return !second && second.error().code() == ErrorCode::kStoreBusy &&
             PidIn(second.error()) == holder;
    };
    EXPECT_TRUE(refused()) << "in the same process";
    EXPECT_TRUE(EndedWell(InProcess(refused))) << "in another process";
  }
  EXPECT_TRUE(AppendSample(*writer, 1, 2).has_value());
}

TEST(SqliteAccess, NamesNobodyIfTheLockFileDoesNotSayWho) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  const auto writer = OpenOrFail(folder.path("a"), kWrite);
  for (const char* said : {"", "somebody\n"}) {
    support::WriteFile(folder.path("a-lock"), said);
    const auto second = OpenSqliteStore(folder.path("a"), kWrite);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code(), ErrorCode::kStoreBusy) << said;
    EXPECT_EQ(second.error().message(), "another process writes to this file") << said;
    EXPECT_EQ(PidIn(second.error()), 0) << said;
  }
}

TEST(SqliteAccess, TakesOverFromAWriterThatWasKilled) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t pid = InProcess([&] {
    const auto writer = OpenSqliteStore(folder.path("a"), kWrite);
    if (!writer || !AppendSample(**writer, 1, 2)) return false;
    if (write(ready[1], "x", 1) != 1) return false;
    pause();
    return true;
  });
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_FALSE(OpenSqliteStore(folder.path("a"), kWrite).has_value());
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  // A reader finds what the killed writer acknowledged, and so does the next writer.
  EXPECT_EQ(OpenOrFail(folder.path("a"), kRead)->ReadRecord({1, 2}), SampleRecord(2));
  EXPECT_EQ(OpenOrFail(folder.path("a"), kWrite)->ReadRecord({1, 2}), SampleRecord(2));
  close(ready[0]);
  close(ready[1]);
}

TEST(SqliteAccess, ReadersSeeWholeCommitsWhileAWriterWrites) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  const auto commits = static_cast<CommitNumber>(support::Scaled(3000));
  std::vector<pid_t> readers;
  for (int i = 0; i < 3; ++i) {
    readers.push_back(InProcess([&] {
      const auto reader = OpenSqliteStore(folder.path("a"), kRead);
      if (!reader) return false;
      CommitNumber seen = 0;
      while (seen < commits) {
        const auto context = (*reader)->GetContext(1);
        if (!context || context->head < seen) return false;
        seen = context->head;
        for (CommitNumber n = seen > 3 ? seen - 3 : 1; n <= seen; ++n) {
          if ((*reader)->ReadRecord({1, n}) != SampleRecord(n)) return false;
        }
        bool whole = true;
        const Status status = (*reader)->VisitFacts(1, {1, seen}, [&](const CommitFacts& facts) {
          whole = whole && facts.cycle == facts.number;
          return facts.number < 50;
        });
        if (!status || !whole) return false;
      }
      return true;
    }));
  }
  {
    const auto writer = OpenOrFail(folder.path("a"), kWrite);
    for (CommitNumber n = 2; n <= commits; ++n) {
      ASSERT_TRUE(AppendSample(*writer, 1, n, Durability::kRelaxed).has_value());
    }
  }
  for (const pid_t reader : readers) EXPECT_TRUE(EndedWell(reader));
  EXPECT_EQ(OpenOrFail(folder.path("a"), kRead)->Verify({})->size(), 0);
}

TEST(SqliteAccess, AReaderOfTheSameProcessDoesNotEndTheWritersLocks) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  const auto writer = OpenOrFail(folder.path("a"), kWrite);
  ASSERT_TRUE(AppendSample(*writer, 1, 2).has_value());
  // Opening and closing looks at the file's header; that must not let go of what SQLite locked.
  {
    const auto reader = OpenOrFail(folder.path("a"), kRead);
  }
  EXPECT_TRUE(EndedWell(InProcess([&] {
    // A last connection would remove the log on closing.
    {
      const auto reader = OpenSqliteStore(folder.path("a"), kRead);
    }
    return std::filesystem::file_size(folder.path("a-wal")) > 0;
  })));
  ASSERT_TRUE(AppendSample(*writer, 1, 3).has_value());
  EXPECT_EQ(OpenOrFail(folder.path("a"), kRead)->GetContext(1)->head, 3);
}

TEST(SqliteAccess, AReaderChangesNothing) {
  const Folder folder;
  MakeSample(folder.path("a"), 3);
  const std::string before = support::ReadFile(folder.path("a"));
  {
    const auto reader = OpenOrFail(folder.path("a"), kRead);
    EXPECT_TRUE(reader->read_only());
    const std::vector<std::string> entries = {"x"};
    const auto refused = [](const auto& result) {
      return !result && result.error().code() == ErrorCode::kStoreReadonly;
    };
    EXPECT_TRUE(refused(AppendSample(*reader, 1, 4)));
    EXPECT_TRUE(refused(reader->CreateContext("b", {}, "{}")));
    EXPECT_TRUE(refused(reader->RenameContext("main", "b")));
    EXPECT_TRUE(refused(reader->DeleteContext("main")));
    EXPECT_TRUE(refused(reader->SetConfig(1, "{}")));
    EXPECT_TRUE(refused(reader->AppendJournal(1, entries)));
    EXPECT_TRUE(refused(reader->SetTag(1, {.name = "t", .commit = 1, .context = 1})));
    EXPECT_TRUE(refused(reader->DeleteTag(1, "t")));
    EXPECT_TRUE(refused(reader->PutAttempt(1, "a", "{}")));
    EXPECT_TRUE(refused(reader->Retire({})));
    EXPECT_TRUE(refused(reader->Compact()));
    EXPECT_EQ(reader->Verify({})->size(), 0);
  }
  EXPECT_EQ(support::ReadFile(folder.path("a")), before);
}

TEST(SqliteAccess, NoticesThatTheFileWasRemovedOrReplaced) {
  const Folder folder;
  for (const bool replaced : {false, true}) {
    MakeSample(folder.path("a"), 1);
    const auto writer = OpenOrFail(folder.path("a"), kWrite);
    std::filesystem::remove(folder.path("a"));
    if (replaced) support::WriteFile(folder.path("a"), "another file");
    for (int i = 0; i < 2; ++i) {
      const Status status = AppendSample(*writer, 1, 2);
      ASSERT_FALSE(status.has_value());
      EXPECT_EQ(status.error().code(), ErrorCode::kStoreIo);
      EXPECT_EQ(status.error().message(), "the file was removed or replaced while it was open");
    }
    std::filesystem::remove(folder.path("a"));
  }
}

// As root nothing is forbidden; run these as nobody.
template <typename Work>
bool AsNobody(Work work) {
  return EndedWell(InProcess([&] {
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return false;
    return work();
  }));
}

// Not where there is one user only, nor where temporary files lie in a folder of root's own.
class SqliteAccessOfNobody : public testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path above = std::filesystem::path(folder_.path()).parent_path();
    if (!AsNobody([&above] { return access(above.c_str(), X_OK) == 0; }))
      GTEST_SKIP() << "another user cannot be had here";
  }

  Folder folder_;
};

TEST_F(SqliteAccessOfNobody, ReadsInAFolderThatMayNotBeWritten) {
  MakeSample(folder_.path("a"), 3);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0555), 0);
  ASSERT_EQ(chmod(folder_.path("a").c_str(), 0444), 0);
  EXPECT_TRUE(AsNobody([&] {
    const auto reader = OpenSqliteStore(folder_.path("a"), kRead);
    return reader && (*reader)->ReadRecord({1, 3}) == SampleRecord(3);
  }));
  EXPECT_TRUE(AsNobody([&] {
    const auto writer = OpenSqliteStore(folder_.path("a"), kWrite);
    return !writer && writer.error().code() == ErrorCode::kStoreReadonly;
  }));
  ASSERT_EQ(chmod(folder_.path("a").c_str(), 0000), 0);
  EXPECT_TRUE(AsNobody([&] {
    const auto reader = OpenSqliteStore(folder_.path("a"), kRead);
    return !reader && reader.error().code() == ErrorCode::kStoreIo;
  }));
  ASSERT_EQ(chmod(folder_.path().c_str(), 0700), 0);
}

// Whoever may read a file but not write it leaves nothing beside it that would be theirs.
TEST_F(SqliteAccessOfNobody, AReaderOfAnotherUserDoesNotKeepTheWriterOut) {
  if (getuid() != 0) GTEST_SKIP() << "other users can be had by root alone";
  MakeSample(folder_.path("a"), 3);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0777), 0);
  ASSERT_EQ(chmod(folder_.path("a").c_str(), 0644), 0);
  const auto has_files = [this] {
    return std::distance(std::filesystem::directory_iterator(folder_.path()),
                         std::filesystem::directory_iterator()) > 1;
  };
  int to_reader[2];
  int to_writer[2];
  ASSERT_EQ(pipe(to_reader), 0);
  ASSERT_EQ(pipe(to_writer), 0);
  const auto say = [](const int* end) { return write(end[1], "x", 1) == 1; };
  const auto hear = [](const int* end) {
    char byte = 0;
    return read(end[0], &byte, 1) == 1;
  };
  // Each side keeps its own ends only: one that gives up is then heard.
  const pid_t pid = InProcess([&] {
    close(to_reader[1]);
    close(to_writer[0]);
    if (setgid(65534) != 0 || setuid(65534) != 0) return false;
    const auto reader = OpenSqliteStore(folder_.path("a"), kRead);
    if (!reader || (*reader)->ReadRecord({1, 3}) != SampleRecord(3) || has_files()) return false;
    if (!say(to_writer) || !hear(to_reader)) return false;
    // A writer has come, and has moved its log into the file more than once.
    if (!(*reader)->BeginReads()) return false;
    const bool sees = (*reader)->GetContext(1)->head == 2000;
    (*reader)->EndReads();
    const auto second = OpenSqliteStore(folder_.path("a"), kRead);
    const bool reads = second && (*second)->ReadRecord({1, 2000}) == SampleRecord(2000);
    return sees && reads && say(to_writer) && hear(to_reader);
  });
  close(to_reader[0]);
  close(to_writer[1]);
  ASSERT_TRUE(hear(to_writer));
  {
    const auto writer = OpenOrFail(folder_.path("a"), kWrite);
    for (CommitNumber n = 4; n <= 2000; ++n)
      ASSERT_TRUE(AppendSample(*writer, 1, n, Durability::kRelaxed).has_value());
    ASSERT_TRUE(say(to_reader));
    ASSERT_TRUE(hear(to_writer));
  }
  // What is left is the writer's own, and goes with its next one.
  ASSERT_TRUE(say(to_reader));
  EXPECT_TRUE(EndedWell(pid));
  EXPECT_EQ(OpenOrFail(folder_.path("a"), kWrite)->GetContext(1)->head, 2000);
  EXPECT_FALSE(has_files());
  close(to_reader[1]);
  close(to_writer[0]);
}

TEST_F(SqliteAccessOfNobody, SaysWhyALogCannotBeReadInAFolderOfAnotherUser) {
  if (getuid() != 0) GTEST_SKIP() << "other users can be had by root alone";
  MakeSample(folder_.path("made"), 3);
  const auto writer = OpenOrFail(folder_.path("made"), kWrite);
  ASSERT_TRUE(AppendSample(*writer, 1, 4).has_value());
  for (const std::string_view ending : {"", "-wal"}) {
    const std::string copy = folder_.path("a").append(ending);
    support::WriteFile(copy, support::ReadFile(folder_.path("made").append(ending)));
    ASSERT_EQ(chmod(copy.c_str(), 0644), 0);
  }
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  const std::string wanted =
      "E_STORE_IO: a log (-wal) lies beside the file, which can be read only in a folder that may "
      "be written; copy both to one {path=" +
      folder_.path("a") + "}";
  EXPECT_TRUE(AsNobody(
      [&] { return support::ErrorText(OpenSqliteStore(folder_.path("a"), kRead)) == wanted; }));
}

TEST_F(SqliteAccessOfNobody, RefusesToWriteAFileThatMayOnlyBeRead) {
  MakeSample(folder_.path("a"), 3);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0777), 0);
  ASSERT_EQ(chmod(folder_.path("a").c_str(), 0444), 0);
  EXPECT_TRUE(AsNobody([&] {
    const auto writer = OpenSqliteStore(folder_.path("a"), kWrite);
    return !writer && writer.error().code() == ErrorCode::kStoreReadonly;
  }));
}

}  // namespace
}  // namespace pactdb
