// Making a sound file of a damaged one.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/database.h>
#include <pactdb/error.h>

#include <cstdint>
#include <string>
#include <vector>

namespace pactdb {

// What a repair found of a context.
struct RepairedContext {
  std::string name;
  std::int64_t kept = 0;  // snapshots of its own
  std::int64_t lost = 0;  // as far as there is a trace of them
  // Runs of commits and other things, with the reason: "commits 12-14: commit 12 is missing".
  std::vector<std::string> losses;
};

struct RepairReport {
  std::vector<RepairedContext> contexts;  // by name
  std::vector<std::string> losses;        // of no context, or of nobody knows which
  // Nothing was lost.
  bool whole() const;
};

// Makes a new file `to` of what is intact in `from`, which may be damaged in any way and is not
// touched: every snapshot whose records and contents match their checksums, and what belongs to
// those. Contexts and commits keep their numbers; lost snapshots are gaps.
//
// Errors: kStoreIo if `to` exists, kStoreBusy while `from` has a writer, kStoreVersion,
// kStoreCorrupt if nothing can be found.
Result<RepairReport> RepairFile(const std::string& from, const std::string& to,
                                const Progress& progress = {});

}  // namespace pactdb
