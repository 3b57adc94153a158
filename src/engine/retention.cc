// Method: records in falling order. What an object refers to stands before it (model/record.h), so
// when a record's turn comes, everything that leads into it has been looked at.
#include "engine/retention.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/try.h"
#include "store/gaps.h"

namespace pactdb {
namespace {

// A record that loses less than this part of itself is not worth writing anew.
constexpr std::size_t kRewriteShare = 8;

// The same as ranges.
std::vector<RetireRequest::Dropped> RangesOf(const std::set<RecordId>& ids) {
  std::vector<RetireRequest::Dropped> ranges;
  for (const RecordId& id : ids) {
    const bool goes_on = !ranges.empty() && ranges.back().context == id.context &&
                         ranges.back().commits.last + 1 == id.commit;
    if (goes_on) {
      ranges.back().commits.last = id.commit;
    } else {
      ranges.push_back({.context = id.context, .commits = {id.commit, id.commit}});
    }
  }
  return ranges;
}

// Those that are there, and deleted ones that they stand on.
Result<std::vector<StoredContext>> ListLineages(Store& store) {
  PACTDB_TRY(std::vector<StoredContext> contexts, store.ListContexts());
  std::set<ContextNumber> known;
  for (const StoredContext& context : contexts) known.insert(context.number);
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const ContextNumber origin = contexts[i].origin.context;
    if (origin == 0 || !known.insert(origin).second) continue;
    PACTDB_TRY(StoredContext deleted, store.GetContext(origin));
    contexts.push_back(std::move(deleted));
  }
  return contexts;
}

}  // namespace

// --- what goes ---

Result<std::vector<Retention::Part>> Retention::PartsOf(const StoredContext& context) {
  std::vector<Part> parts = {{.context = context.number, .last = context.head, .is_own = true}};
  RecordId origin = context.origin;
  while (origin.context != 0) {
    PACTDB_TRY(const StoredContext ancestor, session_.store().GetContext(origin.context));
    parts.push_back(
        {.context = origin.context, .last = origin.commit, .is_heritage = ancestor.deleted});
    // A file that says otherwise is bad, and its line would not end.
    if (ancestor.origin.context >= ancestor.number) break;
    origin = ancestor.origin;
  }
  return parts;
}

Status Retention::ReadContexts() {
  Store& store = session_.store();
  PACTDB_TRY(const std::vector<StoredContext> contexts, ListLineages(store));
  for (const StoredContext& context : contexts) {
    if (context.origin.context != 0) origins_.insert(context.origin);
    if (context.deleted) continue;
    PACTDB_TRY(const std::vector<Tag> tags, store.ListTags(context.number));
    for (const Tag& tag : tags) tagged_.insert({tag.context, tag.commit});
    PACTDB_TRY(const std::vector<Part> parts, PartsOf(context));
    for (const Part& part : parts) {
      if (part.is_heritage) heirs_[part.context].push_back(part.last);
    }
  }
  return {};
}

std::size_t Retention::CountHeirs(const RecordId& id) const {
  const auto heirs = heirs_.find(id.context);
  if (heirs == heirs_.end()) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(heirs->second, [&id](CommitNumber last) { return id.commit <= last; }));
}

Result<std::vector<RecordId>> Retention::LetGo(const Target& target) {
  Store& store = session_.store();
  PACTDB_TRY(const std::vector<Part> parts, PartsOf(target.context));
  const auto keep_last = static_cast<std::uint64_t>(target.rules.keep_last.value_or(0));
  std::vector<RecordId> gone;
  std::uint64_t place = 0;  // in the line, from the newest
  const auto goes = [&](const Part& part, const CommitFacts& commit) {
    const RecordId id{part.context, commit.number};
    if (part.is_own && origins_.contains(id)) return false;
    if (target.rules.keep_tagged && tagged_.contains(id)) return false;
    // A snapshot that was imported does not say when; then it is not known to be older.
    const std::int64_t bound_ns = target.older_than_ns.value_or(INT64_MAX);
    return !target.older_than_ns || commit.committed_at_ns.value_or(bound_ns) < bound_ns;
  };
  for (const Part& part : parts) {
    if (!part.is_own && !part.is_heritage) {
      PACTDB_TRY(const std::vector<CommitRange> gaps, store.ListGaps(part.context));
      place += part.last - CountNumbers(Within(gaps, part.last));
      continue;
    }
    std::vector<CommitFacts> facts;
    PACTDB_TRY_STATUS(
        store.VisitFacts(part.context, {1, part.last}, [&facts](const CommitFacts& commit) {
          facts.push_back(commit);
          return true;
        }));
    for (const CommitFacts& commit : std::views::reverse(facts)) {
      const bool stays = place == 0 || place < keep_last || !goes(part, commit);
      ++place;
      if (!stays) gone.push_back({part.context, commit.number});
    }
  }
  return gone;
}

Status Retention::Choose(std::vector<Target>& targets) {
  PACTDB_TRY_STATUS(ReadContexts());
  std::map<RecordId, std::vector<Target*>> released;
  for (Target& target : targets) {
    PACTDB_TRY(const std::vector<RecordId> gone, LetGo(target));
    for (const RecordId& id : gone) released[id].push_back(&target);
  }
  for (const auto& [id, by] : released) {
    const bool is_own = by.front()->context.number == id.context;
    if (!is_own && by.size() < CountHeirs(id)) continue;
    dropped_.insert(id);
    for (Target* target : by) ++target->snapshots;
  }
  return {};
}

// --- what goes with it ---

Status Retention::CollectRecords() {
  Store& store = session_.store();
  PACTDB_TRY(const std::vector<RecordId> records, store.ListRecords());
  records_.insert(records.begin(), records.end());
  std::map<ContextNumber, std::vector<CommitRange>> gaps;
  for (const RecordId& id : records) {
    if (!gaps.contains(id.context)) {
      PACTDB_TRY(gaps[id.context], store.ListGaps(id.context));
    }
    const bool is_gap = std::ranges::any_of(gaps[id.context], [&id](const CommitRange& gap) {
      return gap.first <= id.commit && id.commit <= gap.last;
    });
    if (!is_gap && !dropped_.contains(id)) roots_.insert(id);
  }
  return {};
}

void Retention::MarkObject(const StoredAddress& address) {
  marks_[{address.record, address.index / kMarkBits}] |= std::uint64_t{1}
                                                         << address.index % kMarkBits;
}

Retention::Live Retention::TakeMarks(const StoredRecord& record) {
  Live live(record.object_count());
  auto mark = marks_.lower_bound({record.id(), 0});
  while (mark != marks_.end() && mark->first.first == record.id()) {
    const std::size_t first = std::size_t{mark->first.second} * kMarkBits;
    for (std::size_t i = first; i < std::min(first + kMarkBits, live.size()); ++i)
      live[i] = (mark->second >> (i - first) & 1) != 0;
    mark = marks_.erase(mark);
  }
  return live;
}

Result<Retention::Live> Retention::Mark(const StoredRecord& record) {
  const RecordId& id = record.id();
  Live live = TakeMarks(record);
  if (roots_.contains(id)) live[record.root()] = true;
  std::vector<StoredAddress> objects;
  std::vector<Digest> contents;
  for (std::uint32_t index = record.object_count(); index-- > 0;) {
    if (record.object(index).empty()) continue;
    if (!live[index]) continue;
    objects.clear();
    contents.clear();
    PACTDB_TRY_STATUS(record.ReadReferences(index, objects, contents));
    live_contents_.insert(contents.begin(), contents.end());
    for (const StoredAddress& object : objects) {
      if (object.record == id) {
        live[object.index] = true;
      } else {
        MarkObject(object);
      }
    }
  }
  return live;
}

// Writes the record anew without what is dead; how much less that is.
std::uint64_t Retention::Empty(const StoredRecord& record, const Live& live) {
  std::string rewritten = record.Without(live);
  const std::uint64_t freed = record.size() - rewritten.size();
  request_.rewritten.push_back({record.id(), std::move(rewritten)});
  return freed;
}

std::uint64_t Retention::Weigh(const StoredRecord& record, const Live& live) {
  const RecordId& id = record.id();
  if (roots_.contains(id)) return 0;
  std::uint64_t dead = 0;
  std::uint64_t all = 0;
  for (std::uint32_t index = 0; index < record.object_count(); ++index) {
    all += record.object(index).size();
    dead += live[index] ? 0 : record.object(index).size();
  }
  const bool is_dead = std::ranges::none_of(live, [](bool is_live) { return is_live; });
  if (is_dead && !origins_.contains(id)) {
    request_.deleted.push_back(id);
    return record.size();
  }
  if (dead * kRewriteShare < all || dead == 0) return 0;
  return Empty(record, live);
}

Result<std::uint64_t> Retention::Measure(const std::function<void(double)>& progress) {
  PACTDB_TRY_STATUS(CollectRecords());
  std::uint64_t bytes = 0;
  std::size_t done = 0;
  for (const RecordId& id : std::views::reverse(records_)) {
    PACTDB_TRY(const StoredRecord* record, session_.Record(id));
    PACTDB_TRY(const Live live, Mark(*record));
    bytes += Weigh(*record, live);
    if (progress) progress(static_cast<double>(++done) / static_cast<double>(records_.size()));
  }
  // All there are, and not those that records name: a context that was deleted took its records
  // along, and nothing leads to what only they named.
  PACTDB_TRY_STATUS(session_.store().VisitContents([&](const Digest& hash, std::uint64_t size) {
    if (!live_contents_.contains(hash)) bytes += size;
  }));
  return bytes;
}

Result<bool> Retention::Run() {
  request_.snapshots = RangesOf(dropped_);
  const std::function<bool(const ContentHash256&)> keeps = [this](const ContentHash256& hash) {
    return live_contents_.contains(hash);
  };
  request_.keeps_content = &keeps;
  PACTDB_TRY_STATUS(session_.store().Retire(request_));
  session_.ForgetRecords();
  return session_.store().Compact().has_value();
}

}  // namespace pactdb
