#include "select/depth_set.h"

#include <algorithm>
#include <utility>

namespace pactdb::select {
namespace {

void AppendInterval(const DepthSet::Interval& interval, std::string& out) {
  if (!out.empty()) out += ',';
  const bool from_start = interval.first == kDepthMin;
  const bool to_end = interval.last == kDepthMax;
  if (from_start && to_end) {
    out += "<=0,>=1";
  } else if (from_start) {
    out += "<=" + std::to_string(interval.last);
  } else if (to_end) {
    out += ">=" + std::to_string(interval.first);
  } else if (interval.first == interval.last) {
    out += std::to_string(interval.first);
  } else {
    out += std::to_string(interval.first) + ".." + std::to_string(interval.last);
  }
}

}  // namespace

DepthSet DepthSet::Of(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& one) { return one.first > one.last; });
  std::ranges::sort(intervals, {}, &Interval::first);
  DepthSet set;
  for (const Interval& next : intervals) {
    // What overlaps or touches melts together.
    if (!set.empty() && next.first - 1 <= set.intervals_.back().last) {
      set.intervals_.back().last = std::max(set.intervals_.back().last, next.last);
    } else {
      set.intervals_.push_back(next);
    }
  }
  return set;
}

bool DepthSet::Contains(std::int64_t depth) const {
  const auto after = std::ranges::upper_bound(intervals_, depth, {}, &Interval::first);
  return after != intervals_.begin() && std::prev(after)->last >= depth;
}

DepthSet DepthSet::Intersect(const DepthSet& other) const {
  std::vector<Interval> both;
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() && b != other.intervals_.end()) {
    both.push_back({std::max(a->first, b->first), std::min(a->last, b->last)});
    if (a->last < b->last) {
      ++a;
    } else {
      ++b;
    }
  }
  return Of(std::move(both));
}

std::string DepthSet::ToText() const {
  std::string text;
  for (const Interval& interval : intervals_) AppendInterval(interval, text);
  return text;
}

}  // namespace pactdb::select
