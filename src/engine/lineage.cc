#include "engine/lineage.h"

#include <algorithm>
#include <ranges>

#include "base/check.h"
#include "base/try.h"

namespace pactdb {
namespace {

// A fork has a greater number than its origin, so a line ends; a file that says otherwise is bad.
Status CheckOrigin(const StoredContext& context) {
  if (context.origin.context == 0 || context.origin.context < context.number) return {};
  return std::unexpected(
      Error(ErrorCode::kStoreCorrupt, "context '" + context.name + "' was forked from a later one")
          .With("context", context.name));
}

}  // namespace

std::size_t Lineage::Segment::CountTo(CommitNumber number) const {
  std::size_t count = std::min(number, last);
  const CommitNumber end = std::min(number, last);
  for (const CommitRange& gap : gaps) {
    if (gap.first > end) break;
    count -= std::min(gap.last, end) - gap.first + 1;
  }
  return count;
}

std::size_t Lineage::Segment::count() const {
  return CountTo(last);
}

bool Lineage::Segment::IsGap(CommitNumber number) const {
  return std::ranges::any_of(
      gaps, [number](const CommitRange& gap) { return gap.first <= number && number <= gap.last; });
}

Result<Lineage> Lineage::Read(Store& store, const StoredContext& context) {
  Lineage lineage;
  StoredContext at = context;
  CommitNumber last = context.head;
  while (true) {
    PACTDB_TRY_STATUS(CheckOrigin(at));
    PACTDB_TRY(std::vector<CommitRange> gaps, store.ListGaps(at.number));
    lineage.segments_.push_back(
        {.context = at.number, .last = last, .gaps = std::move(gaps), .begin = 0});
    if (at.origin.context == 0) break;
    last = at.origin.commit;
    PACTDB_TRY(at, store.GetContext(at.origin.context));
  }
  std::ranges::reverse(lineage.segments_);
  std::size_t begin = 0;
  for (Segment& segment : lineage.segments_) {
    segment.begin = begin;
    begin = segment.end();
  }
  return lineage;
}

RecordId Lineage::At(std::size_t ordinal) const {
  PACTDB_CHECK(ordinal < size());
  const auto segment = std::ranges::find_if(
      segments_, [ordinal](const Segment& candidate) { return ordinal < candidate.end(); });
  auto number = static_cast<CommitNumber>(ordinal - segment->begin + 1);
  for (const CommitRange& gap : segment->gaps) {
    if (gap.first > number) break;
    number += gap.last - gap.first + 1;
  }
  return {segment->context, number};
}

std::optional<std::size_t> Lineage::OrdinalOf(const RecordId& id) const {
  for (const Segment& segment : segments_) {
    if (segment.context != id.context || id.commit == 0 || id.commit > segment.last) continue;
    if (segment.IsGap(id.commit)) return std::nullopt;
    return segment.begin + segment.CountTo(id.commit) - 1;
  }
  return std::nullopt;
}

Result<std::size_t> Lineage::LowerBound(Store& store, std::int64_t cycle) const {
  for (const Segment& segment : segments_) {
    PACTDB_TRY(const auto found, store.FindCycle(segment.context, cycle));
    if (found && found->number <= segment.last)
      return segment.begin + segment.CountTo(found->number) - 1;
  }
  return size();
}

std::pair<ContextNumber, CommitRange> Lineage::LongestPart() const {
  const Segment& longest = *std::ranges::max_element(segments_, {}, &Segment::last);
  return {longest.context, {1, longest.last}};
}

std::optional<RecordId> Lineage::LastCommitWith(const Lineage& other) const {
  std::optional<RecordId> found;
  for (std::size_t i = 0; i < std::min(segments_.size(), other.segments_.size()); ++i) {
    const Segment& own = segments_[i];
    const Segment& others = other.segments_[i];
    const CommitNumber last = std::min(own.last, others.last);
    if (own.context != others.context || last == 0) break;
    found = RecordId{own.context, last};
    if (own.last != others.last) break;
  }
  return found;
}

std::size_t Lineage::SharedWith(const Lineage& other) const {
  std::size_t shared = 0;
  for (std::size_t i = 0; i < std::min(segments_.size(), other.segments_.size()); ++i) {
    const Segment& own = segments_[i];
    const Segment& others = other.segments_[i];
    if (own.context != others.context) break;
    shared = own.begin + own.CountTo(std::min(own.last, others.last));
    if (own.last != others.last) break;
  }
  return shared;
}

void Lineage::Append(const RecordId& id) {
  Segment& own = segments_.back();
  PACTDB_CHECK(own.context == id.context && own.last + 1 == id.commit);
  own.last = id.commit;
}

}  // namespace pactdb
