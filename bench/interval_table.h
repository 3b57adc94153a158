// The reference for commits: the same tree in SQLite, in memory, as one table whose rows are valid
// for the cycles [valid_from, valid_to). Prepared statements, one transaction a commit, three
// indexes: by id, by place among the siblings, by the cycle that made the row. It keeps each node's
// content hash, as we do, and no hash of the tree.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "workload.h"

struct sqlite3;
struct sqlite3_stmt;

namespace pactdb::bench {

class IntervalTable {
 public:
  // Holds the workload's turns, all loaded. In a file: WAL, every commit on the disk.
  explicit IntervalTable(const Workload& workload, const char* path = ":memory:");

  // The next turn: ten rows in one transaction.
  void CommitTurn(const Turn& turn);
  // One transaction in which each of the blocks gets `text`: its row is closed and a new one made.
  void CommitChanges(std::span<const std::string> block_ids, const std::string& text);

  std::int64_t cycle() const { return cycle_; }
  // Rows valid now, and all rows.
  std::int64_t CountOpen();
  std::int64_t CountRows();

  // Makes the open rows findable by type and role; costs every later commit.
  void AddRoleIndex();

  // A prepared query over the table, which must outlive it.
  class Query;
  Query MakeQuery(const char* sql);

 private:
  struct CloseDb {
    void operator()(sqlite3* db) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;
  struct Row;

  void Execute(const char* sql);
  Statement Prepare(const char* sql);
  void Run(const Statement& statement);
  std::int64_t Count(const char* sql);
  void Insert(const Row& row);
  void InsertTurn(std::int64_t cycle, const Turn& turn);
  void Change(const std::string& id, const std::string& text);

  Workload workload_;
  std::int64_t cycle_ = 0;
  std::unique_ptr<sqlite3, CloseDb> db_;
  Statement begin_;
  Statement commit_;
  Statement insert_;
  Statement find_;
  Statement close_;
};

class IntervalTable::Query {
 public:
  // Steps through all rows, reads the first column of each and returns how many there were.
  // `parameter` is bound to ?1 if the query has one.
  std::size_t Run(std::string_view parameter = {});
  // The same with two cycles as ?1 and ?2, for a query that gives texts.
  std::size_t RunBetween(std::int64_t from, std::int64_t to);

 private:
  friend class IntervalTable;
  explicit Query(Statement statement) : statement_(std::move(statement)) {}
  Statement statement_;
};

// The queries that goals compare with; each uses an index for all it does.
inline constexpr const char* kFindSql =
    "SELECT created_at_ns FROM node WHERE id = ?1 AND valid_to IS NULL";
// The ids of the rows made after cycle ?1 and up to ?2: the difference of two states in which
// nothing was only removed.
inline constexpr const char* kChangedIdsSql =
    "SELECT id FROM node WHERE valid_from > ?1 AND valid_from <= ?2";
// The user's blocks in the three newest turns.
extern const char* const kRecentSql;
// The user's blocks anywhere; needs AddRoleIndex.
inline constexpr const char* kUserBlocksSql =
    "SELECT rowid FROM node WHERE node_type = 'block' AND role = 'user' AND valid_to IS NULL";

}  // namespace pactdb::bench
