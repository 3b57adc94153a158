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

bool IsScript(std::string_view text) {
  const auto doc = JsonDoc::Parse(FirstLine(text), kDepthMax);
  return doc && doc->root().is_object() && doc->root().Find("op").has_value();
}

}  // namespace

void SourceOptions::Declare(CLI::App& app) {
  app.add_option("FILE", file,
                 "a snapshot document, a flat log, or a script of operations; - is standard input")
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

void Source::Play(std::string_view script, std::string_view name) {
  for (std::size_t line = 1; !script.empty(); ++line) {
    const std::size_t newline = std::min(script.find('\n'), script.size());
    const std::string_view request = script.substr(0, newline);
    script.remove_prefix(std::min(newline + 1, script.size()));
    if (request.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string answer = exec_->Answer(request);
    if (answer.starts_with(R"({"ok":true)")) continue;
    const auto doc = JsonDoc::Parse(answer, kDepthMax + 16);
    Complain(std::string(name) + ":" + std::to_string(line) + ": " +
             (doc ? Refusal(doc->root()) : answer));
  }
}

Said<void> Source::Import(std::string_view member, std::string_view json,
                          const SourceOptions& options) {
  // A clock of its own: what is shown of a file must not depend on when it is looked at.
  Ask configure("configure");
  configure.Raw("clock", R"({"start_ns":0,"step_ns":1})").Optional("dialect", options.dialect);
  if (const auto configured = Run(configure); !configured)
    return std::unexpected(configured.error());
  const std::string before = R"({"op":"import",")" + std::string(member) + "\":";
  const std::string text = exec_->Answer(before + std::string(json) + "}");
  const auto doc = JsonDoc::Parse(text, kDepthMax);
  if (const auto error = doc->root().Find("error")) {
    std::string said = options.file + ": " + Refusal(doc->root());
    const auto pos = FollowPointer(*error, "/details/pos");
    // Positions are those of the request, and of the file only if it is in there as a whole.
    if (pos && options.pointer.empty())
      said += Place(json, static_cast<std::size_t>(*pos->AsInt64()) - before.size());
    return std::unexpected(std::move(said));
  }
  const JsonRef warnings = *FollowPointer(doc->root(), "/result/warnings");
  for (auto it = warnings.begin(); it != warnings.end(); ++it)
    Complain(options.file + ": warning: " + std::string((*it).value.string()));
  return {};
}

Said<void> Source::Load(std::string_view text, const SourceOptions& options) {
  if (options.pointer.empty() && IsScript(text)) {
    kind_ = Kind::kScript;
    Play(text, options.file);
    return {};
  }
  const auto doc = JsonDoc::Parse(text, kDepthMax, ErrorCode::kImportInvalid);
  if (!doc) return std::unexpected(Malformed(options, text, doc.error()));
  const auto value = FollowPointer(doc->root(), options.pointer);
  if (!value) return std::unexpected(options.file + ": nothing at " + options.pointer);
  // The document as it stands, so that positions in messages are those of the file.
  const std::string part = options.pointer.empty() ? "" : value->ToJson().text();
  const std::string_view json = options.pointer.empty() ? text : std::string_view(part);
  if (value->is_array()) {
    kind_ = Kind::kLog;
    return Import("log", json, options);
  }
  if (value->is_object() && value->Find("root")) {
    kind_ = Kind::kSnapshot;
    return Import("snapshot", json, options);
  }
  return std::unexpected(options.file +
                         ": neither a snapshot document (an object with \"root\"), nor a flat log "
                         "(an array), nor a script (lines with \"op\")");
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
