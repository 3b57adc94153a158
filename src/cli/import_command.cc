#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "cli/commands.h"
#include "cli/document.h"
#include "cli/json_text.h"
#include "cli/progress_bar.h"
#include "cli/target.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  TargetOptions target;
  std::string log;
  std::string pointer;
  std::string format = "auto";
  bool open = false;
  bool lenient = false;
};

int Fail(const std::string& said) {
  Complain(said);
  return kError;
}

// A file that was made for nothing is taken back.
class NewFile {
 public:
  explicit NewFile(const std::string& file) : file_(file), is_new_(!IsThere(file)) {}
  ~NewFile() {
    if (is_new_) std::remove(file_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  bool is_new() const { return is_new_; }
  void Keep() { is_new_ = false; }

 private:
  std::string file_;
  bool is_new_;
};

// Somebody else may have made the file and filled it, just before.
bool HasSnapshots(Database& database) {
  const auto contexts = database.List();
  return !contexts || std::ranges::any_of(*contexts, [](const ContextInfo& context) {
    return context.snapshots > 0;
  });
}

// `made`: whether the context was made here.
Said<Session> OpenOrMake(const TargetOptions& target, bool is_new, bool& made) {
  auto session = Session::Open(target.file, Access::kCreate, target.context);
  if (!session) return session;
  if (is_new && target.context == "main") {
    const auto kept = session->Run(Ask("configure").Text("journal", "on"));
    if (!kept) return std::unexpected(kept.error());
  }
  made = !session->HasContext();
  if (const auto done = MakeContext(*session); !done) return std::unexpected(done.error());
  return session;
}

// What the context has now, and what has come.
int PrintMade(const Options& options, Session& session, const Answer& imported) {
  const auto log = session.Run(Ask("log"));
  if (!log) return Fail(log.error());
  const JsonRef commits = log->result();
  std::vector<std::string> cycles;  // newest first
  for (auto it = commits.begin(); it != commits.end(); ++it)
    cycles.push_back(LineOf((*it).value, "cycle"));
  const std::string count = LineOf(imported.result(), "nodes");
  if (options.target.json) {
    JsonOut out;
    out.BeginObject().Key("context").String(session.context());
    out.Key("nodes").Raw(count);
    out.Key("snapshots").Integer(static_cast<std::int64_t>(cycles.size()));
    out.Key("newest").Raw(cycles.empty() ? "null" : cycles.front()).EndObject();
    return Print(out.text() + "\n") ? kOk : kError;
  }
  const std::int64_t nodes = imported.result().Find("nodes")->AsInt64().value_or(0);
  std::string text = options.target.file;
  text.append(": ").append(Count(nodes, "node")).append(" into ").append(session.context());
  if (!cycles.empty()) text.append(", now @c").append(cycles.back());
  if (cycles.size() > 1) text.append(" to @c").append(cycles.front());
  return Print(text + "\n") ? kOk : kError;
}

int Run(const Options& options) {
  auto text = ReadAll(options.log);
  if (!text) return Fail(text.error());
  auto document = TellDocument(*std::move(text), options.log, options.pointer);
  if (!document) return Fail(document.error());
  using enum Document::Kind;
  if (document->kind == kScript || document->kind == kOperationLog) {
    return Fail(options.log + ": requests, not a context; 'pactdb exec " + options.target.file +
                " < " + options.log + "' runs a script");
  }
  bool made = false;
  if (options.format != "auto") {
    if (document->kind == kSnapshot)
      return Fail(options.log + ": a snapshot or a history; --format is about messages");
    document->format = options.format == "log" ? "" : options.format;
  }
  NewFile file(options.target.file);  // goes after the session has closed it
  auto session = OpenOrMake(options.target, file.is_new(), made);
  if (!session) {
    file.Keep();  // it may be somebody's who came first
    return Fail(session.error());
  }
  const auto imported = [&] {
    const ProgressBar bar("importing", ProgressBar::Kind::kUnknown);
    return ImportDocument(*session, *document, options.log, options.lenient);
  }();
  if (!imported) {
    // A context whose first log is bad was never made.
    if (made) {
      [[maybe_unused]] const Status gone = session->exec().database().Delete(session->context());
    }
    if (HasSnapshots(session->exec().database())) file.Keep();
    return Fail(imported.error());
  }
  file.Keep();
  if (document->lines_skipped > 0) {
    Complain(options.log + ": passed over " +
             Count(static_cast<std::int64_t>(document->lines_skipped), "line") +
             " with nothing at " + options.pointer);
  }
  // The last turn of a log stays open, as in a conversation that goes on; a file is at its end.
  if (document->kind == kLog && !options.open) {
    const auto sealed = session->Run(Ask("commit").Bool("hashes", false));
    if (!sealed) return Fail(sealed.error());
  }
  return PrintMade(options, *session, *imported);
}

}  // namespace

const Command kImportCommand = {
    .name = "import",
    .about = "a chat log, a snapshot or a history into a database, one commit a turn",
    .examples = R"(  pactdb import chat.pactdb chat.json
  pactdb log chat.pactdb && pactdb diff @t-1 @t0 chat.pactdb
  pactdb import chat.pactdb dialogues.json --pointer /0/traj --context dialogue-0
  pactdb import chat.pactdb messages.jsonl --context lines --json

A log is an array of messages, such messages as lines, or a request as a provider takes it;
--pointer leads into a larger document, or into every line. Calls of tools are linked to their
results. It is all or nothing. FILE and the context are made if they are not there.)",
    .setup = [](CLI::App& app, const Setting& here) -> std::function<int()> {
      auto options = std::make_shared<Options>();
      options->target.Declare(app, here);
      app.add_option("LOG", options->log, "a log, a snapshot or a history; - is standard input")
          ->required();
      app.add_option("--pointer", options->pointer, "JSON pointer to the messages inside LOG");
      app.add_option("--format", options->format, "of the messages; told from them unless given")
          ->check(CLI::IsMember(
              {"auto", "log", "openai-chat", "openai-responses", "anthropic", "gemini", "pi"}))
          ->capture_default_str();
      app.add_flag("--lenient", options->lenient,
                   "of a provider's format: a warning for what cannot be read");
      app.add_flag("--open", options->open, "leave the last turn open");
      return [options] { return Run(*options); };
    },
    .group = Group::kWrite};

}  // namespace pactdb::cli
