// What is not a pactdb file of this version is refused and left as it was.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pactdb/ext/store.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "support/error_text.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb {
namespace {

using enum StoreAccess;
using support::Folder;
using support::MakeSample;
using support::OpenOrFail;
using support::ReadFile;
using support::WriteFile;

std::set<std::string> NamesIn(const Folder& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

// Expects `code` however the file is opened, and not a byte or a file changed by that.
void ExpectRefused(const Folder& folder, const std::string& name, ErrorCode code) {
  const std::string path = folder.path(name);
  const bool is_file = std::filesystem::is_regular_file(path);
  const std::string before = is_file ? ReadFile(path) : "";
  const std::set<std::string> names = NamesIn(folder);
  for (const StoreAccess access : {kRead, kWrite, kCreate}) {
    const auto store = OpenSqliteStore(path, access);
    ASSERT_FALSE(store.has_value()) << name;
    EXPECT_EQ(WireName(store.error().code()), WireName(code)) << store.error().message();
    EXPECT_EQ(NamesIn(folder), names) << name;
    if (is_file) {
      EXPECT_EQ(ReadFile(path), before) << name;
    }
  }
}

void Patch(const std::string& path, std::size_t at, const std::string& bytes) {
  std::string file = ReadFile(path);
  file.replace(at, bytes.size(), bytes);
  WriteFile(path, file);
}

TEST(SqliteOpen, RefusesWhatIsNotOurs) {
  const Folder folder;
  WriteFile(folder.path("empty"), "");
  ExpectRefused(folder, "empty", ErrorCode::kStoreCorrupt);
  WriteFile(folder.path("short"), "SQLite format 3");
  ExpectRefused(folder, "short", ErrorCode::kStoreCorrupt);
  WriteFile(folder.path("text"), std::string(5000, 'x'));
  ExpectRefused(folder, "text", ErrorCode::kStoreCorrupt);
  std::filesystem::create_directory(folder.path("folder"));
  ExpectRefused(folder, "folder", ErrorCode::kStoreIo);
  std::filesystem::create_symlink(folder.path("nowhere"), folder.path("dangling"));
  ExpectRefused(folder, "dangling", ErrorCode::kStoreIo);
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  ExpectRefused(folder, "pipe", ErrorCode::kStoreIo);
  ExpectRefused(folder, "missing/file", ErrorCode::kStoreIo);
  ExpectRefused(folder, "", ErrorCode::kStoreIo);
}

TEST(SqliteOpen, RefusesADatabaseOfAnotherProgram) {
  const Folder folder;
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(folder.path("other").c_str(), &other), SQLITE_OK);
  sqlite3_exec(other, "CREATE TABLE commits (id)", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  ExpectRefused(folder, "other", ErrorCode::kStoreCorrupt);
}

TEST(SqliteOpen, RefusesANewerVersion) {
  const Folder folder;
  MakeSample(folder.path("newer"), 3);
  Patch(folder.path("newer"), 60, std::string("\0\0\0\2", 4));
  ExpectRefused(folder, "newer", ErrorCode::kStoreVersion);
  Patch(folder.path("newer"), 60, "\xff\xff\xff\xff");
  ExpectRefused(folder, "newer", ErrorCode::kStoreVersion);
  Patch(folder.path("newer"), 60, std::string("\0\0\0\2", 4));
  const auto store = OpenSqliteStore(folder.path("newer"), kRead);
  EXPECT_EQ(store.error().message(), "the file has format 2, this program knows formats up to 1");
}

TEST(SqliteOpen, RefusesATruncatedFile) {
  const Folder folder;
  MakeSample(folder.path("whole"), 200);
  const std::string whole = ReadFile(folder.path("whole"));
  for (const std::size_t size : {std::size_t{50}, std::size_t{100}, std::size_t{1000},
                                 std::size_t{16384}, whole.size() / 2, whole.size() - 1}) {
    WriteFile(folder.path("cut"), whole.substr(0, size));
    for (const StoreAccess access : {kRead, kWrite}) {
      const auto store = OpenSqliteStore(folder.path("cut"), access);
      ASSERT_FALSE(store.has_value()) << size;
      EXPECT_EQ(store.error().code(), ErrorCode::kStoreCorrupt) << store.error().message();
      EXPECT_EQ(ReadFile(folder.path("cut")), whole.substr(0, size));
    }
  }
}

TEST(SqliteOpen, RefusesTablesThatAreNotOurs) {
  const Folder folder;
  for (const char* statement :
       {"DROP TABLE tags", "CREATE TABLE more (x)", "CREATE INDEX i ON commits (cycle)",
        "CREATE TRIGGER t AFTER INSERT ON commits BEGIN DELETE FROM commits; END",
        "DROP VIEW log; CREATE VIEW log AS SELECT 1"}) {
    MakeSample(folder.path("changed"), 2);
    sqlite3* changed = nullptr;
    ASSERT_EQ(sqlite3_open(folder.path("changed").c_str(), &changed), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(changed, statement, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(changed);
    ExpectRefused(folder, "changed", ErrorCode::kStoreCorrupt);
    std::filesystem::remove(folder.path("changed"));
  }
}

TEST(SqliteOpen, SaysThatAFileIsMissing) {
  const Folder folder;
  for (const StoreAccess access : {kRead, kWrite}) {
    const auto store = OpenSqliteStore(folder.path("none"), access);
    ASSERT_FALSE(store.has_value());
    EXPECT_EQ(store.error().code(), ErrorCode::kStoreIo);
    EXPECT_EQ(store.error().message(), "there is no such file");
  }
  EXPECT_TRUE(NamesIn(folder).empty());
}

TEST(SqliteOpen, LeavesOneFile) {
  const Folder folder;
  MakeSample(folder.path("a"), 20);
  EXPECT_EQ(NamesIn(folder), std::set<std::string>{"a"});
  {
    const auto reader = OpenOrFail(folder.path("a"), kRead);
    EXPECT_EQ(reader->GetContext(1)->head, 20);
  }
  EXPECT_EQ(NamesIn(folder), std::set<std::string>{"a"});
}

TEST(SqliteOpen, TakesAnyName) {
  const Folder folder;
  for (const std::string name :
       {":memory:", "file:x?mode=memory", "a b%20c", "'; --", "-wal", "\xc3\xa9\xff"}) {
    MakeSample(folder.path(name), 1);
    ASSERT_TRUE(std::filesystem::is_regular_file(folder.path(name))) << name;
    const auto reader = OpenOrFail(folder.path(name), kRead);
    ASSERT_NE(reader, nullptr);
    EXPECT_EQ(reader->GetContext(1)->head, 1);
  }
}

TEST(SqliteOpen, MakesOverWhatAKilledMakerLeft) {
  const Folder folder;
  WriteFile(folder.path("a-new-00"), "half a file");
  WriteFile(folder.path("a-new-00-journal"), "half a journal");
  WriteFile(folder.path("a-lock"), "12345\n");
  MakeSample(folder.path("a"), 1);
  EXPECT_EQ(NamesIn(folder), (std::set<std::string>{"a", "a-new-00", "a-new-00-journal"}));
}

// Nothing is made under a name that somebody could have chosen.
TEST(SqliteOpen, LeavesFilesThatAreCalledLikeADraft) {
  const Folder folder;
  MakeSample(folder.path("a-new"), 2);
  WriteFile(folder.path("a-new-copy"), "mine");
  WriteFile(folder.path("a-new-wal-old"), "mine");
  const std::string before = ReadFile(folder.path("a-new"));
  MakeSample(folder.path("a"), 1);
  {
    const auto store = OpenOrFail(folder.path("a-new"), kRead);
    ASSERT_TRUE(store->Backup(folder.path("b"), {}).has_value());
    // The source itself has the name that a draft of the copy had once.
    std::filesystem::remove(folder.path("a"));
    ASSERT_TRUE(store->Backup(folder.path("a"), {}).has_value());
  }
  EXPECT_EQ(OpenOrFail(folder.path("a"), kRead)->GetContext(1)->head, 2);
  EXPECT_EQ(ReadFile(folder.path("a-new")), before);
  EXPECT_EQ(NamesIn(folder),
            (std::set<std::string>{"a", "a-new", "a-new-copy", "a-new-wal-old", "b"}));
}

// A maker that was killed leaves its draft; the next one who makes the file takes it away.
TEST(SqliteOpen, RemovesDraftsWhoseMakerIsGone) {
  const Folder folder;
  MakeSample(folder.path("good"), 1);
  const std::string draft = "a-new-0123456789abcdef";
  for (const bool is_backup : {false, true}) {
    std::filesystem::remove(folder.path("a"));
    for (const std::string suffix :
         {"", "-journal", "-wal", "-copy", "-copy-journal", "-fresh", "-lock"})
      WriteFile(folder.path(draft + suffix), "half a file");
    // Of other files, and what only looks like a draft.
    const std::set<std::string> others = {"good", "b-new-0123456789abcdef",
                                          "a-new-0123456789abcdeg", "a-new-0123456789abcdef0"};
    for (const std::string& name : others) {
      if (name != "good") WriteFile(folder.path(name), "mine");
    }
    // While its maker lives it stays.
    const int maker = open(folder.path(draft).c_str(), O_RDWR);
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_len = 1;
    ASSERT_EQ(fcntl(maker, F_OFD_SETLK, &lock), 0);
    const auto make = [&] {
      if (!is_backup) return MakeSample(folder.path("a"), 1);
      ASSERT_TRUE(OpenOrFail(folder.path("good"), kRead)->Backup(folder.path("a"), {}).has_value());
    };
    make();
    EXPECT_TRUE(std::filesystem::exists(folder.path(draft)));
    close(maker);
    std::filesystem::remove(folder.path("a"));
    make();
    std::set<std::string> left = others;
    left.insert("a");
    EXPECT_EQ(NamesIn(folder), left);
  }
}

// The log of a writer that was killed, whose file was then removed.
void LeaveLog(const Folder& folder, const std::string& name) {
  MakeSample(folder.path("old"), 3);
  const auto writer = OpenOrFail(folder.path("old"), kWrite);
  ASSERT_TRUE(support::AppendSample(*writer, 1, 4).has_value());
  WriteFile(folder.path(name), ReadFile(folder.path("old-wal")));
}

TEST(SqliteOpen, NoNewFileGetsTheLogOfAnother) {
  const Folder folder;
  MakeSample(folder.path("good"), 1);
  for (const std::string name : {"a-wal", "a-journal"}) {
    LeaveLog(folder, name);
    const std::set<std::string> names = NamesIn(folder);
    const auto made = OpenSqliteStore(folder.path("a"), kCreate);
    ASSERT_FALSE(made.has_value());
    const Status copied = OpenOrFail(folder.path("good"), kRead)->Backup(folder.path("a"), {});
    ASSERT_FALSE(copied.has_value());
    for (const Error& error : {made.error(), copied.error()}) {
      EXPECT_EQ(error.message(), "the log of a file that is gone lies under this name with " +
                                     name.substr(1) + " added; move it away");
      EXPECT_EQ(error.details().front().text, std::filesystem::canonical(folder.path(name)));
    }
    EXPECT_EQ(NamesIn(folder), names);
    std::filesystem::remove(folder.path(name));
    std::filesystem::remove(folder.path("old"));
  }
}

TEST(SqliteOpen, WhatALogLeftThatSaysNothingIsNoHindrance) {
  const Folder folder;
  WriteFile(folder.path("a-wal"), "");
  WriteFile(folder.path("a-shm"), std::string(32768, 'x'));
  MakeSample(folder.path("a"), 2);
  EXPECT_EQ(NamesIn(folder), std::set<std::string>{"a"});
  EXPECT_EQ(OpenOrFail(folder.path("a"), kRead)->GetContext(1)->head, 2);
}

// Writers by two names have two locks and two logs, and take one another's commits back.
TEST(SqliteOpen, AFileWithTwoNamesIsOnlyRead) {
  const Folder folder;
  const std::string path = folder.path("a.pactdb");
  MakeSample(path, 3);
  std::filesystem::create_hard_link(path, folder.path("b.pactdb"));
  for (const char* name : {"a.pactdb", "b.pactdb"}) {
    EXPECT_TRUE(OpenSqliteStore(folder.path(name), kRead).has_value()) << name;
    for (const StoreAccess access : {kWrite, kCreate}) {
      const auto store = OpenSqliteStore(folder.path(name), access);
      ASSERT_FALSE(store.has_value()) << name;
      EXPECT_EQ(support::ErrorText(store.error()),
                "E_STORE_IO: the file has 2 names (hard links), and a writer by another of them "
                "would not be seen; copy it, or remove the others {path=" +
                    folder.path(name) + " names=2}");
    }
  }
  std::filesystem::remove(folder.path("b.pactdb"));
  EXPECT_TRUE(OpenSqliteStore(path, kWrite).has_value());
}

TEST(SqliteOpen, CreatesNothingOverAnExistingFile) {
  const Folder folder;
  MakeSample(folder.path("a"), 4);
  const auto store = OpenOrFail(folder.path("a"), kCreate);
  EXPECT_EQ(store->GetContext(1)->head, 4);
}

}  // namespace
}  // namespace pactdb
