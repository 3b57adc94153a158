// Commits and their history.
//
// A CommitRecord is what a snapshot is made of: the root of its tree and a few facts fixed at the
// commit. The history is an append-only list of them; the newest is published by one pointer. The
// history of a fork begins with its parent's records up to the fork, which it shares.
//
// Thread safety: one writer; any number of readers.
#pragma once

#include <pactdb/error.h>
#include <pactdb/snapshot.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/append_vector.h"
#include "base/ref.h"
#include "model/node.h"
#include "model/tags.h"
#include "model/tree_view.h"

namespace pactdb {

// Why a commit took a node.
struct Departure {
  // kMaxTurns and what follows: pruned, by the limit of that name.
  enum class Cause : std::uint8_t {
    kExpired,
    kCascaded,
    kMaxTurns,
    kSysNodes,
    kSeqNodes,
    kAhNodes,
    kMaxNodes,
    kSysTokens,
    kSeqTokens,
    kAhTokens,
    kMaxTokens,
    kLast = kMaxTokens
  };
  NodeNumber node;
  // The node whose own end took it along (its group, its call's partner); itself if it was its own.
  NodeNumber with;
  Cause cause;
};

// What few commits have to say.
struct CommitNotes {
  // What the document of an import says of its newest turn, if it does.
  std::optional<std::string> imported_iso;
  // What expiry, cascade and pruning took, sorted by number.
  std::vector<Departure> departures;
};

// Where the clock stood after a commit: a fork's stamps go on from there, whatever its origin did
// since.
struct ClockPosition {
  std::int64_t next_tick_ns = 0;           // of a configured clock
  std::optional<std::int64_t> last_stamp;  // of this cycle or an earlier one
};

class FarRun;

// The nodes of a snapshot that was loaded apart from those between it and the first loaded one:
// by itself (model/far_nodes.h), or from its successor that was (model/far_run.h).
class FarSource : public NodeSource {
 public:
  // How many nodes it keeps that no other snapshot does.
  virtual std::size_t own_nodes() const = 0;
  // What the snapshot is a step of; null if it is none.
  virtual std::shared_ptr<FarRun> run() const { return nullptr; }
};

struct CommitRecord final : NodeSource {
  mutable std::atomic<std::uint32_t> refs{1};
  Ordinal ordinal = 0;
  std::int64_t cycle = 0;
  std::shared_ptr<const Lexicon> lexicon;
  Ref<Container> root;
  std::array<const Node*, 4> fixed{};  // root, sys, seq, ah; null where an import has none

  // For the log: counts of the difference to the commit before.
  std::uint32_t added = 0;
  std::uint32_t removed = 0;
  std::uint32_t changed = 0;
  std::uint32_t nodes = 0;
  NodeNumber sealed = kNoNode;  // the turn; none for an import
  std::int64_t committed_at_ns = 0;
  ClockPosition clock;
  std::unique_ptr<const CommitNotes> notes;  // null: nothing to say
  // Null: the lexicon has its versions.
  std::unique_ptr<const FarSource> far_nodes;

  bool is_far() const { return far_nodes != nullptr; }
  // A commit seals the head; an import brings a tree.
  bool is_import() const { return sealed == kNoNode; }
  // Null if this commit did not take the node by expiry, cascade or pruning. O(log departures)
  const Departure* FindDeparture(NodeNumber number) const;

  // As the log shows it; nothing for an import that does not say.
  std::optional<std::string> CommittedAtIso() const;

  // sha256 of the rendered thread, filled in when first asked for.
  mutable std::atomic<const Digest*> thread_sha256{nullptr};

  ~CommitRecord() override;
  const Node* Find(NodeNumber number) const override;
  TreeView View() const { return {lexicon.get(), root.get(), this, cycle + 1, ordinal}; }

  // The root or a region; null where an import has none.
  const Node* region(NodeClass node_class) const {
    return fixed[static_cast<std::size_t>(node_class)];
  }
  // Notes root and regions. REQUIRES: root set and refreshed.
  void NoteFixed();
  static void Destroy(const CommitRecord* record) { delete record; }
};

// What the log says of a commit.
struct CommitLine {
  std::int64_t cycle = 0;
  std::optional<std::string> committed_at_iso;
  std::uint32_t added = 0;
  std::uint32_t removed = 0;
  std::uint32_t changed = 0;
  std::uint32_t nodes = 0;
};

// Snapshots that are not in memory, for a context that was opened from a store. Errors: the
// store's.
class PastSource {
 public:
  virtual ~PastSource() = default;
  // The snapshot before `newer`, with its versions entered into the lexicon; the caller gets a
  // reference.
  virtual Result<CommitRecord*> LoadBefore(const CommitRecord& newer) = 0;
  // A snapshot far before `newer`, past those between: it keeps its nodes itself, and the lexicon
  // gets ids and index entries alone. One right before a far one keeps what that one lacks. The
  // caller gets a reference.
  virtual Result<CommitRecord*> LoadFar(std::size_t ordinal, const CommitRecord& newer) = 0;
  // The first ordinal whose cycle is `cycle` or later.
  virtual Result<std::size_t> LowerBound(std::int64_t cycle) = 0;
  virtual Result<CommitLine> Line(std::size_t ordinal) = 0;
  // The same snapshots, for a fork: what is loaded goes into its lexicon.
  virtual std::unique_ptr<PastSource> CloneFor(std::shared_ptr<Lexicon> lexicon) const = 0;
};

// Snapshots before the first loaded one come when they are needed. Whoever goes through all of them
// asks Need first, which loads them newest first, each at the price of what its successor changed.
// Whoever wants one asks Find, which goes straight to one that is far: that costs what it does not
// share with the first loaded one, whatever lies between. Whoever wants some that lie together asks
// Reach, which goes straight to the newest of them and from there step by step.
//
// Far ones cost memory that the way to them would not, so they are kept only as long as they are
// few, in nodes, and whoever has been far so often that going there would have cost no more is
// taken there: Find is Need then.
//
// A fork shares what its parent has loaded when it is made. What lies before that it loads itself,
// under its own numbers, as its parent may do for its own use.
class History {
 public:
  // A snapshot at most so many before the first loaded one is reached through those between.
  static constexpr std::size_t kNear = 8;
  // So many nodes of far snapshots are kept from one operation to the next: some 70 MB.
  static constexpr std::size_t kFarNodesMax = 250'000;
  // What a commit on the way is taken to cost, in nodes, when the ways are compared.
  static constexpr std::size_t kNodesPerCommit = 16;

  History() = default;
  // Of a context from a store: `newest` is its last snapshot, whose reference is taken over.
  History(CommitRecord* newest, std::unique_ptr<PastSource> past);
  // A fork's: `parent`'s up to `fork_point`, then its own. `past` may be null if the parent has
  // none. REQUIRES: the parent holds that one itself (see OwnerOf). O(1)
  History(std::shared_ptr<const History> parent, Ordinal fork_point,
          std::unique_ptr<PastSource> past = nullptr);
  ~History();

  std::size_t size() const { return own_from_ + records_.size(); }
  // What readers see as the newest.
  const CommitRecord* newest() const { return newest_.load(std::memory_order_acquire); }
  // Writer: the last one appended, published or not; null if none.
  const CommitRecord* last() const { return size() == 0 ? nullptr : &at(size() - 1); }
  // REQUIRES: loaded.
  const CommitRecord& at(std::size_t ordinal) const;
  // Every snapshot from here on is loaded.
  std::size_t loaded_from() const { return shared_from_ - past_records_.size(); }
  // Writer: loads every snapshot from `ordinal` on.
  Status Need(std::size_t ordinal) const;
  // Writer: this one, loaded if need be. The same object may come again as another, once Need has
  // loaded it with its neighbours; both are good until DropFar. REQUIRES: ordinal < size().
  Result<const CommitRecord*> Find(std::size_t ordinal) const;
  // Writer: loads all from `oldest` to `newest`, for Find. The newest costs what Find does, each
  // other one what the commit behind it changed. REQUIRES: oldest <= newest < size().
  Status Reach(std::size_t oldest, std::size_t newest) const;
  // Writer, between operations: lets go of far ones that Need has loaded since, and of all of them
  // if they have become too many.
  void DropFar() const;
  // Nodes that far snapshots keep.
  std::size_t far_nodes() const { return far_nodes_; }
  // Loads nothing. kSnapshotNotFound.
  Result<CommitLine> Line(std::size_t ordinal) const;
  // The ordinal of the first loaded commit whose cycle is `cycle` or later; size() if there is
  // none.
  std::size_t LowerBound(std::uint64_t cycle) const;
  // The same of all commits. Errors: those of a store.
  Result<std::size_t> FirstFrom(std::int64_t cycle) const;
  // By absolute cycle; null if none has it.
  Result<const CommitRecord*> FindCycle(std::int64_t cycle) const;

  // @t0, @t-N, @cN or a tag. Errors: kRequestInvalid for text that is no snapshot name,
  // kSnapshotNotFound, and those of a store.
  Result<const CommitRecord*> Resolve(std::string_view address) const;

  // Writer: names for snapshots; readers know nothing of them.
  Tags& tags() { return tags_; }
  const Tags& tags() const { return tags_; }

  // The history that holds the record itself: this one or an ancestor's. REQUIRES: loaded.
  static std::shared_ptr<const History> OwnerOf(std::shared_ptr<const History> history,
                                                std::size_t ordinal);
  // Null: everything is loaded.
  const PastSource* past() const { return past_.get(); }

  // Writer: adds the record, taking over its reference. Readers see it after Publish.
  void Append(CommitRecord* record);
  void Publish() { newest_.store(last(), std::memory_order_release); }
  // Writer: takes back the last record. REQUIRES: it was not published.
  void DropLast();

 private:
  // Where the far one of this ordinal is or belongs.
  std::vector<CommitRecord*>::iterator FarPlace(std::size_t ordinal) const;
  // REQUIRES: `newer` is loaded, far or not, and later.
  Result<CommitRecord*> LoadFar(std::size_t ordinal, const CommitRecord& newer) const;
  // False: the way to it costs less than going straight, in the end.
  bool IsFar(std::size_t ordinal) const;
  bool IsShared(std::size_t ordinal) const {
    return ordinal >= shared_from_ && ordinal < own_from_;
  }

  std::shared_ptr<const History> parent_;
  // Ordinals from own_from_ on are in records_, from shared_from_ to there the parent's; those
  // before come from past_ and are kept newest first. Loading changes nothing that a reader of
  // snapshots sees.
  std::size_t own_from_ = 0;
  std::size_t shared_from_ = 0;
  AppendVector<CommitRecord*> records_;
  mutable AppendVector<CommitRecord*> past_records_;
  mutable std::vector<CommitRecord*> far_records_;  // oldest first
  std::unique_ptr<PastSource> past_;
  std::atomic<const CommitRecord*> newest_{nullptr};
  Tags tags_;
  mutable std::size_t far_nodes_ = 0;       // that far_records_ keep
  mutable std::size_t far_nodes_paid_ = 0;  // of all that were loaded by themselves
};

}  // namespace pactdb
