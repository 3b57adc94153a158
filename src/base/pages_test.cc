// Large pieces of memory: where they begin, what is in them, and that nobody else's is given back.
#include "base/pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pactdb {
namespace {

bool IsMapped(void* memory, std::size_t bytes) {
  std::vector<unsigned char> resident(bytes / static_cast<std::size_t>(getpagesize()) + 1);
  return mincore(memory, bytes, resident.data()) == 0;
}

TEST(Pages, BeginAtABoundaryAndAreZero) {
  for (const std::size_t bytes : {std::size_t{1}, kHugePageBytes, kHugePageBytes + 1}) {
    auto* memory = static_cast<char*>(AllocatePages(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % kHugePageBytes, 0);
    EXPECT_TRUE(IsMapped(memory, bytes));
    EXPECT_TRUE(std::all_of(memory, memory + bytes, [](char byte) { return byte == 0; }));
    std::fill(memory, memory + bytes, 'x');
    FreePages(memory, bytes);
  }
}

TEST(Pages, GiveBackNothingOfTheirNeighbours) {
  const auto page = static_cast<std::size_t>(getpagesize());
  for (std::size_t i = 1; i <= 8; ++i) {
    // A new piece is put right below the last one, whose odd length says how far the boundary is.
    const std::size_t bytes = 4 * kHugePageBytes + i * 37 * page;
    void* neighbour =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(neighbour, MAP_FAILED);
    void* memory = AllocatePages(1);
    EXPECT_TRUE(IsMapped(neighbour, bytes)) << i;
    FreePages(memory, 1);
    EXPECT_TRUE(IsMapped(neighbour, bytes)) << i;
    munmap(neighbour, bytes);
  }
}

}  // namespace
}  // namespace pactdb
