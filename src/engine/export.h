// The export document: a snapshot or a whole history, without loss.
//
// The format is docs/format/export.md; src/engine/import_snapshot.cc and
// src/engine/import_history.cc read it back. Writing goes to a sink and holds one piece at a time,
// so a history of any length is written in the memory of one part of one commit.
//
// Thread safety: as the trees.
#pragma once

#include <pactdb/error.h>
#include <pactdb/options.h>
#include <pactdb/stream.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/history.h"
#include "model/tree_view.h"
#include "text/json_out.h"

namespace pactdb {

// In every document we write.
inline constexpr std::string_view kSpecVersion = "PACT/0.1.0";
// Of the format page. A reader refuses any other.
inline constexpr std::int64_t kExportVersion = 1;

enum class HistoryForm : std::uint8_t {
  kLines,     // a header and a line for every commit
  kDocument,  // one JSON value: the header with the same objects in a list
};

// Errors: kStoreIo if the sink refuses.
// REQUIRES: the tree is refreshed. `is_working`: it is the open cycle's, not a snapshot's.
Status WriteSnapshotExport(const TreeView& view, std::int64_t cycle, bool is_working,
                           Dialect dialect, ByteSink& sink);

// The first `commits` commits.
Status WriteHistoryExport(const History& history, std::size_t commits, Dialect dialect,
                          HistoryForm form, ByteSink& sink);

}  // namespace pactdb
