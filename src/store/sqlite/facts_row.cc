#include "store/sqlite/facts_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "store/sqlite/checksum.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/sqlite_store.h"

namespace pactdb::sqlite {
namespace {

// Columns as ReadFacts selects them.
Result<CommitFacts> ReadFactsRow(const Cursor& row, RecordId id) {
  CommitFacts facts;
  facts.number = id.commit;
  facts.cycle = row.Int(1);
  facts.committed_at_ns = row.OptionalInt(2);
  facts.added = static_cast<std::uint32_t>(row.Int(3));
  facts.removed = static_cast<std::uint32_t>(row.Int(4));
  facts.changed = static_cast<std::uint32_t>(row.Int(5));
  facts.nodes = static_cast<std::uint32_t>(row.Int(6));
  const std::string_view tree = row.Blob(7);
  if (tree.size() != facts.tree_sha256.size()) return std::unexpected(BadCommit(id));
  std::ranges::copy(tree, facts.tree_sha256.begin());
  const std::int64_t checksum =
      FactsChecksum(id.context, facts, row.Int(8), row.Int(9), row.Int(10));
  if (checksum != row.Int(11)) return std::unexpected(BadCommit(id));
  return facts;
}

}  // namespace

Error BadCommit(RecordId id) {
  return Error(ErrorCode::kStoreCorrupt,
               fmt::format("commit {} of context {} does not match its checksum", id.commit,
                           id.context))
      .With("number", id.context)
      .With("commit", id.commit);
}

Result<std::vector<CommitFacts>> ReadFacts(Connection& connection, ContextNumber context,
                                           CommitRange range) {
  std::vector<CommitFacts> facts;
  Cursor rows(connection,
              "SELECT id, cycle, committed_at_ns, added, removed, changed, nodes, tree_sha256, "
              "epoch, bytes_total, record_checksum, checksum FROM commits "
              "WHERE id BETWEEN ? AND ? ORDER BY id");
  rows.Bind(RowId(context, range.first)).Bind(RowId(context, range.last));
  for (std::uint64_t number = range.first; number <= range.last; ++number) {
    const RecordId id{.context = context, .commit = static_cast<CommitNumber>(number)};
    PACTDB_TRY(const bool found, rows.Step());
    if (!found || NumberOf(rows.Int(0)) != id.commit) return std::unexpected(BadCommit(id));
    PACTDB_TRY(facts.emplace_back(), ReadFactsRow(rows, id));
  }
  return facts;
}

}  // namespace pactdb::sqlite
