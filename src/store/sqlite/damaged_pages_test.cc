// Damage of whole pages, where SQLite keeps its trees and its list of free pages: whoever follows
// them comes to an end, and Verify says so.
#include <gtest/gtest.h>
#include <pactdb/ext/store.h>
#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb {
namespace {

using enum StoreAccess;
using support::Folder;
using support::MakeFull;
using support::MakeSample;
using support::OpenOrFail;

// A page of a file, from 1; where a list of free pages begins, and the number at `at`.
constexpr std::size_t kPage = 4096;

std::size_t NumberAt(const std::string& bytes, std::size_t at) {
  std::size_t number = 0;
  for (const char byte : bytes.substr(at, 4))
    number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

void PutNumber(std::string& bytes, std::size_t at, std::size_t number) {
  for (std::size_t i = 0; i < 4; ++i)
    bytes[at + i] = static_cast<char>(number >> (24 - 8 * i) & 0xff);
}

// Says of the pages below a page that they end `by` numbers later than they do. `at` is where the
// page begins, one above the leaves of the commits of context 1; the first byte of a number that is
// kept in five has its upper bits.
void MoveEnd(std::string& bytes, std::size_t at, std::size_t cell, std::size_t byte, int by) {
  const std::size_t pointer = at + 12 + 2 * cell;
  const std::size_t number = at + (NumberAt(bytes, pointer) >> 16) + 4;
  ASSERT_EQ(bytes.substr(number, 3), "\x90\x80\x80");
  bytes[number + byte] = static_cast<char>(bytes[number + byte] + by);
}

// Where the first page of a table begins.
std::size_t RootOf(const std::string& path, const std::string& table) {
  std::size_t page = 0;
  sqlite3* file = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &file), SQLITE_OK);
  const auto read = [](void* answer, int, char** values, char**) {
    *static_cast<std::size_t*>(answer) = std::stoul(values[0]);
    return 0;
  };
  const std::string statement = "SELECT rootpage FROM sqlite_schema WHERE name = '" + table + "'";
  EXPECT_EQ(sqlite3_exec(file, statement.c_str(), read, &page, nullptr), SQLITE_OK);
  sqlite3_close(file);
  return (page - 1) * kPage;
}

// A page that leads to rows before those that are looked for, found by a fuzzer: whoever goes on
// behind them comes back to them.
TEST(SqliteDamagedPages, RowsOutOfOrderAreNotLookedForForEver) {
  const Folder folder;
  MakeSample(folder.path("a"), 100);
  std::string bytes = support::ReadFile(folder.path("a"));
  const std::size_t above = RootOf(folder.path("a"), "commits");
  ASSERT_EQ(bytes[above], 5);
  const std::size_t leaves = NumberAt(bytes, above + 3) >> 16;
  ASSERT_GT(leaves, 1u);
  std::string later = bytes;
  MoveEnd(later, above, 0, 4, 10);
  support::WriteFile(folder.path("later"), later);
  for (std::int64_t cycle = 1; cycle <= 100; ++cycle) {
    const auto found = OpenOrFail(folder.path("later"), kRead)->FindCycle(1, cycle);
    if (found) {
      EXPECT_EQ(found->value().cycle, cycle);
    } else {
      EXPECT_EQ(found.error().message(), "the commits of context 1 are out of order");
    }
  }
  // All of them end in context 3.
  for (std::size_t i = 0; i < leaves; ++i) MoveEnd(bytes, above, i, 0, 0x20);
  support::WriteFile(folder.path("a"), bytes);
  const auto problems = OpenOrFail(folder.path("a"), kRead)->Verify({});
  EXPECT_EQ(problems->back().what, "the commits");
  EXPECT_EQ(problems->back().message, "they are out of order");
}

// A page that leads to one page, hundreds of times, to whatever key.
std::string PageOver(std::size_t child) {
  constexpr std::size_t kCell = 4 + 9;
  constexpr std::size_t kCells = (kPage - 12) / (kCell + 2);
  std::string page(kPage, '\xff');
  PutNumber(page, 0, 0x05000000);
  PutNumber(page, 3, kCells << 16 | (kPage - kCells * kCell));
  PutNumber(page, 7, 0);
  PutNumber(page, 8, child);
  for (std::size_t i = 0; i < kCells; ++i) {
    const std::size_t cell = kPage - (i + 1) * kCell;
    PutNumber(page, cell, child);
    page[cell + 4] = '\xbf';  // about 2^62
    page[12 + 2 * i] = static_cast<char>(cell >> 8);
    page[13 + 2 * i] = static_cast<char>(cell & 0xff);
  }
  return page;
}

// Puts three such pages above the only one of a table: it has each row some ten million times.
void Multiply(const std::string& path, const std::string& table) {
  std::string bytes = support::ReadFile(path);
  const std::size_t root = RootOf(path, table);
  ASSERT_EQ(bytes[root], 13);
  bytes += bytes.substr(root, kPage);
  for (int i = 0; i < 2; ++i) bytes += PageOver(bytes.size() / kPage);
  bytes.replace(root, kPage, PageOver(bytes.size() / kPage));
  PutNumber(bytes, 28, bytes.size() / kPage);
  support::WriteFile(path, bytes);
}

TEST(SqliteDamagedPages, PagesThatAreUsedAgainAndAgainTakeNoTime) {
  const Folder folder;
  constexpr std::string_view kUsedAgain = "pages of the file are used more than once";
  MakeFull(folder.path("contents"));
  Multiply(folder.path("contents"), "contents");
  auto store = OpenOrFail(folder.path("contents"), kRead);
  EXPECT_EQ(store->Stats().error().message(), kUsedAgain);
  std::uint64_t visits = 0;
  const Status status =
      store->VisitContents([&](const ContentHash256&, std::uint64_t) { ++visits; });
  EXPECT_EQ(status.error().message(), kUsedAgain);
  EXPECT_LT(visits, 1'000'000u);
  EXPECT_FALSE(store->Verify({})->empty());
  MakeFull(folder.path("commits"));
  Multiply(folder.path("commits"), "commits");
  store = OpenOrFail(folder.path("commits"), kRead);
  EXPECT_EQ(store->ListRecords().error().message(), "the commits of context 1 are out of order");
  const auto problems = store->Verify({});
  EXPECT_TRUE(std::ranges::any_of(*problems, [](const StoreProblem& problem) {
    return problem.what == "the commits of 'main'" && problem.message == "they are out of order";
  }));
}

// Pages that are free and not free at once are given to the next commits, over what is there.
TEST(SqliteDamagedPages, VerifyLooksAtTheFreePages) {
  const Folder folder;
  MakeSample(folder.path("good"), 500);
  {
    const auto store = OpenOrFail(folder.path("good"), kWrite);
    RetireRequest request;
    request.snapshots = {{1, {1, 400}}};
    for (CommitNumber n = 1; n <= 400; ++n) request.deleted.push_back({1, n});
    ASSERT_TRUE(store->Retire(request).has_value());
    EXPECT_EQ(store->Verify({})->size(), 0);
  }
  EXPECT_EQ(OpenOrFail(folder.path("good"), kRead)->Verify({})->size(), 0);
  const std::string good = support::ReadFile(folder.path("good"));
  const std::size_t trunk = (NumberAt(good, 32) - 1) * kPage;
  ASSERT_GT(NumberAt(good, trunk + 4), 2u);
  const std::vector<std::pair<std::size_t, std::size_t>> changes = {
      {trunk + 8, 3},                              // a page of a table
      {trunk + 8, NumberAt(good, trunk + 12)},     // a page that is in the list already
      {trunk + 8, good.size() / kPage + 1},        // no page
      {trunk, 2},                                  // the list goes on in a table
      {trunk + 4, NumberAt(good, trunk + 4) - 1},  // a page that is nowhere
      {32, 3},                                     // the list begins in a table
      {36, NumberAt(good, 36) + 1}};
  for (const auto& [at, number] : changes) {
    std::string bad = good;
    PutNumber(bad, at, number);
    support::WriteFile(folder.path("bad"), bad);
    const auto problems = OpenOrFail(folder.path("bad"), kRead)->Verify({});
    ASSERT_TRUE(problems.has_value());
    ASSERT_FALSE(problems->empty()) << at << " " << number;
    EXPECT_EQ(problems->front().what, "the pages") << at << " " << number;
    EXPECT_EQ(support::ReadFile(folder.path("bad")), bad);
  }
}

TEST(SqlitePages, AreReportedOneByOneAndNotAll) {
  const Folder folder;
  MakeSample(folder.path("a"), 500);
  std::string bytes = support::ReadFile(folder.path("a"));
  const std::size_t pages = bytes.size() / kPage;
  ASSERT_GT(pages, 40u);
  for (std::size_t page = 20; page < pages; ++page) bytes.replace(page * kPage, kPage, kPage, '\0');
  support::WriteFile(folder.path("a"), bytes);
  const auto problems = OpenOrFail(folder.path("a"), kRead)->Verify({});
  ASSERT_TRUE(problems.has_value());
  std::vector<std::string> found;
  for (const StoreProblem& problem : *problems) {
    if (problem.what == "the pages") found.push_back(problem.message);
  }
  ASSERT_EQ(found.size(), 11u);
  EXPECT_TRUE(found.back().starts_with("and ")) << found.back();
  EXPECT_TRUE(found.back().ends_with(" or more problems like these")) << found.back();
  for (const std::string& line : found) {
    EXPECT_FALSE(line.contains('\n')) << line;
    EXPECT_FALSE(line.starts_with("***")) << line;
  }
}

}  // namespace
}  // namespace pactdb
