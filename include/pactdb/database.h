// Contexts by name, in memory or in one file.
//
//   PACTDB_TRY(Database db, Database::Open("agent.pactdb", Access::kCreate));
//   PACTDB_TRY(Context * chat, db.Find("main"));
//   chat->Add(NodeSpec().Role("user").Text("Hello"));
//   chat->Commit();                       // on the disk when this returns
//
// A commit that was acknowledged is on the disk, unless the context is configured to be relaxed
// about it (Options::durability), and then its answer says so. Uncommitted edits live in memory,
// and in the file too if Options::journal is on.
//
// One process writes to a file at a time; any number read it meanwhile, each as of the moment it
// opened the context.
//
// Thread safety: one thread at a time, with all its contexts. Snapshots and Readers of the contexts
// may be used from any thread, and outlive the database. Find reads a long history with the help of
// a thread of its own, which takes no signals and is gone when Find returns.
#pragma once

#include <pactdb/context.h>
#include <pactdb/error.h>
#include <pactdb/host.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pactdb {

class Store;

enum class Access : std::uint8_t {
  kRead,    // never waits for, or disturbs, a writer
  kWrite,   // kStoreBusy if another process writes, with its `pid` in the details
  kCreate,  // as kWrite, and makes the file if there is none
};

struct ContextInfo {
  std::string name;
  std::optional<std::int64_t> cycle;  // of the newest snapshot; none if nothing was committed
  std::int64_t snapshots = 0;
  std::int64_t nodes = 0;   // of the newest snapshot
  std::uint64_t bytes = 0;  // of its commits in the file, those of its ancestors apart
  std::optional<RetentionRules> retention = std::nullopt;  // its policy
};

struct RetentionRequest {
  std::optional<std::string> context;   // absent: all of them
  std::optional<RetentionRules> rules;  // absent: the policy that a context has, if it has one
  bool dry_run = false;
};

struct RetentionResult {
  // What a context lost.
  struct Share {
    std::string context;
    RetentionRules rules;  // that it went by
    std::int64_t snapshots = 0;
  };

  std::int64_t snapshots = 0;
  std::uint64_t bytes = 0;  // of records and contents, as they were kept
  // False: the snapshots went, but the file could not be made smaller; it uses the space again.
  bool is_compacted = true;
  // By name, the contexts that there were rules for. What several inherited from a deleted one
  // counts in each.
  std::vector<Share> contexts;
};

struct FileStats {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t free_bytes = 0;  // of those, to be used again
  std::uint64_t contexts = 0;
  std::uint64_t commits = 0;
  // Long contents, kept once each.
  std::uint64_t contents = 0;
  std::uint64_t content_bytes = 0;         // as they were given
  std::uint64_t content_stored_bytes = 0;  // as they are kept
};

// 0..1, now and then, in work that may take long. May be empty.
using Progress = std::function<void(double)>;

class Database {
 public:
  // In memory, gone with the object.
  explicit Database(std::shared_ptr<Host> host = SystemHost());
  // Errors: kStoreBusy, kStoreVersion (written by a newer version), kStoreCorrupt (no pactdb file,
  // or a damaged one), kStoreReadonly, kStoreIo (missing, a directory, no permission).
  static Result<Database> Open(const std::string& path, Access access = Access::kWrite,
                               std::shared_ptr<Host> host = SystemHost());
  // On a backend of one's own.
  static Result<Database> Over(std::unique_ptr<Store> store,
                               std::shared_ptr<Host> host = SystemHost());
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  bool read_only() const;
  // Not in memory.
  bool is_file() const;

  // The context `main` always exists. The pointers that follow are good until the context is
  // deleted or the database goes. Errors of all: kContextNotFound, kContextExists, kRequestInvalid
  // for what is no name, and those of the file.

  // Loads it if need be.
  Result<Context*> Find(std::string_view name);
  // Errors: also those of Context::Make.
  Result<Context*> Make(std::string_view name, const Options& options = {});
  // A context that goes on from a snapshot of another and shares with it what was until then; see
  // Context::Fork. Errors: also kSnapshotNotFound, kLimitExceeded.
  Result<Context*> Fork(std::string_view from, std::string_view at, std::string_view name);
  // Renaming `main` leaves an empty one behind.
  Status Rename(std::string_view name, std::string_view to);
  // Of `main`: what it holds.
  Status Delete(std::string_view name);
  // By name.
  Result<std::vector<ContextInfo>> List();

  // --- upkeep of a file; kRequestInvalid in memory ---

  // Lets snapshots of a context go, all of them or none, and gives their space back. The newest
  // stays, and those of its own that other contexts were forked at. What it has of a deleted
  // context goes with it, unless another context has that too. A context with edits that are
  // neither committed nor in a journal is kConflict. Contexts in use are read again; one that
  // cannot be read just then knows of what went at the next Find.
  Result<RetentionResult> Gc(std::string_view name, const RetentionRules& rules,
                             bool dry_run = false, const Progress& progress = {});
  // The same of one context or of all, in one step, by rules or by the policies they have
  // (Options::retention). What contexts inherited from a deleted one goes when the rules of all
  // that have it allow it. kRequestInvalid if there is no policy to go by.
  Result<RetentionResult> Gc(const RetentionRequest& request, const Progress& progress = {});
  // A consistent copy, while others read and write. kStoreIo if `path` exists.
  Status Backup(const std::string& path, const Progress& progress = {});
  // What is broken, in words that name it: pages, checksums, contents, and every invariant and hash
  // of every snapshot. Empty: nothing is. In memory too.
  Result<std::vector<std::string>> Verify(const Progress& progress = {});
  Result<FileStats> Stats();

 private:
  friend class Exec;
  struct Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// 1 to 128 of A-Z a-z 0-9 . _ -
bool IsContextName(std::string_view name);

}  // namespace pactdb
