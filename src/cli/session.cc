#include "cli/session.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/limits.h"
#include "cli/progress_bar.h"

namespace pactdb::cli {
namespace {

// An answer wraps a document in a few levels of its own.
constexpr std::size_t kDepthMax = limits::kDocumentJsonDepthMax + 16;

// The error is that there is no such file, in a folder that is there.
bool IsMissing(const std::string& file, const Error& error) {
  const std::string folder = std::filesystem::path(file).parent_path();
  return !IsThere(file) && (folder.empty() || IsThere(folder)) &&
         std::ranges::any_of(error.details(), [](const Error::Detail& detail) {
           return detail.name == "errno" && detail.number == ENOENT;
         });
}

// Text in the place of a database, as of one who gave the files in the wrong order. What is called
// NAME.pactdb may have been one.
bool IsJsonText(const std::string& file) {
  if (file.ends_with(".pactdb")) return false;
  std::FILE* const in = std::fopen(file.c_str(), "rb");
  if (in == nullptr) return false;
  int first = std::fgetc(in);
  while (first == ' ' || first == '\t' || first == '\r' || first == '\n') first = std::fgetc(in);
  std::fclose(in);
  return first == '{' || first == '[';
}

}  // namespace

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
  std::string_view json = *text_;
  json.remove_prefix(kBefore.size());
  json.remove_suffix(1);
  return json;
}

namespace {

bool HasBytes(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) &&
         std::filesystem::file_size(file, ignored) > 0;
}

// The log of a file that lost its bytes may have some of them.
bool IsEmpty(std::string_view file) {
  const std::string name(file);
  return IsThere(name) && !HasBytes(name) && !HasBytes(name + "-wal");
}

// What helps where a database is damaged.
std::string HintOfDamage(std::string_view file) {
  std::string hint = "\n  'pactdb repair ";
  hint.append(file).append(" NEWFILE' finds what is intact of a damaged database");
  const std::string log = std::string(file) + "-wal";
  if (!HasBytes(log)) return hint;
  hint.append("\n  ").append(log);
  return hint.append(
      " belongs to it, unless the file is a backup in the place of another: then the log is the "
      "other's and has to go");
}

}  // namespace

Fault InDatabase(Fault fault, std::string_view file) {
  const bool is_corrupt = fault.code() == WireName(ErrorCode::kStoreCorrupt);
  fault = std::move(fault).In(file);
  if (!is_corrupt) return fault;
  if (IsEmpty(file)) {
    return std::move(fault)
        .Hint("\n  nothing is in it: remove it, and 'pactdb init ")
        .Hint(file)
        .Hint("' makes a database there");
  }
  if (IsJsonText(std::string(file)))
    return std::move(fault).Hint("\n  this is JSON text; FILE is a database, as in NAME.pactdb");
  return std::move(fault).Hint(HintOfDamage(file));
}

Fault FaultOfOpening(std::string_view file, const Error& error, std::string_view if_missing) {
  Fault fault = InDatabase(error, file);
  if (!IsMissing(std::string(file), error)) return fault;
  return std::move(fault).Hint(if_missing);
}

Error Unreadable(int system_error) {
  const auto words = [system_error]() -> std::string {
    switch (system_error) {
      case ENOENT:
        return "there is no such file";
      case EISDIR:
        return "this is a directory";
      case EACCES:
        return "the file may not be read";
      default:
        return std::string("the file cannot be read: ") + std::strerror(system_error);
    }
  };
  return Error(ErrorCode::kStoreIo, words()).With("errno", system_error);
}

std::string Count(std::int64_t number, std::string_view noun) {
  std::string text = std::to_string(number) + " ";
  return text.append(noun).append(number == 1 ? "" : "s");
}

bool IsThere(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

Said<Session> Session::Open(const std::string& file, Access access, std::string context,
                            std::string_view if_missing) {
  auto database = Database::Open(file, access);
  if (!database) return Fail(FaultOfOpening(file, database.error(), if_missing));
  return Session(std::make_unique<Exec>(*std::move(database)), std::move(context), file);
}

Fault Session::FaultOf(Fault fault) const {
  // That code is also for tags and for contexts without a commit.
  if (fault.message().starts_with("there is no snapshot ")) {
    return std::move(fault).Hint(
        "\n  @t0 is the newest, @t-N the one N before it, @cN that of cycle N; 'pactdb log' lists "
        "them with their tags");
  }
  if (file_.empty() || !fault.code().starts_with("E_STORE_")) return fault;
  return InDatabase(std::move(fault), file_);
}

Said<Answer> Session::Run(const Ask& ask) {
  std::optional<ProgressBar> bar;
  if (!is_quiet_) bar.emplace("working", ProgressBar::Kind::kUnknown);
  auto text = std::make_unique<const std::string>(exec_->Answer(ask.Line(context_)));
  auto doc = JsonDoc::ParseView(*text, kDepthMax);
  if (!doc) return Fail(doc.error());
  if (const auto error = doc->root().Find("error")) return Fail(FaultOf(Fault(*error)));
  return Answer(std::move(text), *std::move(doc));
}

Said<bool> Session::HasContext() {
  const auto answer = Run(Ask("log").Integer("limit", 0));
  if (answer) return true;
  if (answer.error().code() == WireName(ErrorCode::kContextNotFound)) return false;
  return std::unexpected(answer.error());
}

}  // namespace pactdb::cli
