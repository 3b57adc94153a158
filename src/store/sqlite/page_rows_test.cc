// Rows read from bare pages: what SQLite would write is read, what makes no sense is not.
#include "store/sqlite/page_rows.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>
#include <set>

#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb::sqlite {
namespace {

using namespace std::string_literals;

TEST(PageRows, ReadsNumbersOfEverySize) {
  // Serial types 1 to 6 have 1, 2, 3, 4, 6 and 8 bytes; 8 and 9 are the numbers 0 and 1.
  const std::string payload = "\x0a\x01\x02\x03\x04\x05\x06\x08\x09\x00"s + "\xff"s + "\x01\x00"s +
                              "\xff\x00\x00"s + "\x7f\xff\xff\xff"s + "\x00\x00\x00\x01\x00\x00"s +
                              "\xff\xff\xff\xff\xff\xff\xff\xfe"s;
  const RawRow row{.id = 1, .values = ParseRow(payload)};
  ASSERT_EQ(row.values.size(), 9);
  const std::vector<std::int64_t> wanted = {-1, 256, -65536, 0x7fffffff, 65536, -2, 0, 1};
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(row.Int(i), wanted[i]) << i;
  EXPECT_TRUE(row.IsNull(8));
  EXPECT_FALSE(row.IsNull(6));
}

TEST(PageRows, ReadsTextsAndBlobsAndNothingElseAsBytes) {
  const std::string payload = "\x04\x11\x10\x01"s + "ab12\x05";
  const RawRow row{.id = 1, .values = ParseRow(payload)};
  ASSERT_EQ(row.values.size(), 3);
  EXPECT_EQ(row.Bytes(0), "ab");
  EXPECT_EQ(row.Bytes(1), "12");
  EXPECT_EQ(row.Bytes(2), "");
  EXPECT_EQ(row.Int(0), 0);
  EXPECT_EQ(row.Int(2), 5);
}

TEST(PageRows, AColumnThatIsNotThereIsNothing) {
  const RawRow row{.id = 1, .values = ParseRow("\x02\x09")};
  ASSERT_EQ(row.values.size(), 1);
  EXPECT_EQ(row.Int(1), 0);
  EXPECT_EQ(row.Bytes(1), "");
  EXPECT_TRUE(row.IsNull(1));
}

TEST(PageRows, WhatMakesNoSenseHasNoColumns) {
  EXPECT_TRUE(ParseRow("").empty());
  // A number that does not end.
  EXPECT_TRUE(ParseRow("\x81"s).empty());
  // A header longer than the row, and one shorter than its own size.
  EXPECT_TRUE(ParseRow("\x09\x01\x01"s).empty());
  EXPECT_TRUE(ParseRow("\x00\x01\x01"s).empty());
  // A type that does not end, one that is not ours (a fraction), and one that SQLite does not have.
  EXPECT_TRUE(ParseRow("\x02\x81"s).empty());
  EXPECT_TRUE(ParseRow("\x02\x07\x00\x00\x00\x00\x00\x00\x00\x00"s).empty());
  EXPECT_TRUE(ParseRow("\x02\x0a"s).empty());
  // A value that is cut; a type of nine bytes says that it is longer than any.
  EXPECT_TRUE(ParseRow("\x02\x06\x00\x00"s).empty());
  EXPECT_TRUE(ParseRow("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff"s).empty());
  // More columns than a table of ours has.
  EXPECT_EQ(ParseRow("\x11"s + std::string(16, '\x08')).size(), 16);
  EXPECT_TRUE(ParseRow("\x12"s + std::string(17, '\x08')).empty());
}

// A number of the format, as 5 bytes of 7 bits.
std::string Varint(std::uint64_t value) {
  std::string bytes;
  for (int shift = 28; shift >= 0; shift -= 7)
    bytes += static_cast<char>((value >> shift & 0x7f) | (shift == 0 ? 0 : 0x80));
  return bytes;
}

// Two pages behind a file: a leaf with one row that goes on in the second, which follows itself.
std::string PagesWithCircle(std::uint64_t payload_bytes, char circle) {
  constexpr std::size_t kLocal = 489;  // of a row of 489 + n * 4,092 bytes
  std::string cell = Varint(payload_bytes) + "\x4d" + "\x02\x09";
  cell.resize(5 + 1 + kLocal);
  cell += "\0\0\0"s + circle;
  std::string leaf = "\x0d\0\0\0\x01\0\0\0\0\x0a"s + cell;
  leaf.resize(kPageBytes);
  std::string second = "\0\0\0"s + circle;
  second.resize(kPageBytes);
  return leaf + second;
}

TEST(PageRows, ARowIsNoLongerThanTheFile) {
  const support::Folder folder;
  support::MakeSample(folder.path("a"), 1);
  const std::string bytes = support::ReadFile(folder.path("a"));
  const std::size_t pages = bytes.size() / kPageBytes + 2;
  ASSERT_LT(pages, 128);
  for (const std::uint64_t overflow : {std::uint64_t{1}, std::uint64_t{pages} + 1}) {
    support::WriteFile(folder.path("b"),
                       bytes + PagesWithCircle(489 + overflow * 4092, static_cast<char>(pages)));
    const auto copy =
        SalvageCopy::Make(folder.path("b"), folder.path("copy"), folder.path("fresh")).value();
    bool is_found = false;
    ForEachPageRow(*copy, [&](const RawRow& row) { is_found = is_found || row.id == 0x4d; }, {});
    EXPECT_EQ(is_found, overflow < pages) << overflow;
  }
}

TEST(PageRows, ARowThatItsPageCutsIsNotRead) {
  const support::Folder folder;
  support::MakeSample(folder.path("a"), 1);
  const std::string bytes = support::ReadFile(folder.path("a"));
  const std::size_t pages = bytes.size() / kPageBytes + 2;
  const std::string whole = PagesWithCircle(489 + 4092, static_cast<char>(pages));
  constexpr std::size_t kCellAt = 10;
  constexpr std::size_t kCellBytes = 5 + 1 + 489 + 4;
  for (const std::size_t missing : {0, 1, 4, 5, 8, 400}) {
    // The cell at the end of its page, without its last bytes.
    std::string leaf = whole.substr(0, kPageBytes);
    const std::string cell = leaf.substr(kCellAt, kCellBytes - missing);
    const std::size_t at = kPageBytes - cell.size();
    leaf.replace(at, cell.size(), cell);
    leaf[8] = static_cast<char>(at >> 8);
    leaf[9] = static_cast<char>(at & 0xff);
    support::WriteFile(folder.path("b"), bytes + leaf + whole.substr(kPageBytes));
    const auto copy =
        SalvageCopy::Make(folder.path("b"), folder.path("copy"), folder.path("fresh")).value();
    bool is_found = false;
    ForEachPageRow(*copy, [&](const RawRow& row) { is_found = is_found || row.id == 0x4d; }, {});
    EXPECT_EQ(is_found, missing == 0) << missing;
  }
}

TEST(PageRows, ARowThatAPageHasTwiceIsReadOnce) {
  const support::Folder folder;
  support::MakeSample(folder.path("a"), 1);
  const std::string bytes = support::ReadFile(folder.path("a"));
  // Three pointers to a cell behind them.
  std::string leaf = "\x0d\0\0\0\x03\0\0\0\0\x20\0\x20\0\x20"s;
  leaf.resize(0x20);
  leaf += "\x02\x4d\x02\x09"s;
  leaf.resize(kPageBytes);
  support::WriteFile(folder.path("b"), bytes + leaf);
  const auto copy =
      SalvageCopy::Make(folder.path("b"), folder.path("copy"), folder.path("fresh")).value();
  int found = 0;
  ForEachPageRow(*copy, [&](const RawRow& row) { found += row.id == 0x4d ? 1 : 0; }, {});
  EXPECT_EQ(found, 1);
}

// Of a file of some hundred pages each of a hundred rows would be as long as all of it.
TEST(PageRows, RowsThatShareTheirPagesDoNotMultiplyTheWork) {
  const support::Folder folder;
  support::MakeSample(folder.path("a"), 1);
  std::string bytes = support::ReadFile(folder.path("a"));
  constexpr std::size_t kRows = 100;
  const std::size_t pages = bytes.size() / kPageBytes + kRows + 1;
  ASSERT_LT(pages, 256);
  const std::string whole = PagesWithCircle(489 + (pages - 1) * 4092, static_cast<char>(pages));
  for (std::size_t i = 0; i < kRows; ++i) bytes += whole.substr(0, kPageBytes);
  support::WriteFile(folder.path("b"), bytes + whole.substr(kPageBytes));
  const auto copy =
      SalvageCopy::Make(folder.path("b"), folder.path("copy"), folder.path("fresh")).value();
  int found = 0;
  ForEachPageRow(*copy, [&](const RawRow& row) { found += row.id == 0x4d ? 1 : 0; }, {});
  EXPECT_EQ(found, 16);
}

// What was deleted leaves its bytes, and what pointed to them.
TEST(PageRows, RowsThatThePageDoesNotCountAreNotRead) {
  const support::Folder folder;
  support::MakeSample(folder.path("a"), 1);
  const std::string bytes = support::ReadFile(folder.path("a"));
  const std::size_t pages = bytes.size() / kPageBytes + 2;
  for (const char count : {'\0', '\1'}) {
    std::string more = PagesWithCircle(489 + 4092, static_cast<char>(pages));
    more[4] = count;
    support::WriteFile(folder.path("b"), bytes + more);
    const auto copy =
        SalvageCopy::Make(folder.path("b"), folder.path("copy"), folder.path("fresh")).value();
    bool is_found = false;
    ForEachPageRow(*copy, [&](const RawRow& row) { is_found = is_found || row.id == 0x4d; }, {});
    EXPECT_EQ(is_found, count == 1);
  }
}

// How much of a row lies on its leaf is a formula with edges at these sizes: up to 4,061 bytes the
// whole row does, of longer ones what is left of pages of 4,092 bytes, if that is 489 to 4,061.
TEST(PageRows, RowsOfEveryLengthAreReadAsSqliteWroteThem) {
  constexpr std::size_t kHeaderBytes = 4;
  const support::Folder folder;
  support::MakeSample(folder.path("a"), 1);
  std::map<std::int64_t, std::string> texts;
  std::string statement = "CREATE TABLE probe (id INTEGER PRIMARY KEY, text TEXT);";
  for (const std::size_t edge : {4061, 489 + 4092, 4061 + 4092}) {
    for (const std::size_t size : {edge - 1, edge, edge + 1}) {
      std::string text(size - kHeaderBytes, ' ');
      for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
      const auto id = static_cast<std::int64_t>(size);
      statement += "INSERT INTO probe VALUES (" + std::to_string(id) + ", '" + text + "');";
      texts.emplace(id, std::move(text));
    }
  }
  sqlite3* file = nullptr;
  ASSERT_EQ(sqlite3_open(folder.path("a").c_str(), &file), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(file, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(file);
  const auto copy =
      SalvageCopy::Make(folder.path("a"), folder.path("copy"), folder.path("fresh")).value();
  std::map<std::int64_t, std::string> found;
  ForEachPageRow(*copy,
                 [&](const RawRow& row) {
                   if (texts.contains(row.id)) found.emplace(row.id, row.Bytes(1));
                 },
                 {});
  EXPECT_EQ(found, texts);
}

void Execute(const std::string& path, const std::string& statement) {
  sqlite3* file = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &file), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(file, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(file);
}

// Rows of two columns whose second says "probe ..." by id.
std::map<std::int64_t, std::string> ProbesIn(const support::Folder& folder,
                                             const std::string& name) {
  const auto copy =
      SalvageCopy::Make(folder.path(name), folder.path("copy"), folder.path("fresh")).value();
  std::map<std::int64_t, std::string> found;
  ForEachPageRow(*copy,
                 [&](const RawRow& row) {
                   if (row.values.size() == 2 && row.Bytes(1).starts_with("probe"))
                     found.emplace(row.id, row.Bytes(1));
                 },
                 {});
  return found;
}

TEST(PageRows, IdsOfEverySizeAreRead) {
  const support::Folder folder;
  support::MakeSample(folder.path("a"), 1);
  std::map<std::int64_t, std::string> wanted;
  std::string statement = "CREATE TABLE probe (id INTEGER PRIMARY KEY, text TEXT);";
  for (const std::int64_t id :
       {INT64_MIN, INT64_MIN + 1, std::int64_t{-129}, std::int64_t{-1}, std::int64_t{0},
        std::int64_t{1}, std::int64_t{127}, std::int64_t{128}, std::int64_t{16383},
        std::int64_t{16384}, std::int64_t{1} << 32, (std::int64_t{1} << 56) - 1,
        std::int64_t{1} << 56, INT64_MAX}) {
    const std::string text = "probe " + std::to_string(id);
    // The smallest number is no literal.
    statement += "INSERT INTO probe VALUES (" +
                 (id == INT64_MIN ? "-9223372036854775807 - 1" : std::to_string(id)) + ", '" +
                 text + "');";
    wanted.emplace(id, text);
  }
  Execute(folder.path("a"), statement);
  EXPECT_EQ(ProbesIn(folder, "a"), wanted);
}

// The schema lies on page 1, behind the file's own header.
TEST(PageRows, RowsOfTheFirstPageAreRead) {
  const support::Folder folder;
  support::MakeSample(folder.path("a"), 1);
  const auto copy =
      SalvageCopy::Make(folder.path("a"), folder.path("copy"), folder.path("fresh")).value();
  std::set<std::string> tables;
  ForEachPageRow(*copy,
                 [&](const RawRow& row) {
                   if (row.values.size() == 5 && row.Bytes(0) == "table")
                     tables.emplace(row.Bytes(1));
                 },
                 {});
  EXPECT_TRUE(tables.contains("commits"));
  EXPECT_TRUE(tables.contains("contexts"));
}

// Free pages keep what was on them; those that the list names and those that it is made of.
TEST(PageRows, RowsOfFreePagesAreNotRead) {
  const support::Folder folder;
  support::MakeSample(folder.path("a"), 1);
  std::string statement =
      "PRAGMA secure_delete = OFF; CREATE TABLE probe (id INTEGER PRIMARY KEY, "
      "text TEXT);";
  for (int id = 1; id <= 40; ++id) {
    statement += "INSERT INTO probe VALUES (" + std::to_string(id) + ", 'probe " +
                 std::string(1000, 'x') + "');";
  }
  Execute(folder.path("a"), statement);
  EXPECT_EQ(ProbesIn(folder, "a").size(), 40);
  Execute(folder.path("a"), "PRAGMA secure_delete = OFF; DROP TABLE probe");
  const std::string bytes = support::ReadFile(folder.path("a"));
  ASSERT_NE(bytes.find("probe xxx"), std::string::npos);
  EXPECT_TRUE(ProbesIn(folder, "a").empty());
  // A list that leads back to itself ends, and what it named is free all the same.
  const std::size_t trunk = static_cast<unsigned char>(bytes[35]);
  ASSERT_GT(trunk, 1);
  std::string circle = bytes;
  circle.replace((trunk - 1) * kPageBytes, 4, "\0\0\0"s + static_cast<char>(trunk));
  support::WriteFile(folder.path("b"), circle);
  EXPECT_TRUE(ProbesIn(folder, "b").empty());
  // One that leads out of the file ends too, and frees nothing.
  std::string outside = bytes;
  outside.replace(32, 4, "\0\1\0\0"s);
  support::WriteFile(folder.path("b"), outside);
  EXPECT_FALSE(ProbesIn(folder, "b").empty());
}

// One page whose first row is whole: pointers that lead nowhere are passed over.
std::string LeafWithPointers(const std::vector<std::size_t>& pointers, std::size_t count) {
  const std::string cell = "\x08\x4d\x03\x00\x17"s + "probe";
  std::string leaf(kPageBytes, '\0');
  leaf[0] = '\x0d';
  leaf[3] = static_cast<char>(count >> 8);
  leaf[4] = static_cast<char>(count & 0xff);
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    leaf[8 + i * 2] = static_cast<char>(pointers[i] >> 8);
    leaf[9 + i * 2] = static_cast<char>(pointers[i] & 0xff);
  }
  leaf.replace(kPageBytes - cell.size(), cell.size(), cell);
  return leaf;
}

TEST(PageRows, PointersThatLeadOutOfThePageArePassedOver) {
  const support::Folder folder;
  support::MakeSample(folder.path("a"), 1);
  const std::string bytes = support::ReadFile(folder.path("a"));
  constexpr std::size_t kCellAt = kPageBytes - 10;
  const std::map<std::int64_t, std::string> probe = {{0x4d, "probe"}};
  const auto found = [&](const std::vector<std::size_t>& pointers, std::size_t count) {
    support::WriteFile(folder.path("b"), bytes + LeafWithPointers(pointers, count));
    return ProbesIn(folder, "b");
  };
  EXPECT_EQ(found({kCellAt}, 1), probe);
  EXPECT_EQ(found({kPageBytes, 0xffff, kCellAt}, 3), probe);
  EXPECT_EQ(found({kPageBytes - 1, kCellAt}, 2), probe);
  EXPECT_TRUE(found({kCellAt + 1}, 1).empty());
  // More rows than a page has room for pointers.
  EXPECT_EQ(found({kCellAt}, 0xffff), probe);
}

TEST(PageRows, TellsHowFarItIs) {
  const support::Folder folder;
  support::MakeSample(folder.path("a"), 1);
  Execute(folder.path("a"), "CREATE TABLE probe (x); INSERT INTO probe VALUES (zeroblob(3000000))");
  const auto copy =
      SalvageCopy::Make(folder.path("a"), folder.path("copy"), folder.path("fresh")).value();
  const double pages = copy->page_count();
  ASSERT_GE(pages, 512);
  ASSERT_LT(pages, 768);
  std::vector<double> told;
  ForEachPageRow(*copy, [](const RawRow&) {}, [&](double done) { told.push_back(done); });
  EXPECT_EQ(told, (std::vector<double>{256 / pages, 512 / pages}));
}

}  // namespace
}  // namespace pactdb::sqlite
