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

// The cycles of the snapshots there are, newest first.
Said<std::vector<std::int64_t>> CyclesOf(Session& session) {
  const auto log = session.Run(Ask("log"));
  if (!log) return std::unexpected(log.error());
  std::vector<std::int64_t> cycles;
  for (auto it = log->result().begin(); it != log->result().end(); ++it)
    cycles.push_back((*it).value.Find("cycle")->AsInt64().value_or(0));
  return cycles;
}

// What has come, and for programs what the context has now. `before`: how many snapshots there
// were.
int PrintMade(const Options& options, Session& session, std::size_t before,
              const Answer& imported) {
  const auto cycles = CyclesOf(session);
  const auto stats = session.Run(Ask("stats"));
  if (!cycles || !stats) return Fail(!cycles ? cycles.error() : stats.error());
  const JsonRef result = imported.result();
  if (options.target.json) {
    JsonOut out;
    out.BeginObject().Key("cycle").Raw(LineOf(stats->result(), "cycle"));
    out.Key("nodes").Raw(LineOf(result, "nodes"));
    out.Key("warnings").Raw(result.Find("warnings")->ToJson().text());
    out.Key("context").String(session.context());
    out.Key("snapshots").Integer(static_cast<std::int64_t>(cycles->size()));
    out.Key("newest");
    cycles->empty() ? out.Null() : out.Integer(cycles->front());
    out.EndObject();
    return Print(out.text() + "\n") ? kOk : kError;
  }
  const std::int64_t nodes = result.Find("nodes")->AsInt64().value_or(0);
  std::string text = options.target.file;
  text.append(": ").append(Count(nodes, "node")).append(" into ").append(session.context());
  // An import of a snapshot may take the place of what was there.
  const std::size_t made = cycles->size() - std::min(before, cycles->size());
  if (made > 0) text.append(", now @c").append(std::to_string((*cycles)[made - 1]));
  if (made > 1) text.append(" to @c").append(std::to_string(cycles->front()));
  return Print(text + "\n") ? kOk : kError;
}

int Run(const Options& options) {
  if (IsDatabaseFile(options.log)) {
    return Fail(options.log + ": a database; 'pactdb export --history' gives a history to import");
  }
  auto text = ReadAll(options.log);
  if (!text) return Fail(text.error());
  auto document = TellDocument(*std::move(text), options.log, options.pointer);
  if (!document) return Fail(document.error());
  using enum Document::Kind;
  if (document->kind == kScript || document->kind == kOperationLog) {
    return Fail(options.log + ": requests, not a context; 'pactdb exec " + options.target.file +
                " < " + options.log + "' runs a script");
  }
  if (options.format != "auto") {
    if (document->kind == kSnapshot)
      return Fail(options.log + ": a snapshot or a history; --format is about messages");
    document->format = options.format == "log" ? "" : options.format;
  }
  NewFile file(options.target.file);  // goes after the session has closed it
  auto session = OpenOrMakeTarget(options.target, file);
  if (!session) return Fail(session.error());
  const auto had_context = session->HasContext();
  if (!had_context) return Fail(had_context.error());
  if (const auto done = MakeContext(*session); !done) return Fail(done.error());
  const auto before = CyclesOf(*session);
  if (!before) return Fail(before.error());
  const auto imported = [&] {
    const ProgressBar bar("importing", ProgressBar::Kind::kUnknown);
    return ImportDocument(*session, *document, options.log, options.lenient);
  }();
  if (!imported) {
    // A context whose first log is bad was never made.
    if (!*had_context) {
      [[maybe_unused]] const Status gone = session->exec().database().Delete(session->context());
    }
    file.KeepIfFilled(session->exec().database());
    return Fail(imported.error());
  }
  file.Keep();
  if (document->lines_skipped > 0) {
    Complain(options.log + ": passed over " +
             Count(static_cast<std::int64_t>(document->lines_skipped), "line") +
             " with nothing at " + options.pointer);
  }
  // The last turn of a log stays open, as in a conversation that goes on; a file is at its end.
  const bool is_empty = LineOf(imported->result(), "nodes") == "0";
  if (document->kind == kLog && !options.open && !is_empty) {
    const auto sealed = session->Run(Ask("commit").Bool("hashes", false));
    if (!sealed) return Fail(sealed.error());
  }
  return PrintMade(options, *session, before->size(), *imported);
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
