#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pactdb {
namespace {

// FIPS 180-4 and the NIST examples.
const std::vector<std::pair<std::string, std::string>>& Vectors() {
  static const std::vector<std::pair<std::string, std::string>> vectors = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {std::string(1'000'000, 'a'),
       "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  return vectors;
}

TEST(Sha256, MeetsThePublishedVectors) {
  for (const auto& [bytes, want] : Vectors()) EXPECT_EQ(ToHex(Sha256Of(bytes)), want);
}

TEST(Sha256, TakesItsInputInPieces) {
  for (const auto& [bytes, want] : Vectors()) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
      if (bytes.size() > 10'000 && piece == 1) continue;
      Sha256 hash;
      for (std::size_t at = 0; at < bytes.size(); at += piece)
        hash.Update(std::string_view(bytes).substr(at, piece));
      EXPECT_EQ(ToHex(hash.Finish()), want);
    }
  }
}

TEST(Sha256, StartsOverAfterReset) {
  Sha256 hash;
  hash.Update("left over");
  hash.Reset();
  hash.Update("abc");
  EXPECT_EQ(hash.Finish(), Sha256Of("abc"));
  hash.Reset();
  EXPECT_EQ(hash.Finish(), Sha256Of(""));
}

TEST(GrowingSha256, GivesTheDigestsOfSha256Of) {
  std::string text(700, '.');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
  std::string other = text;
  other[0] = 'A';
  GrowingSha256 hash;
  // Longer, as long, shorter, another from the beginning, and each end of a block.
  for (const std::string& from : {text, other, text}) {
    for (std::size_t size = 0; size <= from.size(); ++size) {
      const std::string_view bytes = std::string_view(from).substr(0, size);
      EXPECT_EQ(hash.Hash(bytes), Sha256Of(bytes)) << size;
    }
    for (std::size_t size = from.size(); size > 7; size -= 7) {
      const std::string_view bytes = std::string_view(from).substr(0, size);
      EXPECT_EQ(hash.Hash(bytes), Sha256Of(bytes)) << size;
    }
  }
  // A change anywhere.
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = '!';
    EXPECT_EQ(hash.Hash(text), Sha256Of(text));
    EXPECT_EQ(hash.Hash(changed), Sha256Of(changed)) << at;
  }
}

TEST(Sha256, WritesLowercaseHexadecimal) {
  Digest digest{};
  digest[0] = 0x0F;
  digest[1] = 0xA0;
  digest[31] = 0xFF;
  EXPECT_EQ(ToHex(digest), "0fa0" + std::string(58, '0') + "ff");
}

}  // namespace
}  // namespace pactdb
