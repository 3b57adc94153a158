#include "store/sqlite/compress.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "support/random.h"

namespace pactdb::sqlite {
namespace {

constexpr auto kPlain = static_cast<std::int64_t>(Codec::kPlain);
constexpr auto kZstd = static_cast<std::int64_t>(Codec::kZstd);

TEST(Compress, SavesAnEighthOrNothing) {
  support::Random random(1);
  for (const std::size_t size : {0, 1, 127, 128, 1000, 100'000}) {
    std::string noise;
    for (std::size_t i = 0; i < size; ++i) noise += static_cast<char>(random.Below(256));
    EXPECT_FALSE(Compress(noise).has_value()) << size;
    const std::string text(size, 'x');
    const auto smaller = Compress(text);
    EXPECT_EQ(smaller.has_value(), size >= 128) << size;
    if (!smaller) continue;
    EXPECT_LE(smaller->size(), size - size / 8);
    EXPECT_EQ(Expand(static_cast<std::int64_t>(size), kZstd, *smaller), text);
  }
}

TEST(Compress, ExpandsNothingThatIsNotWhatItSays) {
  const std::string text(1000, 'x');
  const std::string good = *Compress(text);
  EXPECT_EQ(Expand(1001, kZstd, good), std::nullopt);
  EXPECT_EQ(Expand(-1, kZstd, good), std::nullopt);
  EXPECT_EQ(Expand(1000, 2, good), std::nullopt);
  EXPECT_EQ(Expand(1000, kZstd, good.substr(0, good.size() - 1)), std::nullopt);
  EXPECT_EQ(Expand(1000, kZstd, ""), std::nullopt);
  EXPECT_EQ(Expand(999, kPlain, text), std::nullopt);
  EXPECT_EQ(Expand(1000, kPlain, text), text);
}

TEST(Compress, ExpandsNothingBeyondWhatAContentMayHave) {
  for (const std::size_t size : {limits::kContentBytesMax, limits::kContentBytesMax + 1}) {
    const std::string smaller = Compress(std::string(size, 'x')).value();
    EXPECT_EQ(Expand(static_cast<std::int64_t>(size), kZstd, smaller).has_value(),
              size == limits::kContentBytesMax);
  }
}

}  // namespace
}  // namespace pactdb::sqlite
