#include "model/id_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace pactdb {
namespace {

struct Nothing {};

TEST(RunTable, FindsKeysBetweenGaps) {
  RunTable table;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> want;
  std::mt19937 random(5);
  std::uint64_t cycle = 3;
  std::uint32_t index = 0;
  std::uint32_t number = 0;
  for (int i = 0; i < 2'000; ++i) {
    if (random() % 5 == 0) {
      cycle += 1 + (random() % 40 == 0 ? random() % 100'000 : random() % 3);
      index = static_cast<std::uint32_t>(random() % 3);
    }
    ASSERT_TRUE(table.IsNext(cycle, index));
    table.Append(cycle, index, number);
    want[{cycle, index}] = number;
    index += random() % 4 == 0 ? 2 : 1;
    number += random() % 6 == 0 ? 2 : 1;
  }
  for (const auto& [key, found] : want) {
    for (std::uint64_t c = key.first - 1; c <= key.first + 1; ++c) {
      for (std::uint32_t i = key.second == 0 ? 0 : key.second - 1; i <= key.second + 1; ++i) {
        const auto at = want.find({c, i});
        const auto expected =
            at == want.end() ? std::nullopt : std::optional<std::uint32_t>(at->second);
        ASSERT_EQ(table.Find(c, i), expected) << c << "." << i;
      }
    }
  }
}

TEST(RunTable, TakesAscendingKeysAlone) {
  RunTable table;
  table.Append(5, 1, 0);
  table.Append(5, 2, 1);
  EXPECT_FALSE(table.IsNext(5, 2));
  EXPECT_FALSE(table.IsNext(5, 0));
  EXPECT_FALSE(table.IsNext(4, 9));
  EXPECT_TRUE(table.IsNext(5, 3));
  EXPECT_TRUE(table.IsNext(6, 0));
}

// Made ids in order and out of order, of a wrong cycle, of two types at one place, and any text.
TEST(IdTable, GivesEveryIdOneNumberAndItsText) {
  IdTable<Nothing> table;
  std::map<std::string, std::uint32_t> want;
  std::mt19937 random(9);
  const char* const types[] = {"block", "cont", "cb", "mc"};
  for (int i = 0; i < 20'000; ++i) {
    std::int64_t cycle = 1 + i / 40;
    std::string id;
    switch (random() % 6) {
      case 0:
        id = "seg:" + std::to_string(cycle);
        break;
      case 1:
        id = "note " + std::to_string(random() % 5'000);
        break;
      case 2:
        id = "block:" + std::to_string(random() % 600) + "." + std::to_string(random() % 50);
        break;
      default:
        id = std::string(types[random() % 4]) + ":" + std::to_string(cycle) + "." +
             std::to_string(i % 40);
    }
    if (random() % 20 == 0) cycle = -1;
    const std::uint32_t number = table.Intern(id, cycle);
    const auto [at, is_new] = want.emplace(id, number);
    ASSERT_EQ(at->second, number) << id;
    ASSERT_TRUE(!is_new || number + 1 == table.size()) << id;
  }
  for (const auto& [id, number] : want) {
    ASSERT_EQ(table.Find(id), number) << id;
    ASSERT_EQ(table.text(number), id);
  }
  EXPECT_EQ(table.Find("block:900000.1"), std::nullopt);
  EXPECT_EQ(table.Find("seg:900000"), std::nullopt);
  EXPECT_EQ(table.Find("nobody"), std::nullopt);
}

// A document may say anything; what it says must not cost the ids that the engine makes later.
TEST(IdTable, KeepsMadeIdsSmallWhateverCameBefore) {
  IdTable<Nothing> table;
  table.Intern("block:60000000000.1", 3);
  const std::size_t before = table.allocated_bytes();
  for (int i = 0; i < 1'000; ++i) table.Intern("block:4." + std::to_string(i), 4);
  EXPECT_LT(table.allocated_bytes() - before, 1'000 * 20);
}

}  // namespace
}  // namespace pactdb
