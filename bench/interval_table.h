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
  // Holds the workload's turns, all loaded.
  explicit IntervalTable(const Workload& workload);

  // The next turn: ten rows in one transaction.
  void CommitTurn(const Turn& turn);
  // One transaction in which each of the blocks gets `text`: its row is closed and a new one made.
  void CommitChanges(std::span<const std::string> block_ids, const std::string& text);

  std::int64_t cycle() const { return cycle_; }
  // Rows valid now, and all rows.
  std::int64_t CountOpen();
  std::int64_t CountRows();

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

}  // namespace pactdb::bench
