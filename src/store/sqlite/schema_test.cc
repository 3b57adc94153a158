// Upgrades: a step and its version number are one, whatever happens.
#include "store/sqlite/schema.h"

#include <gtest/gtest.h>
#include <pactdb/ext/store.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "store/sqlite/cursor.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb::sqlite {
namespace {

using support::Folder;

constexpr std::array kLater = {
    MigrationStep{.version = 2,
                  .sql = "CREATE TABLE two (x); INSERT INTO two VALUES (2); "
                         "PRAGMA user_version = 2;"},
    MigrationStep{.version = 3, .sql = "UPDATE two SET x = x + 1; PRAGMA user_version = 3;"}};

std::unique_ptr<Connection> OpenForWriting(const std::string& path) {
  auto connection = Connection::Open(path, {.mode = Connection::Mode::kWrite});
  EXPECT_TRUE(connection.has_value());
  return *std::move(connection);
}

// What a version 0 is: our application_id and no tables.
void MakeVersion0(const std::string& path) {
  sqlite3* file = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &file), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(file, "PRAGMA application_id = 0x50414354; PRAGMA journal_mode = WAL",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(file);
}

std::int64_t VersionIn(Connection& connection) {
  return ReadVersion(connection).value();
}

std::int64_t Two(Connection& connection) {
  Cursor row(connection, "SELECT x FROM two");
  return row.Step().value() ? row.Int(0) : -1;
}

TEST(Migrate, UpgradesAFileOfVersion0) {
  const Folder folder;
  for (const StoreAccess access : {StoreAccess::kRead, StoreAccess::kWrite}) {
    MakeVersion0(folder.path("a"));
    EXPECT_EQ(support::OpenOrFail(folder.path("a"), access)->ListContexts()->size(), 0);
    {
      const auto store = support::OpenOrFail(folder.path("a"), StoreAccess::kWrite);
      ASSERT_TRUE(store->CreateContext("main", {}, "{}").has_value());
    }
    EXPECT_EQ(support::OpenOrFail(folder.path("a"), access)->ListContexts()->size(), 1);
    std::filesystem::remove(folder.path("a"));
  }
}

TEST(Migrate, RunsEachStepOnce) {
  const Folder folder;
  support::MakeSample(folder.path("a"), 2);
  for (int i = 0; i < 2; ++i) {
    const auto connection = OpenForWriting(folder.path("a"));
    ASSERT_TRUE(Migrate(*connection, kLater).has_value());
    EXPECT_EQ(VersionIn(*connection), 3);
    EXPECT_EQ(Two(*connection), 3);
  }
  const auto store = OpenSqliteStore(folder.path("a"), StoreAccess::kWrite);
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code(), ErrorCode::kStoreVersion);
}

TEST(Migrate, AStepThatFailsLeavesTheVersionBefore) {
  const Folder folder;
  support::MakeSample(folder.path("a"), 2);
  constexpr std::array kBroken = {
      kLater[0], MigrationStep{.version = 3, .sql = "UPDATE two SET x = 9; SELECT * FROM none;"}};
  const auto connection = OpenForWriting(folder.path("a"));
  EXPECT_FALSE(Migrate(*connection, kBroken).has_value());
  EXPECT_EQ(VersionIn(*connection), 2);
  EXPECT_EQ(Two(*connection), 2);
}

TEST(Migrate, KilledAtAnyStepTheFileIsAtOneVersionOrTheNext) {
  const Folder folder;
  // Killed from inside a statement of the step: `kill` is a function that does it.
  constexpr std::array kKilling = {kLater[0],
                                   MigrationStep{.version = 3,
                                                 .sql = "UPDATE two SET x = x + 1; SELECT kill(); "
                                                        "PRAGMA user_version = 3;"}};
  support::MakeSample(folder.path("a"), 2);
  const pid_t pid = fork();
  if (pid == 0) {
    const auto connection = OpenForWriting(folder.path("a"));
    const auto die = [](sqlite3_context*, int, sqlite3_value**) { raise(SIGKILL); };
    sqlite3_create_function(connection->handle(), "kill", 0, SQLITE_UTF8, nullptr, die, nullptr,
                            nullptr);
    static_cast<void>(Migrate(*connection, kKilling));
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto connection = OpenForWriting(folder.path("a"));
  EXPECT_EQ(VersionIn(*connection), 2);
  EXPECT_EQ(Two(*connection), 2);
  ASSERT_TRUE(Migrate(*connection, kLater).has_value());
  EXPECT_EQ(VersionIn(*connection), 3);
  EXPECT_EQ(Two(*connection), 3);
}

}  // namespace
}  // namespace pactdb::sqlite
