// Byte pair merging: a piece of text becomes tokens.
//
// A piece begins as its bytes. Again and again the two neighbours whose joined bytes are the token
// of lowest rank, the leftmost of equal ones, become one, until no two neighbours join. Two ways to
// the same result: a short piece is searched through for its lowest pair each time, a long one
// (a megabyte without a blank) has a heap of pairs, so that its cost stays near its length. What
// short pieces came to is remembered: texts say the same names again and again.
//
// Thread safety: a Merger belongs to one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokens/vocabulary.h"

namespace pactdb::tokens {

class Merger {
 public:
  // Pieces of at least so many bytes go by the heap.
  static constexpr std::size_t kLongBytes = 96;

  // How many tokens `piece` becomes; their ids are appended to `out` if there is one.
  // REQUIRES: `piece` is not empty.
  std::uint64_t Merge(const Vocabulary& vocabulary, std::string_view piece,
                      std::vector<std::uint32_t>* out);

 private:
  // A short piece that is no token, and how many it becomes.
  struct Known {
    const char* vocabulary = nullptr;  // where its bytes lie
    std::uint8_t size = 0;
    std::uint8_t count = 0;
    std::array<char, 22> bytes;
  };
  static constexpr std::size_t kKnownMax = 4096;

  static const char* NameOf(const Vocabulary& vocabulary) { return vocabulary.Bytes(0).data(); }
  std::uint64_t CountShort(const Vocabulary& vocabulary, std::string_view piece);
  static std::uint64_t MergeShort(const Vocabulary& vocabulary, std::string_view piece,
                                  std::vector<std::uint32_t>* out);
  std::uint64_t MergeLong(const Vocabulary& vocabulary, std::string_view piece,
                          std::vector<std::uint32_t>* out);
  void PushPair(const Vocabulary& vocabulary, std::string_view piece, std::size_t start);

  std::vector<Known> known_;  // by hash; a later piece takes an earlier one's place

  // Of long pieces. A part is named by its first byte.
  std::vector<std::uint8_t> size_at_start_;  // 0 where no part starts
  std::vector<std::uint8_t> size_at_last_;   // by a part's last byte; meaningless elsewhere
  std::vector<std::uint64_t> heap_;          // rank, then start: the lowest is the next to join
};

}  // namespace pactdb::tokens
