#include "base/slab.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "support/random.h"

namespace pactdb {
namespace {

struct Piece {
  unsigned char* memory;
  std::size_t size;
  unsigned char fill;

  bool IsWhole() const {
    for (std::size_t i = 0; i < size; ++i) {
      if (memory[i] != fill) return false;
    }
    return true;
  }
};

// Pieces of all sizes, below and above the largest slab size, filled and checked: none runs into
// another, whatever was given back in between.
TEST(Slabs, GivesEachObjectMemoryOfItsOwn) {
  support::Random random(1);
  Slabs slabs;
  std::vector<Piece> pieces;
  for (int step = 0; step < 20'000; ++step) {
    if (pieces.empty() || random.Chance(55)) {
      const std::size_t size = 1 + random.Below(random.Chance(90) ? 512 : 3'000);
      auto* memory = static_cast<unsigned char*>(slabs.Allocate(size));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 8, 0u);
      pieces.push_back({memory, size, static_cast<unsigned char>(step)});
      std::memset(memory, pieces.back().fill, size);
    } else {
      std::swap(pieces[random.Below(pieces.size())], pieces.back());
      ASSERT_TRUE(pieces.back().IsWhole());
      slabs.Free(pieces.back().memory, pieces.back().size);
      pieces.pop_back();
    }
  }
  for (const Piece& piece : pieces) {
    ASSERT_TRUE(piece.IsWhole());
    slabs.Free(piece.memory, piece.size);
  }
}

#ifndef PACTDB_NO_SLABS
TEST(Slabs, PutsObjectsOfASizeSideBySide) {
  Slabs slabs;
  char* first = static_cast<char*>(slabs.Allocate(88));
  for (int i = 1; i < 700; ++i) EXPECT_EQ(slabs.Allocate(88), first + 88 * i) << i;
  EXPECT_NE(slabs.Allocate(96), nullptr);
}

TEST(Slabs, UsesAgainWhatWasGivenBack) {
  Slabs slabs;
  void* first = slabs.Allocate(41);
  void* second = slabs.Allocate(48);  // the same class
  slabs.Free(first, 41);
  slabs.Free(second, 48);
  EXPECT_EQ(slabs.Allocate(45), second);
  EXPECT_EQ(slabs.Allocate(45), first);
}
#endif

}  // namespace
}  // namespace pactdb
