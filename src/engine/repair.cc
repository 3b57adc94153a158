#include "engine/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/try.h"
#include "engine/config_json.h"
#include "store/gaps.h"
#include "store/store_errors.h"

namespace pactdb {
namespace {

std::string RunText(const CommitRange& commits) {
  if (commits.first == commits.last) return fmt::format("commit {}", commits.first);
  return fmt::format("commits {}-{}", commits.first, commits.last);
}

// Every number of [1, last] that is not among `kept`.
std::vector<CommitRange> GapsBetween(const std::vector<CommitNumber>& kept, CommitNumber last) {
  std::vector<CommitRange> gaps;
  CommitNumber next = 1;
  for (const CommitNumber number : kept) {
    if (number > next) gaps.push_back({next, number - 1});
    next = number + 1;
  }
  if (last >= next) gaps.push_back({next, last});
  return gaps;
}

}  // namespace

bool RepairReport::whole() const {
  return losses.empty() && std::ranges::all_of(contexts, [](const RepairedContext& context) {
           return context.lost == 0 && context.losses.empty();
         });
}

std::string Repair::NameOf(const RecordId& id) const {
  const auto line = lines_.find(id.context);
  return line == lines_.end()
             ? fmt::format("commit {} of context {}", id.commit, id.context)
             : fmt::format("commit {} of '{}'", id.commit, line->second.context.name);
}

// --- what is whole ---

Repair::Cause Repair::NewCause(std::string reason) {
  reasons_.push_back(std::move(reason));
  return static_cast<Cause>(reasons_.size() - 1);
}

Repair::Cause Repair::CauseOfMissing(const RecordId& id) {
  Cause& cause = missing_[id];
  if (cause != 0) return cause;
  const bool is_damaged = salvaged_.damaged.contains(id);
  cause = NewCause(
      fmt::format("{} {}", NameOf(id), is_damaged ? "does not match its checksum" : "is missing"));
  return cause;
}

Repair::Cause Repair::CauseOfFacts(const RecordId& id) {
  return NewCause(fmt::format("the facts of {} do not match their checksum", NameOf(id)));
}

Repair::Cause Repair::RootCause(const RecordId& id) const {
  const auto found = causes_.find(id);
  return found == causes_.end() ? 0 : found->second.back();
}

Repair::Cause Repair::CauseOf(const StoredAddress& address) {
  const auto found = causes_.find(address.record);
  if (found == causes_.end()) return CauseOfMissing(address.record);
  if (address.index < found->second.size()) return found->second[address.index];
  return NewCause(NameOf(address.record) + " lacks an object");
}

Result<Repair::Cause> Repair::JudgeReferences(Line& line, const StoredRecord& record,
                                              std::uint32_t index) {
  std::vector<StoredAddress> objects;
  std::vector<Digest> contents;
  if (const Status read = record.ReadReferences(index, objects, contents); !read)
    return NewCause(read.error().message());
  for (const StoredAddress& address : objects) {
    if (address.record.context != record.id().context)
      line.newest_reference = std::max(line.newest_reference, address.record);
    if (const Cause cause = CauseOf(address); cause != 0) return cause;
  }
  for (const Digest& hash : contents) {
    const auto [known, is_new] = contents_.try_emplace(hash, 0);
    if (is_new) {
      const auto content = store_.ReadContent(hash);
      if (!content && content.error().code() != ErrorCode::kStoreCorrupt)
        return std::unexpected(content.error());
      if (!content) known->second = NewCause(ContentName(hash) + " is missing or damaged");
    }
    if (known->second != 0) return known->second;
  }
  return 0;
}

Result<Repair::Cause> Repair::JudgeObject(Line& line, const StoredRecord& record,
                                          std::uint32_t index) {
  const std::string_view object = record.object(index);
  if (object.empty()) {
    if (retired_ == 0) retired_ = NewCause("a part that retention took is missing");
    return retired_;
  }
  if (static_cast<std::uint8_t>(object.front()) != record::kChunkObject) {
    StoredNode node;
    if (const Status read = record.ReadNode(index, node); !read)
      return NewCause(read.error().message());
    // As the commit told the store: those that are new in it, and that the engine did not make.
    const bool is_new = node.cycle == record.head().cycle || !record.head().sealed;
    const bool is_fixed = node.node_class == NodeClass::kRoot || node.id.starts_with('^');
    if (!node.made_id && !is_fixed && is_new)
      ids_[record.id().context].emplace_back(record.id().commit, node.id);
  }
  return JudgeReferences(line, record, index);
}

Status Repair::JudgeRecord(Line& line, const RecordId& id) {
  PACTDB_TRY(std::string bytes, store_.ReadRecord(id));
  const auto record = StoredRecord::Parse(std::move(bytes), id);
  if (!record) {
    causes_[id] = {NewCause(record.error().message())};
    return {};
  }
  std::vector<Cause>& causes = causes_[id];
  causes.reserve(record->object_count());
  for (std::uint32_t index = 0; index < record->object_count(); ++index) {
    PACTDB_TRY(const Cause cause, JudgeObject(line, *record, index));
    causes.push_back(cause);
  }
  if (salvaged_.without_facts.contains(id)) settlement_.cycles[id] = record->head().cycle;
  return {};
}

Status Repair::Judge(Line& line) {
  const ContextNumber number = line.context.number;
  for (const CommitNumber commit : line.rows)
    PACTDB_TRY_STATUS(JudgeRecord(line, {number, commit}));
  for (const CommitNumber commit : line.rows) {
    const RecordId id{number, commit};
    const bool is_kept = FindGap(line.gaps, commit) == nullptr && RootCause(id) == 0 &&
                         !salvaged_.without_facts.contains(id);
    if (is_kept) line.kept.push_back(commit);
  }
  if (!line.context.deleted) DropTail(line);
  return {};
}

void Repair::DropTail(Line& line) {
  const CommitNumber newest = line.kept.empty() ? 0 : line.kept.back();
  while (!line.rows.empty() && line.rows.back() > newest) {
    const RecordId id{line.context.number, line.rows.back()};
    Cause cause = RootCause(id);
    if (cause == 0) cause = CauseOfFacts(id);
    missing_[id] = cause;
    causes_.erase(id);
    settlement_.cycles.erase(id);
    settlement_.dropped.push_back(id);
    line.rows.pop_back();
  }
}

// --- what is lost ---

// Numbers without a row; those whose row is damaged have a cause of their own.
void Repair::AddHole(ContextNumber context, CommitRange hole, std::vector<Loss>& losses) {
  CommitNumber next = hole.first;
  const auto first = salvaged_.damaged.lower_bound({context, hole.first});
  const auto end = salvaged_.damaged.upper_bound({context, hole.last});
  for (auto damaged = first; damaged != end; ++damaged) {
    if (damaged->commit > next)
      losses.push_back({{next, damaged->commit - 1}, CauseOfMissing({context, next})});
    losses.push_back({{damaged->commit, damaged->commit}, CauseOfMissing(*damaged)});
    next = damaged->commit + 1;
  }
  if (next <= hole.last) losses.push_back({{next, hole.last}, CauseOfMissing({context, next})});
}

std::vector<Repair::Loss> Repair::FindLosses(const Line& line) {
  const ContextNumber number = line.context.number;
  std::vector<Loss> losses;
  for (const CommitRange& run : Between(line.gaps, {1, line.context.head})) {
    std::uint64_t next = run.first;
    auto row = std::ranges::lower_bound(line.rows, run.first);
    for (; next <= run.last; ++row) {
      const bool ends = row == line.rows.end() || *row > run.last;
      const std::uint64_t at = ends ? std::uint64_t{run.last} + 1 : *row;
      if (at > next)
        AddHole(number, {static_cast<CommitNumber>(next), static_cast<CommitNumber>(at - 1)},
                losses);
      next = at + 1;
      if (ends) break;
      if (std::ranges::binary_search(line.kept, *row)) continue;
      Cause cause = RootCause({number, *row});
      if (cause == 0) cause = CauseOfFacts({number, *row});
      losses.push_back({{*row, *row}, cause});
    }
  }
  std::vector<Loss> joined;
  for (const Loss& loss : losses) {
    const bool goes_on = !joined.empty() && joined.back().cause == loss.cause &&
                         joined.back().commits.last + 1 == loss.commits.first;
    if (goes_on) {
      joined.back().commits.last = loss.commits.last;
    } else {
      joined.push_back(loss);
    }
  }
  return joined;
}

bool Repair::IsLost(const RecordId& id) const {
  const auto line = lines_.find(id.context);
  return line == lines_.end() || (FindGap(line->second.gaps, id.commit) == nullptr &&
                                  !std::ranges::binary_search(line->second.kept, id.commit));
}

// --- what stays ---

// The newest row at or before the one it was; where its own context has none, that one's origin.
RecordId Repair::NewOrigin(const Line& line) const {
  const bool is_unknown = salvaged_.unknown.contains(line.context.number);
  const RecordId wanted = is_unknown ? line.newest_reference : line.context.origin;
  const auto parent = lines_.find(wanted.context);
  if (wanted.context >= line.context.number || parent == lines_.end()) return {};
  const auto& rows = parent->second.rows;
  const auto after = std::ranges::upper_bound(rows, wanted.commit);
  if (after != rows.begin()) return {wanted.context, *std::prev(after)};
  return origins_.at(wanted.context);
}

Status Repair::SettleNotes(const Line& line, sqlite::SettledContext& settled,
                           RepairedContext& report) {
  const ContextNumber number = line.context.number;
  PACTDB_TRY(const std::vector<Tag> tags, store_.ListTags(number));
  for (const Tag& tag : tags) {
    if (IsLost({tag.context, tag.commit})) {
      report.losses.push_back(fmt::format("tag '{}': its commit is lost", tag.name));
    } else {
      settled.tags.push_back(tag);
    }
  }
  // Edits are applied to the newest snapshot: to no other.
  const bool is_head_kept =
      line.context.head != 0
          ? std::ranges::binary_search(line.kept, line.context.head)
          : line.context.origin == settled.context.origin &&
                (line.context.origin == RecordId{} || !IsLost(line.context.origin));
  settled.keeps_journal = is_head_kept && !salvaged_.unknown.contains(number);
  PACTDB_TRY(const std::vector<std::string> journal, store_.ReadJournal(number));
  if (!settled.keeps_journal && !journal.empty())
    report.losses.emplace_back("uncommitted edits: the commit they were made on is lost");
  return {};
}

Status Repair::Settle(const Line& line) {
  const ContextNumber number = line.context.number;
  sqlite::SettledContext settled{.context = line.context};
  RepairedContext report{.name = line.context.name};
  report.kept = static_cast<std::int64_t>(line.kept.size());
  for (const Loss& loss : FindLosses(line)) {
    settled.lost.push_back(loss.commits);
    report.lost += std::int64_t{loss.commits.last} - loss.commits.first + 1;
    report.losses.push_back(fmt::format("{}: {}", RunText(loss.commits), reasons_[loss.cause]));
  }
  tallies_[number] = {
      .kept = report.kept, .lost = report.lost, .newest = line.kept.empty() ? 0 : line.kept.back()};
  settled.stays = !line.context.deleted || !line.rows.empty();
  settled.context.head = line.rows.empty() ? 0 : line.rows.back();
  settled.context.origin = origins_[number] = NewOrigin(line);
  settled.gaps = GapsBetween(line.kept, settled.context.head);
  if (salvaged_.unknown.contains(number)) {
    settled.context.config = ConfigJson({});
    report.losses.emplace_back("its entry: the configuration is lost, and name and origin may be");
  } else if (settled.context.origin != line.context.origin) {
    report.losses.emplace_back("the commit it was forked from; it goes on from an earlier one");
  }
  PACTDB_TRY_STATUS(SettleNotes(line, settled, report));
  settled.ids = std::move(ids_[number]);
  std::erase_if(settled.ids,
                [&settled](const auto& id) { return id.first > settled.context.head; });
  settlement_.contexts.push_back(std::move(settled));
  if (!line.context.deleted || report.lost > 0) report_.contexts.push_back(std::move(report));
  return {};
}

Status Repair::Run(const Progress& progress) {
  PACTDB_TRY(const std::vector<RecordId> records, store_.ListRecords());
  for (const StoredContext& context : salvaged_.contexts) {
    Line& line = lines_[context.number];
    line.context = context;
    PACTDB_TRY(const std::vector<CommitRange> gaps, store_.ListGaps(context.number));
    for (const CommitRange& gap : gaps) AddGap(line.gaps, gap);
  }
  for (const RecordId& id : records) lines_[id.context].rows.push_back(id.commit);
  std::size_t done = 0;
  for (auto& [number, line] : lines_) {
    if (progress) progress(static_cast<double>(done++) / static_cast<double>(lines_.size()));
    PACTDB_TRY_STATUS(Judge(line));
    PACTDB_TRY_STATUS(Settle(line));
  }
  report_.losses = std::move(salvaged_.losses);
  std::ranges::sort(report_.contexts, {}, &RepairedContext::name);
  return {};
}

// --- the whole of it ---

namespace {

struct Attempt {
  RepairReport report;
  Repair::Tallies tallies;
  std::shared_ptr<sqlite::DraftClaim> claim;  // for as long as its draft is one
};

Result<Attempt> RepairDraft(sqlite::Salvaged salvaged, const std::string& draft,
                            const Progress& progress) {
  Attempt attempt{.report = {}, .tallies = {}, .claim = salvaged.claim};
  sqlite::Settlement settlement;
  {
    PACTDB_TRY(const auto store, OpenSqliteStore(draft, StoreAccess::kRead));
    Repair repair(*store, std::move(salvaged));
    PACTDB_TRY_STATUS(repair.Run([&](double done) {
      if (progress) progress(0.5 + done / 4);
    }));
    settlement = repair.settlement();
    attempt.tallies = repair.tallies();
    attempt.report = repair.TakeReport();
  }
  PACTDB_TRY_STATUS(sqlite::SettleRows(draft, settlement));
  // What was damaged on purpose can match its checksums and be wrong.
  PACTDB_TRY(Database database, Database::Open(draft, Access::kRead));
  PACTDB_TRY(const std::vector<std::string> problems, database.Verify([&](double done) {
    if (progress) progress(0.75 + done / 4);
  }));
  for (const std::string& problem : problems)
    attempt.report.losses.push_back("still broken: " + problem);
  return attempt;
}

// Leaves the draft as it would be placed.
Result<Attempt> Try(const std::string& from, const std::string& to, sqlite::SalvagedLog log,
                    const Progress& progress) {
  const auto salvaging = [&](double done) {
    if (progress) progress(done / 2);
  };
  auto salvaged = sqlite::SalvageRows(from, to, salvaging, log);
  if (!salvaged) return std::unexpected(std::move(salvaged).error());
  const auto claim = salvaged->claim;
  auto attempt = RepairDraft(*std::move(salvaged), sqlite::DraftOf(to), progress);
  if (!attempt) sqlite::RemoveDraft(to);
  return attempt;
}

std::int64_t CountKept(const Repair::Tallies& tallies) {
  std::int64_t kept = 0;
  for (const auto& [number, tally] : tallies) kept += tally.kept;
  return kept;
}

bool HasLostSnapshots(const Result<Attempt>& attempt) {
  if (!attempt) return attempt.error().code() == ErrorCode::kStoreCorrupt;
  const auto& contexts = attempt->report.contexts;
  return CountKept(attempt->tallies) == 0 ||
         std::ranges::any_of(contexts, [](const RepairedContext& found) {
           return found.lost > 0 || !found.losses.empty();
         });
}

// True if the file without its log has snapshots that the attempt with the log misses, and is no
// older state. What a log took on purpose is no loss: a deleted context counts for nothing.
bool IsMoreWithoutLog(const Repair::Tallies& with_log, const Repair::Tallies& alone) {
  if (CountKept(with_log) == 0) return CountKept(alone) > 0;
  std::int64_t found = 0;
  for (const auto& [number, tally] : with_log) {
    const auto other = alone.find(number);
    const Repair::Tally there = other == alone.end() ? Repair::Tally() : other->second;
    if (there.newest < tally.newest) return false;
    found += std::min(there.kept, tally.kept + tally.lost);
  }
  return found > CountKept(with_log);
}

// The log may be that of a file that was here before this one, and its pages are then over others.
Result<Attempt> TryWithoutLog(const std::string& from, const std::string& to,
                              Result<Attempt> with_log, const Progress& progress) {
  if (with_log) PACTDB_TRY_STATUS(sqlite::PutDraftAside(to));
  auto alone = Try(from, to, sqlite::SalvagedLog::kLeft, progress);
  const bool is_better =
      alone && (!with_log || IsMoreWithoutLog(with_log->tallies, alone->tallies));
  if (is_better) {
    const std::int64_t kept = with_log ? CountKept(with_log->tallies) : 0;
    sqlite::RemoveDraftAside(to);
    alone->report.losses.push_back(
        fmt::format("the log beside the file (-wal) was left out, and may be another file's: with "
                    "it {} {} kept",
                    kept, kept == 1 ? "snapshot is" : "snapshots are"));
    return alone;
  }
  if (with_log) PACTDB_TRY_STATUS(sqlite::TakeDraftBack(to));
  return with_log;
}

}  // namespace

Result<RepairReport> RepairFile(const std::string& from, const std::string& to,
                                const Progress& progress) {
  auto attempt = Try(from, to, sqlite::SalvagedLog::kTaken, progress);
  if (HasLostSnapshots(attempt) && sqlite::HasLog(from))
    attempt = TryWithoutLog(from, to, std::move(attempt), progress);
  if (!attempt) return std::unexpected(std::move(attempt).error());
  if (const Status placed = sqlite::PlaceDraft(to); !placed) {
    sqlite::RemoveDraft(to);
    return std::unexpected(placed.error());
  }
  return std::move(attempt->report);
}

}  // namespace pactdb
