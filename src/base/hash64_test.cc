#include "base/hash64.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <string>
#include <unordered_set>
#include <utility>

namespace pactdb {
namespace {

// The values come from an independent program. They decide where child lists are cut, hence every
// tree_sha256 ever stored: a change here is a change of format.
TEST(ShapeHash, IsPinned) {
  const std::array<std::pair<std::string, std::uint64_t>, 9> cases = {{
      {"", 0xEFD01F60BA992926},
      {"a", 0x82A2A958A9BECE5B},
      {"root", 0xDD19AC5627F24C26},
      {"block:1.1", 0xBA38C07837429793},
      {"seg:1", 0xEA7D468EEB75ADC1},
      {"\xC3\xA9", 0x9D55CCB9BA86763B},
      {std::string(1, '\0'), 0xB9034AD37056F5FB},
      {std::string(9, '\xFF'), 0x1A31E24F49D5049B},
      {std::string(1'000, 'x'), 0x27C232BEF26106BA},
  }};
  for (const auto& [bytes, want] : cases) EXPECT_EQ(ShapeHash(bytes), want) << bytes;
}

// Ids of one kind count up; their low bits must still be even, or lists would not be cut.
TEST(ShapeHash, SpreadsTheLowBitsOfCountedIds) {
  std::array<int, 16> buckets{};
  for (int i = 0; i < 16'000; ++i) ++buckets[ShapeHash("block:1." + std::to_string(i)) & 15];
  for (const int bucket : buckets) {
    EXPECT_GT(bucket, 800);
    EXPECT_LT(bucket, 1'200);
  }
}

// By an independent program, too. No format depends on it, but how long a look into a table takes.
TEST(TableHash, FoldsEightBytesAtATime) {
  if constexpr (std::endian::native != std::endian::little)
    GTEST_SKIP() << "words are taken as they lie in memory";
  struct Known {
    std::string bytes;
    std::uint64_t seed;
    std::uint64_t want;
  };
  const Known all[] = {
      {"", 0x1, 0x20C4352FCE485E4C},
      {"a", 0x1, 0x863C82CF5808BA78},
      {"block:1", 0x1, 0x2C9D60592BD9E6BA},
      {"block:1.", 0x1, 0x75E08D70EB8F92EC},
      {"block:1.1", 0x1, 0xDE97EDF8A766D5CD},
      {"block:1.1block:2", 0x1, 0x522287F548FE6AE2},
      {"block:1.1block:2.", 0x1, 0x70B91567F2A19620},
      {std::string(24, '\xFF'), 0xFEDCBA9876543210, 0x8F97164AFC4975EE},
      {"root", 0x0, 0x47BF518897C4A7AF},
      {"root", 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF},
  };
  for (const Known& known : all)
    EXPECT_EQ(TableHash(known.bytes, known.seed), known.want) << known.bytes << " " << known.seed;
}

TEST(TableHash, DependsOnSeedAndEveryByte) {
  const std::string text = "the quick brown fox";
  const std::uint64_t hash = TableHash(text, 1);
  EXPECT_EQ(TableHash(text, 1), hash);
  EXPECT_NE(TableHash(text, 2), hash);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = static_cast<char>(other[i] ^ 1);
    EXPECT_NE(TableHash(other, 1), hash) << i;
  }
}

TEST(TableHash, TellsLengthsOfZerosApart) {
  std::unordered_set<std::uint64_t> hashes;
  for (std::size_t size = 0; size <= 64; ++size)
    hashes.insert(TableHash(std::string(size, '\0'), 9));
  EXPECT_EQ(hashes.size(), 65u);
}

// The interner keeps 32 bits of the hash and the table index comes from the rest.
TEST(TableHash, SpreadsBothHalves) {
  std::unordered_set<std::uint32_t> upper;
  std::unordered_set<std::uint32_t> lower;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t hash = TableHash("seg:" + std::to_string(i), 0x1234567890ABCDEF);
    upper.insert(static_cast<std::uint32_t>(hash >> 32));
    lower.insert(static_cast<std::uint32_t>(hash));
  }
  EXPECT_GE(upper.size(), 9'990u);
  EXPECT_GE(lower.size(), 9'990u);
}

TEST(TableSeed, IsFreshEachTime) {
  EXPECT_NE(MakeTableSeed(), MakeTableSeed());
}

}  // namespace
}  // namespace pactdb
