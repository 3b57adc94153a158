#include "select/depth_set.h"

#include <algorithm>

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

void DepthSet::Add(std::int64_t first, std::int64_t last) {
  if (first > last) return;
  // Everything that overlaps or touches the new interval melts into it.
  const auto from = std::ranges::find_if(
      intervals_, [first](const Interval& interval) { return interval.last >= first - 1; });
  auto to = from;
  while (to != intervals_.end() && to->first <= last + 1) {
    first = std::min(first, to->first);
    last = std::max(last, to->last);
    ++to;
  }
  const auto at = intervals_.erase(from, to);
  intervals_.insert(at, {first, last});
}

void DepthSet::Add(const DepthSet& other) {
  for (const Interval& interval : other.intervals_) Add(interval.first, interval.last);
}

bool DepthSet::Contains(std::int64_t depth) const {
  const auto after = std::ranges::upper_bound(intervals_, depth, {}, &Interval::first);
  return after != intervals_.begin() && std::prev(after)->last >= depth;
}

DepthSet DepthSet::Intersect(const DepthSet& other) const {
  DepthSet both;
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() && b != other.intervals_.end()) {
    both.Add(std::max(a->first, b->first), std::min(a->last, b->last));
    if (a->last < b->last) {
      ++a;
    } else {
      ++b;
    }
  }
  return both;
}

std::string DepthSet::ToText() const {
  std::string text;
  for (const Interval& interval : intervals_) AppendInterval(interval, text);
  return text;
}

}  // namespace pactdb::select
