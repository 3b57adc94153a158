#include "interval_table.h"

#include <sqlite3.h>

#include <optional>

#include "base/sha256.h"
#include "check_result.h"

namespace pactdb::bench {
namespace {

constexpr const char* kSchema = R"(
  CREATE TABLE node(
    id TEXT NOT NULL, parent TEXT NOT NULL, node_type TEXT NOT NULL, place INTEGER NOT NULL,
    ttl INTEGER, priority INTEGER NOT NULL, cycle INTEGER NOT NULL, created_at_ns INTEGER NOT NULL,
    creation_index INTEGER NOT NULL, role TEXT, kind TEXT, content TEXT, content_hash BLOB,
    valid_from INTEGER NOT NULL, valid_to INTEGER);
  CREATE INDEX node_by_id ON node(id, valid_from);
  CREATE INDEX node_by_place ON node(parent, place, created_at_ns, creation_index, id);
  CREATE INDEX node_by_birth ON node(valid_from);)";

constexpr const char* kInsert =
    "INSERT INTO node VALUES(?1,?2,?3,0,NULL,0,?4,?5,?6,?7,?8,?9,?10,?11,NULL)";
constexpr const char* kFind =
    "SELECT rowid, parent, cycle, created_at_ns, creation_index, role, kind FROM node "
    "WHERE id = ?1 AND valid_to IS NULL";
constexpr const char* kClose = "UPDATE node SET valid_to = ?2 WHERE rowid = ?1";

void BindText(sqlite3_stmt* statement, int at, std::string_view text) {
  sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

void BindOptional(sqlite3_stmt* statement, int at, std::string_view text) {
  if (text.data() == nullptr) {
    sqlite3_bind_null(statement, at);
  } else {
    BindText(statement, at, text);
  }
}

std::string_view TextAt(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

}  // namespace

const char* const kRecentSql = R"(
  WITH turn(id) AS (
    SELECT id FROM node WHERE parent = 'seq' AND valid_to IS NULL
    ORDER BY place DESC, created_at_ns DESC, creation_index DESC, id DESC LIMIT 3)
  SELECT block.rowid FROM turn
  CROSS JOIN node AS core ON core.parent = turn.id
  CROSS JOIN node AS block ON block.parent = core.id
  WHERE core.valid_to IS NULL AND block.valid_to IS NULL
    AND block.node_type = 'block' AND block.role = 'user')";

// A null view is an absent value.
struct IntervalTable::Row {
  std::string_view id;
  std::string_view parent;
  std::string_view node_type;
  std::int64_t cycle = 0;
  std::int64_t created_at_ns = 0;
  std::int64_t creation_index = 0;
  std::string_view role = {};
  std::string_view kind = {};
  std::string_view content = {};
  std::int64_t valid_from = 0;
};

void IntervalTable::CloseDb::operator()(sqlite3* db) const {
  sqlite3_close_v2(db);
}
void IntervalTable::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

IntervalTable::IntervalTable(const Workload& workload, const char* path) : workload_(workload) {
  sqlite3* db = nullptr;
  Check(sqlite3_open(path, &db) == SQLITE_OK, "SQLite opens a database");
  db_.reset(db);
  Execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");  // in memory these say nothing
  Execute(kSchema);
  begin_ = Prepare("BEGIN");
  commit_ = Prepare("COMMIT");
  insert_ = Prepare(kInsert);
  find_ = Prepare(kFind);
  close_ = Prepare(kClose);
  Run(begin_);
  while (cycle_ < workload_.turns()) {
    ++cycle_;
    InsertTurn(cycle_, workload_.MakeTurn(cycle_));
  }
  Run(commit_);
  Check(CountOpen() == workload_.nodes(), "SQLite holds every node of the workload");
}

void IntervalTable::Execute(const char* sql) {
  Check(sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK,
        "SQLite takes the schema");
}

IntervalTable::Statement IntervalTable::Prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(db_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  Check(code == SQLITE_OK, sqlite3_errmsg(db_.get()));
  return Statement(statement);
}

void IntervalTable::Run(const Statement& statement) {
  Check(sqlite3_step(statement.get()) == SQLITE_DONE, "SQLite runs the statement");
  sqlite3_reset(statement.get());
}

void IntervalTable::Insert(const Row& row) {
  sqlite3_stmt* insert = insert_.get();
  BindText(insert, 1, row.id);
  BindText(insert, 2, row.parent);
  BindText(insert, 3, row.node_type);
  sqlite3_bind_int64(insert, 4, row.cycle);
  sqlite3_bind_int64(insert, 5, row.created_at_ns);
  sqlite3_bind_int64(insert, 6, row.creation_index);
  BindOptional(insert, 7, row.role);
  BindOptional(insert, 8, row.kind);
  BindOptional(insert, 9, row.content);
  const Digest hash = Sha256Of(row.content);
  sqlite3_bind_blob(insert, 10, hash.data(), static_cast<int>(hash.size()), SQLITE_STATIC);
  sqlite3_bind_int64(insert, 11, row.valid_from);
  Run(insert_);
}

void IntervalTable::InsertTurn(std::int64_t cycle, const Turn& turn) {
  const std::string turn_id = TurnId(cycle);
  const std::string core_id = CoreId(cycle);
  const auto stamp = [&](int index) { return workload_.CreatedAtNs(cycle, index); };
  Insert({core_id, turn_id, "cont", cycle, stamp(0), 0, {}, {}, {}, cycle});
  for (int i = 0; i < kBlocksPerTurn; ++i) {
    const Block& block = turn[i];
    const std::string id = BlockId(cycle, i + 1);
    Insert({id, core_id, "block", cycle, stamp(i + 1), i + 1, block.role, block.kind, block.text,
            cycle});
  }
  Insert({turn_id, "seq", "seg", cycle, stamp(9), 9, {}, {}, {}, cycle});
}

void IntervalTable::CommitTurn(const Turn& turn) {
  ++cycle_;
  Run(begin_);
  InsertTurn(cycle_, turn);
  Run(commit_);
}

void IntervalTable::Change(const std::string& id, const std::string& text) {
  sqlite3_stmt* find = find_.get();
  BindText(find, 1, id);
  Check(sqlite3_step(find) == SQLITE_ROW, "SQLite has the block");
  sqlite3_bind_int64(close_.get(), 1, sqlite3_column_int64(find, 0));
  sqlite3_bind_int64(close_.get(), 2, cycle_);
  const std::string parent(TextAt(find, 1));
  const std::string role(TextAt(find, 5));
  const std::string kind(TextAt(find, 6));
  const Row row = {id,
                   parent,
                   "block",
                   sqlite3_column_int64(find, 2),
                   sqlite3_column_int64(find, 3),
                   sqlite3_column_int64(find, 4),
                   role,
                   kind,
                   text,
                   cycle_};
  sqlite3_reset(find);
  Run(close_);
  Insert(row);
}

void IntervalTable::CommitChanges(std::span<const std::string> block_ids, const std::string& text) {
  ++cycle_;
  Run(begin_);
  for (const std::string& id : block_ids) Change(id, text);
  Run(commit_);
}

std::int64_t IntervalTable::Count(const char* sql) {
  const Statement count = Prepare(sql);
  Check(sqlite3_step(count.get()) == SQLITE_ROW, "SQLite counts");
  return sqlite3_column_int64(count.get(), 0);
}

std::int64_t IntervalTable::CountOpen() {
  return Count("SELECT count(*) FROM node WHERE valid_to IS NULL");
}

std::int64_t IntervalTable::CountRows() {
  return Count("SELECT count(*) FROM node");
}

void IntervalTable::AddRoleIndex() {
  Execute("CREATE INDEX node_by_role ON node(node_type, role) WHERE valid_to IS NULL");
}

IntervalTable::Query IntervalTable::MakeQuery(const char* sql) {
  return Query(Prepare(sql));
}

std::size_t IntervalTable::Query::RunBetween(std::int64_t from, std::int64_t to) {
  sqlite3_stmt* statement = statement_.get();
  sqlite3_bind_int64(statement, 1, from);
  sqlite3_bind_int64(statement, 2, to);
  std::size_t rows = 0;
  std::size_t bytes = 0;
  int code = 0;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    bytes += TextAt(statement, 0).size();
    ++rows;
  }
  Check(code == SQLITE_DONE && bytes >= rows, "SQLite runs the query");
  sqlite3_reset(statement);
  return rows;
}

std::size_t IntervalTable::Query::Run(std::string_view parameter) {
  sqlite3_stmt* statement = statement_.get();
  if (sqlite3_bind_parameter_count(statement) > 0) BindText(statement, 1, parameter);
  std::size_t rows = 0;
  std::int64_t sum = 0;
  int code = 0;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    sum += sqlite3_column_int64(statement, 0);
    ++rows;
  }
  Check(code == SQLITE_DONE && (rows == 0 || sum > 0), "SQLite runs the query");
  sqlite3_reset(statement);
  return rows;
}

}  // namespace pactdb::bench
