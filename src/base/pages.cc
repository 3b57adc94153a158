#include "base/pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace pactdb {
namespace {

std::size_t RoundUp(std::size_t bytes) {
  return (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
}

// Bytes from here to the next boundary of a huge page.
std::size_t ToBoundary(const void* memory) {
  return (kHugePageBytes - reinterpret_cast<std::uintptr_t>(memory) % kHugePageBytes) %
         kHugePageBytes;
}

// A wish; a system that cannot fulfil it gives ordinary pages.
void Advise([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
}

}  // namespace

void* AllocatePages(std::size_t bytes) {
  const std::size_t size = RoundUp(bytes);
  // One huge page more than asked for has a boundary in it; what lies outside goes back.
  void* mapped = mmap(nullptr, size + kHugePageBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  void* memory = KeepFromBoundary(mapped, size);
  Advise(memory, size);
  return memory;
}

void* KeepFromBoundary(void* mapped, std::size_t size) {
  auto* start = static_cast<char*>(mapped);
  const std::size_t before = ToBoundary(start);
  char* memory = start + before;
  if (before > 0) munmap(start, before);
  munmap(memory + size, kHugePageBytes - before);
  return memory;
}

void FreePages(void* memory, std::size_t bytes) {
  munmap(memory, RoundUp(bytes));
}

void AdviseHugePages(void* memory, std::size_t bytes) {
  if (bytes < 2 * kHugePageBytes) return;
  const std::size_t before = ToBoundary(memory);
  const std::size_t size = (bytes - before) / kHugePageBytes * kHugePageBytes;
  Advise(static_cast<char*>(memory) + before, size);
}

}  // namespace pactdb
