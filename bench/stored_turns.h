// Workloads in files: databases that were committed to turn by turn, and SQLite doing as little as
// it can for the same bytes.
#pragma once

#include <pactdb/database.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "harness.h"
#include "workload.h"

struct sqlite3;
struct sqlite3_stmt;

namespace pactdb::bench {

// A folder for files that the benchmark makes, gone with the object.
class BenchFolder {
 public:
  BenchFolder();
  ~BenchFolder();
  BenchFolder(const BenchFolder&) = delete;
  BenchFolder& operator=(const BenchFolder&) = delete;
  std::string path(std::string_view name) const { return (path_ / name).string(); }
  // Of what waits for a disk here: a sync of files in memory waits for nothing, and then the two
  // cannot be compared.
  Figure Durable(Figure reference) const;

 private:
  std::filesystem::path path_;
};

// A database whose context `main` is committed to.
class StoredTurns {
 public:
  StoredTurns(std::string path, Durability durability);

  Context& context() { return *context_; }
  // Commits the next turns of the workload up to this one.
  void GrowTo(std::int64_t turns);
  // The file's size with all of it moved there.
  std::uint64_t CloseAndMeasure();

 private:
  void Open();

  std::string path_;
  Durability durability_;
  Workload workload_{{.turns = 0}};
  std::unique_ptr<Database> database_;
  Context* context_ = nullptr;
};

// One row a transaction, in WAL mode.
class RowLog {
 public:
  RowLog(const std::string& path, Durability durability);
  ~RowLog();
  RowLog(const RowLog&) = delete;
  RowLog& operator=(const RowLog&) = delete;
  void Append(std::string_view bytes);

 private:
  sqlite3* handle_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

}  // namespace pactdb::bench
