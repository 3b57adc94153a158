#include "engine/ids_ahead.h"

#include <algorithm>
#include <utility>

namespace pactdb {

bool IdsAhead::Has(std::int64_t cycle) const {
  const auto run = std::ranges::lower_bound(runs_, cycle, {}, &Run::last);
  return run != runs_.end() && run->first <= cycle;
}

void IdsAhead::Add(const Run& run) {
  runs_.insert(std::ranges::lower_bound(runs_, run.first, {}, &Run::first), run);
  std::vector<Run> joined;
  for (const Run& next : runs_) {
    if (!joined.empty() && next.first - 1 <= joined.back().last) {
      joined.back().last = std::max(joined.back().last, next.last);
    } else {
      joined.push_back(next);
    }
  }
  if (joined.size() > kRunsMax) {
    auto nearest = joined.begin();
    for (auto low = joined.begin(); low + 1 != joined.end(); ++low) {
      if ((low + 1)->first - low->last < (nearest + 1)->first - nearest->last) nearest = low;
    }
    nearest->last = (nearest + 1)->last;
    joined.erase(nearest + 1);
  }
  runs_ = std::move(joined);
}

}  // namespace pactdb
