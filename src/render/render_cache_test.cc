#include "render/render_cache.h"

#include <gtest/gtest.h>

namespace pactdb {
namespace {

Digest Key(std::uint8_t n) {
  Digest digest{};
  digest[0] = n;
  return digest;
}

// Bytes that take a tenth of a cache of kBudget, with what an entry takes.
constexpr std::size_t kBudget = 100'000;
const std::string kTenth(kBudget / 10 - 192, 'x');

class RenderCacheTest : public ::testing::Test {
 protected:
  // Looks at or brings in the pieces, as one rendering; how many were there.
  int Pass(std::initializer_list<int> pieces) {
    cache_.BeginPass();
    int hits = 0;
    for (const int piece : pieces) {
      if (cache_.Find(Key(static_cast<std::uint8_t>(piece))) != nullptr) {
        ++hits;
      } else {
        cache_.Insert(Key(static_cast<std::uint8_t>(piece)), kTenth);
      }
    }
    EXPECT_LE(cache_.stats().bytes, kBudget);
    return hits;
  }
  RenderCache::Impl cache_{kBudget};
};

TEST_F(RenderCacheTest, GivesBackWhatItTook) {
  cache_.Insert(Key(1), "abc");
  ASSERT_NE(cache_.Find(Key(1)), nullptr);
  EXPECT_EQ(*cache_.Find(Key(1)), "abc");
  EXPECT_EQ(cache_.Find(Key(2)), nullptr);
  EXPECT_EQ(cache_.stats().hits, 2u);
  EXPECT_EQ(cache_.stats().misses, 1u);
}

TEST_F(RenderCacheTest, KeepsThePartThatFitsOfAThreadThatDoesNot) {
  const auto thread = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
  Pass(thread);
  for (int again = 0; again < 5; ++again) EXPECT_EQ(Pass(thread), 10);
}

TEST_F(RenderCacheTest, LetsGoOfWhatTwoRenderingsDidNotUse) {
  Pass({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  EXPECT_EQ(Pass({11, 12}), 0);
  EXPECT_EQ(Pass({11, 12}), 0);
  EXPECT_EQ(Pass({11, 12}), 2);
}

TEST_F(RenderCacheTest, TakesNoPieceLargerThanItsShare) {
  cache_.Insert(Key(1), std::string(kBudget / 8, 'x'));
  EXPECT_EQ(cache_.Find(Key(1)), nullptr);
}

TEST_F(RenderCacheTest, ASmallerBudgetDropsWhatNoLongerFits) {
  Pass({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  cache_.SetBudget(kBudget / 2);
  EXPECT_EQ(cache_.stats().pieces, 5u);
  cache_.SetBudget(0);
  EXPECT_EQ(cache_.stats().bytes, 0u);
}

TEST_F(RenderCacheTest, WhatComesNextMayBeAskedForInAnotherOrderOrBeDropped) {
  for (std::uint8_t key = 1; key <= 5; ++key) cache_.Insert(Key(key), std::string(key, 'x'));
  for (const int asked : {1, 2, 3, 4, 5, 3, 1, 2, 5, 5, 4, 1}) {
    const auto key = static_cast<std::uint8_t>(asked);
    const RenderCache::Impl::Piece piece = cache_.Find(Key(key));
    ASSERT_NE(piece, nullptr);
    EXPECT_EQ(*piece, std::string(key, 'x'));
  }
  cache_.SetBudget(0);
  EXPECT_EQ(cache_.Find(Key(2)), nullptr);
  EXPECT_EQ(cache_.stats().pieces, 0u);
}

TEST_F(RenderCacheTest, APieceInUseOutlivesItsEntry) {
  cache_.Insert(Key(1), "abc");
  const RenderCache::Impl::Piece piece = cache_.Find(Key(1));
  cache_.SetBudget(0);
  EXPECT_EQ(*piece, "abc");
}

}  // namespace
}  // namespace pactdb
