// Which snapshots a range names.
#include <algorithm>

#include "base/try.h"
#include "engine/range.h"

namespace pactdb {
namespace {

// Both ends as numbers, the older one first: ages of @t ends (0, -1, ...), cycles of @c ends.
struct Ends {
  std::int64_t older;
  std::int64_t newer;
};

Ends EndsOf(const select::Time& time, std::int64_t oldest) {
  const auto value = [oldest](const select::TimePoint& point) {
    return point.is_oldest ? oldest : point.value;
  };
  return {std::min(value(time.from), value(time.to)), std::max(value(time.from), value(time.to))};
}

std::string Label(char kind, std::int64_t value) {
  return std::string("@") + kind + std::to_string(value);
}

}  // namespace

Result<RangeScope> ExpandRange(const History& history, const select::Time& time,
                               std::optional<std::int64_t> max_snapshots) {
  const char kind = time.from.kind;
  const auto count = static_cast<std::int64_t>(history.size());
  const auto value_of = [&](std::int64_t ordinal) -> Result<std::int64_t> {
    if (kind == 't') return ordinal - (count - 1);
    PACTDB_TRY(const CommitLine line, history.Line(static_cast<std::size_t>(ordinal)));
    return line.cycle;
  };
  PACTDB_TRY(const std::int64_t oldest, value_of(0));
  PACTDB_TRY(const std::int64_t newest, value_of(count - 1));
  const Ends ends = EndsOf(time, oldest);
  RangeScope scope;
  const auto max = max_snapshots ? static_cast<std::size_t>(*max_snapshots) : SIZE_MAX;
  // Behind the newest of them: an age says where that is, a cycle is looked for.
  std::int64_t end = count;
  if (ends.newer < newest) {
    if (kind == 't') {
      end = std::max<std::int64_t>(ends.newer + count, 0);
    } else {
      PACTDB_TRY(end, history.FirstFrom(ends.newer + 1));
    }
  }
  for (std::int64_t ordinal = end; ordinal-- > 0;) {
    PACTDB_TRY(const std::int64_t value, value_of(ordinal));
    if (value < ends.older) break;
    if (scope.snapshots.size() == max) {
      scope.is_cut = true;
      break;
    }
    scope.snapshots.push_back({nullptr, kind, value});
  }
  if (!scope.snapshots.empty()) {
    const auto last = static_cast<std::size_t>(end) - 1;
    PACTDB_TRY_STATUS(history.Reach(last + 1 - scope.snapshots.size(), last));
    for (std::size_t i = 0; i < scope.snapshots.size(); ++i) {
      PACTDB_TRY(scope.snapshots[i].record, history.Find(last - i));
    }
  }
  if (scope.snapshots.empty() && !scope.is_cut) {
    scope.warnings.push_back("no snapshot lies between " + Label(kind, ends.newer) + " and " +
                             Label(kind, ends.older));
    return scope;
  }
  if (ends.newer > newest) {
    scope.warnings.push_back(Label(kind, ends.newer) + " does not exist yet; the range begins at " +
                             Label(kind, newest));
  }
  if (ends.older < oldest) {
    scope.warnings.push_back(Label(kind, ends.older) + " does not exist; the range ends at " +
                             Label(kind, oldest));
  }
  return scope;
}

}  // namespace pactdb
