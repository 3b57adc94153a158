// What a document says of itself: the specification's version, and whether it is an export of ours.
//
// Thread safety: views into the document.
#pragma once

#include <pactdb/error.h>
#include <pactdb/options.h>

#include <cstdint>
#include <optional>
#include <string>

#include "text/json_doc.h"

namespace pactdb {

struct ExportInfo {
  enum class Kind : std::uint8_t { kForeign, kSnapshot, kHistory };

  Kind kind = Kind::kForeign;
  Dialect dialect = Dialect::kCanonical;  // in which nodes without a type or a stamp are read
  bool is_working = false;                // the tree of an open cycle: ttls count from it
  std::optional<JsonRef> tree_sha256;
  std::optional<JsonRef> notes;
  std::int64_t commits = 0;
  std::optional<std::string> warning;

  bool is_export() const { return kind != Kind::kForeign; }

  // `dialect` is the context's, for documents that name none. Errors: kImportInvalid for what is
  // no document, is of another specification, or of a version of the export we do not know.
  static Result<ExportInfo> Read(const JsonRef& document, Dialect dialect);
};

}  // namespace pactdb
