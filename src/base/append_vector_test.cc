#include "base/append_vector.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace pactdb {
namespace {

TEST(AppendVector, KeepsEveryElementInOrder) {
  AppendVector<std::size_t> numbers;
  EXPECT_TRUE(numbers.empty());
  for (std::size_t i = 0; i < 100'000; ++i) {
    ASSERT_EQ(numbers.size(), i);
    EXPECT_EQ(numbers.emplace_back(i * i), i * i);
  }
  EXPECT_FALSE(numbers.empty());
  for (std::size_t i = 0; i < 100'000; ++i) ASSERT_EQ(numbers[i], i * i);
}

TEST(AppendVector, NeverMovesAnElement) {
  AppendVector<std::string> texts;
  std::vector<const std::string*> places;
  for (int i = 0; i < 5'000; ++i) places.push_back(&texts.emplace_back(std::to_string(i)));
  for (std::size_t i = 0; i < places.size(); ++i) {
    ASSERT_EQ(&texts[i], places[i]);
    ASSERT_EQ(*places[i], std::to_string(i));
  }
}

TEST(AppendVector, DestroysEachElementOnce) {
  const auto witness = std::make_shared<int>(0);
  {
    AppendVector<std::shared_ptr<int>> holders;
    for (int i = 0; i < 40; ++i) holders.emplace_back(witness);
    EXPECT_EQ(witness.use_count(), 41);
    holders.pop_back();
    EXPECT_EQ(witness.use_count(), 40);
    EXPECT_EQ(holders.size(), 39u);
  }
  EXPECT_EQ(witness.use_count(), 1);
}

TEST(AppendVector, TakesBackOverAnEndOfASegment) {
  AppendVector<int> numbers;
  for (int i = 0; i < 17; ++i) numbers.emplace_back(i);
  const int* place = &numbers[16];
  numbers.pop_back();
  numbers.pop_back();
  numbers.emplace_back(100);
  numbers.emplace_back(200);
  EXPECT_EQ(numbers.size(), 17u);
  EXPECT_EQ(numbers[15], 100);
  EXPECT_EQ(numbers[16], 200);
  EXPECT_EQ(&numbers[16], place);
}

TEST(AppendVector, CountsTheBytesOfItsSegments) {
  AppendVector<std::uint64_t> numbers;
  EXPECT_EQ(numbers.allocated_bytes(), 0u);
  for (std::uint64_t i = 0; i < 16; ++i) numbers.emplace_back(i);
  EXPECT_EQ(numbers.allocated_bytes(), 16 * 8u);
  numbers.emplace_back(16);  // the second segment is twice the first
  EXPECT_EQ(numbers.allocated_bytes(), (16 + 32) * 8u);
}

}  // namespace
}  // namespace pactdb
