// A session that writes itself down: Exec, and beside every answer an entry of the operation log.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>
#include <pactdb/exec.h>
#include <pactdb/stream.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/operation_log.h"

namespace pactdb {

// Follows the newest snapshots of a session's contexts. What recorder and replay share.
class StateWatch {
 public:
  // The state that the answered request made, if its context has a new snapshot since the last
  // look. `request` is a line that was given to `exec`.
  std::optional<LoggedState> Look(const Exec& exec, std::string_view request);
  // The last thread that Look saw of the context.
  const std::string& thread(std::string_view context) const;
  // "op" of the last request looked at; empty if it has none.
  const std::string& op() const { return op_; }

 private:
  struct Seen {
    std::optional<Snapshot> newest;
    std::string thread;
  };
  std::map<std::string, Seen, std::less<>> seen_;
  std::string op_;
};

class Recorder {
 public:
  // Opens what the requests are answered on, with the host that the recorder listens to.
  using Opener = std::function<Result<Database>(std::shared_ptr<Host> host)>;

  // Writes the log's first line to the sink, which must outlive the recorder. Without `open` the
  // session is in memory. Errors: kStoreIo, those of `open`.
  static Result<Recorder> Begin(ByteSink& sink, const Opener& open = nullptr);

  // Exec's answer. Errors: kStoreIo if the log cannot be written; then nobody saw the answer.
  Result<std::string> Answer(std::string_view line);
  // Writes the last line, without which a log counts as cut short. Errors: kStoreIo.
  Status End() { return writer_.End(); }

 private:
  class NotingHost;
  Recorder(ByteSink& sink, std::shared_ptr<NotingHost> host, Database database);

  std::shared_ptr<NotingHost> host_;
  std::unique_ptr<Exec> exec_;
  StateWatch watch_;
  LogWriter writer_;
};

}  // namespace pactdb
