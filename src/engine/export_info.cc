#include "engine/export_info.h"

#include "base/try.h"
#include "engine/export.h"
#include "engine/node_reader.h"

namespace pactdb {
namespace {

// "PACT/0..." is known; another version of PACT is read as well as can be.
Status CheckVersion(const JsonRef& document, ExportInfo& info) {
  const auto version = document.Find("spec_version");
  if (!version || version->is_null()) return {};
  if (!version->is_string() || !version->string().starts_with("PACT/"))
    return std::unexpected(InvalidImport("spec_version must be PACT/ and a version", *version));
  if (version->string() != "PACT/0" && !version->string().starts_with("PACT/0."))
    info.warning = "spec_version is not one of PACT/0";
  return {};
}

Status ReadMarks(const JsonRef& marks, ExportInfo& info) {
  const auto version = marks.Find("export");
  if (version->AsInt64() != kExportVersion) {
    return std::unexpected(
        InvalidImport("the export is of another version; this build reads version " +
                          std::to_string(kExportVersion),
                      *version));
  }
  const auto kind = marks.Find("kind");
  const bool is_snapshot = kind && kind->is_string() && kind->string() == "snapshot";
  const bool is_history = kind && kind->is_string() && kind->string() == "history";
  if (!is_snapshot && !is_history)
    return std::unexpected(InvalidImport("an export's kind is snapshot or history", marks));
  info.kind = is_history ? ExportInfo::Kind::kHistory : ExportInfo::Kind::kSnapshot;
  if (const auto dialect = marks.Find("dialect")) {
    const auto known = dialect->is_string() ? ParseDialect(dialect->string()) : std::nullopt;
    if (!known) return std::unexpected(InvalidImport("an unknown dialect", *dialect));
    info.dialect = *known;
  }
  if (const auto state = marks.Find("state")) {
    info.is_working = state->is_string() && state->string() == "working";
    if (!info.is_working) return std::unexpected(InvalidImport("an unknown state", *state));
  }
  info.tree_sha256 = marks.Find("tree_sha256");
  if (info.tree_sha256 && !info.tree_sha256->is_string())
    return std::unexpected(InvalidImport("tree_sha256 must be a string", *info.tree_sha256));
  info.notes = marks.Find("notes");
  if (!is_history) return {};
  const auto commits = marks.Find("commits");
  if (!commits || !commits->AsInt64() || *commits->AsInt64() < 0)
    return std::unexpected(InvalidImport("a history says how many commits it has", marks));
  info.commits = *commits->AsInt64();
  return {};
}

}  // namespace

Result<ExportInfo> ExportInfo::Read(const JsonRef& document, Dialect dialect) {
  if (!document.is_object())
    return std::unexpected(InvalidImport("a snapshot document is an object", document));
  ExportInfo info;
  info.dialect = dialect;
  PACTDB_TRY_STATUS(CheckVersion(document, info));
  const auto marks = document.Find("pactdb");
  if (marks && marks->is_object() && marks->Find("export"))
    PACTDB_TRY_STATUS(ReadMarks(*marks, info));
  return info;
}

}  // namespace pactdb
