#include "model/id_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace pactdb {
namespace {

struct Nothing {};

TEST(ShiftTable, GuessesWhatItWasToldAndNothingOfOtherCycles) {
  ShiftTable table;
  EXPECT_EQ(table.Guess(5, 1), std::nullopt);
  EXPECT_TRUE(table.Note(5, 3, 0));
  EXPECT_TRUE(table.Note(1'000'000, MadeId::kIndexMax, 7));
  EXPECT_EQ(table.Guess(5, 3), 0u);
  EXPECT_EQ(table.Guess(5, 9), 6u);
  EXPECT_EQ(table.Guess(1'000'000, MadeId::kIndexMax), 7u);
  EXPECT_EQ(table.Guess(6, 3), std::nullopt);
  EXPECT_EQ(table.Guess(2'000, 3), std::nullopt);
}

TEST(ShiftTable, RefusesWhatItCouldNotSay) {
  ShiftTable table;
  ASSERT_TRUE(table.Note(5, 1, 10));
  EXPECT_TRUE(table.Note(5, 4, 13));
  EXPECT_FALSE(table.Note(5, 5, 13));
  EXPECT_EQ(table.Guess(5, 5), 14u);
  EXPECT_FALSE(table.Note(MadeId::kCycleMax, 1, 1));
  EXPECT_FALSE(table.Note(6, 0, UINT32_MAX));
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
    ASSERT_EQ(table.Find(WantedId(id)), number) << id;
    ASSERT_EQ(table.text(number), id);
    const auto pack = [](const MadeId& made) { return made.Pack(); };
    ASSERT_EQ(table.made(number).transform(pack), MadeId::Parse(id).transform(pack)) << id;
  }
  EXPECT_EQ(table.Find(WantedId("block:900000.1")), std::nullopt);
  EXPECT_EQ(table.Find(WantedId("seg:900000")), std::nullopt);
  EXPECT_EQ(table.Find(WantedId("nobody")), std::nullopt);
}

// A document may say anything; what it says must not cost the ids that the engine makes later.
TEST(IdTable, KeepsMadeIdsSmallWhateverCameBefore) {
  IdTable<Nothing> table;
  table.Intern("block:60000000000.1", 3);
  const std::size_t before = table.allocated_bytes();
  for (int i = 0; i < 2'000; ++i) table.Intern("block:4." + std::to_string(i), 4);
  EXPECT_LT(table.allocated_bytes() - before, 2'000 * 20);
}

}  // namespace
}  // namespace pactdb
