// Import of a history, from one document or from a stream of lines, and of any document from a
// stream.
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/export_info.h"
#include "engine/history_reader.h"
#include "engine/line_source.h"

namespace pactdb {
namespace {

// Details of where in a stream: the line, from 1, and positions that count from the stream's start.
Error InLine(const Error& fault, const LineSource& lines) {
  Error error(fault.code(), "line " + std::to_string(lines.number()) + ": " + fault.message());
  error = std::move(error).With("line", lines.number());
  bool has_pos = false;
  for (const Error::Detail& detail : fault.details()) {
    if (!detail.is_number) {
      error = std::move(error).With(detail.name, detail.text);
    } else if (detail.name == "pos") {
      error = std::move(error).With("pos", lines.start() + detail.number);
      has_pos = true;
    } else {
      error = std::move(error).With(detail.name, detail.number);
    }
  }
  if (!has_pos) error = std::move(error).With("pos", lines.start());
  return error;
}

Result<JsonDoc> Parse(std::string_view text) {
  return JsonDoc::ParseView(text, limits::kDocumentJsonDepthMax, ErrorCode::kImportInvalid);
}

// Longer than any header; a snapshot on one line is not parsed twice.
constexpr std::size_t kHeaderBytesMax = 4096;

// The header of a history that goes on in lines.
Result<bool> IsHeader(const JsonRef& json, Dialect dialect) {
  if (!json.is_object() || json.Find("commits") || json.Find("root")) return false;
  PACTDB_TRY(const ExportInfo info, ExportInfo::Read(json, dialect));
  return info.kind == ExportInfo::Kind::kHistory;
}

}  // namespace

Result<ImportResult> ContextImpl::ImportHistory(const JsonRef& document, const ExportInfo& info,
                                                bool strict) {
  const auto commits = document.Find("commits");
  if (!commits || !commits->is_array())
    return std::unexpected(InvalidImport("a history document lists its commits", document));
  HistoryReader reader(*this, info, strict);
  for (auto it = commits->begin(); it != commits->end(); ++it)
    PACTDB_TRY_STATUS(reader.Add((*it).value));
  return reader.Finish(commits->pos());
}

Result<ImportResult> ContextImpl::Import(const ByteSource& source, bool strict) {
  LineSource lines(source);
  PACTDB_TRY(bool has_line, lines.Next());
  if (!has_line)
    return std::unexpected(
        Error(ErrorCode::kImportInvalid, "there is nothing to import").With("pos", 0));
  // A document may be written over many lines, and then its first one is no JSON.
  std::optional<ExportInfo> info;
  if (lines.line().size() <= kHeaderBytesMax) {
    const auto header = Parse(lines.line());
    const Result<bool> is_header = header ? IsHeader(header->root(), options_.dialect) : false;
    if (!is_header) return std::unexpected(InLine(is_header.error(), lines));
    if (*is_header) info = *ExportInfo::Read(header->root(), options_.dialect);
    if (info) info->notes = info->tree_sha256 = std::nullopt;  // views into the line
  }
  if (!info) {
    PACTDB_TRY(const std::string document, lines.TakeAll());
    return ImportSnapshot(document, strict);
  }
  HistoryReader reader(*this, *info, strict);
  while (true) {
    PACTDB_TRY(has_line, lines.Next());
    if (!has_line) break;
    if (lines.line().empty()) continue;
    const auto part = Parse(lines.line());
    if (!part) return std::unexpected(InLine(part.error(), lines));
    if (Status added = reader.Add(part->root()); !added)
      return std::unexpected(InLine(added.error(), lines));
  }
  auto result = reader.Finish(0);
  if (!result) return std::unexpected(InLine(result.error(), lines));
  return result;
}

}  // namespace pactdb
