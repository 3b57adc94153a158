#include "cli/source.h"

#include <CLI/CLI.hpp>

#include "base/limits.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

constexpr std::size_t kDepthMax = limits::kDocumentJsonDepthMax;

// Answers one line of a script.
void Play(Exec& exec, std::string_view request, std::string_view name, std::size_t line) {
  const std::string answer = exec.Answer(request);
  if (answer.starts_with(R"({"ok":true)")) return;
  const auto doc = JsonDoc::ParseView(answer, kDepthMax + 16);
  const Fault fault = doc ? Fault(*doc->root().Find("error")) : Fault(answer);
  Complain(Fault(fault).In(name, line).Text());
}

Said<void> PlayLog(Exec& exec, FileHost& host, std::string_view text, const std::string& file) {
  const ByteSource source = [text](char* buffer, std::size_t size) mutable -> Result<std::size_t> {
    const std::size_t taken = text.copy(buffer, size);
    text.remove_prefix(taken);
    return taken;
  };
  LogReader reader(source);
  const auto fault = [&](const Error& error) {
    return Fail(Fault(error).In(file, static_cast<std::size_t>(reader.line())));
  };
  if (const Status begun = reader.Begin(); !begun) return fault(begun.error());
  while (true) {
    const auto entry = reader.Next();
    if (!entry) return fault(entry.error());
    if (!*entry) return {};
    host.Load(**entry);
    Play(exec, (*entry)->request, file, static_cast<std::size_t>(reader.line()));
  }
}

}  // namespace

void SourceOptions::Declare(CLI::App& app, const Setting& here) {
  context = here.context;
  if (here.file.empty()) {
    app.add_option("FILE", file,
                   "a database, a snapshot, a history, a flat log, a script or a log of "
                   "operations; - is standard input")
        ->capture_default_str();
    app.add_option("--pointer", pointer, "JSON pointer to the document inside FILE, as in /0/traj");
  } else {
    file = here.file;
  }
  app.add_option("--context", context, "the context, of a database or a script")
      ->capture_default_str();
  app.add_option("--dialect", dialect, "classic, depth or canonical")
      ->check(CLI::IsMember({"classic", "depth", "canonical"}));
  app.add_flag("--json", json, "the answer as JSON, on one line");
}

void FileHost::Load(const LogEntry& entry) {
  times_.assign(entry.now.begin(), entry.now.end());
  bits_.assign(entry.random.begin(), entry.random.end());
}
std::int64_t FileHost::Take(std::deque<std::int64_t>& given, std::int64_t& last) {
  if (given.empty()) return ++last;
  last = given.front();
  given.pop_front();
  return last;
}
std::int64_t FileHost::NowNs() {
  return Take(times_, last_time_);
}
std::uint32_t FileHost::RandomBits() {
  return static_cast<std::uint32_t>(Take(bits_, last_bits_));
}

Said<Source> Source::Load(Document document, const SourceOptions& options) {
  const auto host = std::make_shared<FileHost>();
  // Documents are loaded into the context that always exists.
  Source source(Kind::kScript, Session(std::make_unique<Exec>(host), "main"));
  Exec& exec = source.session_.exec();
  switch (document.kind) {
    case Document::Kind::kScript:
      ForEachLine(document.text, [&](std::string_view line, std::size_t number) {
        Play(exec, line, options.file, number);
      });
      source.session_.set_context(options.context);
      return source;
    case Document::Kind::kOperationLog:
      if (auto played = PlayLog(exec, *host, document.text, options.file); !played)
        return std::unexpected(played.error());
      source.session_.set_context(options.context);
      return source;
    case Document::Kind::kSnapshot:
    case Document::Kind::kHistory:
      source.kind_ = Kind::kSnapshot;
      break;
    case Document::Kind::kLog:
      source.kind_ = Kind::kLog;
      break;
  }
  if (options.context != "main")
    return Fail(
        Fault("--context is of a database or a script, and this is neither").In(options.file));
  const auto configured = source.Run(Ask("configure").Optional("dialect", options.dialect));
  if (!configured) return std::unexpected(configured.error());
  const auto imported = ImportDocument(source.session_, std::move(document), options.file,
                                       {.lenient = true}, "reading");
  if (!imported) return std::unexpected(imported.error());
  return source;
}

Said<Source> Source::Open(const SourceOptions& options) {
  if (IsDatabaseFile(options.file)) {
    if (!options.pointer.empty())
      return Fail(
          Fault("--pointer leads into a document, and this is a database").In(options.file));
    auto session = Session::Open(options.file, Access::kRead, options.context);
    if (!session) return std::unexpected(session.error());
    return Source(Kind::kDatabase, *std::move(session));
  }
  auto text = ReadAll(options.file);
  if (!text) return std::unexpected(text.error());
  if (options.file == "-" && text->empty())
    return Fail(Fault(Error(ErrorCode::kImportInvalid, "standard input is empty"))
                    .In(options.file)
                    .Hint("; it is read where no FILE is given"));
  auto document = TellDocument(*std::move(text), options.file, options.pointer);
  if (!document) return std::unexpected(document.error());
  return Load(*std::move(document), options);
}

std::string HintOfLoss(Source& /*source*/, const Fault& fault) {
  return fault.code() == WireName(ErrorCode::kRenderIllegal)
             ? "--lossy leaves out what the format cannot say, and tells what"
             : "";
}

Said<int> Inspect(const SourceOptions& options, const Ask& ask,
                  const std::function<int(Source&, const Answer&)>& print,
                  const std::function<std::string(Source&, const Fault&)>& hint) {
  auto source = Source::Open(options);
  if (!source) return Fail(source.error());
  const auto answer = source->Run(ask);
  if (!answer) {
    const std::string help = hint ? hint(*source, answer.error()) : std::string();
    return Fail(Fault(answer.error()).Hint(help.empty() ? "" : "\n  " + help));
  }
  if (!options.json) return print(*source, *answer);
  return Print(std::string(answer->json()) + "\n") ? kOk : kError;
}

}  // namespace pactdb::cli
