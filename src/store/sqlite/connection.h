// One SQLite connection: its statements, transactions and errors.
//
// Every statement's text is a literal (Sql can be made from nothing else), and all data is bound,
// so that no data is ever read as a statement. Statements are compiled once and kept.
//
// A change that failed in a way that leaves unknown what is on the disk (any input/output error
// inside a write transaction, but for a full disk) poisons the connection: every later call gives
// the same error. Opening the file again finds out what is true.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>
#include <pactdb/options.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace pactdb::sqlite {

// The log is moved into the file when it has this many pages: 4 MB.
inline constexpr int kLogPages = 1000;

// The text of a statement: always a literal.
class Sql {
 public:
  consteval Sql(const char* text) : text_(text) {}  // NOLINT(google-explicit-constructor)
  const char* text() const { return text_; }

 private:
  const char* text_;
};

class Connection {
 public:
  enum class Mode : std::uint8_t {
    kRead,
    kReadForeign,    // no shared memory is made: reads beside a writer, else the file alone
    kReadImmutable,  // nobody writes meanwhile; no file is made beside the database
    kWrite,
    kCreate,
  };
  struct Settings {
    Mode mode = Mode::kRead;
    bool exclusive = false;  // no shared memory beside the file, no reader either
  };

  // Called before frames are written behind those of a commit that was not synced.
  void BeforeUnsynced(std::function<void()> note) { note_unsynced_ = std::move(note); }

  // Errors: kStoreIo, kStoreCorrupt, kStoreReadonly if the file can only be read.
  // REQUIRES: an absolute path.
  static Result<std::unique_ptr<Connection>> Open(const std::string& path, Settings settings);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  sqlite3* handle() { return handle_; }
  const std::string& path() const { return path_; }
  bool read_only() const { return read_only_; }

  // The error that made the connection useless, if one did.
  Status Usable() const;
  // kStoreReadonly, or what Usable says.
  Status Writable() const;

  // The compiled statement, ready to be bound.
  Result<sqlite3_stmt*> Prepare(Sql sql);
  // Runs statements that give no rows and take no values.
  Status Run(Sql sql);

  // The error for a result code, as of now. Poisons the connection if that is called for.
  Error Fail(int code);

  // Pages of a hostile file can be used again and again, so that a few of them have more rows than
  // anybody could read. So what a statement does is bounded by the size of the file and its log,
  // each time it goes on; and the rows that it gives, by who reads them.
  void BeginWork() {
    work_ = 0;
    is_too_much_ = false;
  }
  bool HasRoomFor(std::uint64_t rows);
  Error TooMuch() const;
  // A copy without a name has no size of its own.
  void BoundWorkAs(Connection& other) { bound_bytes_ = other.Bytes(); }

  // A transaction that writes. Only Transaction calls these.
  Status Begin(Durability durability);
  Status Commit();
  void Rollback();

  // A statement that makes its own transaction.
  Status RunAlone(Sql sql);

  // Keeps what reading the newest state takes in locks, from a commit to the next transaction: a
  // third of its calls to the system. Readers notice nothing of it, and whatever moves or cuts the
  // log lets go of it first. REQUIRES: no transaction.
  void HoldPlace();

  // Of kReadForeign, if there is a log by now, of which the file alone knows nothing, and no
  // statement is running. REQUIRES: no Cursor is there that has not begun.
  Status JoinWriter();

  // Changes with every change of the file, by whomever; those of others are known once a
  // transaction has begun.
  std::uint32_t DataVersion();

  // Frames in the write-ahead log after the last commit.
  int wal_frames() const { return wal_frames_; }
  // Moves what is committed from the log to the database file, as far as readers let it. An error
  // poisons, and is not the caller's: what was acknowledged is in the log.
  void Checkpoint();
  // Moves all of it, and cuts the log's file. kStoreBusy if a reader keeps that from happening:
  // nothing is lost, and the log keeps its length.
  Status CutLog();

 private:
  Connection(std::string path, sqlite3* handle, bool read_only);
  Status Configure(const Settings& settings);
  Status CheckInPlace();
  // Outside of transactions.
  Status Synchronize(Durability durability);
  void NoteIfUnsynced();
  void FillLogAhead();
  void LeavePlace();
  void Poison(const Error& error);
  void WatchWork();
  static int CountWork(void* connection);
  std::uint64_t Bytes();

  std::string path_;
  sqlite3* handle_;
  bool read_only_;
  bool reads_file_alone_ = false;  // of kReadForeign, until there is a log
  bool writing_ = false;
  bool is_unsynced_ = false;  // the last commit was not synced
  std::function<void()> note_unsynced_;
  std::optional<Durability> synchronous_;
  std::optional<Error> poison_;
  std::map<const char*, sqlite3_stmt*> statements_;
  sqlite3_stmt* place_ = nullptr;  // a statement that is kept running; among statements_
  int wal_frames_ = 0;
  // The log's file has room for this many frames, as far as is known.
  int wal_room_ = 0;
  std::uint64_t work_ = 0;         // in kWorkAtOnce
  bool is_too_much_ = false;       // a statement was stopped, and Fail has not been asked
  std::uint64_t bound_bytes_ = 0;  // of the file that this is a copy of
};

// Begins on construction; what is not committed is rolled back.
class Transaction {
 public:
  static Result<Transaction> Begin(Connection& connection,
                                   Durability durability = Durability::kFull);
  ~Transaction() {
    if (connection_ != nullptr) connection_->Rollback();
  }
  Transaction(Transaction&& other) noexcept
      : connection_(std::exchange(other.connection_, nullptr)) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(Transaction&&) = delete;

  // A part of another one, which ends with that.
  static Transaction Within() { return Transaction(nullptr); }

  Status Commit() {
    return connection_ == nullptr ? Status() : std::exchange(connection_, nullptr)->Commit();
  }

 private:
  explicit Transaction(Connection* connection) : connection_(connection) {}
  Connection* connection_;  // null: ended, or a part
};

// One state of the file for several statements that read.
class ReadScope {
 public:
  static Result<ReadScope> Begin(Connection& connection);
  ~ReadScope();
  ReadScope(ReadScope&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  ReadScope(const ReadScope&) = delete;
  ReadScope& operator=(ReadScope&&) = delete;

 private:
  explicit ReadScope(Connection* connection) : connection_(connection) {}
  Connection* connection_;  // null inside a transaction, which is one state already
};

}  // namespace pactdb::sqlite
