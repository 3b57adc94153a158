// Sets of depths, as :depth(...) writes them.
//
// Kept as sorted, disjoint, non-adjacent intervals, so that equal sets are equal values whatever
// their spelling, and a walk can go from window to window. Depth 0 is the head, -1 ^sys, 1.. turns
// from the newest.
//
// Thread safety: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pactdb::select {

// Numbers beyond are read as these: no tree is that deep, and arithmetic cannot overflow.
inline constexpr std::int64_t kDepthMax = 1'000'000'000'000'000'000;
inline constexpr std::int64_t kDepthMin = -kDepthMax;

class DepthSet {
 public:
  struct Interval {
    std::int64_t first;
    std::int64_t last;
    bool operator==(const Interval&) const = default;
  };

  // All intervals in one, in any order; empty ones add nothing.
  static DepthSet Of(std::vector<Interval> intervals);
  bool Contains(std::int64_t depth) const;
  DepthSet Intersect(const DepthSet& other) const;

  const std::vector<Interval>& intervals() const { return intervals_; }
  bool empty() const { return intervals_.empty(); }

  // What stands between the parentheses of :depth(...) in canonical form: "1..3,5,>=9".
  std::string ToText() const;

  bool operator==(const DepthSet&) const = default;

 private:
  std::vector<Interval> intervals_;
};

}  // namespace pactdb::select
