// What a connection tells SQLite to do: to sync, and to write nothing.
#include "store/sqlite/connection.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "store/sqlite/cursor.h"
#include "support/error_text.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb::sqlite {
namespace {

using support::Folder;
using support::MakeSample;

std::unique_ptr<Connection> OpenSample(const Folder& folder, Connection::Mode mode) {
  MakeSample(folder.path("a"), 1);
  return Connection::Open(folder.path("a"), {.mode = mode}).value();
}

// 1: a transaction is in the log when it is committed; 2: and the log is on the disk.
std::int64_t SynchronousIn(Connection& connection, Durability durability) {
  const Transaction transaction = Transaction::Begin(connection, durability).value();
  Cursor row(connection, "PRAGMA synchronous");
  EXPECT_TRUE(row.Step().value());
  return row.Int(0);
}

TEST(SqliteConnection, SyncsEachTransactionAsItWasAskedTo) {
  const Folder folder;
  const auto connection = OpenSample(folder, Connection::Mode::kWrite);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(SynchronousIn(*connection, Durability::kFull), 2);
    EXPECT_EQ(SynchronousIn(*connection, Durability::kFull), 2);
    EXPECT_EQ(SynchronousIn(*connection, Durability::kRelaxed), 1);
    EXPECT_EQ(SynchronousIn(*connection, Durability::kRelaxed), 1);
  }
}

TEST(SqliteConnection, AReaderMakesNotEvenTemporaryTables) {
  const Folder folder;
  const auto connection = OpenSample(folder, Connection::Mode::kRead);
  EXPECT_FALSE(connection->Run("CREATE TEMP TABLE t (a)").has_value());
  EXPECT_EQ(connection->Writable().error().code(), ErrorCode::kStoreReadonly);
}

// Whoever may not write the file would leave a memory that those who may cannot use.
TEST(SqliteConnection, AForeignReaderMakesNoSharedMemory) {
  const Folder folder;
  const std::string path = folder.path("b");
  MakeSample(folder.path("a"), 1);
  {
    const auto writer = support::OpenOrFail(folder.path("a"), StoreAccess::kWrite);
    ASSERT_TRUE(support::AppendSample(*writer, 1, 2).has_value());
    support::WriteFile(path, support::ReadFile(folder.path("a")));
    support::WriteFile(path + "-wal", support::ReadFile(folder.path("a-wal")));
  }
  const auto reads = [&path](Connection::Mode mode) {
    const auto connection = Connection::Open(path, {.mode = mode});
    if (!connection) return false;
    Cursor row(**connection, "SELECT count(*) FROM commits");
    const auto found = row.Step();
    return found.has_value() && *found && row.Int(0) == 2;
  };
  reads(Connection::Mode::kReadForeign);
  EXPECT_FALSE(std::filesystem::exists(path + "-shm"));
  EXPECT_TRUE(reads(Connection::Mode::kRead));
  EXPECT_TRUE(std::filesystem::exists(path + "-shm")) << "of one who may write it";
  EXPECT_TRUE(reads(Connection::Mode::kReadForeign)) << "beside one it finds";
}

// Between commits it goes on reading, and then SQLite by itself would wait for nobody.
TEST(SqliteConnection, WaitsForWhoeverHasTheLogForAMoment) {
  const Folder folder;
  MakeSample(folder.path("a"), 1);
  const auto store = support::OpenOrFail(folder.path("a"), StoreAccess::kWrite);
  ASSERT_TRUE(support::AppendSample(*store, 1, 2).has_value());
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(folder.path("a").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  std::thread leaver([other] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  });
  EXPECT_EQ(support::ErrorText(support::AppendSample(*store, 1, 3)), "ok");
  leaver.join();
  sqlite3_close(other);
}

TEST(SqliteConnection, ReadsFilesWhateverTheirNamesAre) {
  const Folder folder;
  for (const std::string_view name :
       {"a b", "100%", "a?immutable=0", "#1", "\xc3\xa4", "~a-._Z9"}) {
    MakeSample(folder.path(name), 3);
    for (const auto mode : {Connection::Mode::kReadForeign, Connection::Mode::kReadImmutable}) {
      const auto connection = Connection::Open(folder.path(name), {.mode = mode});
      ASSERT_TRUE(connection.has_value()) << name;
      Cursor row(**connection, "SELECT count(*) FROM commits");
      EXPECT_TRUE(row.Step().value()) << name;
      EXPECT_EQ(row.Int(0), 3) << name;
    }
  }
}

}  // namespace
}  // namespace pactdb::sqlite
