// Where two sequences of texts differ: the lines or words of two contents, the elements of two
// arrays.
//
// Myers' algorithm from both ends, halving the problem and keeping linear space. Items that only
// one side has are set aside first, so that the search sees nothing that cannot match. The answer
// is a smallest one while the two sides of a part differ in at most 2 * kCostMax of the remaining
// items; beyond that the search goes on from the furthest point it reached, and once kStepsMax
// comparisons are spent, what is left counts as replaced. So time is O(n log n + kStepsMax) and
// memory O(n), whatever the input; the same input always gives the same answer.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace pactdb::diff {

// A place where items [older_start, older_end) gave way to [newer_start, newer_end); one of the two
// may be empty.
struct Change {
  std::size_t older_start = 0;
  std::size_t older_end = 0;
  std::size_t newer_start = 0;
  std::size_t newer_end = 0;
  bool operator==(const Change&) const = default;
};

struct AlignBounds {
  std::size_t cost_max = 256;
  std::size_t steps_max = std::size_t{1} << 26;
};

// Longer sequences are not compared item by item: callers treat them as replaced.
inline constexpr std::size_t kItemsMax = std::size_t{1} << 20;

// The places, in order; between them the items correspond one to one and are equal.
// REQUIRES: at most kItemsMax items on each side.
std::vector<Change> Align(std::span<const std::string_view> older,
                          std::span<const std::string_view> newer, const AlignBounds& bounds = {});

// Cuts the changes into groups whose surroundings of `context` items do not meet.
std::vector<std::span<const Change>> GroupChanges(std::span<const Change> changes,
                                                  std::size_t context);

}  // namespace pactdb::diff
