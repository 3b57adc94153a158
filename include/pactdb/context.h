// A context: one tree that grows by commits.
//
//   Context context = Context::Make({}).value();
//   context.Add(NodeSpec().Role("user").Text("Hello"));
//   CommitResult commit = context.Commit().value();          // @c1
//   Snapshot first = context.At("@c1").value();
//   std::string thread = context.Render({.at = "@c1"}).value().body;
//
// A call that fails changes nothing and says why. Reading operations that answer with JSON give the
// text that `pactdb exec` answers with.
//
// Thread safety: a Context belongs to one thread at a time (the writer). Snapshots and Readers
// taken from it may be used by any thread while the writer goes on.
#pragma once

#include <pactdb/error.h>
#include <pactdb/json.h>
#include <pactdb/options.h>
#include <pactdb/render.h>
#include <pactdb/selector.h>
#include <pactdb/snapshot.h>
#include <pactdb/stream.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pactdb {

// The fields of a node to be made or changed, by the names of the contract. Setters only collect;
// the operation that takes the spec checks it.
class NodeSpec {
 public:
  using Field = std::pair<std::string, Json>;

  NodeSpec& Set(std::string_view name, Json value);
  NodeSpec& Id(std::string_view id) { return SetText("id", id); }
  NodeSpec& Type(std::string_view node_type) { return SetText("nodeType", node_type); }
  NodeSpec& Role(std::string_view role) { return SetText("role", role); }
  NodeSpec& Kind(std::string_view kind) { return SetText("kind", kind); }
  NodeSpec& Key(std::string_view key) { return SetText("key", key); }
  NodeSpec& Text(std::string_view content) { return SetText("content", content); }
  NodeSpec& Content(Json content) { return Set("content", std::move(content)); }
  NodeSpec& Offset(std::int64_t offset) { return Set("offset", Json::Integer(offset)); }
  NodeSpec& Ttl(std::int64_t cycles) { return Set("ttl", Json::Integer(cycles)); }
  NodeSpec& Priority(std::int64_t priority) { return Set("priority", Json::Integer(priority)); }
  NodeSpec& Removable(bool removable) { return Set("removable", Json::Bool(removable)); }
  NodeSpec& Pinned(bool pinned) { return Set("pinned", Json::Bool(pinned)); }
  NodeSpec& Tags(const std::vector<std::string>& tags) { return SetTexts("tags", tags); }
  NodeSpec& Refs(const std::vector<std::string>& ids) { return SetTexts("refs", ids); }

  const std::vector<Field>& fields() const { return fields_; }
  // A text given to a setter was not valid UTF-8; operations answer with this error.
  const std::optional<Error>& fault() const { return fault_; }

 private:
  NodeSpec& SetText(std::string_view name, std::string_view utf8);
  NodeSpec& SetTexts(std::string_view name, const std::vector<std::string>& texts);
  std::vector<Field> fields_;
  std::optional<Error> fault_;
};

// Where a node goes. `parent` is a region (^sys, ^ah) or an id; absent, the head.
struct Place {
  std::optional<std::string> parent;
  std::optional<InsertionMark> mark;
  // Instead of both: a position with an insertion mark, such as "(d0, cont[offset=0], end)".
  std::optional<std::string> at;
};

struct AddResult {
  std::string id;
  std::int64_t cycle;
};

struct ReplaceResult {
  std::string id;
  std::string replaced;
};

struct MoveOptions {
  std::optional<std::string> parent;
  std::optional<std::int64_t> offset;
  std::optional<InsertionMark> mark;
  std::optional<std::string> at;  // instead of parent and mark
};

struct SelectOptions {
  // The tree to run on, if the selector names no time: @t0, @t-N, @cN or "working". Absent: the
  // working state, in the classic dialect the newest snapshot.
  std::optional<std::string> snapshot;
  std::optional<Dialect> dialect;  // absent: the context's
  std::int64_t skip = 0;
  std::optional<std::int64_t> limit;
  // A second selector; what it matches and what lies inside that is kept.
  std::optional<std::string> where;
};

// How a range of snapshots is answered.
struct RangeOptions {
  // Say how contents differ: "unified" (with `context_lines` around a change), "jsonpatch" (RFC
  // 6902) or "tokens" (words). They lead from the older content to the newer.
  bool include_content = false;
  std::string content_mode = "unified";
  std::int64_t context_lines = 3;
  // Of nodes whose content changed, give these of both sides: content, mime, encoding,
  // content_hash.
  std::vector<std::string> materialize;
  // The newest ones are kept.
  std::optional<std::int64_t> max_snapshots;
  std::optional<std::int64_t> max_changes_per_snapshot;
};

struct DiffOptions {
  // Compares what it matches on each side instead of whole trees. It names no time.
  std::optional<std::string> selector;
  // Also the nodes in full, old and new values, and whose children came and went.
  bool detail = false;
  // Also pairs of removed and added nodes that say the same.
  bool moves = false;
};

struct CommitOptions {
  // The cycle the caller believes to be open; anything else is kConflict.
  std::optional<std::int64_t> expect_cycle;
  // A second commit with the same key gives the first one's answer and does nothing.
  std::optional<std::string> idempotency_key;
  // Also render and hash the thread.
  bool hashes = false;
};

struct BrokenLimit {
  std::string limit;  // "max_turns", "max_nodes", "seq.max_nodes", ...
  std::int64_t max;
  std::int64_t actual;
};

struct CommitResult {
  std::int64_t cycle = 0;
  std::string sealed;  // id of the new turn
  bool durable = false;
  std::vector<std::string> expired;
  std::vector<std::string> cascaded;
  std::vector<std::string> pruned;
  std::vector<std::string> deferred;
  std::vector<std::string> materialized;
  std::optional<std::string> thread_sha256;  // only with CommitOptions::hashes
  std::string tree_sha256;
  std::vector<BrokenLimit> over_limit;
};

// `at` names a snapshot (@t0, @t-N, @cN); absent or "working", the working state.
struct RenderOptions {
  std::optional<std::string> at;
  // "thread", or a provider's: docs/formats.md.
  std::string format = "thread";
  // Leave out what the format cannot say, instead of refusing with kRenderIllegal.
  bool lossy = false;
  // Of "anthropic": with cache_control at the ends of the last messages and of the instructions.
  bool cache = false;
};

// What a provider's format could not say, of a rendering with `lossy`.
struct RenderLoss {
  std::string id;     // of the node
  std::string field;  // of the node
  std::string reason;
  bool operator==(const RenderLoss&) const = default;
};

struct RenderResult {
  std::string format;
  std::string body;
  std::string sha256;
  std::vector<RenderLoss> lost;
};

struct ImportResult {
  std::int64_t cycle = 0;
  std::int64_t nodes = 0;
  std::vector<std::string> warnings;
  std::int64_t skipped = 0;  // that were there already: ThreadOptions::continues
};

struct ThreadOptions {
  std::string format;  // a provider's: docs/formats.md
  // Warnings instead of errors where one can go on; a message that cannot be read is kept verbatim.
  bool lenient = false;
  // Leaves out what the context has already, if the conversation begins with all that the context
  // says, or the context with all of it; otherwise everything is added, as without this.
  bool continues = false;
  // Commits the last turn too, which otherwise stays open, if anything came.
  bool seals = false;
};

struct LegalityOptions {
  std::optional<std::string> at;  // a snapshot; absent or "working", what committing now would give
  // The provider to ask for; absent: what all of them ask for.
  std::optional<std::string> format;
};

// What a provider's prompt cache has of a request after another one.
struct CacheOptions {
  // The two states, snapshots or "working"; neither: each two neighbours of the history.
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::string format = "thread";
  bool lossy = false;
  // So many pairs of neighbours, the newest.
  std::optional<std::int64_t> limit;
};

struct LintOptions {
  std::optional<std::string> at;  // a snapshot; absent or "working", what committing now would give
  // How many of the newest commits up to there are looked at for what changes.
  std::int64_t commits = 10;
};

struct ExportOptions {
  // The snapshot; absent or "working", the working state. Of a history: the last one; absent, all.
  std::optional<std::string> at;
  // Every snapshot up to it, instead of one. Uncommitted edits are not part of a history.
  bool history = false;
};

struct LogOptions {
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> cursor;  // entries of cycles before this one
  bool hashes = false;
  bool tokens = false;  // reads the snapshots themselves; without it, `tokens` is null
};

struct TokensOptions {
  std::optional<std::string> at;        // absent: the working state
  std::optional<std::string> selector;  // absent: all, by region
  std::optional<std::string> encoding;  // absent: as configured
  std::optional<std::string> model;     // in place of an encoding: that of the model
  std::optional<std::string> format;    // count the request that `render` gives, too
};

struct SimulateOptions {
  std::int64_t cycles = 20;
  // Tokens that each turn to come is taken to add; absent: as the last ten did on average.
  std::optional<std::int64_t> growth;
  std::optional<Policy> policy;  // in place of the configured one
};

struct AttemptStart {
  std::optional<std::string> provider;
  std::optional<std::string> model;
  std::optional<Json> params;  // stored as its hash
  std::optional<std::string> params_hash;
};

struct AttemptFinish {
  std::string attempt_id;
  std::string status;  // completed, canceled, error
  std::optional<std::int64_t> token_in;
  std::optional<std::int64_t> token_out;
  std::optional<Json> error;  // whatever the provider said
};

class ContextImpl;

// Keeps a node from expiring or being pruned while it is held. Released on destruction; may outlive
// the context.
class NodeRef {
 public:
  NodeRef(NodeRef&&) noexcept = default;
  NodeRef& operator=(NodeRef&&) noexcept = default;
  const std::string& id() const { return id_; }
  // The node as the working state has it, like Context::Get; nothing once it is gone, or the
  // context is. REQUIRES: called by the context's thread.
  std::optional<std::string> Get() const;

 private:
  friend class ContextImpl;
  NodeRef(std::string id, std::shared_ptr<void> hold, std::weak_ptr<ContextImpl> context);
  std::string id_;
  std::shared_ptr<void> hold_;  // releases the node when the last copy goes
  std::weak_ptr<ContextImpl> context_;
};

class Context {
 public:
  // kRequestInvalid for a clock with start_ns < 0 or step_ns < 1 or a policy with negative limits.
  static Result<Context> Make(const Options& options);
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;
  ~Context();

  const Options& options() const;
  // Replaces the configuration. A clock in `options` restarts at tick 0 if `restart_clock`.
  Status Configure(const Options& options, bool restart_clock = true);

  // --- editing the working state ---
  Result<AddResult> Add(const NodeSpec& node, const Place& place = {});
  Status Update(std::string_view id, const NodeSpec& set);
  Result<ReplaceResult> Replace(std::string_view id, const NodeSpec& node);
  // The node's id afterwards: a new one if a snapshot holds the node and it crosses regions.
  Result<std::string> Move(std::string_view id, const MoveOptions& options);
  // All ids that went, in tree order.
  Result<std::vector<std::string>> Remove(std::string_view id);
  // Everything the selector finds in the working state, or nothing.
  Result<std::vector<std::string>> RemoveSelected(std::string_view selector);
  Status Pin(std::string_view id);
  Status Unpin(std::string_view id);
  Result<NodeRef> Hold(std::string_view id);

  // --- time ---
  std::int64_t open_cycle() const;
  Result<CommitResult> Commit(const CommitOptions& options = {});
  // @t0, @t-N, @cN or a tag. Errors: kSnapshotNotFound, kRequestInvalid.
  Result<Snapshot> At(std::string_view address) const;
  // A second context whose history begins with this one's up to the snapshot, which they share;
  // both go on independently. It begins with the snapshot as its working state and the options of
  // this one, and without tags, holds, attempts and idempotency keys. A configured clock goes on
  // from where it stood at that commit. O(1), whatever the size of either. Errors:
  // kSnapshotNotFound, kRequestInvalid, kLimitExceeded.
  //
  // The fork is in memory (Database::Fork makes one in a file) and may go to another thread, unless
  // this context is of a file: then it belongs to the thread of its database.
  Result<Context> Fork(std::string_view at) const;
  // Names a snapshot; moves the tag if it is there. The snapshot's cycle. Errors:
  // kSnapshotNotFound, kRequestInvalid.
  Result<std::int64_t> Tag(std::string_view name, std::string_view at);
  // The cycle that it named. Errors: kSnapshotNotFound.
  Result<std::int64_t> RemoveTag(std::string_view name);
  Reader MakeReader() const;

  // --- selecting; ids in the dialect's result order (docs/selector.md) ---
  // A selector that names a range is kRequestInvalid: see SelectRange.
  Result<std::vector<std::string>> Select(std::string_view selector,
                                          const SelectOptions& options = {}) const;
  // A compiled selector; its own dialect counts.
  Result<std::vector<std::string>> Select(const Selector& selector,
                                          const SelectOptions& options = {}) const;

  // A range of snapshots, as JSON text: a RangeDiffLatestResult (docs/operations.md), what came,
  // went and changed among the matches between each two of them. `skip` and `limit` do not count
  // here. Errors: those of Select; kRequestInvalid if the selector names no range.
  Result<std::string> SelectRange(std::string_view selector, const SelectOptions& options = {},
                                  const RangeOptions& range = {}) const;
  Result<std::string> SelectRange(const Selector& selector, const SelectOptions& options = {},
                                  const RangeOptions& range = {}) const;

  // --- comparing; JSON text as `pactdb exec` answers it. Without text: pactdb/diff.h ---
  // `from` and `to` name snapshots or "working". Errors: kSnapshotNotFound, kRequestInvalid,
  // kSelectorInvalid.
  Result<std::string> Diff(std::string_view from, std::string_view to,
                           const DiffOptions& options = {}) const;
  // `to` is a state of `other`.
  Result<std::string> Diff(std::string_view from, const Context& other, std::string_view to,
                           const DiffOptions& options = {}) const;

  // --- reading; JSON text as `pactdb exec` answers it ---
  Result<std::string> Get(std::string_view id,
                          std::optional<std::string_view> at = std::nullopt) const;
  Result<std::string> Tree(std::optional<std::string_view> at = std::nullopt,
                           std::optional<std::int64_t> depth = std::nullopt) const;
  Result<std::string> Log(const LogOptions& options = {}) const;
  // What happened to a node: [{"cycle", "event", "fields", "why"}], oldest first. Errors:
  // kNodeNotFound for an id that neither a snapshot nor the working state ever had.
  Result<std::string> Life(std::string_view id) const;
  // What nodes cost, added up: {"encoding", "by_region" or "by_node", "total", "exact",
  // "estimated_nodes", "message_tokens"}, and of a format also "request". Counted once a node;
  // after one more turn it costs what the turn adds. Errors: those of tokens::Encoding, of a
  // selector.
  Result<std::string> Tokens(const TokensOptions& options = {}) const;
  // What commits to come would do if nothing but `growth` happened; changes nothing. {"growth",
  // "cycles": [{"cycle", "nodes", "tokens", "expired", "cascaded", "pruned", "deferred",
  // "over_limit"}], "broken": the first cycle with a limit that cannot be held, or null}. With
  // `strict` such a commit would fail, and the simulation ends there.
  Result<std::string> Simulate(const SimulateOptions& options = {});
  Result<RenderResult> Render(const RenderOptions& options = {}) const;
  // The same bytes piece by piece, never held as a whole. `lost`: as of RenderResult.
  Status RenderTo(ByteSink& sink, const RenderOptions& options = {},
                  std::vector<RenderLoss>* lost = nullptr) const;
  // What the two above use; other threads may render snapshots with it (pactdb/render.h).
  std::shared_ptr<RenderCache> render_cache() const;
  // The reference snapshot serialization.
  Result<std::string> Serialize(std::optional<std::string_view> at = std::nullopt) const;
  // Whether a provider would take the thread now: {"ok", "findings"}, as `pactdb exec` op `check`.
  Result<std::string> Check(const LegalityOptions& options = {}) const;

  // How long two requests are the same, where they part and through which node, and what that costs
  // by the rules of Anthropic and OpenAI; docs/operations.md has the members. REQUIRES: from and to
  // together. Errors: kSnapshotNotFound, kRequestInvalid (format), kRenderIllegal.
  Result<std::string> Cache(const CacheOptions& options = {}) const;
  // Nodes that make requests differ early and often, or that selectors find at some times only:
  // {"ok", "findings": [{"rule", "id", "problem", "fix"}]}. Errors: kSnapshotNotFound.
  Result<std::string> Lint(const LintOptions& options = {}) const;
  Status SerializeTo(ByteSink& sink, std::optional<std::string_view> at = std::nullopt) const;
  // {"ok", "problems"}: every invariant and every hash of the working state and all snapshots.
  std::string Verify() const;
  std::string Stats() const;
  // Hash of the working tree, lowercase hexadecimal.
  std::string tree_sha256() const;

  // --- export: lossless, docs/format/export.md. Errors: kSnapshotNotFound, kRequestInvalid ---
  // One JSON document, as `pactdb exec` answers it.
  Result<std::string> Export(const ExportOptions& options = {}) const;
  // Piece by piece; a history as lines, a header and one or more for every commit. Needs memory for
  // one line. Errors: also kStoreIo if the sink refuses.
  Status ExportTo(ByteSink& sink, const ExportOptions& options = {}) const;

  // --- import; on an error nothing of the document is kept ---
  // A snapshot document {"spec_version"?, "cycle"?, "root"}, which becomes the newest snapshot, or
  // a history as one document.
  Result<ImportResult> ImportSnapshot(std::string_view document, bool strict = false);
  // The same from a stream, which may also be the lines of a history; of those only one is held at
  // a time.
  Result<ImportResult> ImportFrom(const ByteSource& source, bool strict = false);
  // A flat log: a JSON array of {"role", "content", ...}.
  Result<ImportResult> ImportLog(std::string_view log);
  // A conversation as a provider takes it: one commit a turn, the last turn stays open. Errors:
  // kImportInvalid with index and field, kLimitExceeded, kNotAuthorized.
  Result<ImportResult> ImportThread(std::string_view document, const ThreadOptions& options);

  // Takes away what Check finds in the working state and commits: {"cycle", "removed", "findings"},
  // the findings being those that are left. Where nothing can be repaired there is no commit.
  Result<std::string> Fix(const std::optional<std::string>& format = std::nullopt);

  // --- attempts: provider calls, kept outside the tree and its history ---
  // Errors: those of a store.
  Result<std::string> StartAttempt(const AttemptStart& start);
  Result<std::string> FinishAttempt(const AttemptFinish& finish);
  std::string ListAttempts(std::optional<std::int64_t> cycle = std::nullopt) const;

 private:
  friend class Exec;
  friend class Database;
  explicit Context(std::shared_ptr<ContextImpl> impl);
  std::shared_ptr<ContextImpl> impl_;
};

// Runs a compiled selector on one snapshot: handles in result order, no text made. The selector's
// own time is not looked at. Errors: kLimitExceeded. May be called from any thread.
Result<NodeList> Select(const Snapshot& snapshot, const Selector& selector);

// The content hash of a node given by its fields, as `pactdb exec` op `hash` gives it. Content that
// is not valid (a fault in the spec) hashes as no bytes at all do, and `warnings` gets a line that
// says why.
std::string HashNode(const NodeSpec& node, std::vector<std::string>* warnings = nullptr);

}  // namespace pactdb
