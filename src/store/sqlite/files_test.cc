// Names of files, locks beside them, and what the system may refuse.
#include "store/sqlite/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "store/sqlite/file_header.h"
#include "store/sqlite/lock_file.h"
#include "support/error_text.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb::sqlite {
namespace {

using support::Folder;
using Kind = LockFile::Kind;

// As root nothing is forbidden; be somebody else for a while.
class AsNobody {
 public:
  AsNobody() : is_other_(geteuid() == 0 && seteuid(65534) == 0) {}
  ~AsNobody() {
    if (is_other_ && seteuid(0) != 0) std::abort();
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  bool is_other_;
};

template <typename T>
std::int64_t ErrnoOf(const std::expected<T, Error>& result) {
  if (result) return 0;
  for (const Error::Detail& detail : result.error().details()) {
    if (detail.name == "errno") return detail.number;
  }
  return -1;
}

TEST(SqliteFiles, AFileHasOnePathWhateverLeadsToIt) {
  const Folder folder;
  const std::string real = std::filesystem::canonical(folder.path()).string();
  support::WriteFile(folder.path("a"), "x");
  std::filesystem::create_symlink(folder.path("a"), folder.path("link"));
  EXPECT_EQ(AbsolutePath(folder.path("a")), real + "/a");
  EXPECT_EQ(AbsolutePath(folder.path("link")), real + "/a");
  EXPECT_EQ(AbsolutePath(folder.path("./a")), real + "/a");
  EXPECT_EQ(AbsolutePath(folder.path("none")), real + "/none");
  EXPECT_EQ(AbsolutePath("/no-file-of-this-name"), "/no-file-of-this-name");
  EXPECT_EQ(AbsolutePath("no-file-of-this-name"),
            std::filesystem::current_path().string() + "/no-file-of-this-name");
}

TEST(SqliteFiles, WhatIsNoNameOfAFileIsRefused) {
  const Folder folder;
  EXPECT_EQ(ErrnoOf(AbsolutePath("")), EINVAL);
  EXPECT_EQ(ErrnoOf(AbsolutePath(std::string("a\0b", 3))), EINVAL);
  EXPECT_EQ(ErrnoOf(AbsolutePath(folder.path("none/a"))), ENOENT);
  EXPECT_EQ(ErrnoOf(CheckKind(folder.path(std::string(300, 'n')))), ENAMETOOLONG);
  EXPECT_EQ(ErrnoOf(CheckKind(folder.path("none"))), ENOENT);
  EXPECT_EQ(ErrnoOf(CheckKind(folder.path())), EISDIR);
  support::WriteFile(folder.path("a"), "x");
  ASSERT_EQ(chmod(folder.path("a").c_str(), 0), 0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  // CheckKind asks for the process's real user, as SQLite does not.
  EXPECT_EQ(ErrnoOf(CheckKind(folder.path("a"))), getuid() == 0 ? 0 : EACCES);
}

TEST(SqliteFiles, AFinishedFileNeverReplacesAnother) {
  const Folder folder;
  support::WriteFile(folder.path("draft"), "new");
  support::WriteFile(folder.path("a"), "old");
  EXPECT_EQ(ErrnoOf(PutInPlace(folder.path("draft"), folder.path("a"))), EEXIST);
  EXPECT_EQ(support::ReadFile(folder.path("a")), "old");
  EXPECT_EQ(ErrnoOf(PutInPlace(folder.path("draft"), folder.path("none/b"))), ENOENT);
  EXPECT_TRUE(PutInPlace(folder.path("draft"), folder.path("b")).has_value());
  EXPECT_EQ(support::ReadFile(folder.path("b")), "new");
  EXPECT_EQ(ErrnoOf(PutInPlace(folder.path("draft"), folder.path("c"))), ENOENT);
}

TEST(SqliteFiles, OnlyAnEmptyFileOfOursIsTidiedAway) {
  const Folder folder;
  support::WriteFile(folder.path("empty"), "");
  support::WriteFile(folder.path("full"), "x");
  std::filesystem::create_directory(folder.path("folder"));
  std::filesystem::create_symlink(folder.path("full"), folder.path("link"));
  for (const char* name : {"empty", "full", "folder", "link", "none"})
    RemoveIfOurs(folder.path(name));
  EXPECT_FALSE(FileExists(folder.path("empty")));
  for (const char* name : {"full", "folder", "link"}) EXPECT_TRUE(FileExists(folder.path(name)));
  if (geteuid() != 0) GTEST_SKIP() << "other users can be had by root alone";
  support::WriteFile(folder.path("theirs"), "");
  ASSERT_EQ(chown(folder.path("theirs").c_str(), 65534, 65534), 0);
  RemoveIfOurs(folder.path("theirs"));
  EXPECT_TRUE(FileExists(folder.path("theirs")));
}

TEST(SqliteFiles, ADatabaseIsRemovedWithItsLogs) {
  const Folder folder;
  for (const char* name : {"a", "a-journal", "a-wal", "a-shm", "a-lock", "ab"})
    support::WriteFile(folder.path(name), "x");
  RemoveDatabase(folder.path("a"));
  for (const char* name : {"a", "a-journal", "a-wal", "a-shm"})
    EXPECT_FALSE(FileExists(folder.path(name))) << name;
  for (const char* name : {"a-lock", "ab"}) EXPECT_TRUE(FileExists(folder.path(name))) << name;
}

TEST(SqliteFiles, ALogThatSaysSomethingKeepsANewFileAway) {
  for (const char* suffix : {"-wal", "-journal"}) {
    const Folder folder;
    support::WriteFile(folder.path("draft"), "new");
    support::WriteFile(folder.path("a") + suffix, "x");
    EXPECT_EQ(ErrnoOf(CheckNoLog(folder.path("a"))), EEXIST) << suffix;
    EXPECT_EQ(ErrnoOf(PutInPlace(folder.path("draft"), folder.path("a"))), EEXIST) << suffix;
    EXPECT_FALSE(FileExists(folder.path("a")));
    support::WriteFile(folder.path("a") + suffix, "");
    EXPECT_EQ(ErrnoOf(CheckNoLog(folder.path("a"))), 0) << suffix;
    EXPECT_EQ(ErrnoOf(PutInPlace(folder.path("draft"), folder.path("a"))), 0) << suffix;
  }
}

TEST(SqliteFiles, AHeaderSaysWhatAFileIs) {
  const Folder folder;
  const std::string path = folder.path("a");
  support::MakeSample(path, 3);
  const std::string whole = support::ReadFile(path);
  EXPECT_EQ(CheckHeader(path), kFormatVersion);
  const auto refused = [&path](const std::string& bytes) {
    support::WriteFile(path, bytes);
    const auto version = CheckHeader(path);
    return version ? "ok" : version.error().message();
  };
  EXPECT_EQ(refused(""), "not a pactdb file: it is empty");
  EXPECT_EQ(refused(whole.substr(0, 99)), "not a pactdb file: it does not begin like one");
  EXPECT_EQ(refused(whole.substr(0, 100)), "the file is cut short");
  EXPECT_EQ(refused(whole.substr(0, whole.size() - 1)), "the file is cut short");
  EXPECT_EQ(refused(whole + "x"), "ok");
  std::string other = whole;
  other[71] = static_cast<char>(other[71] + 1);
  EXPECT_EQ(refused(other), "not a pactdb file: it is a database of another program");
  std::string newer = whole;
  newer[63] = static_cast<char>(kFormatVersion + 1);
  EXPECT_NE(refused(newer).find("this program knows formats up to"), std::string::npos);
  // What is missing may be in the log.
  support::WriteFile(path + "-wal", "x");
  EXPECT_EQ(refused(whole.substr(0, whole.size() - 1)), "ok");
  support::WriteFile(path + "-wal", "");
  EXPECT_EQ(refused(whole.substr(0, whole.size() - 1)), "the file is cut short");
}

TEST(SqliteFiles, AFolderThatMayNotBeReadCannotBeSynced) {
  const Folder folder;
  const std::string inner = folder.path("inner");
  std::filesystem::create_directory(inner);
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(inner.c_str(), 0333), 0);
  support::WriteFile(inner + "/draft", "new");
  const AsNobody nobody;
  EXPECT_EQ(ErrnoOf(PutInPlace(inner + "/draft", inner + "/a")), EACCES);
}

TEST(SqliteFiles, SaysWhereThereCanBeNoLog) {
  const auto connection = Connection::Open(":memory:", {.mode = Connection::Mode::kCreate});
  ASSERT_TRUE(connection.has_value());
  EXPECT_EQ(ErrnoOf(UseLog(**connection)), ENOTSUP);
  EXPECT_FALSE(HasSmallBlocks("/no-file-of-this-name"));
}

TEST(LockFile, ReadersShareAndKeepAWriterOut) {
  const Folder folder;
  auto first = LockFile::Take(folder.path("a-lock"), Kind::kReaders);
  auto second = LockFile::Take(folder.path("a-lock"), Kind::kReaders);
  ASSERT_TRUE(first && second);
  first->reset();
  // The other one still has it, and nobody said who that is.
  EXPECT_TRUE(FileExists(folder.path("a-lock")));
  const auto writer = LockFile::Take(folder.path("a-lock"), Kind::kWriter);
  ASSERT_FALSE(writer.has_value());
  EXPECT_EQ(writer.error(), Error(ErrorCode::kStoreBusy, "another process writes to this file"));
  second->reset();
  EXPECT_FALSE(FileExists(folder.path("a-lock")));
  EXPECT_TRUE(LockFile::Take(folder.path("a-lock"), Kind::kWriter).has_value());
}

TEST(LockFile, AWriterIsNamedToWhoeverComes) {
  const Folder folder;
  const auto writer = LockFile::Take(folder.path("a-lock"), Kind::kWriter);
  ASSERT_TRUE(writer.has_value());
  for (const Kind kind : {Kind::kWriter, Kind::kReaders, Kind::kUpkeep}) {
    const auto other = LockFile::Take(folder.path("a-lock"), kind);
    ASSERT_FALSE(other.has_value());
    EXPECT_EQ(other.error().code(), ErrorCode::kStoreBusy);
    EXPECT_EQ(other.error().message(),
              "process " + std::to_string(getpid()) + " writes to this file");
  }
}

TEST(LockFile, TakesOverAFileThatSomebodyLeft) {
  const Folder folder;
  support::WriteFile(folder.path("a-lock"), "not a number, and longer than any process says\n");
  const auto writer = LockFile::Take(folder.path("a-lock"), Kind::kWriter);
  ASSERT_TRUE(writer.has_value());
  EXPECT_EQ(support::ReadFile(folder.path("a-lock")), std::to_string(getpid()) + "\n");
}

TEST(LockFile, SaysWhyThereCanBeNone) {
  const Folder folder;
  std::filesystem::create_directory(folder.path("folder"));
  std::filesystem::create_symlink(folder.path("elsewhere"), folder.path("link"));
  EXPECT_EQ(ErrnoOf(LockFile::Take(folder.path("folder"), Kind::kWriter)), EISDIR);
  // A link would let somebody else's file be emptied.
  EXPECT_EQ(ErrnoOf(LockFile::Take(folder.path("link"), Kind::kWriter)), ELOOP);
  EXPECT_EQ(ErrnoOf(LockFile::Take(folder.path(std::string(300, 'n')), Kind::kWriter)),
            ENAMETOOLONG);
  ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
  {
    const AsNobody nobody;
    const auto lock = LockFile::Take(folder.path("a-lock"), Kind::kWriter);
    ASSERT_FALSE(lock.has_value());
    EXPECT_EQ(lock.error().code(), ErrorCode::kStoreReadonly);
  }
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
}

TEST(SqliteFiles, SaysWhatAFileIsThatIsNone) {
  const Folder folder;
  const auto told = [&folder](const std::string& name) {
    std::string text = support::ErrorText(CheckHeader(folder.path(name)));
    const std::string path = folder.path(name);
    if (const std::size_t at = text.find(path); at != std::string::npos)
      text.replace(at, path.size(), "PATH");
    return text;
  };
  EXPECT_EQ(
      told("none"),
      "E_STORE_IO: there is no such file {path=PATH errno=2 reason=No such file or directory}");
  std::filesystem::create_directory(folder.path("folder"));
  EXPECT_EQ(told("folder"),
            "E_STORE_IO: this is a directory {path=PATH errno=21 reason=Is a directory}");
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(told("pipe"),
            "E_STORE_IO: this is not a regular file {path=PATH errno=22 reason=Invalid argument}");
  EXPECT_EQ(
      told("folder/x/y"),
      "E_STORE_IO: there is no such file {path=PATH errno=2 reason=No such file or directory}");
  support::WriteFile(folder.path("a"), "x");
  EXPECT_EQ(told("a/x"),
            "E_STORE_IO: the file cannot be reached {path=PATH errno=20 reason=Not a directory}");
  support::WriteFile(folder.path("empty"), "");
  EXPECT_EQ(told("empty"), "E_STORE_CORRUPT: not a pactdb file: it is empty {path=PATH}");
  support::WriteFile(folder.path("text"), std::string(200, 'x'));
  EXPECT_EQ(told("text"),
            "E_STORE_CORRUPT: not a pactdb file: it does not begin like one {path=PATH}");
}

// The header alone decides, if it is there as a whole.
TEST(SqliteFiles, AHeaderIsReadFromAHundredBytesOn) {
  const Folder folder;
  support::MakeSample(folder.path("good"), 3);
  const std::string good = support::ReadFile(folder.path("good"));
  const auto told = [&folder](const std::string& bytes) {
    support::WriteFile(folder.path("a"), bytes);
    const auto version = CheckHeader(folder.path("a"));
    return version ? std::to_string(*version) : version.error().message();
  };
  const auto patched = [&good](std::size_t at, const std::string& bytes) {
    return std::string(good).replace(at, bytes.size(), bytes);
  };
  EXPECT_EQ(told(good), "1");
  EXPECT_EQ(told(good + "more"), "1");
  EXPECT_EQ(told(good.substr(0, 99)), "not a pactdb file: it does not begin like one");
  EXPECT_EQ(told(good.substr(0, 100)), "the file is cut short");
  EXPECT_EQ(told(good.substr(0, good.size() - 1)), "the file is cut short");
  EXPECT_EQ(told(patched(0, "s")), "not a pactdb file: it does not begin like one");
  EXPECT_EQ(told(patched(15, "x")), "not a pactdb file: it does not begin like one");
  EXPECT_EQ(told(patched(71, "x")), "not a pactdb file: it is a database of another program");
  EXPECT_EQ(told(patched(63, std::string(1, '\0'))), "0");
  EXPECT_EQ(told(patched(63, "\2")), "the file has format 2, this program knows formats up to 1");
  EXPECT_EQ(told(patched(60, "\xff")),
            "the file has format -16777215, this program knows formats up to 1");
  // A log has what the file lacks; an empty one has nothing.
  support::WriteFile(folder.path("a-wal"), "");
  EXPECT_EQ(told(good.substr(0, 5000)), "the file is cut short");
  support::WriteFile(folder.path("a-wal"), "x");
  EXPECT_EQ(told(good.substr(0, 5000)), "1");
}

TEST(SqliteFiles, ADatabaseGoesWithWhatSqliteKeepsBesideIt) {
  const Folder folder;
  for (const char* name : {"a", "a-journal", "a-wal", "a-shm", "a-lock", "ab", "b"})
    support::WriteFile(folder.path(name), "x");
  RemoveDatabase(folder.path("a"));
  for (const char* name : {"a", "a-journal", "a-wal", "a-shm"})
    EXPECT_FALSE(FileExists(folder.path(name))) << name;
  for (const char* name : {"a-lock", "ab", "b"}) EXPECT_TRUE(FileExists(folder.path(name))) << name;
}

TEST(SqliteFiles, OnlyAnEmptyFileIsTakenForALogOfOurs) {
  const Folder folder;
  support::WriteFile(folder.path("empty"), "");
  support::WriteFile(folder.path("full"), "x");
  std::filesystem::create_directory(folder.path("folder"));
  std::filesystem::create_symlink(folder.path("empty"), folder.path("link"));
  for (const char* name : {"full", "folder", "link", "none"}) RemoveIfOurs(folder.path(name));
  for (const char* name : {"empty", "full", "folder", "link"})
    EXPECT_TRUE(FileExists(folder.path(name))) << name;
  RemoveIfOurs(folder.path("empty"));
  EXPECT_FALSE(FileExists(folder.path("empty")));
}

TEST(SqliteFiles, ALogLiesInTheWayIfItSaysSomething) {
  const Folder folder;
  EXPECT_TRUE(CheckNoLog(folder.path("a")));
  for (const std::string suffix : {"-wal", "-journal"}) {
    support::WriteFile(folder.path("a" + suffix), "");
    EXPECT_TRUE(CheckNoLog(folder.path("a"))) << suffix;
    support::WriteFile(folder.path("a" + suffix), "x");
    EXPECT_EQ(support::ErrorText(CheckNoLog(folder.path("a"))),
              "E_STORE_IO: the log of a file that is gone lies under this name with " + suffix +
                  " added; move it away {path=" + folder.path("a" + suffix) +
                  " errno=17 reason=File exists}");
    std::filesystem::remove(folder.path("a" + suffix));
  }
}

TEST(SqliteFiles, TellsSizeAndBeing) {
  const Folder folder;
  support::WriteFile(folder.path("a"), "abc");
  std::filesystem::create_symlink(folder.path("nowhere"), folder.path("link"));
  EXPECT_EQ(FileBytes(folder.path("a")), 3);
  EXPECT_EQ(FileBytes(folder.path("none")), 0);
  EXPECT_TRUE(FileExists(folder.path("a")));
  EXPECT_TRUE(FileExists(folder.path("link")));
  EXPECT_FALSE(FileExists(folder.path("none")));
  EXPECT_TRUE(IsWritable(folder.path("a")));
  EXPECT_FALSE(IsWritable(folder.path("none")));
  EXPECT_EQ(DraftOf("x"), DraftOf("x"));
  EXPECT_EQ(DraftOf("x").size(), std::string("x-new-0123456789abcdef").size());
}

TEST(SqliteFiles, SaysWhyAFileCannotBePutInPlace) {
  const Folder folder;
  support::WriteFile(folder.path("draft"), "new");
  support::WriteFile(folder.path("a"), "old");
  EXPECT_EQ(
      support::ErrorText(PutInPlace(folder.path("draft"), folder.path("a"))),
      "E_STORE_IO: the file exists {path=" + folder.path("a") + " errno=17 reason=File exists}");
  EXPECT_EQ(support::ErrorText(PutInPlace(folder.path("none"), folder.path("b"))),
            "E_STORE_IO: the new file cannot be renamed {path=" + folder.path("b") +
                " errno=2 reason=No such file or directory}");
  // The index of a log that is gone says nothing about the new file.
  support::WriteFile(folder.path("b-shm"), "old");
  EXPECT_TRUE(PutInPlace(folder.path("draft"), folder.path("b")));
  EXPECT_FALSE(FileExists(folder.path("b-shm")));
  EXPECT_FALSE(FileExists(folder.path("draft")));
}

TEST(LockFile, NamesTheFileThatIsWritten) {
  const Folder folder;
  const auto writer = LockFile::Take(folder.path("a-lock"), Kind::kWriter);
  ASSERT_TRUE(writer.has_value());
  const std::string pid = std::to_string(getpid());
  EXPECT_EQ(support::ErrorText(LockFile::Take(folder.path("a-lock"), Kind::kWriter)),
            "E_STORE_BUSY: process " + pid + " writes to this file {path=" + folder.path("a") +
                " pid=" + pid + "}");
}

TEST(LockFile, UpkeepKeepsOthersOutAndSaysNoName) {
  const Folder folder;
  {
    const auto upkeep = LockFile::Take(folder.path("a-lock"), Kind::kUpkeep);
    ASSERT_TRUE(upkeep.has_value());
    EXPECT_EQ(support::ReadFile(folder.path("a-lock")), "");
    EXPECT_EQ(support::ErrorText(LockFile::Take(folder.path("a-lock"), Kind::kReaders)),
              "E_STORE_BUSY: another process writes to this file");
  }
  EXPECT_FALSE(FileExists(folder.path("a-lock")));
}

// Who looks after a file for a moment is not the killed writer that the lock still names.
TEST(LockFile, UpkeepTakesTheNameOfAKilledWriterAway) {
  const Folder folder;
  for (const auto& [before, after] :
       {std::pair("123456\n", ""), std::pair("123456 unsynced\n", "0 unsynced\n")}) {
    support::WriteFile(folder.path("a-wal"), "a log");
    support::WriteFile(folder.path("a-lock"), before);
    for (const Kind kind : {Kind::kUpkeep, Kind::kReaders}) {
      const auto lock = LockFile::Take(folder.path("a-lock"), kind);
      ASSERT_TRUE(lock.has_value());
      EXPECT_EQ(support::ReadFile(folder.path("a-lock")), after);
      EXPECT_EQ(support::ErrorText(LockFile::Take(folder.path("a-lock"), Kind::kWriter)),
                "E_STORE_BUSY: another process writes to this file");
    }
  }
}

TEST(Files, AreWrittenOverThemselves) {
  const Folder folder;
  std::string bytes((std::size_t{1} << 20) + 17, '.');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 / 3);
  for (const std::string& text : {std::string(), std::string("short"), bytes}) {
    support::WriteFile(folder.path("a"), text);
    EXPECT_TRUE(RewriteFile(folder.path("a")).has_value());
    EXPECT_EQ(support::ReadFile(folder.path("a")), text);
  }
  EXPECT_EQ(RewriteFile(folder.path("gone")).error().code(), ErrorCode::kStoreIo);
  EXPECT_FALSE(FileExists(folder.path("gone")));
}

}  // namespace
}  // namespace pactdb::sqlite
