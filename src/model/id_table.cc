#include "model/id_table.h"

#include <algorithm>

namespace pactdb {

std::size_t RunTable::FindRun(std::uint64_t cycle, std::uint32_t index) const {
  const std::size_t size = runs_.size();
  const auto starts_behind = [&](std::size_t at) {
    const Run& run = runs_[at];
    return run.cycle > cycle || (run.cycle == cycle && run.index > index);
  };
  if (size == 0 || starts_behind(0)) return kNone;
  // Cycles follow each other with about as many runs each, so the place is near the one that even
  // spacing gives; from there in doubling steps, then by halves.
  const std::uint64_t first = runs_[0].cycle;
  const std::uint64_t span = runs_[size - 1].cycle - first;
  std::size_t low = size - 1;
  if (cycle - first < span) {
    low = static_cast<std::size_t>(static_cast<double>(cycle - first) / static_cast<double>(span) *
                                   static_cast<double>(size - 1));
  }
  std::size_t high = size;
  if (starts_behind(low)) {
    high = low;
    for (std::size_t step = 1;; step *= 2) {
      low = high > step ? high - step : 0;
      if (!starts_behind(low)) break;
      high = low;
    }
  } else {
    for (std::size_t step = 1; low + step < size; step *= 2) {
      if (starts_behind(low + step)) {
        high = low + step;
        break;
      }
      low += step;
    }
  }
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (starts_behind(middle) ? high : low) = middle;
  }
  return low;
}

std::optional<std::uint32_t> RunTable::Find(std::uint64_t cycle, std::uint32_t index) const {
  const std::size_t at = FindRun(cycle, index);
  if (at == kNone) return std::nullopt;
  const Run& run = runs_[at];
  const std::uint32_t place = index - run.index;
  if (run.cycle != cycle || place >= run.count.load(std::memory_order_acquire)) return std::nullopt;
  return run.number + place;
}

bool RunTable::IsNext(std::uint64_t cycle, std::uint32_t index) const {
  if (runs_.empty()) return true;
  const Run& last = runs_[runs_.size() - 1];
  return cycle > last.cycle ||
         (cycle == last.cycle && index >= last.index + last.count.load(std::memory_order_relaxed));
}

void RunTable::Append(std::uint64_t cycle, std::uint32_t index, std::uint32_t number) {
  if (!runs_.empty()) {
    Run& last = runs_[runs_.size() - 1];
    const std::uint32_t count = last.count.load(std::memory_order_relaxed);
    if (cycle == last.cycle && index == last.index + count && number == last.number + count) {
      last.count.store(count + 1, std::memory_order_release);
      return;
    }
  }
  runs_.emplace_back(cycle, index, number);
}

}  // namespace pactdb
