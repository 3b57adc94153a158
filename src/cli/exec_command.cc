#include <pactdb/database.h>
#include <pactdb/exec.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "engine/recorder.h"

namespace pactdb::cli {
namespace {

constexpr std::string_view kTooLong =
    R"({"ok":false,"error":{"code":"E_LIMIT_EXCEEDED","message":"the line is too long",)"
    R"("details":{"limit":"line_bytes","max":268435456}}})";
static_assert(limits::kExecLineBytesMax == 268435456);

// Cuts standard input into lines. A line over the limit is kept only as the fact that it was too
// long.
class LineReader {
 public:
  // False at the end of the input.
  bool Next() {
    line_.clear();
    too_long_ = false;
    bool any = false;
    while (next_ < size_ || Fill()) {
      any = true;
      const char* start = block_ + next_;
      const void* newline = std::memchr(start, '\n', size_ - next_);
      const std::size_t taken =
          newline == nullptr ? size_ - next_
                             : static_cast<std::size_t>(static_cast<const char*>(newline) - start);
      if (line_.size() + taken > limits::kExecLineBytesMax) too_long_ = true;
      if (!too_long_) line_.append(start, taken);
      next_ += taken + (newline == nullptr ? 0 : 1);
      if (newline != nullptr) return true;
    }
    return any;
  }
  const std::string& line() const { return line_; }
  bool too_long() const { return too_long_; }
  // What kept the input from being read to its end; 0: nothing.
  int error() const { return error_; }

 private:
  // read(), not fread(): an interactive caller sends one line and waits for its answer.
  bool Fill() {
    ssize_t size = 0;
    do {
      size = ::read(STDIN_FILENO, block_, sizeof block_);
    } while (size < 0 && errno == EINTR);
    if (size < 0) error_ = errno;
    next_ = 0;
    size_ = size > 0 ? static_cast<std::size_t>(size) : 0;
    return size_ > 0;
  }

  std::string line_;
  bool too_long_ = false;
  int error_ = 0;
  char block_[1 << 16];
  std::size_t next_ = 0;
  std::size_t size_ = 0;
};

// Lines that are too long never reach the engine and leave nothing to record.
Said<int> Serve(const std::function<Result<std::string>(const std::string&)>& answer) {
  LineReader lines;
  while (lines.Next()) {
    Result<std::string> said = lines.too_long() ? std::string(kTooLong) : answer(lines.line());
    if (!said) {
      return Fail(Fault(said.error()).In("exec"));
    }
    *said += '\n';
    if (!Print(*said)) return kError;
  }
  if (lines.error() != 0) return Fail(Fault(Unreadable(lines.error())).In("-"));
  return kOk;
}

struct Options {
  std::string file;  // empty: in memory
  std::string record;
  bool create = false;
  bool read = false;
};

Result<Database> OpenDatabase(const Options& options, std::shared_ptr<Host> host) {
  if (options.file.empty()) return Database(std::move(host));
  const Access access = options.read     ? Access::kRead
                        : options.create ? Access::kCreate
                                         : Access::kWrite;
  return Database::Open(options.file, access, std::move(host));
}

std::unexpected<Fault> NotOpened(const Options& options, const Error& error) {
  return Fail(FaultOfOpening(options.file.empty() ? "exec" : options.file, error,
                             options.read || options.create ? "" : "; --create makes it"));
}

// What stands there may be replaced: nothing, or a log.
bool MayRecordTo(const std::string& path) {
  constexpr std::string_view kBeginning = R"({"pactdb_log")";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) return true;
  char head[kBeginning.size()];
  const std::size_t size = std::fread(head, 1, sizeof head, file.get());
  return size == 0 || std::string_view(head, size) == kBeginning;
}

// The database, or one of the files beside it.
bool IsOfDatabase(const std::string& path, const std::string& database) {
  std::error_code ignored;
  const auto wanted = std::filesystem::weakly_canonical(path, ignored);
  return std::ranges::any_of(
      std::to_array<std::string_view>({"", "-wal", "-shm", "-lock"}), [&](std::string_view ending) {
        return wanted ==
               std::filesystem::weakly_canonical(std::string(database).append(ending), ignored);
      });
}

Said<int> Record(const Options& options) {
  if (!MayRecordTo(options.record)) {
    return Fail(Fault("there is a file already, and it is no operation log").In(options.record));
  }
  if (!options.file.empty() && IsOfDatabase(options.record, options.file))
    return Fail(Fault("the log and the database need files of their own").In(options.record));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(options.record.c_str(), "ab"), std::fclose);
  if (file == nullptr) {
    const std::string reason = std::strerror(errno);
    return Fail(Fault(Error(ErrorCode::kStoreIo, "the log cannot be written: " + reason))
                    .In(options.record));
  }
  // Flushed after every entry: a process that is killed leaves what it had answered.
  FunctionSink sink([&file](std::string_view piece) {
    return std::fwrite(piece.data(), 1, piece.size(), file.get()) == piece.size() &&
           std::fflush(file.get()) == 0;
  });
  auto recorder = Recorder::Begin(sink, [&](std::shared_ptr<Host> host) -> Result<Database> {
    auto database = OpenDatabase(options, std::move(host));
    // An older log goes when there is something to record.
    if (database && ::ftruncate(::fileno(file.get()), 0) != 0)
      return std::unexpected(Unreadable(errno));
    return database;
  });
  if (!recorder) return NotOpened(options, recorder.error());
  const auto code = Serve([&](const std::string& line) { return recorder->Answer(line); });
  if (!code || *code != kOk) return code;
  return recorder->End() ? kOk : kError;
}

Said<int> Run(const Options& options) {
  if (options.file.empty() && (options.create || options.read)) {
    return Fail(Fault("exec: --create and --read are about a FILE")
                    .Hint("\nRun 'pactdb exec --help' for how to call it."));
  }
  if (!options.file.empty() && !options.create && !IsThere(options.file)) {
    return NotOpened(options, Unreadable(ENOENT));
  }
  if (!options.record.empty()) return Record(options);
  auto database = OpenDatabase(options, SystemHost());
  if (!database) return NotOpened(options, database.error());
  Exec exec(*std::move(database));
  return Serve([&exec](const std::string& line) { return exec.Answer(line); });
}

}  // namespace

const Command kExecCommand = {
    .name = "exec",
    .about = "answer JSON requests from standard input, one a line",
    .examples = R"(  echo '{"op":"add","node":{"role":"user","content":"Hello"}}' | pactdb exec
  pactdb exec < session.jsonl > answers.jsonl
  pactdb exec --create agent.pactdb < session.jsonl > answers.jsonl
  echo '{"op":"log"}' | pactdb exec --read agent.pactdb
  pactdb exec --record session.log < session.jsonl > answers.jsonl

One JSON object a line in, one a line out, in order. Without FILE contexts live in memory and end
with the input. One process writes to a file at a time; --read reads it meanwhile, each
context as it was when it was first asked for. With --record, what was asked and what came of it
goes into an operation log, in place of an older one, which `pactdb replay` runs again; of a file
that held something before, the log has only what was added.)",
    .setup = [](CLI::App& app, const Setting& /*here*/) -> Runner {
      auto options = std::make_shared<Options>();
      app.add_option("FILE", options->file, "a database; without it contexts live in memory");
      auto* create = app.add_flag("--create", options->create, "make FILE if there is none");
      app.add_flag("--read", options->read, "open FILE for reading, beside who writes to it")
          ->excludes(create);
      app.add_option("--record", options->record, "write an operation log to this file");
      return [options] { return Run(*options); };
    },
    .group = Group::kProgram,
    .in_shell = false};

}  // namespace pactdb::cli
