#include "tokens/merge.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <tuple>

#include "base/check.h"

namespace pactdb::tokens {
namespace {

constexpr unsigned kStartBits = 40;
constexpr std::uint64_t kStartMask = (std::uint64_t{1} << kStartBits) - 1;
// What one very long piece needed is not kept for the next.
constexpr std::size_t kKeptBytesMax = std::size_t{1} << 20;

struct Part {
  std::uint32_t start;
  std::uint32_t rank;  // of this part joined with the next
};

}  // namespace

std::uint64_t Merger::Merge(const Vocabulary& vocabulary, std::string_view piece,
                            std::vector<std::uint32_t>* out) {
  if (const std::uint32_t id = vocabulary.Find(piece); id != Vocabulary::kNone) {
    if (out != nullptr) out->push_back(id);
    return 1;
  }
  if (piece.size() >= kLongBytes) return MergeLong(vocabulary, piece, out);
  return out == nullptr ? CountShort(vocabulary, piece) : MergeShort(vocabulary, piece, out);
}

std::uint64_t Merger::CountShort(const Vocabulary& vocabulary, std::string_view piece) {
  if (piece.size() > std::tuple_size_v<decltype(Known::bytes)>) {
    return MergeShort(vocabulary, piece, nullptr);
  }
  if (known_.empty()) known_.resize(kKnownMax);
  Known& known = known_[TokenHash(piece.data(), piece.size()) % kKnownMax];
  if (known.size != piece.size() || known.vocabulary != NameOf(vocabulary) ||
      std::memcmp(known.bytes.data(), piece.data(), piece.size()) != 0) {
    known.vocabulary = NameOf(vocabulary);
    known.size = static_cast<std::uint8_t>(piece.size());
    known.count = static_cast<std::uint8_t>(MergeShort(vocabulary, piece, nullptr));
    std::memcpy(known.bytes.data(), piece.data(), piece.size());
  }
  return known.count;
}

std::uint64_t Merger::MergeShort(const Vocabulary& vocabulary, std::string_view piece,
                                 std::vector<std::uint32_t>* out) {
  std::array<Part, kLongBytes + 1> parts;  // the last is the end
  const auto rank_of = [&](std::size_t from, std::size_t to) {
    return vocabulary.Find(piece.data() + from, to - from);
  };
  std::size_t count = piece.size();
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = {static_cast<std::uint32_t>(i),
                i + 2 <= count ? rank_of(i, i + 2) : Vocabulary::kNone};
  }
  parts[count] = {static_cast<std::uint32_t>(count), Vocabulary::kNone};
  for (;;) {
    std::size_t lowest = 0;
    for (std::size_t i = 1; i < count; ++i) {
      if (parts[i].rank < parts[lowest].rank) lowest = i;
    }
    if (parts[lowest].rank == Vocabulary::kNone) break;
    std::copy(parts.begin() + lowest + 2, parts.begin() + count + 1, parts.begin() + lowest + 1);
    --count;
    const auto set_rank = [&](std::size_t i) {
      parts[i].rank =
          i + 2 <= count ? rank_of(parts[i].start, parts[i + 2].start) : Vocabulary::kNone;
    };
    set_rank(lowest);
    if (lowest > 0) set_rank(lowest - 1);
  }
  for (std::size_t i = 0; out != nullptr && i < count; ++i) {
    out->push_back(rank_of(parts[i].start, parts[i + 1].start));
  }
  return count;
}

// Puts the pair of the part at `start` and the next on the heap, if it joins.
void Merger::PushPair(const Vocabulary& vocabulary, std::string_view piece, std::size_t start) {
  const std::size_t next = start + size_at_start_[start];
  if (next >= piece.size()) return;
  const std::size_t size = std::size_t{size_at_start_[start]} + size_at_start_[next];
  const std::uint32_t rank = vocabulary.Find(piece.data() + start, size);
  if (rank == Vocabulary::kNone) return;
  heap_.push_back(std::uint64_t{rank} << kStartBits | start);
}

std::uint64_t Merger::MergeLong(const Vocabulary& vocabulary, std::string_view piece,
                                std::vector<std::uint32_t>* out) {
  PACTDB_CHECK(piece.size() <= kStartMask && vocabulary.token_bytes_max() <= 0xFF);
  size_at_start_.assign(piece.size(), 1);
  size_at_last_.assign(piece.size(), 1);
  heap_.clear();
  for (std::size_t start = 0; start + 1 < piece.size(); ++start) {
    PushPair(vocabulary, piece, start);
  }
  const auto push_pair = [&](std::size_t start) {
    const std::size_t before = heap_.size();
    PushPair(vocabulary, piece, start);
    if (heap_.size() != before) std::ranges::push_heap(heap_, std::greater());
  };
  std::ranges::make_heap(heap_, std::greater());
  std::uint64_t count = piece.size();
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, std::greater());
    const std::size_t start = heap_.back() & kStartMask;
    const auto rank = static_cast<std::uint32_t>(heap_.back() >> kStartBits);
    heap_.pop_back();
    // The parts of an old pair may be gone or have grown: a rank names its bytes, so their number
    // tells.
    const std::size_t size = vocabulary.Bytes(rank).size();
    if (size_at_start_[start] == 0) continue;
    const std::size_t next = start + size_at_start_[start];
    if (next >= piece.size() || size_at_start_[start] + size_at_start_[next] != size) continue;
    size_at_start_[next] = 0;
    size_at_start_[start] = static_cast<std::uint8_t>(size);
    size_at_last_[start + size - 1] = static_cast<std::uint8_t>(size);
    --count;
    push_pair(start);
    if (start > 0) push_pair(start - size_at_last_[start - 1]);
  }
  for (std::size_t start = 0; out != nullptr && start < piece.size();
       start += size_at_start_[start]) {
    out->push_back(vocabulary.Find(piece.data() + start, size_at_start_[start]));
  }
  if (piece.size() > kKeptBytesMax) {
    size_at_start_ = {};
    size_at_last_ = {};
    heap_ = {};
  }
  return count;
}

}  // namespace pactdb::tokens
