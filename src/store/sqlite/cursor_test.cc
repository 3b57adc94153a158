#include "store/sqlite/cursor.h"

#include <gtest/gtest.h>

#include "support/error_text.h"

namespace pactdb::sqlite {
namespace {

std::unique_ptr<Connection> OpenMemory() {
  return Connection::Open(":memory:", {.mode = Connection::Mode::kCreate}).value();
}

TEST(Cursor, BindsValuesInTheirOrder) {
  const auto connection = OpenMemory();
  Cursor row(*connection, "SELECT ?, ?, ?, ?, ?");
  row.Bind(std::int64_t{-7}).Bind(std::string_view("t\0x", 3)).BindBlob("\xff");
  row.Bind(std::optional<std::int64_t>()).Bind(std::optional<std::int64_t>(5));
  ASSERT_EQ(row.Step(), true);
  EXPECT_EQ(row.Int(0), -7);
  EXPECT_EQ(row.Text(1), std::string_view("t\0x", 3));
  EXPECT_EQ(row.Blob(2), "\xff");
  EXPECT_EQ(row.OptionalInt(3), std::nullopt);
  EXPECT_EQ(row.OptionalInt(4), 5);
  EXPECT_EQ(row.Text(3), "");
  EXPECT_EQ(row.Blob(3), "");
  EXPECT_EQ(row.Step(), false);
}

// A view of nothing is an empty text, not NULL.
TEST(Cursor, BindsEmptyTextsAndBlobs) {
  const auto connection = OpenMemory();
  Cursor row(*connection, "SELECT typeof(?), typeof(?), typeof(?)");
  row.Bind(std::string_view()).BindBlob(std::string_view()).Bind(std::optional<std::int64_t>());
  ASSERT_EQ(row.Step(), true);
  EXPECT_EQ(row.Text(0), "text");
  EXPECT_EQ(row.Text(1), "blob");
  EXPECT_EQ(row.Text(2), "null");
}

TEST(Cursor, ForgetsWhatWasBoundBefore) {
  const auto connection = OpenMemory();
  for (const bool binds : {true, false}) {
    Cursor row(*connection, "SELECT typeof(?)");
    if (binds) row.Bind(std::int64_t{1});
    ASSERT_EQ(row.Step(), true);
    EXPECT_EQ(row.Text(0), binds ? "integer" : "null");
  }
}

TEST(Cursor, KeepsTheFirstError) {
  const auto connection = OpenMemory();
  Cursor unknown(*connection, "SELECT * FROM none");
  unknown.Bind(std::int64_t{1}).Bind("x").BindBlob("y");
  EXPECT_FALSE(unknown.Step().has_value());
  EXPECT_FALSE(unknown.Finish().has_value());
  Cursor many(*connection, "SELECT ?");
  many.Bind(std::int64_t{1}).Bind(std::int64_t{2});
  const auto first = many.Step();
  ASSERT_FALSE(first.has_value());
  EXPECT_EQ(support::ErrorText(many.Step()), support::ErrorText(first));
}

}  // namespace
}  // namespace pactdb::sqlite
