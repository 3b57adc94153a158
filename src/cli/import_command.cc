#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "cli/commands.h"
#include "cli/document.h"
#include "cli/history_form.h"
#include "cli/json_text.h"
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
  bool append = false;
};

// Of what is no log, snapshot or history.
std::unexpected<Fault> Refuse(const Options& options, std::string message) {
  return Fail(Fault(Error(ErrorCode::kImportInvalid, std::move(message))).In(options.log));
}

std::int64_t SnapshotsOf(const Answer& stats) {
  return stats.result().Find("snapshots")->AsInt64().value_or(0);
}

// What has come, and for programs what the context has now. `before`: how many snapshots there
// were. Asks for what is new alone: the context may have a long history.
Said<int> PrintMade(const Options& options, Session& session, std::int64_t before,
                    const Imported& imported) {
  const auto stats = session.Run(Ask("stats"));
  if (!stats) return Fail(stats.error());
  const std::int64_t snapshots = SnapshotsOf(*stats);
  // One at least, the newest of all; an import of a snapshot may have taken the place of others.
  const std::int64_t made = std::max<std::int64_t>(snapshots - before, 0);
  const auto log = session.Run(Ask("log").Integer("limit", std::max<std::int64_t>(made, 1)));
  if (!log) return Fail(log.error());
  std::vector<std::string> cycles;  // newest first
  const JsonRef commits = log->result();
  for (auto it = commits.begin(); it != commits.end(); ++it)
    cycles.push_back(LineOf((*it).value, "cycle"));
  if (options.target.json) {
    JsonOut out;
    out.BeginObject().Key("cycle").Raw(LineOf(stats->result(), "cycle"));
    out.Key("nodes").Integer(imported.nodes).Key("warnings").BeginArray();
    for (const std::string& warning : imported.warnings) out.String(warning);
    out.EndArray();
    if (imported.skipped) out.Key("skipped").Integer(*imported.skipped);
    out.Key("context").String(session.context());
    out.Key("snapshots").Integer(snapshots);
    out.Key("newest").Raw(cycles.empty() ? "null" : cycles.front()).EndObject();
    return Print(out.text() + "\n") ? kOk : kError;
  }
  const std::int64_t skipped = imported.skipped.value_or(0);
  std::string text = options.target.file;
  text.append(": ").append(Count(imported.nodes, "node")).append(" into ");
  text.append(session.context());
  if (skipped > 0) text.append(" behind ").append(Count(skipped, "node")).append(" that it had");
  if (made > 0) text.append(", now @c").append(cycles.back());
  if (made > 1) text.append(" to @c").append(cycles.front());
  return Print(text + "\n") ? kOk : kError;
}

// What LOG is, of what can be imported.
Said<Document> ReadDocument(const Options& options, Input& input) {
  auto text = input.ReadAll();
  if (!text) return Fail(text.error());
  auto document = TellDocument(*std::move(text), options.log, options.pointer);
  if (!document) return document;
  using enum Document::Kind;
  if (document->kind == kScript) {
    const std::string from = options.log == "-" ? "" : " < " + options.log;
    return Refuse(options, "requests, not a context; 'pactdb exec --create " + options.target.file +
                               from + "' runs them");
  }
  if (document->kind == kOperationLog) {
    return Refuse(options, "an operation log, not a context; 'pactdb export --history " +
                               options.log + "' gives a history to import");
  }
  if (options.format == "auto") return document;
  if (document->kind != kLog)
    return Fail(Fault("a snapshot or a history; --format is about messages").In(options.log));
  document->format = options.format == "log" ? "" : options.format;
  return document;
}

// A history goes into the context as it is read; whatever else it is is told from all of it.
Said<Imported> ImportLog(const Options& options, Session& session, Input& input,
                         std::optional<Document> document) {
  if (!document) {
    const auto streamed = ImportHistory(session, input, options.log);
    if (!streamed) return std::unexpected(streamed.error());
    if (*streamed) return **streamed;
    auto read = ReadDocument(options, input);
    if (!read) return std::unexpected(read.error());
    document = *std::move(read);
  }
  const std::size_t lines_skipped = document->lines_skipped;
  // The last turn of a log stays open, as in a conversation that goes on; a file is at its end.
  auto imported = ImportDocument(
      session, *std::move(document), options.log,
      {.lenient = options.lenient, .continues = !options.append, .seals = !options.open},
      "importing");
  if (imported && lines_skipped > 0) {
    Complain(options.log + ": passed over " +
             Count(static_cast<std::int64_t>(lines_skipped), "line") + " with nothing at " +
             options.pointer);
  }
  return imported;
}

bool MayBeHistory(const Options& options, Input& input) {
  const std::string_view head = input.Head();
  return options.pointer.empty() && options.format == "auto" &&
         (IsHistoryLines(head) || IsHistoryDocument(head));
}

Said<int> Run(const Options& options) {
  if (IsDatabaseFile(options.log)) {
    return Refuse(options, "a database; 'pactdb export --history' gives a history to import");
  }
  auto input = Input::Open(options.log);
  if (!input) return Fail(input.error());
  // Of anything else it is known what it is before the database is opened.
  std::optional<Document> document;
  if (!MayBeHistory(options, *input)) {
    auto read = ReadDocument(options, *input);
    if (!read) return Fail(read.error());
    document = *std::move(read);
  }
  NewFile file(options.target.file);  // goes after the session has closed it
  auto session = OpenOrMakeTarget(options.target, file);
  if (!session) return Fail(session.error());
  const auto had_context = session->HasContext();
  if (!had_context) return Fail(had_context.error());
  std::int64_t before = 0;
  if (*had_context) {
    const auto stats = session->Run(Ask("stats"));
    if (!stats) return Fail(stats.error());
    before = SnapshotsOf(*stats);
  }
  // Made by the import itself, in one step with what comes into it.
  MakeContextsWithJournal(*session);
  if (options.open) {
    const auto kept =
        CheckKept(*session, "a turn that is left open", "without --open it is sealed");
    if (!kept) return Fail(kept.error());
  }
  const auto imported = ImportLog(options, *session, *input, std::move(document));
  if (!imported) {
    file.KeepIfFilled(session->exec().database());
    return Fail(imported.error());
  }
  file.Keep();
  return PrintMade(options, *session, before, *imported);
}

}  // namespace

const Command kImportCommand = {
    .name = "import",
    .about = "a chat log, a snapshot or a history into a database, one commit a turn",
    .examples = R"(  pactdb import chat.pactdb chat.json
  pactdb log chat.pactdb && pactdb diff @t-1 @t0 chat.pactdb
  pactdb import chat.pactdb dialogues.json --pointer /0/traj --context dialogue-0
  pactdb import chat.pactdb messages.jsonl --context lines --json
  pactdb import chat.pactdb chat.json       # again, when the log has grown: what is new

A log is an array of messages, such messages as lines, or a request as a provider takes it;
--pointer leads into a larger document, or into every line; of lines that are conversations
/0/messages is that of the first. Calls of tools are linked to their results. It is all or
nothing. FILE and the context are made if they are not there. Of a log that begins with all that
the context says, what is new is added, and nothing of one that the context begins with; --append
adds it all.)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
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
      app.add_flag("--append", options->append,
                   "add all of a log, though the context has its beginning already");
      return [options] { return Run(*options); };
    },
    .group = Group::kWrite};

}  // namespace pactdb::cli
