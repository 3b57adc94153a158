// Which commit numbers of a context are no snapshots any more.
//
// A list of ranges, rising, none touching another, so that there is one way to write a set.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/ext/store.h>

#include <vector>

namespace pactdb {

// Puts `range` in and joins what then overlaps or touches. REQUIRES: first <= last.
void AddGap(std::vector<CommitRange>& gaps, CommitRange range);

// The gap that holds `number`, or null. O(log gaps).
const CommitRange* FindGap(const std::vector<CommitRange>& gaps, CommitNumber number);

// The runs of [range.first, range.last] that no gap covers, rising.
std::vector<CommitRange> Between(const std::vector<CommitRange>& gaps, CommitRange range);

// What of the gaps lies at or below `last`.
std::vector<CommitRange> Within(const std::vector<CommitRange>& gaps, CommitNumber last);

// How many numbers the gaps cover.
std::uint64_t CountNumbers(const std::vector<CommitRange>& gaps);

}  // namespace pactdb
