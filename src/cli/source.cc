#include "cli/source.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/limits.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

constexpr std::size_t kDepthMax = limits::kDocumentJsonDepthMax;

Said<std::string> ReadAll(const std::string& file) {
  const bool is_input = file == "-";
  if (is_input && ::isatty(STDIN_FILENO) == 1)
    return std::unexpected("no FILE given, and standard input is a terminal");
  std::FILE* const in = is_input ? stdin : std::fopen(file.c_str(), "rb");
  if (in == nullptr) return std::unexpected(file + ": " + std::strerror(errno));
  std::string text;
  char block[1 << 16];
  std::size_t size = 0;
  while (text.size() <= kJsonTextBytesMax && (size = std::fread(block, 1, sizeof block, in)) > 0)
    text.append(block, size);
  const int fault = std::ferror(in) != 0 ? errno : 0;
  if (!is_input) std::fclose(in);
  if (fault != 0) return std::unexpected(file + ": " + std::strerror(fault));
  if (text.size() > kJsonTextBytesMax)
    return std::unexpected(file + ": larger than " + std::to_string(kJsonTextBytesMax) + " bytes");
  return text;
}

std::string Place(std::string_view text, std::size_t pos) {
  const std::string_view before = text.substr(0, pos);
  return " (byte " + std::to_string(pos) + ", line " +
         std::to_string(std::ranges::count(before, '\n') + 1) + ")";
}

// The fault of a text that could not be read as JSON.
std::string Malformed(const SourceOptions& options, std::string_view text, const Error& error) {
  std::string said =
      options.file + ": " + std::string(WireName(error.code())) + ": " + error.message();
  for (const Error::Detail& detail : error.details()) {
    if (detail.name == "pos" && detail.is_number)
      said += Place(text, static_cast<std::size_t>(detail.number));
  }
  return said;
}

// What a refused request is told.
std::string Refusal(const JsonRef& answer) {
  const JsonRef error = *answer.Find("error");
  return std::string(error.Find("code")->string()) + ": " +
         std::string(error.Find("message")->string());
}

std::string_view FirstLine(std::string_view text) {
  const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(start);
  return text.substr(0, text.find('\n'));
}

// What the first of several lines says they are.
enum class Lines { kNone, kScript, kOperationLog, kHistory };

Lines LinesOf(std::string_view text) {
  const auto doc = JsonDoc::Parse(FirstLine(text), kDepthMax);
  if (!doc || !doc->root().is_object()) return Lines::kNone;
  const JsonRef first = doc->root();
  if (first.Find("op")) return Lines::kScript;
  if (first.Find("pactdb_log")) return Lines::kOperationLog;
  const auto kind = FollowPointer(first, "/pactdb/kind");
  const bool is_history = kind && kind->is_string() && kind->string() == "history";
  return is_history && !first.Find("commits") ? Lines::kHistory : Lines::kNone;
}

// Calls visit(line, number) for every line that is not blank.
template <typename Visitor>
void ForEachLine(std::string_view text, Visitor&& visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t newline = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(std::min(newline + 1, text.size()));
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) visit(line, number);
  }
}

// The lines of a history as the document they are parts of: a header and the list of the others.
std::string HistoryDocument(std::string_view text) {
  std::string document;
  ForEachLine(text, [&document](std::string_view line, std::size_t /*number*/) {
    if (document.empty()) {
      document = line.substr(0, line.rfind('}'));
      document += ",\"commits\":[";
      return;
    }
    if (!document.ends_with('[')) document += ',';
    document += line;
  });
  return document + "]}";
}

}  // namespace

void SourceOptions::Declare(CLI::App& app) {
  app.add_option("FILE", file,
                 "a snapshot, a history, a flat log, a script or a log of operations; - is "
                 "standard input")
      ->capture_default_str();
  app.add_option("--pointer", pointer, "JSON pointer to the document inside FILE, as in /0/traj");
  app.add_option("--context", context, "the context of a script")->capture_default_str();
  app.add_option("--dialect", dialect, "classic, depth or canonical")
      ->check(CLI::IsMember({"classic", "depth", "canonical"}));
  app.add_flag("--json", json, "the answer as JSON, on one line");
}

Ask::Ask(std::string_view op) {
  out_.BeginObject().Key("op").String(op);
}
Ask& Ask::Text(std::string_view name, std::string_view value) {
  out_.Key(name).String(value);
  return *this;
}
Ask& Ask::Optional(std::string_view name, std::string_view value) {
  return value.empty() ? *this : Text(name, value);
}
Ask& Ask::Integer(std::string_view name, std::int64_t value) {
  out_.Key(name).Integer(value);
  return *this;
}
Ask& Ask::Bool(std::string_view name, bool value) {
  out_.Key(name).Bool(value);
  return *this;
}
Ask& Ask::Raw(std::string_view name, std::string_view json) {
  out_.Key(name).Raw(json);
  return *this;
}
std::string Ask::Line(std::string_view context) const {
  JsonOut out = out_;
  out.Key("context").String(context).EndObject();
  return out.Take();
}

std::string_view Answer::json() const {
  constexpr std::string_view kBefore = R"({"ok":true,"result":)";
  std::string_view json = text_;
  json.remove_prefix(kBefore.size());
  json.remove_suffix(1);
  return json;
}

Said<Answer> Source::Run(const Ask& ask) {
  std::string text = exec_->Answer(ask.Line(context_));
  auto doc = JsonDoc::Parse(text, kDepthMax + 16);
  if (!doc) return std::unexpected(std::string(doc.error().message()));
  if (!doc->root().Find("ok")->boolean()) return std::unexpected(Refusal(doc->root()));
  return Answer(std::move(text), *std::move(doc));
}

void FileHost::Load(const JsonRef& entry) {
  for (auto& [name, readings] : {std::pair("now", &times_), std::pair("random", &bits_)}) {
    readings->clear();
    const auto list = entry.Find(name);
    if (!list || !list->is_array()) continue;
    for (auto it = list->begin(); it != list->end(); ++it)
      readings->push_back((*it).value.AsInt64().value_or(0));
  }
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

void Source::Play(std::string_view request, std::string_view name, std::size_t line) {
  const std::string answer = exec_->Answer(request);
  if (answer.starts_with(R"({"ok":true)")) return;
  const auto doc = JsonDoc::Parse(answer, kDepthMax + 16);
  Complain(std::string(name) + ":" + std::to_string(line) + ": " +
           (doc ? Refusal(doc->root()) : answer));
}

Said<void> Source::LoadLines(std::string_view text, const SourceOptions& options) {
  const Lines lines = LinesOf(text);
  if (lines == Lines::kHistory) {
    kind_ = Kind::kSnapshot;
    return Import("snapshot", HistoryDocument(text), /*is_file=*/false, options);
  }
  kind_ = Kind::kScript;
  Said<void> said;
  ForEachLine(text, [&](std::string_view line, std::size_t number) {
    if (lines == Lines::kScript) return Play(line, options.file, number);
    const auto doc = JsonDoc::Parse(line, kDepthMax, ErrorCode::kImportInvalid);
    if (!doc || !doc->root().is_object()) {
      if (said) {
        said = std::unexpected(options.file + ":" + std::to_string(number) +
                               ": not an entry of an operation log");
      }
      return;
    }
    host_->Load(doc->root());
    const std::string_view request = TextOf(doc->root(), "request");
    if (!request.empty()) Play(request, options.file, number);
  });
  return said;
}

Said<void> Source::Import(std::string_view member, std::string_view json, bool is_file,
                          const SourceOptions& options) {
  const auto configured = Run(Ask("configure").Optional("dialect", options.dialect));
  if (!configured) return std::unexpected(configured.error());
  const std::string before = R"({"op":"import",")" + std::string(member) + "\":";
  const std::string text = exec_->Answer(before + std::string(json) + "}");
  const auto doc = JsonDoc::Parse(text, kDepthMax);
  if (const auto error = doc->root().Find("error")) {
    std::string said = options.file + ": " + Refusal(doc->root());
    const auto pos = FollowPointer(*error, "/details/pos");
    if (pos && is_file)
      said += Place(json, static_cast<std::size_t>(*pos->AsInt64()) - before.size());
    return std::unexpected(std::move(said));
  }
  const JsonRef warnings = *FollowPointer(doc->root(), "/result/warnings");
  for (auto it = warnings.begin(); it != warnings.end(); ++it)
    Complain(options.file + ": warning: " + std::string((*it).value.string()));
  return {};
}

Said<void> Source::Load(std::string_view text, const SourceOptions& options) {
  if (options.pointer.empty() && LinesOf(text) != Lines::kNone) return LoadLines(text, options);
  const auto doc = JsonDoc::Parse(text, kDepthMax, ErrorCode::kImportInvalid);
  if (!doc) return std::unexpected(Malformed(options, text, doc.error()));
  const auto value = FollowPointer(doc->root(), options.pointer);
  if (!value) return std::unexpected(options.file + ": nothing at " + options.pointer);
  // The document as it stands, so that positions in messages are those of the file.
  const std::string part = options.pointer.empty() ? "" : value->ToJson().text();
  const std::string_view json = options.pointer.empty() ? text : std::string_view(part);
  if (value->is_array()) {
    kind_ = Kind::kLog;
    return Import("log", json, options.pointer.empty(), options);
  }
  if (value->is_object() && (value->Find("root") || value->Find("pactdb"))) {
    kind_ = Kind::kSnapshot;
    return Import("snapshot", json, options.pointer.empty(), options);
  }
  return std::unexpected(options.file +
                         ": neither a snapshot document (an object with \"root\"), nor an export, "
                         "nor a flat log (an array), nor a script (lines with \"op\")");
}

Said<Source> Source::Open(const SourceOptions& options) {
  const auto text = ReadAll(options.file);
  if (!text) return std::unexpected(text.error());
  Source source;
  // Files other than scripts are loaded into the context that always exists.
  source.context_ = "main";
  if (auto loaded = source.Load(*text, options); !loaded) return std::unexpected(loaded.error());
  if (source.kind_ == Kind::kScript) source.context_ = options.context;
  return source;
}

int Inspect(const SourceOptions& options, const Ask& ask,
            const std::function<int(Source&, const Answer&)>& print,
            const std::function<std::string(Source&)>& hint) {
  auto source = Source::Open(options);
  if (!source) {
    Complain(source.error());
    return kError;
  }
  const auto answer = source->Run(ask);
  if (!answer) {
    const std::string help = hint ? hint(*source) : std::string();
    Complain(answer.error() + (help.empty() ? "" : "\n  " + help));
    return kError;
  }
  if (!options.json) return print(*source, *answer);
  return Print(std::string(answer->json()) + "\n") ? kOk : kError;
}

}  // namespace pactdb::cli
