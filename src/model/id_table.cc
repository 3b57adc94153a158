#include "model/id_table.h"

namespace pactdb {

ShiftTable::~ShiftTable() {
  for (std::size_t i = 0; i < pages_.size(); ++i)
    delete[] pages_[i].load(std::memory_order_relaxed);
}

bool ShiftTable::Note(std::uint64_t cycle, std::uint32_t index, std::uint32_t number) {
  const std::uint64_t page = cycle / kPageCycles;
  if (page >= kPagesMax || number > UINT32_MAX - kBias) return false;
  while (pages_.size() <= page) pages_.emplace_back(nullptr);
  if (pages_[page].load(std::memory_order_relaxed) == nullptr)
    pages_[page].store(new Slot[kPageCycles](), std::memory_order_release);
  Slot& slot = pages_[page].load(std::memory_order_relaxed)[cycle % kPageCycles];
  const std::uint32_t shift = number + kBias - index;
  const std::uint32_t known = slot.load(std::memory_order_relaxed);
  if (known == kNone) slot.store(shift, std::memory_order_release);
  return known == kNone || known == shift;
}

std::size_t ShiftTable::allocated_bytes() const {
  std::size_t bytes = pages_.allocated_bytes();
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    if (pages_[i].load(std::memory_order_relaxed) != nullptr) bytes += kPageCycles * sizeof(Slot);
  }
  return bytes;
}

}  // namespace pactdb
