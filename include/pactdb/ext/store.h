// Where commits are kept: the contract of a storage backend.
//
// A store holds contexts; a context is a line of commits, each with a record of bytes that the
// engine makes and reads (docs/format/store.md). Three properties carry everything else:
//
//   - Append adds a commit only if the context's newest is the one the caller says, in one atomic
//     step with all that belongs to it. That is the one way a context changes.
//   - What was appended is read back by number, byte for byte, or not at all: kStoreCorrupt.
//   - Contexts are listed.
//
// A store knows nothing of trees, selectors or time to live, and no statement of any query language
// is seen above it. Numbers are never used twice: a commit that retention took leaves a gap.
//
// Errors, of every call that returns a Result or Status, beside those named there: kStoreIo (the
// operating system refused; details say what), kStoreCorrupt, kStoreReadonly for a change to a
// store opened for reading. After a change failed with kStoreIo in a way that leaves unknown what
// is on the disk (a failed sync), the store answers everything with that error until it is opened
// again.
//
// Thread safety: one thread at a time, per store object. Other objects, and other processes, may
// read the same data meanwhile; a second writer is refused when it opens (kStoreBusy).
//
// For authors of backends; may change in minor releases.
#pragma once

#include <pactdb/error.h>
#include <pactdb/options.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pactdb {

using ContextNumber = std::uint32_t;  // from 1
using CommitNumber = std::uint32_t;   // from 1 in its context; 0: none

// A commit of a context, and the record it came with.
struct RecordId {
  ContextNumber context = 0;
  CommitNumber commit = 0;
  auto operator<=>(const RecordId&) const = default;
};

using ContentHash256 = std::array<unsigned char, 32>;  // SHA-256 of the bytes

struct StoredContext {
  ContextNumber number = 0;
  std::string name;
  // The commit it was forked from; {0, 0} if from nothing. Its own commits follow that one.
  RecordId origin;
  CommitNumber head = 0;    // newest commit of its own; 0: none yet
  std::int64_t epoch = 0;   // for fencing: an append states the epoch it was prepared in
  std::string config;       // JSON the engine keeps here
  std::uint64_t bytes = 0;  // of its own records
  bool deleted = false;     // kept for its descendants alone
};

// What is known of a commit without its record. In columns of their own wherever a backend has such
// a thing: people read them.
struct CommitFacts {
  CommitNumber number = 0;
  std::int64_t cycle = 0;
  std::optional<std::int64_t> committed_at_ns;  // none for an import
  std::uint32_t added = 0;
  std::uint32_t removed = 0;
  std::uint32_t changed = 0;
  std::uint32_t nodes = 0;
  ContentHash256 tree_sha256{};
};

struct StoredContent {
  ContentHash256 hash{};
  std::string_view bytes;
};

struct AppendRequest {
  ContextNumber context = 0;
  CommitNumber expected_head = 0;  // facts.number is the one after it
  std::int64_t epoch = 0;
  CommitFacts facts;
  std::string_view record;
  // Contents the record names by hash. Those the store has already are not written again, unless
  // what it has is damaged. Two contents of one hash are refused: kStoreCorrupt.
  std::span<const StoredContent> contents;
  // Ids that were given by a caller and are new in this commit: FindId finds them from now on.
  std::span<const std::string_view> ids;
  // A later append with the same key is answered with this one's answer. Empty: no key.
  std::string_view idempotency_key;
  std::string_view answer;
  // Full: the commit is on the disk when Append returns. Relaxed: it survives the end of the
  // process, not of the machine.
  Durability durability = Durability::kFull;
  // What the context's journal held is part of this commit, or void: it is empty afterwards.
};

struct Tag {
  std::string name;
  CommitNumber commit = 0;
  ContextNumber context = 0;  // whose commit it is: the context itself or an ancestor
};

struct CommitRange {
  CommitNumber first = 0;
  CommitNumber last = 0;  // inclusive
};

// What retention takes, all of it or nothing. kRequestInvalid if that is the newest commit of a
// context that is not deleted, or a row to be deleted is a snapshot still.
struct RetireRequest {
  struct Rewritten {
    RecordId id;
    std::string record;
  };
  struct Dropped {
    ContextNumber context = 0;
    CommitRange commits;
  };
  // No snapshots any more: facts and records stay only where `records` below leaves them.
  std::vector<Dropped> snapshots;
  std::vector<RecordId> deleted;     // rows that nothing refers to
  std::vector<Rewritten> rewritten;  // records that lost some of their parts
  // Contents to keep; all others go. Null: all are kept. Must not call the store.
  const std::function<bool(const ContentHash256&)>* keeps_content = nullptr;
};

struct StoreStats {
  std::string path;  // empty for memory
  std::uint64_t file_bytes = 0;
  std::uint64_t free_bytes = 0;  // in the file, to be used again
  std::uint64_t contexts = 0;
  std::uint64_t commits = 0;
  std::uint64_t contents = 0;
  std::uint64_t content_bytes = 0;         // as they were given
  std::uint64_t content_stored_bytes = 0;  // as they are kept
};

// A finding of Verify. Whoever knows what the bytes say can say more of it: which part of what.
struct StoreProblem {
  enum class Part : std::uint8_t {
    kOther,
    kRecord,   // of the commit `commits.first`: its record cannot be given
    kFacts,    // of that commit: what is known of it without its record
    kMissing,  // the commits are not there
    kContent,
  };

  std::string what;  // "commit 12 of 'main'", "content 9f86..."
  std::string message;
  Part part = Part::kOther;
  ContextNumber context = 0;                         // of the commits
  CommitRange commits = {};                          // kOther: that it is about, if it is about any
  std::optional<std::int64_t> cycle = std::nullopt;  // of that commit, if it can be told
  ContentHash256 content{};
};

class Store {
 public:
  virtual ~Store() = default;
  virtual bool read_only() const = 0;

  // --- contexts ---
  // By name.
  virtual Result<std::vector<StoredContext>> ListContexts() = 0;
  virtual Result<std::optional<StoredContext>> FindContext(std::string_view name) = 0;
  // By number; also a deleted one that still has descendants. kContextNotFound.
  virtual Result<StoredContext> GetContext(ContextNumber number) = 0;
  // Durable when it returns, in a batch with that. kContextExists; kSnapshotNotFound if there is no
  // such origin.
  virtual Result<StoredContext> CreateContext(std::string_view name, RecordId origin,
                                              std::string_view config) = 0;
  // kContextNotFound; kContextExists if the new name is taken.
  virtual Status RenameContext(std::string_view name, std::string_view to) = 0;
  // Frees the name. Records that other contexts stand on stay until those go. kContextNotFound.
  virtual Status DeleteContext(std::string_view name) = 0;
  virtual Status SetConfig(ContextNumber context, std::string_view config) = 0;

  // --- commits ---
  // kConflict if the head is another commit, the epoch another one, with `expected` and `head` in
  // the details, or the key is taken. kContextNotFound, also for a deleted one; kRequestInvalid if
  // the cycle is not above the newest one's; kLimitExceeded.
  virtual Status Append(const AppendRequest& request) = 0;
  // Changes up to EndBatch are one step: all are there after it, and none if it fails or the batch
  // is abandoned, as it must be when a change fails. Of changes only Append, CreateContext,
  // SetConfig and SetTag are called meanwhile; reads see them. REQUIRES: no batch is open; for the
  // other two, one is.
  virtual Status BeginBatch(Durability durability) = 0;
  virtual Status EndBatch() = 0;
  virtual void AbandonBatch() = 0;
  // The answer of the append with this key, if there was one.
  virtual Result<std::optional<std::string>> FindAnswer(ContextNumber context,
                                                        std::string_view idempotency_key) = 0;
  // Reads between the two see one state, and each costs less. Nothing is changed meanwhile.
  virtual Status BeginReads() = 0;
  virtual void EndReads() = 0;
  // The record, checked against its checksum. kSnapshotNotFound. Reading neighbours in rising order
  // is the cheap way.
  virtual Result<std::string> ReadRecord(RecordId id) = 0;
  // Every record there is, snapshots and others, rising.
  virtual Result<std::vector<RecordId>> ListRecords() = 0;
  // The facts of the context's own snapshots with numbers in [range.first, range.last], rising.
  // Returning false ends the visit. `visit` may read from the store, not change it.
  virtual Status VisitFacts(ContextNumber context, CommitRange range,
                            const std::function<bool(const CommitFacts&)>& visit) = 0;
  // The context's own snapshot with the smallest cycle that is `cycle` or later. O(log commits).
  virtual Result<std::optional<CommitFacts>> FindCycle(ContextNumber context,
                                                       std::int64_t cycle) = 0;
  // Runs of numbers up to the head that are no snapshots (any more), rising, none touching another.
  virtual Result<std::vector<CommitRange>> ListGaps(ContextNumber context) = 0;
  // Bytes whose SHA-256 is the hash, checked. kStoreCorrupt if they are not there.
  virtual Result<std::string> ReadContent(const ContentHash256& hash) = 0;
  // Every content there is, whether a record names it or not, with its size as it is kept: what
  // the store would have back. `visit` must not call the store.
  virtual Status VisitContents(
      const std::function<void(const ContentHash256& hash, std::uint64_t bytes)>& visit) = 0;
  // The commit of this context that had the id in AppendRequest::ids, if one had.
  virtual Result<std::optional<CommitNumber>> FindId(ContextNumber context,
                                                     std::string_view id) = 0;

  // --- the journal: what a context did since its newest commit ---
  // Survives the end of the process; not synced.
  virtual Status AppendJournal(ContextNumber context, std::span<const std::string> entries) = 0;
  virtual Result<std::vector<std::string>> ReadJournal(ContextNumber context) = 0;

  // --- names and notes ---
  virtual Status SetTag(ContextNumber context, const Tag& tag) = 0;  // moves an existing one
  // kSnapshotNotFound if there is none of this name.
  virtual Status DeleteTag(ContextNumber context, std::string_view name) = 0;
  virtual Result<std::vector<Tag>> ListTags(ContextNumber context) = 0;  // by name
  // Attempts: JSON by id, in the order they were first put.
  virtual Status PutAttempt(ContextNumber context, std::string_view id, std::string_view json) = 0;
  virtual Result<std::vector<std::string>> ListAttempts(ContextNumber context) = 0;

  // --- upkeep ---
  virtual Status Retire(const RetireRequest& request) = 0;
  // Gives unused space back to the file system. kStoreBusy: a reader keeps the log as it is.
  virtual Status Compact() = 0;
  // A consistent copy, taken while others read and write. kStoreIo if `path` exists.
  virtual Status Backup(const std::string& path, const std::function<void(double)>& progress) = 0;
  // Everything that can be told without knowing what records say: pages, checksums, contents,
  // numbering. `progress` gets 0..1.
  virtual Result<std::vector<StoreProblem>> Verify(const std::function<void(double)>& progress) = 0;
  // The record's bytes as they are there, though they do not match its checksum: to tell from them
  // what is lost, never to be given as good. Errors: as of ReadRecord, for bytes that cannot be
  // had.
  virtual Result<std::string> ReadDamagedRecord(RecordId id) { return ReadRecord(id); }
  virtual Result<StoreStats> Stats() = 0;
};

enum class StoreAccess : std::uint8_t {
  kRead,    // never waits for, or disturbs, a writer
  kWrite,   // kStoreBusy if another process writes, with its `pid`
  kCreate,  // as kWrite, and makes the file if there is none
};

// In memory; gone with the object.
std::unique_ptr<Store> MakeMemoryStore();

// One file, by SQLite. Errors: kStoreBusy, kStoreVersion (written by a newer version; untouched),
// kStoreCorrupt (not a pactdb file, or damaged), kStoreIo (missing, a directory, no permission),
// kStoreReadonly.
Result<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path, StoreAccess access);

}  // namespace pactdb
