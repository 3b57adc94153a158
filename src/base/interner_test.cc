#include "base/interner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pactdb {
namespace {

struct Mark {
  int value = 0;
};

TEST(Interner, GivesDenseNumbersInOrderOfArrival) {
  Interner<Mark> interner;
  EXPECT_EQ(interner.Intern("b"), 0u);
  EXPECT_EQ(interner.Intern("a"), 1u);
  EXPECT_EQ(interner.Intern("b"), 0u);
  EXPECT_EQ(interner.Intern(""), 2u);
  EXPECT_EQ(interner.size(), 3u);
  EXPECT_EQ(interner.text(0), "b");
  EXPECT_EQ(interner.text(1), "a");
  EXPECT_EQ(interner.text(2), "");
}

TEST(Interner, FindsNothingThatWasNotInterned) {
  Interner<Mark> interner;
  EXPECT_EQ(interner.Find(""), std::nullopt);
  EXPECT_EQ(interner.Find("a"), std::nullopt);
  interner.Intern("a");
  EXPECT_EQ(interner.Find("a"), 0u);
  EXPECT_EQ(interner.Find("A"), std::nullopt);
  EXPECT_EQ(interner.Find("aa"), std::nullopt);
}

TEST(Interner, TellsBytesApartNotWords) {
  const std::vector<std::string> texts = {
      "x",        std::string("x\0", 2), std::string("\0x", 2),  std::string("\0", 1),
      "12345678", "1234567812345678",    "12345678\xC3\xA9",     "12345678\xC3",
      "1234567",  "123456781",           std::string(8, '\xFF'), std::string(9, '\xFF')};
  Interner<Mark> interner;
  for (std::uint32_t i = 0; i < texts.size(); ++i) EXPECT_EQ(interner.Intern(texts[i]), i);
  for (std::uint32_t i = 0; i < texts.size(); ++i) EXPECT_EQ(interner.Find(texts[i]), i);
}

// Probes collide all the time: a table is up to three fifths full.
TEST(Interner, FindsAllOfManyEntriesThroughGrowth) {
  constexpr std::uint32_t kCount = 200'000;
  Interner<Mark> interner;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(interner.Intern("block:" + std::to_string(i)), i);
    if ((i & (i - 1)) == 0) {
      for (std::uint32_t j = 0; j <= i; ++j)
        ASSERT_EQ(interner.Find("block:" + std::to_string(j)), j) << "with " << i + 1;
    }
  }
  for (std::uint32_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(interner.Find("block:" + std::to_string(i)), i);
    ASSERT_EQ(interner.Find("other:" + std::to_string(i)), std::nullopt);
  }
}

TEST(Interner, NeverMovesTextOrPayload) {
  Interner<Mark> interner;
  interner.entry(interner.Intern("first")).payload.value = 7;
  const std::string_view text = interner.text(0);
  const Mark* payload = &interner.entry(0).payload;
  for (int i = 0; i < 50'000; ++i) interner.Intern(std::to_string(i));
  EXPECT_EQ(interner.text(0).data(), text.data());
  EXPECT_EQ(text, "first");
  EXPECT_EQ(&interner.entry(0).payload, payload);
  EXPECT_EQ(payload->value, 7);
}

// Short texts stand in the entry itself, up to 15 bytes.
TEST(Interner, KeepsTextsOfEveryLength) {
  Interner<Mark> interner;
  std::vector<std::string> texts;
  for (std::size_t size = 0; size < 40; ++size) {
    for (const char byte : {'a', '\0', '\x7F', '\xFF'}) texts.emplace_back(size, byte);
  }
  for (const std::string& text : texts) interner.Intern(text);
  for (const std::string& text : texts) {
    ASSERT_TRUE(interner.Find(text)) << text.size();
    ASSERT_EQ(interner.text(*interner.Find(text)), text);
  }
  EXPECT_EQ(interner.size(), 39 * 4 + 1u);
}

TEST(Interner, TakesTextsLargerThanABlock) {
  const std::string large(100'000, 'L');
  const std::string exact(16'384, 'E');
  Interner<Mark> interner;
  EXPECT_EQ(interner.Intern("small"), 0u);
  EXPECT_EQ(interner.Intern(large), 1u);
  EXPECT_EQ(interner.Intern("after"), 2u);
  EXPECT_EQ(interner.Intern(exact), 3u);
  EXPECT_EQ(interner.text(0), "small");
  EXPECT_EQ(interner.text(1), large);
  EXPECT_EQ(interner.text(2), "after");
  EXPECT_EQ(interner.text(3), exact);
  EXPECT_EQ(interner.Find(std::string(100'001, 'L')), std::nullopt);
}

TEST(Interner, HoldsAtMostTwiceItsNewestTable) {
  Interner<Mark> interner;
  for (int i = 0; i < 60'000; ++i) interner.Intern(std::to_string(i));
  // 60,000 entries need a table of 2^17 slots of 8 bytes; older ones add up to less than that.
  const std::size_t slots = 2 * (std::size_t{1} << 17) * 8;
  const std::size_t texts = 60'000 * 5 + 2 * 16'384;
  const std::size_t entries = 2 * 60'000 * sizeof(Interner<Mark>::Entry) + 4'096;
  EXPECT_LE(interner.allocated_bytes(), slots + texts + entries);
}

}  // namespace
}  // namespace pactdb
