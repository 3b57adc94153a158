// Memory in pieces of megabytes.
//
// A tree of a million nodes is read at random, and with pages of 4 kB the walk of the page tables
// costs as much as the read. So large pieces start at a huge page's boundary and ask the system for
// huge pages; a system that has none gives ordinary ones.
//
// Thread safety: any thread.
#pragma once

#include <cstddef>

namespace pactdb {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

// At least `bytes`, in whole huge pages; zero.
void* AllocatePages(std::size_t bytes);
// REQUIRES: `bytes` is what was asked for.
void FreePages(void* memory, std::size_t bytes);

// What AllocatePages keeps of a mapping that is a huge page longer than `size`: that much from the
// first boundary on. The rest goes back. REQUIRES: whole huge pages.
void* KeepFromBoundary(void* mapped, std::size_t size);

// Asks for huge pages under memory of any origin that is about to be filled from its start: one
// page to be had instead of 512. Nothing for short pieces.
void AdviseHugePages(void* memory, std::size_t bytes);

}  // namespace pactdb
