// What a Context is made of. One class, one file a concern:
//
//   mutate.cc     add, update, replace, remove, pin, hold
//   move.cc       move
//   query.cc      select, and what takes a selector
//   range.cc      select over a range of snapshots
//   diff.cc       diff
//   placement.cc  where a node may stand
//   expiry.cc     what a commit takes because its time is over; the cascade
//   prune.cc      what a commit takes because of the policy
//   commit.cc     the commit sequence
//   fork.cc       fork, tag
//   import_*.cc   documents and logs from outside
//   inspect.cc    get, tree, log, export, stats
//   life.cc       life
//   attempts.cc   provider calls
//   open.cc       a context from a store
//
// Every operation checks everything before it changes anything; commit and import work on a copy of
// the working tree and put it in place at the end.
#pragma once

#include <pactdb/context.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/expiry.h"
#include "engine/export.h"
#include "engine/holds.h"
#include "engine/ids_ahead.h"
#include "engine/journal.h"
#include "engine/keeper.h"
#include "engine/node_fields.h"
#include "engine/prune.h"
#include "engine/stamper.h"
#include "model/history.h"
#include "model/kinship.h"
#include "model/working_tree.h"
#include "providers/format.h"
#include "render/thread_hash.h"
#include "text/json_doc.h"

namespace pactdb {

struct GivenType;
struct ExportInfo;
struct StoredConfig;
class HistoryReader;
class Lineage;
namespace providers {
struct Entry;
struct Finding;
class EntrySink;
}  // namespace providers

// The answer to a format that there is not.
Error UnknownFormat(std::string_view format, std::string_view known);

struct Attempt {
  std::string id;
  std::int64_t cycle = 0;
  std::string status = "running";
  std::string started_at;
  std::optional<std::string> ended_at;
  std::optional<std::string> provider;
  std::optional<std::string> model;
  std::optional<std::string> params_hash;
  std::optional<std::int64_t> token_in;
  std::optional<std::int64_t> token_out;
  std::optional<Json> error;
};

// Where a node is going to stand, checked. `needs_core`: the head's core must be made first and is
// the real parent.
struct CheckedPlace {
  NodeNumber parent = kNoNode;
  bool needs_core = false;
};

// True for marks that name a sibling, which the core of an empty head has none of.
inline bool CountsSiblings(const InsertionMark& mark) {
  return mark.kind == InsertionMark::Kind::kAfter || mark.kind == InsertionMark::Kind::kBefore;
}

// Errors: kRequestInvalid. In context.cc.
Status CheckPolicy(const Policy& policy);
// Errors: also those of an encoding that there is not.
Status CheckOptions(const Options& options);

// One side of a diff: a snapshot of a context, or "working".
struct DiffSide {
  const class ContextImpl& context;
  std::string_view at;
};

class ContextImpl : public std::enable_shared_from_this<ContextImpl> {
 public:
  explicit ContextImpl(const Options& options, std::shared_ptr<Host> host = SystemHost());
  // Writes what the journal still lacks, if it can.
  ~ContextImpl();
  ContextImpl(const ContextImpl&) = delete;
  ContextImpl& operator=(const ContextImpl&) = delete;

  // fork.cc
  // A context of its own whose history begins with this one's up to the snapshot. Errors:
  // kSnapshotNotFound, kRequestInvalid, kLimitExceeded for a fork of too many forks. O(1)
  Result<std::shared_ptr<ContextImpl>> Fork(std::string_view at) const;
  // The same, kept in the store under that name if this one is kept. Errors: also the store's.
  Result<std::shared_ptr<ContextImpl>> ForkAs(std::string_view name, std::string_view at) const;
  // The snapshot's cycle. Errors: kSnapshotNotFound, kRequestInvalid.
  Result<std::int64_t> SetTag(std::string_view name, std::string_view at);
  // The cycle it named, which must be that of the snapshot `at` if there is one.
  Result<std::int64_t> RemoveTag(std::string_view name,
                                 std::optional<std::string_view> at = std::nullopt);

  // open.cc. The context as the store has it.
  static Result<std::shared_ptr<ContextImpl>> Open(std::unique_ptr<Keeper> keeper,
                                                   std::shared_ptr<Host> host);
  // One that was made there just now: there is nothing to read, so nothing can fail.
  static std::shared_ptr<ContextImpl> OpenEmpty(std::unique_ptr<Keeper> keeper,
                                                const StoredConfig& config,
                                                std::shared_ptr<Host> host);

  const Options& options() const { return options_; }
  // Errors: those of a store; then nothing changed.
  Status Configure(const Options& options, bool restart_clock);

  // mutate.cc
  Result<AddResult> Add(const NodeSpec& spec, const Place& place,
                        AttributeNames names = AttributeNames::kOwn);
  Status Update(std::string_view id, const NodeSpec& set);
  Result<ReplaceResult> Replace(std::string_view id, const NodeSpec& spec);
  Result<std::vector<std::string>> Remove(std::string_view id);
  Status SetPinned(std::string_view id, bool pinned);
  Result<NodeRef> Hold(std::string_view id);

  // query.cc
  Result<std::vector<std::string>> Select(std::string_view text,
                                          const SelectOptions& options) const;
  Result<std::vector<std::string>> Select(const Selector& selector,
                                          const SelectOptions& options) const;
  Result<std::vector<std::string>> RemoveSelected(std::string_view text);

  // range.cc
  Result<std::string> SelectRange(std::string_view text, const SelectOptions& options,
                                  const RangeOptions& range) const;
  Result<std::string> SelectRange(const Selector& selector, const SelectOptions& options,
                                  const RangeOptions& range) const;

  // diff.cc; the sides may be of other contexts, the dialect is this one's
  Result<std::string> Diff(const DiffSide& from, const DiffSide& to,
                           const DiffOptions& options) const;

  // move.cc
  Result<std::string> Move(std::string_view id, const MoveOptions& options);

  // commit.cc
  Result<CommitResult> Commit(const CommitOptions& options);

  // inspect.cc
  Result<std::string> Get(std::string_view id, std::optional<std::string_view> at) const;
  Result<std::string> Tree(std::optional<std::string_view> at,
                           std::optional<std::int64_t> depth) const;
  Result<std::string> Log(const LogOptions& options) const;
  Result<RenderResult> Render(const RenderOptions& options) const;
  Status RenderTo(ByteSink& sink, const RenderOptions& options,
                  std::vector<RenderLoss>& lost) const;
  Result<std::string> Serialize(std::optional<std::string_view> at) const;
  Status SerializeTo(ByteSink& sink, std::optional<std::string_view> at) const;
  Status Export(const ExportOptions& options, HistoryForm form, ByteSink& sink) const;
  // What is wrong with trees, and why older snapshots could not be read, if they could not.
  struct Findings {
    std::vector<std::string> problems;
    std::optional<Error> unread;
  };
  Findings FindProblems(const std::function<void(double)>& progress = {}) const;
  std::string Verify() const;
  std::string Stats() const;
  std::string TreeSha256() const;

  // life.cc
  Result<std::string> Life(std::string_view id) const;
  Result<std::string> Tokens(const TokensOptions& options) const;
  Result<std::string> Simulate(const SimulateOptions& options);

  // import_snapshot.cc, import_log.cc
  Result<ImportResult> ImportSnapshot(std::string_view document, bool strict);
  Result<ImportResult> ImportSnapshot(const JsonRef& document, bool strict);
  Result<ImportResult> ImportLog(std::string_view log);
  Result<ImportResult> ImportLog(const JsonRef& log, const ThreadOptions& options = {});

  // check.cc
  Result<std::string> Check(const LegalityOptions& options) const;
  Result<std::string> Fix(const std::optional<std::string>& format);

  // cache.cc, lint.cc
  Result<std::string> Cache(const CacheOptions& options) const;
  Result<std::string> Lint(const LintOptions& options) const;

  // import_thread.cc
  Result<ImportResult> ImportThread(std::string_view document, const ThreadOptions& options);
  Result<ImportResult> ImportThread(const JsonRef& document, const ThreadOptions& options);

  // import_history.cc
  Result<ImportResult> Import(const ByteSource& source, bool strict);

  // attempts.cc
  Result<std::string> StartAttempt(const AttemptStart& start);
  Result<std::string> FinishAttempt(const AttemptFinish& finish);
  std::string ListAttempts(std::optional<std::int64_t> cycle) const;

  // Something would be lost if the context were opened again now: edits that are not in a journal,
  // nodes that a program holds.
  bool HasLooseEdits() const;
  // Since the last commit.
  bool IsEdited() const;
  // Retention took snapshots that this object still counts.
  bool is_outdated() const { return is_outdated_; }
  void MarkOutdated() { is_outdated_ = true; }

  std::int64_t open_cycle() const { return open_cycle_; }
  const std::shared_ptr<History>& history() const { return history_; }
  const std::shared_ptr<RenderCache>& render_cache() const { return render_cache_; }

  // Writes edits that are not in the journal yet; what cannot be written stays, and stops the next
  // edit.
  void TryFlushJournal();

 private:
  // --- fork.cc ---
  struct ForkParts {
    std::shared_ptr<Host> host;
    std::shared_ptr<Lexicon> lexicon;
    std::shared_ptr<History> history;
  };
  // A fork of `origin` at one of its snapshots.
  ContextImpl(const ContextImpl& origin, const ForkParts& parts, const CommitRecord& at);
  Result<const CommitRecord*> ForkPoint(std::string_view at) const;
  std::shared_ptr<ContextImpl> ForkAt(const CommitRecord& at, std::unique_ptr<Keeper> keeper) const;
  // REQUIRES: kept, and the snapshot is far.
  Result<std::shared_ptr<ContextImpl>> ForkFar(std::string_view name, const CommitRecord& at,
                                               std::string_view config) const;
  // As clock_since_cycle_, for a fork there.
  std::int64_t ClockSinceCycle(const CommitRecord& at) const;

  // A commit worked out aside.
  struct Prepared {
    WorkingTree tree;
    Expired expired;
    std::vector<NodeNumber> cascaded;
    Pruned pruned;
    NodeNumber turn = kNoNode;
  };

  // --- mutate.cc ---
  TreeView View() const { return working_.View(open_cycle_); }
  Result<const Node*> FindNode(std::string_view id) const;
  Result<NodeFields> ParseSpec(const NodeSpec& spec, AttributeNames names) const;
  bool IsOpen(const Node& node) const;  // made in the open cycle, in no snapshot yet
  Ref<Node> BuildNode(const NodeFields& fields, const GivenType& type, NodeNumber number,
                      const Stamp& stamp) const;
  // REQUIRES: the node's role and kind are set.
  Ref<Body> BuildBody(const NodeFields& fields, const Node& node) const;
  bool IsTaken(NodeNumber number) const;  // by a node of the working state or of a snapshot
  // Also by one that only snapshots in the store have.
  Result<bool> IsTaken(std::string_view id) const;
  // The id of a node the engine names itself; `index` is negative for a turn.
  NodeNumber NewId(NodeClass node_class, std::int64_t index) const;
  NodeNumber MakeCore(NodeNumber parent);
  NodeFields ReadFields(const Node& node) const;
  static void ApplyField(const Field& field, NodeFields& fields);
  // A node that was made just now.
  void InsertNode(NodeNumber parent, Ref<Node> node);
  // The same for one that was counted already when it was made.
  void PutNode(NodeNumber parent, Ref<Node> node);
  // Enters the node into the indexes; what `before` carried is there already.
  void NotePostings(const Node& node, const Node* before = nullptr);
  Status CheckIdFree(const NodeFields& fields) const;
  Status CheckStamps(const NodeFields& fields, bool needs_core) const;
  Stamp TakeStamp(const NodeFields& fields);
  Status CheckRoom(std::size_t new_nodes) const;

  Status CheckRemovable(const Node& node) const;
  // Takes the node out and appends the ids that went.
  void Erase(const Node& node, std::vector<std::string>& removed);

  // --- query.cc ---
  static Result<std::optional<Selector>> ParseWhere(const Selector& selector,
                                                    const SelectOptions& options);
  // kRequestInvalid if both the selector and `snapshot` name a time.
  static Status CheckOneTime(const Selector& selector, const SelectOptions& options);
  // Snapshots the selector runs on, newest first; null for the working state.
  Result<std::vector<const CommitRecord*>> ScopesOf(const Selector& selector,
                                                    const SelectOptions& options) const;
  // Where a node is to go, by whatever means it was said. `in_missing_core`: into the core that
  // `parent` does not have yet.
  struct Target {
    const Node* parent = nullptr;
    bool in_missing_core = false;
    std::optional<InsertionMark> mark;
  };
  Result<Target> FindTarget(std::string_view at) const;

  // --- placement.cc ---
  Result<const Node*> FindParent(std::string_view name) const;
  Status CheckAuthorized(const Node& node) const;
  bool IsInSealedCore(const Node& node) const;
  Result<CheckedPlace> CheckPlace(const Target& target, NodeClass node_class, std::int64_t offset,
                                  bool removable, const Node* moving) const;
  Status CheckTreeDepth(const Node& parent, bool needs_core, std::size_t height) const;
  const Node* FindCore(const Container& container) const;
  NodeClass RegionOf(const Node& node) const;
  // Siblings behind the mark, in order; they take fresh stamps after the node. Errors:
  // kPlacementInvalid.
  Result<std::vector<NodeNumber>> SiblingsBehind(NodeNumber parent, std::int64_t offset,
                                                 const InsertionMark& mark,
                                                 const Node* moving) const;
  void Restamp(const std::vector<NodeNumber>& siblings);

  // --- move.cc ---
  Result<Target> FindMoveTarget(const Node& node, const MoveOptions& options) const;
  Status CheckMovable(const Node& node) const;
  std::size_t CountHeld(const Node& node) const;  // of it and those below it, by snapshots
  void MakeAnew(Node& node);                      // id, cycle and stamps of a new node
  std::string MoveHeld(const Node& node, NodeNumber parent, std::optional<std::int64_t> offset,
                       bool restamps);

  // --- commit.cc ---
  Status CheckCycle() const;
  Status CheckOneCore() const;
  // What committing now would give. Takes its stamps from `stamper`; changes nothing else.
  Result<Prepared> PrepareCommit(Stamper& stamper) const;
  // Before ids are made: what tells that one is taken.
  Status LoadIdsAhead() const;
  // What the commit is to say of what it took; without hashes.
  CommitResult Describe(const Prepared& prepared) const;
  void ShareEmptyHead(WorkingTree& tree) const;
  NodeNumber Seal(WorkingTree& tree, Stamper& stamper) const;
  // The answer to an earlier commit with this key, also of an earlier process.
  Result<std::optional<CommitResult>> FindAnswer(const std::string& key);
  // What committing now would give, to be looked at.
  Result<Prepared> Preview() const;
  // Appends the tree to the history and opens the next cycle; readers see it once the history is
  // published. The numbers of the nodes that got a new version.
  std::vector<NodeNumber> Append(WorkingTree&& tree, std::unique_ptr<CommitRecord> record);
  std::vector<NodeNumber> AppendPrepared(Prepared&& prepared);
  void EndPostings(const Node& node, Ordinal at);
  std::vector<std::string> Ids(const std::vector<NodeNumber>& numbers) const;

  // --- cache.cc ---
  struct CacheState;
  Result<CacheState> FindCacheState(const std::string& name) const;
  Result<std::string> CachePair(const CacheOptions& options,
                                std::optional<providers::Format> format) const;
  Result<std::string> CacheHistory(const CacheOptions& options,
                                   std::optional<providers::Format> format) const;

  // --- check.cc ---
  // Leaves the working state half done when it fails.
  Result<std::string> FixWorking(std::optional<providers::Format> format);
  Result<bool> TakeIllegal(const std::vector<providers::Finding>& findings,
                           std::vector<std::string>& removed);

  // --- import_snapshot.cc, import_history.cc ---
  friend class HistoryReader;
  // The cycle a document states, or the open one. Errors: kImportInvalid if it is taken.
  Result<std::int64_t> ReadCycle(const std::optional<JsonRef>& cycle) const;
  Result<ImportResult> ImportHistory(const JsonRef& document, const ExportInfo& info, bool strict);
  // As Append, for a tree that replaces what was there. `indexed`: its nodes with attributes.
  std::vector<NodeNumber> AppendImported(Ref<Container> root, std::span<const Node* const> indexed,
                                         std::unique_ptr<CommitRecord> record);

  // --- import_log.cc, import_thread.cc ---
  // What the context was before an import that makes several commits.
  struct Savepoint {
    WorkingTree working;
    std::int64_t open_cycle;
    Stamper stamper;
    std::size_t made_in_cycle;
    std::vector<std::string> pending_entries;
    bool journal_has_state;
    std::vector<std::vector<NodeNumber>> commits;  // nodes with a new version, a commit each
    std::map<std::string, Ordinal> tags;           // that come with those commits
  };
  Savepoint MakeSavepoint() const {
    return {working_,
            open_cycle_,
            stamper_.Clone(),
            made_in_cycle_,
            pending_entries_,
            journal_has_state_,
            {},
            {}};
  }
  class EntryTaker;  // engine/entry_taker.h
  // The error of an import whose entry was refused.
  using ExplainEntry = Error (*)(ErrorCode code, const Error& fault, const providers::Entry& entry);
  using ReadEntries = std::function<Status(providers::EntrySink&)>;
  // Takes what `read` hands to its sink, all of it or nothing.
  Result<ImportResult> ImportEntries(ExplainEntry explain, const ThreadOptions& options,
                                     const ReadEntries& read);
  Status TakeNewEntries(const ReadEntries& read, EntryTaker& taker, ImportResult& result);
  Status SealLogTurn(Savepoint& savepoint);
  // Before commits are kept: that some of their ids look like those of a later cycle.
  Status KeepIdsAhead(const Savepoint& savepoint);
  void RollBack(Savepoint&& savepoint);
  // Keeps the commits made since the savepoint, all or none, and lets readers see them. If they
  // cannot be kept, everything is as it was at the savepoint.
  Status Publish(Savepoint&& savepoint, std::string_view idempotency_key = {},
                 std::string answer = {});
  // The first half of that.
  Status Keep(Savepoint& savepoint, std::string_view idempotency_key, std::string answer);

  // --- open.cc, attempts.cc ---
  Status LoadNewest();
  Status LoadTags(const Lineage& lineage);
  bool IsJournaling() const { return keeper_ && options_.journal && !is_replaying_; }
  // Around every edit of the working state. BeginEdit fails for a reader of a file, and if earlier
  // edits are not written yet; EndEdit is for those that were made.
  Status BeginEdit();
  void EndEdit(const Edit& edit);
  Status FlushJournal();
  Status ReplayJournal();
  Status Redo(const Edit& edit);
  Status LoadAttempts();
  Status KeepAttempt(const Attempt& attempt);

  // --- simulate.cc ---
  class Simulation;

  // --- diff.cc ---
  // What two contexts of one store have in common; nothing if there is none, or they do not need to
  // be told. This one has loaded it afterwards. A comparison that goes by it may ask the store, and
  // goes on when that fails: `asked` has the error then.
  Result<std::optional<CommonPast>> FindCommonPast(const ContextImpl& other, Status& asked) const;

  // --- inspect.cc ---
  Status RenderView(const TreeView& view, const RenderOptions& options, ByteSink& sink,
                    std::vector<RenderLoss>& lost) const;
  // The snapshot, for an operation that reads no other one: those that earlier operations went far
  // for may go first. An operation that reads several calls History::DropFar itself, once.
  Result<const CommitRecord*> FindSnapshot(std::string_view at) const;
  // The view of it, or of the working state if `at` is absent or "working".
  Result<TreeView> FindTree(std::optional<std::string_view> at) const;
  // The same for an operation that may hold another one.
  Result<TreeView> Resolve(std::optional<std::string_view> at) const;

  Options options_;
  std::unique_ptr<Keeper> keeper_;  // null: in memory alone
  std::shared_ptr<Host> host_;
  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
  std::shared_ptr<History> history_ = std::make_shared<History>();
  // Reading the working state brings its summaries up to date, which changes nothing a caller can
  // see.
  mutable WorkingTree working_;
  std::int64_t open_cycle_ = 1;
  std::shared_ptr<RenderCache> render_cache_;
  mutable ThreadHasher thread_hasher_;
  Stamper stamper_;
  std::int64_t clock_since_cycle_ = 0;  // the first cycle whose clock is the configured one
  IdsAhead ids_ahead_;
  std::size_t made_in_cycle_ = 0;
  std::shared_ptr<Holds> holds_ = std::make_shared<Holds>();
  std::shared_ptr<JournalHost> journal_host_;  // host_, of a context with a keeper
  std::vector<std::string> pending_entries_;   // of the journal
  bool journal_lags_ = false;                  // an edit is not written yet
  bool journal_has_state_ = false;             // what follows in the journal is made in its state
  bool is_importing_ = false;                  // entries are written at the end
  bool is_replaying_ = false;
  bool is_outdated_ = false;
  std::vector<Attempt> attempts_;
  std::unordered_map<std::string, std::size_t> attempt_by_id_;
  std::unordered_map<std::string, CommitResult> answered_;  // by idempotency key
};

}  // namespace pactdb
