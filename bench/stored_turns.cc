#include "stored_turns.h"

#include <linux/magic.h>
#include <sqlite3.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <limits>

#include "check_result.h"
#include "setup.h"

namespace pactdb::bench {

BenchFolder::BenchFolder()
    : path_(std::filesystem::temp_directory_path() /
            ("pactdb-bench-store-" + std::to_string(getpid()))) {
  std::filesystem::remove_all(path_);
  std::filesystem::create_directory(path_);
}

Figure BenchFolder::Durable(Figure reference) const {
  struct statfs system{};
  const bool is_known = statfs(path_.c_str(), &system) == 0;
  if (!is_known || system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC)
    reference.spread = std::numeric_limits<double>::infinity();
  return reference;
}

BenchFolder::~BenchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

StoredTurns::StoredTurns(std::string path, Durability durability)
    : path_(std::move(path)), durability_(durability) {
  Open();
  Options options = workload_.ContextOptions();
  options.durability = durability_;
  Check(context_->Configure(options).has_value(), "a stored context takes its configuration");
}

void StoredTurns::Open() {
  database_ =
      std::make_unique<Database>(ValueOf(Database::Open(path_, Access::kCreate), "open a file"));
  context_ = ValueOf(database_->Find("main"), "find main");
}

void StoredTurns::GrowTo(std::int64_t turns) {
  if (database_ == nullptr) Open();
  for (std::int64_t cycle = context_->open_cycle(); cycle <= turns; ++cycle) {
    const CommitResult result = CommitTurn(*context_, workload_.MakeTurn(cycle));
    Check(result.cycle == cycle && result.durable == (durability_ == Durability::kFull),
          "a commit says how it was kept");
  }
}

std::uint64_t StoredTurns::CloseAndMeasure() {
  context_ = nullptr;
  database_.reset();
  return std::filesystem::file_size(path_);
}

RowLog::RowLog(const std::string& path, Durability durability) {
  Check(sqlite3_open(path.c_str(), &handle_) == SQLITE_OK, "SQLite opens a file");
  const char* setup = durability == Durability::kFull
                          ? "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                          : "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;";
  Check(sqlite3_exec(handle_, setup, nullptr, nullptr, nullptr) == SQLITE_OK, "SQLite is set up");
  Check(sqlite3_exec(handle_, "CREATE TABLE log(id INTEGER PRIMARY KEY, bytes BLOB)", nullptr,
                     nullptr, nullptr) == SQLITE_OK,
        "SQLite makes a table");
  Check(sqlite3_prepare_v2(handle_, "INSERT INTO log(bytes) VALUES(?1)", -1, &insert_, nullptr) ==
            SQLITE_OK,
        "SQLite compiles an insert");
}

RowLog::~RowLog() {
  sqlite3_finalize(insert_);
  sqlite3_close(handle_);
}

void RowLog::Append(std::string_view bytes) {
  sqlite3_bind_blob(insert_, 1, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
  Check(sqlite3_step(insert_) == SQLITE_DONE, "SQLite inserts a row");
  sqlite3_reset(insert_);
}

}  // namespace pactdb::bench
