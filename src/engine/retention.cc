// Method: records in falling order. What an object refers to stands before it (model/record.h), so
// when a record's turn comes, everything that leads into it has been looked at.
#include "engine/retention.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/try.h"

namespace pactdb {
namespace {

// A record that loses less than this part of itself is not worth writing anew.
constexpr std::size_t kRewriteShare = 8;

void Append(const RecordId& id, std::vector<RetireRequest::Dropped>& dropped) {
  const bool goes_on = !dropped.empty() && dropped.back().context == id.context &&
                       dropped.back().commits.last + 1 == id.commit;
  if (goes_on) {
    dropped.back().commits.last = id.commit;
  } else {
    dropped.push_back({.context = id.context, .commits = {id.commit, id.commit}});
  }
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

Status Retention::Choose(const StoredContext& context, const RetentionRules& rules,
                         std::optional<std::int64_t> older_than_ns) {
  Store& store = session_.store();
  std::set<CommitNumber> kept = {context.head};
  if (rules.keep_tagged) {
    PACTDB_TRY(const std::vector<Tag> tags, store.ListTags(context.number));
    for (const Tag& tag : tags) {
      if (tag.context == context.number) kept.insert(tag.commit);
    }
  }
  PACTDB_TRY(const std::vector<StoredContext> contexts, ListLineages(store));
  for (const StoredContext& other : contexts) {
    if (other.origin.context == context.number) kept.insert(other.origin.commit);
    // A fork's tags on what it shares.
    if (!rules.keep_tagged || other.number == context.number) continue;
    PACTDB_TRY(const std::vector<Tag> tags, store.ListTags(other.number));
    for (const Tag& tag : tags) {
      if (tag.context == context.number) kept.insert(tag.commit);
    }
  }
  std::vector<CommitFacts> facts;
  PACTDB_TRY_STATUS(
      store.VisitFacts(context.number, {1, context.head}, [&facts](const CommitFacts& commit) {
        facts.push_back(commit);
        return true;
      }));
  const std::size_t last = rules.keep_last ? static_cast<std::size_t>(*rules.keep_last) : 0;
  const std::size_t end = facts.size() - std::min(facts.size(), last);
  for (const CommitFacts& commit : std::span(facts).first(end)) {
    if (kept.contains(commit.number)) continue;
    // A snapshot that was imported does not say when; then it is not known to be older.
    if (older_than_ns && commit.committed_at_ns.value_or(*older_than_ns) >= *older_than_ns)
      continue;
    Append({context.number, commit.number}, dropped_);
    ++snapshots_;
  }
  return {};
}

bool Retention::IsDropped(const RecordId& id) const {
  return std::ranges::any_of(dropped_, [&id](const RetireRequest::Dropped& range) {
    return range.context == id.context && range.commits.first <= id.commit &&
           id.commit <= range.commits.last;
  });
}

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
    if (!is_gap && !IsDropped(id)) roots_.insert(id);
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

std::uint64_t Retention::Weigh(const StoredRecord& record, const Live& live) {
  const RecordId& id = record.id();
  if (roots_.contains(id)) return 0;
  std::uint64_t dead = 0;
  std::uint64_t all = 0;
  for (std::uint32_t index = 0; index < record.object_count(); ++index) {
    all += record.object(index).size();
    dead += live[index] ? 0 : record.object(index).size();
  }
  if (std::ranges::none_of(live, [](bool is_live) { return is_live; })) {
    request_.deleted.push_back(id);
    return record.size();
  }
  if (dead * kRewriteShare < all || dead == 0) return 0;
  std::string rewritten = record.Without(live);
  const std::uint64_t freed = record.size() - rewritten.size();
  request_.rewritten.push_back({id, std::move(rewritten)});
  return freed;
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
  request_.snapshots = dropped_;
  const std::function<bool(const ContentHash256&)> keeps = [this](const ContentHash256& hash) {
    return live_contents_.contains(hash);
  };
  request_.keeps_content = &keeps;
  PACTDB_TRY_STATUS(session_.store().Retire(request_));
  session_.ForgetRecords();
  return session_.store().Compact().has_value();
}

}  // namespace pactdb
