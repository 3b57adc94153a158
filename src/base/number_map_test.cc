#include "base/number_map.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "support/random.h"

namespace pactdb {
namespace {

TEST(NumberMap, HoldsNothingAtFirst) {
  const NumberMap<int*> map;
  EXPECT_EQ(map.size(), 0u);
  EXPECT_FALSE(map.Contains(0));
  map.ForEach([](std::uint32_t, int*) { FAIL(); });
}

TEST(NumberMap, TellsNullFromAbsent) {
  int value = 0;
  NumberMap<int*> map;
  map.Set(7, &value);
  map.Set(8, nullptr);
  ASSERT_NE(map.Find(8), nullptr);
  EXPECT_EQ(map.Find(8)->value, nullptr);
  EXPECT_EQ(map.Find(9), nullptr);
  map.Set(7, nullptr);
  EXPECT_EQ(map.Find(7)->value, nullptr);
  EXPECT_EQ(map.size(), 2u);
}

TEST(NumberMap, AgreesWithAMap) {
  support::Random random(5);
  std::vector<int> values(64);
  NumberMap<int*> map;
  std::map<std::uint32_t, int*> want;
  for (int i = 0; i < 50'000; ++i) {
    // Dense, sparse and the largest numbers.
    const auto number =
        static_cast<std::uint32_t>(random.Chance(40)   ? random.Below(500)
                                   : random.Chance(50) ? random.Below(UINT32_MAX)
                                                       : UINT32_MAX - 1 - random.Below(500));
    int* value = random.Chance(10) ? nullptr : &values[random.Below(values.size())];
    map.Set(number, value);
    want[number] = value;
  }
  ASSERT_EQ(map.size(), want.size());
  for (const auto& [number, value] : want) {
    ASSERT_NE(map.Find(number), nullptr) << number;
    ASSERT_EQ(map.Find(number)->value, value) << number;
  }
  std::map<std::uint32_t, int*> seen;
  map.ForEach([&seen](std::uint32_t number, int* value) { seen[number] = value; });
  EXPECT_EQ(seen, want);
}

TEST(NumberMap, CopiesGoTheirOwnWays) {
  int value = 0;
  NumberMap<int*> map;
  map.Set(1, &value);
  NumberMap<int*> copy = map;
  copy.Set(1, nullptr);
  copy.Set(2, &value);
  EXPECT_EQ(map.Find(1)->value, &value);
  EXPECT_FALSE(map.Contains(2));
}

TEST(NumberMap, ReserveKeepsWhatIsThere) {
  int value = 0;
  NumberMap<int*> map;
  for (std::uint32_t i = 0; i < 10; ++i) map.Set(i, &value);
  map.Reserve(1'000);
  for (std::uint32_t i = 0; i < 1'000; ++i) EXPECT_EQ(map.Contains(i), i < 10) << i;
}

}  // namespace
}  // namespace pactdb
