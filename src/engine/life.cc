// Method: versions are compared pairwise. What a comparison cannot tell was noted by the commit
// (Departure) or follows from the tree of that snapshot: who was sealed, and what kept a node that
// was due. Of snapshots that retention took only what is left behind can tell, and what does not
// follow from it is told as what happened between two that stayed.
#include "engine/life.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/departures.h"
#include "model/difference.h"
#include "model/indexed.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

class Biographer {
 public:
  Biographer(const History& history, const TreeView& now, NodeNumber number,
             std::int64_t open_cycle)
      : history_(history), now_(now), number_(number), open_cycle_(open_cycle) {}

  std::vector<LifeEvent> Write() {
    const std::vector<Version> versions = Versions();
    const Version* before = nullptr;
    for (std::size_t i = 0; i < versions.size(); ++i) {
      const Version& version = versions[i];
      if (before != nullptr && before->node == nullptr) before = nullptr;
      Compare(before, version);
      const std::size_t end = i + 1 < versions.size() ? versions[i + 1].ordinal : history_.size();
      if (version.node != nullptr && !version.node->is_fixed()) {
        NoteLateSealing(version, end);
        NoteDeferral(before, version, end);
      }
      before = &version;
    }
    NoteWorkingState(before);
    if (versions.empty()) NoteShortLife();
    return std::move(events_);
  }

 private:
  struct Version {
    std::size_t ordinal;
    const Node* node;  // null: gone
  };

  std::vector<Version> Versions() const {
    std::vector<Version> versions;
    const Node* current = now_.Find(number_);
    if (current != nullptr && current->is_fixed()) {
      for (std::size_t i = 0; i < history_.size(); ++i)
        versions.push_back({i, history_.at(i).Find(number_)});
      // A region that an imported snapshot lacks: nothing of that concerns the others.
      std::erase_if(versions, [](const Version& version) { return version.node == nullptr; });
      return versions;
    }
    now_.lexicon->ForEachVersion(
        number_, [&versions](Ordinal at, const Node* node) { versions.push_back({at, node}); });
    return versions;
  }

  // The cycle of the snapshot before; 0 before the first.
  std::int64_t CycleBefore(const CommitRecord& record) const {
    return record.ordinal == 0 ? 0 : history_.at(record.ordinal - 1).cycle;
  }

  // A commit comes one cycle after the snapshot before it; where it does not, those between are
  // gone. An import may jump, and is what it is whatever was before it.
  bool IsAfterGap(const CommitRecord& record) const {
    return !record.is_import() && record.cycle != CycleBefore(record) + 1;
  }

  // REQUIRES: IsAfterGap(record).
  std::string Between(const CommitRecord& record) const {
    const std::string until = "@c" + std::to_string(record.cycle);
    if (record.ordinal == 0) return "before " + until + " (no snapshot there is kept)";
    return "between @c" + std::to_string(CycleBefore(record)) + " and " + until +
           " (no snapshot there is kept)";
  }

  std::string Id(NodeNumber number) const { return std::string(now_.lexicon->id(number)); }

  void Note(std::int64_t cycle, std::string_view event, std::string why,
            std::vector<std::string> fields = {}) {
    events_.push_back({cycle, std::string(event), std::move(fields), std::move(why)});
  }

  // The version against the one before it; null if there was none.
  void Compare(const Version* before, const Version& version) {
    const CommitRecord& record = history_.at(version.ordinal);
    if (before == nullptr && version.node == nullptr) return;  // an import without it, twice
    if (version.node == nullptr) return NoteEnd(record);
    if (before == nullptr) return NoteBirth(record, *version.node);
    const bool was_sealed = std::exchange(sealed_at_, std::nullopt) == version.ordinal;
    NoteChanges(record.cycle, *before->node, *version.node, was_sealed ? &record : nullptr,
                record.is_import()   ? "in an imported document"
                : IsAfterGap(record) ? Between(record)
                                     : "by hand");
    if (was_sealed) NoteSealing(record);
  }

  void NoteBirth(const CommitRecord& record, const Node& node) {
    if (node.is_fixed()) return Note(0, "born", "part of every context");
    if (IsAfterGap(record) && node.cycle != record.cycle) return NoteLostBirth(record, node);
    const bool is_turn = number_ == record.sealed;
    Note(record.cycle, "born",
         record.is_import() ? "in an imported document"
         : is_turn          ? "a commit sealed the head"
                            : "added");
    const Node* stem = record.View().Stem(node);
    if (!record.is_import() && stem != nullptr && stem->number == record.sealed)
      NoteSealing(record);
  }

  // Of a node that was made for a snapshot that is gone: it says when itself, and so does the turn
  // it lies in.
  void NoteLostBirth(const CommitRecord& record, const Node& node) {
    // It was not there then: a document brought it later.
    if (node.cycle <= CycleBefore(record)) return Note(record.cycle, "born", Between(record));
    Note(
        node.cycle, "born",
        node.is_turn() ? "a commit sealed the head; its snapshot is gone" : "its snapshot is gone");
    const Node* stem = record.View().Stem(node);
    // Into a turn that is older it was put by hand.
    if (stem == nullptr || !stem->is_turn() || stem->cycle < node.cycle) return;
    const std::string by = stem == &node ? "by the commit" : "in " + Id(stem->number);
    Note(stem->cycle, "sealed",
         stem->number == record.sealed ? by : by + "; that snapshot is gone");
  }

  void NoteSealing(const CommitRecord& record) {
    Note(record.cycle, "sealed",
         number_ == record.sealed ? "by the commit" : "in " + Id(record.sealed));
  }

  // `sealing`: the commit that sealed it meanwhile; its new place is no move.
  void NoteChanges(std::int64_t cycle, const Node& older, const Node& newer,
                   const CommitRecord* sealing, std::string_view how) {
    // At one time for both: a ttl that ran down is no change.
    TreeView view = now_;
    view.now = 0;
    std::vector<std::string> fields = DifferentFields(view, older, view, newer);
    if (sealing != nullptr && IsSealedPlace(older, newer, *sealing)) std::erase(fields, "parent");
    std::vector<std::string> place;
    for (const std::string_view name : {"offset", "parent"}) {
      if (std::erase(fields, name) > 0) place.emplace_back(name);
    }
    if (!place.empty()) {
      std::string why(how);
      if (place.back() == "parent") why += ", from " + Id(older.parent) + " to " + Id(newer.parent);
      Note(cycle, "moved", std::move(why), std::move(place));
    }
    if (!fields.empty()) Note(cycle, "changed", std::string(how), std::move(fields));
  }

  // Sealing puts the head's children under the turn, and loose blocks into its core.
  bool IsSealedPlace(const Node& older, const Node& newer, const CommitRecord& record) const {
    const Node* head = record.View().Region(NodeClass::kAh);
    if (head == nullptr || older.parent != head->number) return false;
    const Node* parent = record.Find(newer.parent);
    return parent->number == record.sealed ||
           (parent->is_core() && parent->parent == record.sealed);
  }

  // A snapshot's head is filled only if it was imported; the commit after it seals.
  void NoteLateSealing(const Version& version, std::size_t end) {
    const TreeView view = history_.at(version.ordinal).View();
    const std::size_t next = version.ordinal + 1;
    const Node* stem = view.Stem(*version.node);
    if (next >= history_.size() || stem == nullptr || stem->node_class() != NodeClass::kAh) return;
    const CommitRecord& record = history_.at(next);
    const Node* node = record.Find(number_);
    const Node* new_stem = node == nullptr ? nullptr : record.View().Stem(*node);
    // An import seals nothing.
    if (new_stem == nullptr || new_stem->number != record.sealed) return;
    if (next < end) {
      NoteSealing(record);
    } else {
      sealed_at_ = next;  // it has a new version there, and Compare comes to it
    }
  }

  void NoteEnd(const CommitRecord& record) {
    const Departure* departure = record.FindDeparture(number_);
    if (departure != nullptr) return NoteDeparture(record, *departure);
    Note(record.cycle, "removed",
         record.is_import()   ? "not in an imported document"
         : IsAfterGap(record) ? Between(record)
                              : "by hand");
  }

  void NoteDeparture(const CommitRecord& record, const Departure& departure) {
    const std::string with =
        departure.with == number_ ? std::string() : ", with " + Id(departure.with);
    switch (departure.cause) {
      case Departure::Cause::kExpired:
        return Note(record.cycle, "expired", "its ttl ended" + with);
      case Departure::Cause::kCascaded:
        return Note(record.cycle, "cascaded", "an empty removable group");
      case Departure::Cause::kMaxTurns:
      case Departure::Cause::kSysNodes:
      case Departure::Cause::kSeqNodes:
      case Departure::Cause::kAhNodes:
      case Departure::Cause::kMaxNodes:
      case Departure::Cause::kSysTokens:
      case Departure::Cause::kSeqTokens:
      case Departure::Cause::kAhTokens:
      case Departure::Cause::kMaxTokens:
        return Note(record.cycle, "pruned", std::string(NameOf(departure.cause)) + with);
    }
  }

  // The first commit at which the node was due, if it survived it in this version.
  void NoteDeferral(const Version* before, const Version& version, std::size_t end) {
    const Node& node = *version.node;
    if (!node.has_ttl() || !node.is_expendable()) return;
    std::size_t due = history_.LowerBound(node.expiry);
    if (due < version.ordinal) {
      // Told with the version before, unless the node was made from another that was due already.
      if (before != nullptr && before->node->expiry == node.expiry) return;
      due = version.ordinal;
    }
    if (due >= end) return;
    const CommitRecord& record = history_.at(due);
    const bool is_late = IsAfterGap(record) && std::cmp_less(node.expiry, record.cycle);
    const std::string ended = is_late ? "its ttl ended " + Between(record) : "its ttl ended";
    Note(record.cycle, "deferred", ended + ", but " + KeptBy(record, node));
  }

  std::string KeptBy(const CommitRecord& record, const Node& node) const {
    if (node.Has(Node::kPinned)) return "it is pinned";
    const TreeView view = record.View();
    if (const auto referrer = Carrier(view, IndexKind::kRef, Id(number_)))
      return Id(*referrer) + " names it";
    if (const Container* container = node.AsContainer()) {
      if (const ChildCursor child(*container); child.get() != nullptr)
        return Id(child.get()->number) + " in it stays";
    }
    std::optional<NodeNumber> partner;
    ForEachIndexed(node, [&](IndexKind kind, const std::string& value) {
      if (kind == IndexKind::kCall && !partner) partner = Carrier(view, kind, value);
    });
    if (partner) return Id(*partner) + " of its call stays";
    return "a program holds it";
  }

  // Another node of the snapshot that carries the value.
  std::optional<NodeNumber> Carrier(const TreeView& view, IndexKind kind,
                                    const std::string& value) const {
    for (const Node* node : FindIndexed(view, kind, value)) {
      if (node->number != number_) return node->number;
    }
    return std::nullopt;
  }

  // What the open cycle has done to it so far.
  void NoteWorkingState(const Version* before) {
    const Node* newer = now_.Find(number_);
    const Node* older = before == nullptr ? nullptr : before->node;
    if (newer != nullptr && newer->is_fixed() && older == nullptr) {
      return Note(0, "born", "part of every context");
    }
    if (newer != nullptr && older != nullptr) {
      return NoteChanges(open_cycle_, *older, *newer, nullptr, "by hand, not committed");
    }
    if (newer != nullptr) return Note(open_cycle_, "born", "added, not committed");
    if (older != nullptr) Note(open_cycle_, "removed", "by hand, not committed");
  }

  // A node that a commit took before any snapshot had it is known to that commit alone.
  void NoteShortLife() {
    if (!events_.empty()) return;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      const CommitRecord& record = history_.at(i);
      const Departure* departure = record.FindDeparture(number_);
      if (departure == nullptr) continue;
      NoteShortBirth(record);
      NoteDeparture(record, *departure);
    }
  }

  // The commit took it in the cycle it was made in, unless that was one whose snapshot is gone. An
  // id that the engine made says so.
  void NoteShortBirth(const CommitRecord& record) {
    if (!IsAfterGap(record)) return Note(record.cycle, "born", "added");
    const std::optional<MadeId> made = now_.lexicon->made_id(number_);
    if (!made) return Note(record.cycle, "born", Between(record));
    const auto cycle = static_cast<std::int64_t>(made->cycle);
    Note(cycle, "born", cycle == record.cycle ? "added" : "its snapshot is gone");
  }

  const History& history_;
  const TreeView now_;
  const NodeNumber number_;
  const std::int64_t open_cycle_;
  std::optional<std::size_t> sealed_at_;  // the version to come was made by sealing
  std::vector<LifeEvent> events_;
};

}  // namespace

std::vector<LifeEvent> LifeOf(const History& history, const TreeView& now, NodeNumber number,
                              std::int64_t open_cycle) {
  return Biographer(history, now, number, open_cycle).Write();
}

Result<std::string> ContextImpl::Life(std::string_view id) const {
  working_.Summarize();
  PACTDB_TRY_STATUS(history_->Need(0));
  const auto number = lexicon_->FindId(id);
  const std::vector<LifeEvent> events =
      number ? LifeOf(*history_, View(), *number, open_cycle_) : std::vector<LifeEvent>();
  if (events.empty()) {
    return std::unexpected(
        Error(ErrorCode::kNodeNotFound,
              "no snapshot and not the working state had a node '" + std::string(id) + "'")
            .With("id", id));
  }
  JsonOut out;
  out.BeginArray();
  for (const LifeEvent& event : events) {
    out.BeginObject();
    out.Key("cycle").Integer(event.cycle);
    out.Key("event").String(event.event);
    out.Key("fields").BeginArray();
    for (const std::string& field : event.fields) out.String(field);
    out.EndArray();
    out.Key("why").String(event.why);
    out.EndObject();
  }
  out.EndArray();
  return out.Take();
}

}  // namespace pactdb
