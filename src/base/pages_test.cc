// Large pieces of memory: where they begin, what is in them, and that nobody else's is given back.
#include "base/pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
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

// Address space from a boundary on, mapped.
class Mapped {
 public:
  explicit Mapped(std::size_t pages) : bytes_((pages + 1) * kHugePageBytes) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) std::abort();
    const auto address = reinterpret_cast<std::uintptr_t>(memory_);
    start_ =
        static_cast<char*>(memory_) + (kHugePageBytes - address % kHugePageBytes) % kHugePageBytes;
  }
  ~Mapped() { munmap(memory_, bytes_); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  char* start() const { return start_; }

 private:
  std::size_t bytes_;
  void* memory_;
  char* start_;
};

TEST(Pages, KeepOfAMappingWhatBeginsAtABoundary) {
  const auto page = static_cast<std::size_t>(getpagesize());
  for (const std::size_t offset :
       {std::size_t{0}, page, kHugePageBytes / 2, kHugePageBytes - page}) {
    const Mapped space(5);
    char* const mapped = space.start() + kHugePageBytes + offset;
    constexpr std::size_t kSize = 2 * kHugePageBytes;
    char* const end = mapped + kSize + kHugePageBytes;
    auto* const kept = static_cast<char*>(KeepFromBoundary(mapped, kSize));
    EXPECT_EQ(kept, space.start() + (offset == 0 ? 1 : 2) * kHugePageBytes) << offset;
    EXPECT_TRUE(IsMapped(kept, kSize)) << offset;
    EXPECT_EQ(offset == 0, IsMapped(kept - page, page)) << offset;
    if (offset != 0) {
      EXPECT_FALSE(IsMapped(mapped, page)) << offset;
    }
    EXPECT_FALSE(IsMapped(kept + kSize, page)) << offset;
    EXPECT_FALSE(IsMapped(end - page, page)) << offset;
    EXPECT_TRUE(IsMapped(mapped - page, page)) << "before it, " << offset;
    EXPECT_TRUE(IsMapped(end, page)) << "behind it, " << offset;
  }
}

// Whether huge pages were asked for there; the system says so of each mapping.
bool IsAdvised(const char* at) {
  std::ifstream maps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (range >> std::hex >> begin >> dash >> end && dash == '-') {
      const auto address = reinterpret_cast<std::uintptr_t>(at);
      is_here = begin <= address && address < end;
    } else if (is_here && line.starts_with("VmFlags:")) {
      return line.contains(" hg");
    }
  }
  return false;
}

bool CanAdvise() {
  const Mapped space(1);
  return madvise(space.start(), kHugePageBytes, MADV_HUGEPAGE) == 0 && IsAdvised(space.start());
}

TEST(Pages, AreAskedForInTheWholeHugePagesOfALongPiece) {
  if (!CanAdvise()) GTEST_SKIP() << "this system has no huge pages to be asked for";
  const auto page = static_cast<std::size_t>(getpagesize());
  {
    const Mapped space(4);
    AdviseHugePages(space.start(), 2 * kHugePageBytes - 1);
    EXPECT_FALSE(IsAdvised(space.start())) << "a short piece";
    AdviseHugePages(space.start(), 2 * kHugePageBytes);
    EXPECT_TRUE(IsAdvised(space.start()));
    EXPECT_TRUE(IsAdvised(space.start() + 2 * kHugePageBytes - page));
    EXPECT_FALSE(IsAdvised(space.start() + 2 * kHugePageBytes));
  }
  const Mapped space(5);
  AdviseHugePages(space.start() + page, 3 * kHugePageBytes);
  EXPECT_FALSE(IsAdvised(space.start() + page));
  EXPECT_TRUE(IsAdvised(space.start() + kHugePageBytes));
  EXPECT_TRUE(IsAdvised(space.start() + 3 * kHugePageBytes - page));
  EXPECT_FALSE(IsAdvised(space.start() + 3 * kHugePageBytes)) << "of which it has a part alone";
}

TEST(Pages, AreAskedForInAllOfANewPiece) {
  if (!CanAdvise()) GTEST_SKIP() << "this system has no huge pages to be asked for";
  auto* const memory = static_cast<char*>(AllocatePages(kHugePageBytes + 1));
  EXPECT_TRUE(IsAdvised(memory));
  EXPECT_TRUE(IsAdvised(memory + 2 * kHugePageBytes - 1));
  FreePages(memory, kHugePageBytes + 1);
  EXPECT_FALSE(IsMapped(memory, kHugePageBytes));
  EXPECT_FALSE(IsMapped(memory + kHugePageBytes, kHugePageBytes));
}

}  // namespace
}  // namespace pactdb
