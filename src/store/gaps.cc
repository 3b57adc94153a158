#include "store/gaps.h"

#include <algorithm>

namespace pactdb {

void AddGap(std::vector<CommitRange>& gaps, CommitRange range) {
  // 64 bits: one past the largest number must not wrap.
  const auto ends_before = [](const CommitRange& gap, std::uint64_t first) {
    return std::uint64_t{gap.last} + 1 < first;
  };
  const auto from =
      std::lower_bound(gaps.begin(), gaps.end(), std::uint64_t{range.first}, ends_before);
  auto to = from;
  while (to != gaps.end() && to->first <= std::uint64_t{range.last} + 1) {
    range.first = std::min(range.first, to->first);
    range.last = std::max(range.last, to->last);
    ++to;
  }
  gaps.insert(gaps.erase(from, to), range);
}

const CommitRange* FindGap(const std::vector<CommitRange>& gaps, CommitNumber number) {
  const auto found = std::ranges::lower_bound(gaps, number, {}, &CommitRange::last);
  return found != gaps.end() && found->first <= number ? &*found : nullptr;
}

std::vector<CommitRange> Between(const std::vector<CommitRange>& gaps, CommitRange range) {
  std::vector<CommitRange> runs;
  std::uint64_t next = range.first;
  for (auto gap = std::ranges::lower_bound(gaps, range.first, {}, &CommitRange::last);
       gap != gaps.end() && gap->first <= range.last; ++gap) {
    if (next < gap->first) {
      runs.push_back({.first = static_cast<CommitNumber>(next), .last = gap->first - 1});
    }
    next = std::uint64_t{gap->last} + 1;
  }
  if (next <= range.last) {
    runs.push_back({.first = static_cast<CommitNumber>(next), .last = range.last});
  }
  return runs;
}

std::vector<CommitRange> Within(const std::vector<CommitRange>& gaps, CommitNumber last) {
  std::vector<CommitRange> kept;
  for (const CommitRange& gap : gaps) {
    if (gap.first <= last) kept.push_back({gap.first, std::min(gap.last, last)});
  }
  return kept;
}

std::uint64_t CountNumbers(const std::vector<CommitRange>& gaps) {
  std::uint64_t count = 0;
  for (const CommitRange& gap : gaps) count += std::uint64_t{gap.last} - gap.first + 1;
  return count;
}

}  // namespace pactdb
