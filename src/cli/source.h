// What a verb looks at: a database file, opened so that it can be read while an agent writes to it,
// or a document (cli/document.h), loaded into memory.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/host.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cli/document.h"
#include "cli/session.h"
#include "engine/operation_log.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace pactdb::cli {

struct Setting;

struct SourceOptions {
  std::string file = "-";
  std::string pointer;  // JSON pointer to the document inside a larger one
  std::string context = "main";
  std::string dialect;
  bool json = false;

  // Declares FILE, --pointer, --context, --dialect and --json; in a shell, which has its file and
  // context, the last three.
  void Declare(CLI::App& app, const Setting& here);
};

// Time and chance for what is read from a file: what it says they were, else a count from 0, so
// that what is shown of a file never depends on when it is looked at.
class FileHost final : public Host {
 public:
  // The readings of the operation that comes next.
  void Load(const LogEntry& entry);
  std::int64_t NowNs() override;
  std::uint32_t RandomBits() override;

 private:
  static std::int64_t Take(std::deque<std::int64_t>& given, std::int64_t& last);
  std::deque<std::int64_t> times_;
  std::deque<std::int64_t> bits_;
  std::int64_t last_time_ = -1;
  std::int64_t last_bits_ = -1;
};

class Source {
 public:
  enum class Kind { kDatabase, kSnapshot, kLog, kScript };

  // Reads and loads. Requests of a script that are refused are reported on standard error, and the
  // next one is served, as `exec` does.
  static Said<Source> Open(const SourceOptions& options);

  Said<Answer> Run(const Ask& ask) { return session_.Run(ask); }
  Kind kind() const { return kind_; }
  Session& session() { return session_; }

 private:
  Source(Kind kind, Session session) : kind_(kind), session_(std::move(session)) {}
  static Said<Source> Load(Document document, const SourceOptions& options);

  Kind kind_;
  Session session_;
};

// Opens the source, asks, and prints the answer: as JSON if so asked, else what `print` makes of
// it. Where the request is refused, `hint` may say what would help; empty is nothing. The exit
// code.
Said<int> Inspect(const SourceOptions& options, const Ask& ask,
                  const std::function<int(Source&, const Answer&)>& print = nullptr,
                  const std::function<std::string(Source&, const Fault&)>& hint = nullptr);

// A hint: where a format cannot say all of a thread.
std::string HintOfLoss(Source& source, const Fault& fault);

}  // namespace pactdb::cli
