// Runs an operation log on this build and compares what comes of it with what came of it then.
//
// Thread safety: a pure function of the log.
#pragma once

#include <pactdb/error.h>
#include <pactdb/stream.h>

#include <cstdint>
#include <optional>
#include <string>

namespace pactdb {

// The first thing that is not as it was.
struct ReplayDifference {
  std::int64_t line = 0;  // of the log, from 1
  std::string op;
  std::string context;
  std::int64_t cycle = 0;            // of the snapshot that differs; 0 where none does
  std::string what;                  // "thread", "tree", "answer" or "snapshots"
  std::optional<std::int64_t> byte;  // the first that differs, from 0, in the thread or answer
  std::string node;      // the one that byte belongs to, or whose headers differ; may be unknown
  std::string expected;  // what the log has there, and what came
  std::string found;
};

struct ReplayReport {
  std::int64_t requests = 0;
  std::int64_t snapshots = 0;
  bool is_complete = true;  // the log has its last line
  std::optional<ReplayDifference> difference;
};

// Stops at the first difference. Errors: kImportInvalid with `line` and `pos` for a log that is
// damaged or of another version.
Result<ReplayReport> Replay(const ByteSource& log);

// Runs other requests, one a line as `exec` takes them, and compares only the threads of the
// snapshots they make, context by context, with those of the log: has what the provider gets
// changed? Errors: as Replay, and the sources' own.
Result<ReplayReport> ReplayRequests(const ByteSource& log, const ByteSource& requests);

// The id of the message that the byte of a rendered thread belongs to, or before which it stands;
// empty if it comes after them all.
std::string MessageAt(std::string_view thread, std::size_t byte);

}  // namespace pactdb
