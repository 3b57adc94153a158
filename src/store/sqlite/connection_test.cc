// What a connection tells SQLite to do: to sync, and to write nothing.
#include "store/sqlite/connection.h"

#include <gtest/gtest.h>

#include "store/sqlite/cursor.h"
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

}  // namespace
}  // namespace pactdb::sqlite
