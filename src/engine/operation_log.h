// The operation log: the requests of a session, what they took from outside, and what came of them.
//
// One line an entry, each closed by a sum over itself and all lines before it, so that damage is
// told from difference. The bytes are docs/format/operation-log.md. A log's size follows what was
// done: of a rendered thread only what is new is kept.
//
// Thread safety: values; a LogWriter belongs to one thread.
#pragma once

#include <pactdb/error.h>
#include <pactdb/snapshot.h>
#include <pactdb/stream.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/line_source.h"
#include "text/json_doc.h"
#include "text/json_out.h"

namespace pactdb {

inline constexpr std::int64_t kOperationLogVersion = 1;

// A node that a request made or changed, and eight digits of a hash over what it is.
struct NodePrint {
  std::string id;
  std::string print;
  bool operator==(const NodePrint&) const = default;
};

// The newest snapshot of a context, where a request made one.
struct LoggedState {
  std::string context;
  std::int64_t cycle = 0;
  std::string tree_sha256;
  std::vector<NodePrint> nodes;  // against the state logged before, in tree order
  std::vector<std::string> removed;
  // The thread: so much of the one before, then this.
  std::size_t kept = 0;
  std::string added;
};

struct LoggedAnswer {
  std::string error;   // the code; empty for a success
  std::string sha256;  // of a result; empty where results may differ from build to build
  std::string text;    // the result itself, if it is short
};

struct LogEntry {
  std::string request;  // the line's bytes
  std::vector<std::int64_t> now;
  std::vector<std::uint32_t> random;
  LoggedAnswer answer;
  std::optional<LoggedState> state;
};

// The state of `snapshot` after `before` (null: nothing), whose thread was `thread`; takes the new
// thread into `thread`.
LoggedState DescribeState(std::string_view context, const Snapshot& snapshot,
                          const Snapshot* before, std::string& thread);

// What is compared of an answer. `answer` is a line that Exec gave to `request`.
LoggedAnswer DescribeAnswer(std::string_view answer, std::string_view op);

class LogWriter {
 public:
  // The sink must outlive the writer.
  explicit LogWriter(ByteSink& sink) : sink_(&sink) {}
  // Errors of all: kStoreIo.
  Status Begin();
  Status Add(const LogEntry& entry);
  Status End();

 private:
  Status WriteLine(JsonOut& out);
  ByteSink* sink_;
  std::string sum_;
  std::int64_t entries_ = 0;
};

class LogReader {
 public:
  explicit LogReader(const ByteSource& source) : lines_(source) {}
  // Errors of both: kImportInvalid with `line` and `pos`, for what is damaged, cut short or of
  // another version.
  Status Begin();
  // The next entry; nothing after the last.
  Result<std::optional<LogEntry>> Next();
  std::int64_t line() const { return lines_.number(); }
  // False once Next gave nothing because the log stops without its last line.
  bool is_complete() const { return is_complete_; }

 private:
  Result<JsonDoc> NextLine();
  Error Damaged(std::string message, std::int64_t pos) const;
  LineSource lines_;
  std::string sum_;
  std::int64_t entries_ = 0;
  bool is_at_end_ = false;
  bool is_complete_ = true;
};

}  // namespace pactdb
