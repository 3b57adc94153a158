#include "base/pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace pactdb {
namespace {

std::size_t RoundUp(std::size_t bytes) {
  return (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
}

}  // namespace

void* AllocatePages(std::size_t bytes) {
  const std::size_t size = RoundUp(bytes);
  // One huge page more than asked for has a boundary in it; what lies outside goes back.
  void* mapped = mmap(nullptr, size + kHugePageBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* start = static_cast<char*>(mapped);
  const std::size_t before =
      (kHugePageBytes - reinterpret_cast<std::uintptr_t>(start) % kHugePageBytes) % kHugePageBytes;
  char* memory = start + before;
  if (before > 0) munmap(start, before);
  munmap(memory + size, kHugePageBytes - before);
#ifdef MADV_HUGEPAGE
  static_cast<void>(madvise(memory, size, MADV_HUGEPAGE));  // a wish
#endif
  return memory;
}

void FreePages(void* memory, std::size_t bytes) {
  munmap(memory, RoundUp(bytes));
}

void AdviseHugePages(void* memory, std::size_t bytes) {
  if (bytes < 2 * kHugePageBytes) return;
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (start + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const std::uintptr_t end = (start + bytes) / kHugePageBytes * kHugePageBytes;
#ifdef MADV_HUGEPAGE
  static_cast<void>(madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));
#endif
}

}  // namespace pactdb
