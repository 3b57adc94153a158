#include "engine/stored_past.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/number_map.h"
#include "base/try.h"
#include "engine/export_info.h"
#include "model/far_nodes.h"
#include "model/far_run.h"
#include "model/indexed.h"
#include "model/unshared.h"
#include "store/gaps.h"

namespace pactdb {
namespace {

// Root and regions come on top of what a commit counts.
constexpr std::size_t kFixedContainers = 4;

Error Corrupt(const RecordId& id, const std::string& what) {
  return Error(ErrorCode::kStoreCorrupt, "commit " + std::to_string(id.commit) + ": " + what)
      .With("context_number", static_cast<std::int64_t>(id.context))
      .With("commit", static_cast<std::int64_t>(id.commit));
}

Error Retired(const RecordId& id) {
  return Error(ErrorCode::kSnapshotNotFound, "commit " + std::to_string(id.commit) +
                                                 " is no snapshot any more: retention took it")
      .With("context_number", static_cast<std::int64_t>(id.context))
      .With("commit", static_cast<std::int64_t>(id.commit));
}

// What a commit says beside its record, in columns, is what the record says.
Status CheckFacts(const RecordId& id, const CommitFacts& facts, const RecordHead& head) {
  // Imports begin below that bound, and every commit since is one more.
  // Commits went on behind the bound once.
  constexpr std::int64_t kCycleMax = limits::kCycleMax + std::numeric_limits<CommitNumber>::max();
  if (facts.cycle < 0 || facts.cycle > kCycleMax)
    return std::unexpected(Corrupt(id, "there is no such cycle"));
  if (facts.cycle != head.cycle)
    return std::unexpected(Corrupt(id, "its record is of another cycle"));
  const bool is_import = !head.sealed;
  if (is_import ? facts.committed_at_ns.has_value() : facts.committed_at_ns != head.time_ns)
    return std::unexpected(Corrupt(id, "its record is of another time"));
  return {};
}

Status CheckCycles(const RecordId& id, const CommitRecord& older, const CommitRecord& newer) {
  if (older.cycle < newer.cycle) return {};
  return std::unexpected(Corrupt(id, "its cycle is not before that of a later one"));
}

std::unique_ptr<const CommitNotes> NotesOf(const RecordHead& head, Lexicon& lexicon) {
  if (!head.imported_iso && head.departures.empty()) return nullptr;
  CommitNotes notes;
  if (head.imported_iso) notes.imported_iso = std::string(*head.imported_iso);
  for (const StoredDeparture& departure : head.departures) {
    const NodeNumber node = lexicon.InternId(departure.id, head.cycle);
    const NodeNumber with =
        departure.with.empty() ? node : lexicon.InternId(departure.with, head.cycle);
    notes.departures.push_back({node, with, departure.cause});
  }
  std::ranges::sort(notes.departures, {}, &Departure::node);
  return std::make_unique<const CommitNotes>(std::move(notes));
}

}  // namespace

StoredPast::StoredPast(std::shared_ptr<StoreSession> session, Lineage lineage,
                       std::shared_ptr<Lexicon> lexicon)
    : session_(std::move(session)),
      lineage_(std::move(lineage)),
      lexicon_(std::move(lexicon)),
      loader_(*lexicon_, session_->numbers(), *session_) {}

Result<CommitFacts> StoredPast::Facts(const RecordId& id) {
  std::optional<CommitFacts> facts;
  PACTDB_TRY_STATUS(session_->store().VisitFacts(id.context, {id.commit, id.commit},
                                                 [&facts](const CommitFacts& found) {
                                                   facts = found;
                                                   return false;
                                                 }));
  if (facts) return *facts;
  // A line is read once, and another process may run retention since then.
  PACTDB_TRY(const std::vector<CommitRange> gaps, session_->store().ListGaps(id.context));
  if (FindGap(gaps, id.commit) != nullptr) return std::unexpected(Retired(id));
  return std::unexpected(Corrupt(id, "it is missing"));
}

Result<std::unique_ptr<CommitRecord>> StoredPast::LoadRecord(std::size_t ordinal,
                                                             const CommitRecord* newer) {
  const RecordId id = lineage_.At(ordinal);
  PACTDB_TRY(const StoreSession::Reads reads, StoreSession::Reads::Begin(*session_));
  PACTDB_TRY(const CommitFacts facts, Facts(id));
  PACTDB_TRY(Ref<Container> root, LoadTree(ordinal, facts.nodes + kFixedContainers, newer));
  if (root->digest != facts.tree_sha256)
    return std::unexpected(Corrupt(id, "its tree is not the one whose hash it states"));
  auto record = std::make_unique<CommitRecord>();
  record->ordinal = static_cast<Ordinal>(ordinal);
  record->cycle = facts.cycle;
  record->lexicon = lexicon_;
  record->root = std::move(root);
  record->NoteFixed();
  if (record->nodes != facts.nodes)
    return std::unexpected(Corrupt(id, "its tree has not the nodes that it states"));
  record->added = facts.added;
  record->removed = facts.removed;
  record->changed = facts.changed;
  record->committed_at_ns = facts.committed_at_ns.value_or(0);
  PACTDB_TRY(const StoredRecord* stored, session_->Record(id));
  const RecordHead& head = stored->head();
  PACTDB_TRY_STATUS(CheckFacts(id, facts, head));
  if (head.sealed) {
    const auto turn = lexicon_->FindId(*head.sealed);
    if (!turn) return std::unexpected(Corrupt(id, "its turn is missing"));
    record->sealed = *turn;
  }
  record->clock = head.clock;
  record->notes = NotesOf(head, *lexicon_);
  return record;
}

Result<Ref<Container>> StoredPast::LoadTree(std::size_t ordinal, std::size_t nodes_max,
                                            const CommitRecord* newer) {
  const RecordId id = lineage_.At(ordinal);
  if (newer != nullptr && newer->ordinal == ordinal + 1)
    return loader_.Load(id, nodes_max, newer->root.get());
  if (newer != nullptr) return loader_.LoadFar(id, nodes_max, newer->View());
  // Nothing to share it with: all of its records are read.
  const auto [context, commits] = lineage_.LongestPart();
  const StoreSession::ReadingAhead ahead(*session_, context, commits);
  return loader_.Load(id, nodes_max, nullptr);
}

Result<CommitRecord*> StoredPast::LoadBase() {
  const std::size_t ordinal = lineage_.size() - 1;
  lexicon_->SetBase(static_cast<Ordinal>(ordinal));
  PACTDB_TRY(std::unique_ptr<CommitRecord> record, LoadRecord(ordinal, nullptr));
  bool is_twice = false;
  loader_.ForEachMade([&](const Node& node) {
    is_twice = is_twice || lexicon_->VersionAt(node.number, record->ordinal) != nullptr;
    lexicon_->AddVersion(node.number, record->ordinal, &node);
    ForEachIndexed(node, [&](IndexKind kind, const std::string& value) {
      lexicon_->AddPosting(kind, value, node.number);
    });
  });
  if (is_twice) return std::unexpected(Corrupt(lineage_.At(ordinal), "its tree has an id twice"));
  return record.release();
}

Result<CommitRecord*> StoredPast::LoadBefore(const CommitRecord& newer) {
  PACTDB_TRY(std::unique_ptr<CommitRecord> record, LoadRecord(newer.ordinal - 1, &newer));
  PACTDB_TRY_STATUS(CheckCycles(lineage_.At(newer.ordinal - 1), *record, newer));
  EnterPast(*record, newer);
  return record.release();
}

Result<CommitRecord*> StoredPast::LoadFar(std::size_t ordinal, const CommitRecord& newer) {
  PACTDB_TRY(std::unique_ptr<CommitRecord> record, LoadRecord(ordinal, &newer));
  PACTDB_TRY_STATUS(CheckCycles(lineage_.At(ordinal), *record, newer));
  if (newer.is_far() && newer.ordinal == ordinal + 1) {
    EnterStep(*record, newer);
  } else {
    PACTDB_TRY_STATUS(EnterFar(*record, newer));
  }
  return record.release();
}

template <typename Enter>
void StoredPast::ForEachPastVersion(const CommitRecord& older, const CommitRecord& newer,
                                    Enter&& enter) {
  const Unshared unshared = FindUnshared(*older.root, *newer.root, *lexicon_);
  NumberMap<const Node*> versions;  // of the older snapshot
  for (const Node* node : unshared.newer) versions.Set(node->number, nullptr);
  for (const Node* node : unshared.older) versions.Set(node->number, node);
  versions.ForEach([&](NodeNumber number, const Node* node) {
    const Node* after = newer.Find(number);
    // What stands in both, and is found there by its snapshot, has no versions.
    const bool is_fixed =
        node != nullptr && after != nullptr && node->is_fixed() && after->is_fixed();
    if (node != after && !is_fixed) enter(number, node, after);
  });
}

void StoredPast::EnterPast(const CommitRecord& older, const CommitRecord& newer) {
  ForEachPastVersion(older, newer, [&](NodeNumber number, const Node* node, const Node* after) {
    lexicon_->AddPastVersion(number, newer.ordinal, node);
    if (node == nullptr) return;
    ForEachIndexed(*node, [&](IndexKind kind, const std::string& value) {
      if (after == nullptr || !Carries(*after, kind, value))
        lexicon_->AddPosting(kind, value, number, newer.ordinal);
    });
  });
}

void StoredPast::EnterFarPostings(const Node& node, Ordinal at, Ordinal death) {
  bool is_new = true;
  ForEachIndexed(node, [&](IndexKind kind, const std::string& value) {
    if (is_new) {
      Ordinal& known = entered_[node.stored_at];
      if (known > at) return;
      known = death;
      is_new = false;
    }
    lexicon_->AddPosting(kind, value, node.number, death);
  });
}

Status StoredPast::EnterFar(CommitRecord& record, const CommitRecord& newer) {
  auto nodes = std::make_unique<FarNodes>(newer, *lexicon_);
  bool is_twice = false;
  loader_.ForEachMade([&](const Node& node) {
    is_twice = is_twice || !nodes->Add(node);
    EnterFarPostings(node, record.ordinal, newer.ordinal);
  });
  if (is_twice) {
    return std::unexpected(Corrupt(lineage_.At(record.ordinal), "its tree has an id twice"));
  }
  record.far_nodes = std::move(nodes);
  return {};
}

void StoredPast::EnterStep(CommitRecord& record, const CommitRecord& newer) {
  std::shared_ptr<FarRun> run = newer.far_nodes->run();
  // Versions are kept newest first: a snapshot that others follow already begins a run of its own.
  if (run == nullptr || run->oldest() != newer.ordinal) run = std::make_shared<FarRun>(newer);
  std::size_t own = 0;
  ForEachPastVersion(record, newer, [&](NodeNumber number, const Node* node, const Node*) {
    run->Add(number, newer.ordinal, node);
    if (node == nullptr) return;
    ++own;
    EnterFarPostings(*node, record.ordinal, newer.ordinal);
  });
  run->set_oldest(record.ordinal);
  record.far_nodes = std::make_unique<FarStep>(std::move(run), record.ordinal, own);
}

Result<std::size_t> StoredPast::LowerBound(std::int64_t cycle) {
  return lineage_.LowerBound(session_->store(), cycle);
}

Result<CommitLine> StoredPast::Line(std::size_t ordinal) {
  const RecordId id = lineage_.At(ordinal);
  PACTDB_TRY(const CommitFacts facts, Facts(id));
  CommitLine line{.cycle = facts.cycle,
                  .committed_at_iso = std::nullopt,
                  .added = facts.added,
                  .removed = facts.removed,
                  .changed = facts.changed,
                  .nodes = facts.nodes};
  if (facts.committed_at_ns) {
    line.committed_at_iso = FormatIso(*facts.committed_at_ns);
  } else {
    PACTDB_TRY(const StoredRecord* stored, session_->Record(id));
    if (stored->head().imported_iso) line.committed_at_iso = *stored->head().imported_iso;
  }
  return line;
}

std::unique_ptr<PastSource> StoredPast::CloneFor(std::shared_ptr<Lexicon> lexicon) const {
  return std::make_unique<StoredPast>(session_, lineage_, std::move(lexicon));
}

}  // namespace pactdb
