#include "base/grow_list.h"

#include <gtest/gtest.h>

#include <vector>

namespace pactdb {
namespace {

std::vector<int> Items(const GrowList<int>& list) {
  const auto items = list.items();
  return {items.begin(), items.end()};
}

TEST(GrowList, CostsOnePointerWhileEmpty) {
  const GrowList<int> list;
  EXPECT_EQ(sizeof(list), sizeof(void*));
  EXPECT_TRUE(list.empty());
  EXPECT_TRUE(list.items().empty());
}

TEST(GrowList, KeepsItemsInOrderThroughGrowth) {
  GrowList<int> list;
  std::vector<int> want;
  for (int i = 0; i < 1'000; ++i) {
    list.Append(i);
    want.push_back(i);
    ASSERT_EQ(Items(list), want);
  }
  EXPECT_FALSE(list.empty());
}

TEST(GrowList, LeavesTheBlocksThatReadersHold) {
  GrowList<int> list;
  std::vector<std::span<int>> held;
  for (int i = 0; i < 300; ++i) {
    list.Append(i);
    held.push_back(list.items());
  }
  for (std::size_t n = 0; n < held.size(); ++n) {
    ASSERT_EQ(held[n].size(), n + 1);
    for (std::size_t i = 0; i <= n; ++i) ASSERT_EQ(held[n][i], static_cast<int>(i));
  }
}

TEST(GrowList, TakesBackTheLastItem) {
  GrowList<int> list;
  for (int i = 0; i < 5; ++i) list.Append(i);
  list.RemoveLast();
  list.RemoveLast();
  EXPECT_EQ(Items(list), (std::vector<int>{0, 1, 2}));
  list.Append(7);
  EXPECT_EQ(Items(list), (std::vector<int>{0, 1, 2, 7}));
}

}  // namespace
}  // namespace pactdb
