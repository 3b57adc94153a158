#include "store/sqlite/connection.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/check.h"
#include "base/on_exit.h"
#include "base/try.h"
#include "store/sqlite/files.h"
#include "store/sqlite/log_file.h"
#include "store/sqlite/log_frames.h"

namespace pactdb::sqlite {
namespace {

// For a lock that somebody holds for a moment: recovery, or the last close of another process.
constexpr int kBusyMs = 2000;
// The log is made longer when fewer than this many frames of it are left.
constexpr int kFillAfterFrames = 16;
// By at most this many when it is longer than it should be, because of a reader.
constexpr int kFillFramesMax = 256;
// What a log has room for that is moved into the file when it should be.
constexpr int kLogFrames = kLogPages + 2 * kFillAfterFrames;
constexpr sqlite3_int64 LogBytes(int frames) {
  return sqlite3_int64{kLogHeaderBytes} + frames * sqlite3_int64{kFrameBytes};
}
// Work is counted in lots of so many instructions of SQLite's machine: about 10 ms.
constexpr int kWorkAtOnce = 1'000'000;
// So many lots are always done, and no statement of ours takes a tenth of these instructions for
// each byte of the rows it reads.
constexpr std::uint64_t kWorkAlways = 10;
constexpr std::uint64_t kWorkForByte = 100;
constexpr std::string_view kUriUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

std::string Uri(std::string_view path, std::string_view parameter) {
  std::string uri = "file:";
  for (const char byte : path) {
    if (kUriUnreserved.contains(byte)) {
      uri += byte;
    } else {
      fmt::format_to(std::back_inserter(uri), "%{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return uri.append("?").append(parameter);
}

std::string NameFor(Connection::Mode mode, const std::string& path) {
  if (mode == Connection::Mode::kReadImmutable) return Uri(path, "immutable=1");
  if (mode == Connection::Mode::kReadForeign) return Uri(path, "readonly_shm=1");
  return path;
}

bool HasLog(const std::string& path) {
  return FileExists(path + "-wal");
}

int OpenFlags(Connection::Mode mode) {
  using enum Connection::Mode;
  constexpr int kAlways = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (mode) {
    case kRead:
      return kAlways | SQLITE_OPEN_READONLY;
    case kReadForeign:
    case kReadImmutable:
      return kAlways | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    case kWrite:
      return kAlways | SQLITE_OPEN_READWRITE;
    case kCreate:
      return kAlways | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  PACTDB_CHECK(false);
}

// No room is no mystery: the system refused the write whole, and what was there is there.
bool IsNoRoom(int code, int system_error) {
  if ((code & 0xff) == SQLITE_FULL) return true;
  return code == SQLITE_IOERR_WRITE &&
         (system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG);
}

ErrorCode CodeFor(int code) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:  // Ours are checked before; what is left are types of a strict table.
    case SQLITE_ERROR:       // A statement that this file's tables do not fit.
      return ErrorCode::kStoreCorrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::kStoreBusy;
    case SQLITE_READONLY:
      return code == SQLITE_READONLY_DBMOVED ? ErrorCode::kStoreIo : ErrorCode::kStoreReadonly;
    case SQLITE_TOOBIG:
      return ErrorCode::kLimitExceeded;
    default:
      return ErrorCode::kStoreIo;
  }
}

// SQLite falls back to reading whatever kept it from opening the file for writing.
Error CannotWrite(const std::string& path) {
  if (IsWritable(path)) {
    return Error(ErrorCode::kStoreIo, "the file could not be opened for writing")
        .With("path", path);
  }
  return Error(ErrorCode::kStoreReadonly, "the file may only be read").With("path", path);
}

// What the system said last. SQLite forgets it when a COMMIT fails, the files do not.
int LastSystemError(sqlite3* handle) {
  int error = sqlite3_system_errno(handle);
  if (error != 0) return error;
  sqlite3_file* log = LogOf(handle);
  if (log != nullptr && log->pMethods->xFileControl != nullptr)
    log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &error);
  if (error == 0) sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
  return error;
}

std::uint64_t SizeOf(sqlite3_file* file) {
  sqlite3_int64 size = 0;
  if (file == nullptr || file->pMethods == nullptr) return 0;
  return file->pMethods->xFileSize(file, &size) == SQLITE_OK ? static_cast<std::uint64_t>(size) : 0;
}

int NoteFrames(void* frames, sqlite3*, const char*, int count) {
  *static_cast<int*>(frames) = count;
  return SQLITE_OK;
}

}  // namespace

Connection::Connection(std::string path, sqlite3* handle, bool read_only)
    : path_(std::move(path)), handle_(handle), read_only_(read_only) {}

Connection::~Connection() {
  for (const auto& [text, statement] : statements_) sqlite3_finalize(statement);
  // What a broken connection would move into the file cannot be trusted; the log stays as it is.
  if (poison_ || read_only_) {
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  }
  sqlite3_close(handle_);
}

Result<std::unique_ptr<Connection>> Connection::Open(const std::string& path, Settings settings) {
  const bool read_only = settings.mode != Mode::kWrite && settings.mode != Mode::kCreate;
  const bool reads_file_alone = settings.mode == Mode::kReadForeign && !HasLog(path);
  const Mode mode = reads_file_alone ? Mode::kReadImmutable : settings.mode;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(NameFor(mode, path).c_str(), &handle, OpenFlags(mode),
                                   read_only ? nullptr : LogVfs());
  if (handle == nullptr) throw std::bad_alloc();
  std::unique_ptr<Connection> connection(new Connection(path, handle, read_only));
  connection->reads_file_alone_ = reads_file_alone;
  if (code != SQLITE_OK) return std::unexpected(connection->Fail(code));
  PACTDB_TRY_STATUS(connection->Configure(settings));
  return connection;
}

Status Connection::JoinWriter() {
  if (!reads_file_alone_ || !HasLog(path_)) return {};
  // Whoever visits rows may read others meanwhile: that is one state still.
  for (const auto& [text, statement] : statements_) {
    if (sqlite3_stmt_busy(statement) != 0) return {};
  }
  PACTDB_TRY(const auto joined, Open(path_, {.mode = Mode::kReadForeign}));
  std::swap(handle_, joined->handle_);
  std::swap(statements_, joined->statements_);
  WatchWork();
  reads_file_alone_ = joined->reads_file_alone_;
  return {};
}

Status Connection::Configure(const Settings& settings) {
  sqlite3_busy_timeout(handle_, kBusyMs);
  WatchWork();
  // The file is data of unknown origin: its schema runs nothing, and nothing writes beside SQL.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  PACTDB_TRY_STATUS(Run("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"));
  if (settings.exclusive) PACTDB_TRY_STATUS(Run("PRAGMA locking_mode = EXCLUSIVE;"));
  if (read_only_) return Run("PRAGMA query_only = ON;");
  if (sqlite3_db_readonly(handle_, "main") == 1) {
    return std::unexpected(CannotWrite(path_));
  }
  sqlite3_wal_autocheckpoint(handle_, 0);
  sqlite3_wal_hook(handle_, NoteFrames, &wal_frames_);
  return {};
}

Status Connection::Usable() const {
  if (poison_) return std::unexpected(*poison_);
  return {};
}

Status Connection::Writable() const {
  if (read_only_) {
    return std::unexpected(
        Error(ErrorCode::kStoreReadonly, "the store was opened for reading").With("path", path_));
  }
  return Usable();
}

void Connection::Poison(const Error& error) {
  if (!poison_) poison_ = error;
}

void Connection::WatchWork() {
  sqlite3_progress_handler(handle_, kWorkAtOnce, CountWork, this);
}

int Connection::CountWork(void* connection) {
  auto& self = *static_cast<Connection*>(connection);
  if (++self.work_ <= kWorkAlways) return 0;
  if (self.work_ - kWorkAlways <= self.Bytes() * kWorkForByte / kWorkAtOnce) return 0;
  self.BeginWork();
  self.is_too_much_ = true;
  return 1;
}

std::uint64_t Connection::Bytes() {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
  return std::max(SizeOf(file) + SizeOf(LogOf(handle_)), bound_bytes_);
}

// A row takes two bytes for where it is, and some for what it says.
bool Connection::HasRoomFor(std::uint64_t rows) {
  return rows <= Bytes();
}

Error Connection::TooMuch() const {
  return Error(ErrorCode::kStoreCorrupt, "pages of the file are used more than once")
      .With("path", path_);
}

Error Connection::Fail(int code) {
  if ((code & 0xff) == SQLITE_NOMEM) throw std::bad_alloc();
  if (std::exchange(is_too_much_, false)) return TooMuch().With("sqlite", code);
  const int system_error = LastSystemError(handle_);
  const bool no_room = IsNoRoom(code, system_error);
  const ErrorCode kind = no_room ? ErrorCode::kStoreIo : CodeFor(code);
  Error error = Error(kind, no_room ? "no room on the disk" : sqlite3_errmsg(handle_))
                    .With("path", path_)
                    .With("sqlite", code);
  if (kind == ErrorCode::kStoreIo && system_error != 0) {
    error =
        std::move(error).With("errno", system_error).With("reason", strerrordesc_np(system_error));
  }
  if (writing_ && !no_room && kind == ErrorCode::kStoreIo) Poison(error);
  return error;
}

Result<sqlite3_stmt*> Connection::Prepare(Sql sql) {
  sqlite3_stmt*& statement = statements_[sql.text()];
  BeginWork();
  if (statement == nullptr) {
    const int code =
        sqlite3_prepare_v3(handle_, sql.text(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) return std::unexpected(Fail(code));
  }
  PACTDB_CHECK(sqlite3_stmt_busy(statement) == 0);
  return statement;
}

Status Connection::Run(Sql sql) {
  BeginWork();
  const int code = sqlite3_exec(handle_, sql.text(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return std::unexpected(Fail(code));
  return {};
}

// What is written to a file that lost its name is lost with it.
Status Connection::CheckInPlace() {
  int moved = 0;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (moved == 0) return {};
  Poison(Error(ErrorCode::kStoreIo, "the file was removed or replaced while it was open")
             .With("path", path_));
  return Usable();
}

Status Connection::RunAlone(Sql sql) {
  PACTDB_TRY_STATUS(Writable());
  PACTDB_TRY_STATUS(Synchronize(Durability::kFull));
  PACTDB_CHECK(!writing_);
  LeavePlace();
  NoteIfUnsynced();
  writing_ = true;
  Status status = Run(sql);
  writing_ = false;
  if (status) is_unsynced_ = false;
  return status;
}

Status Connection::Synchronize(Durability durability) {
  if (synchronous_ == durability) return {};
  PACTDB_TRY_STATUS(durability == Durability::kFull ? Run("PRAGMA synchronous = FULL")
                                                    : Run("PRAGMA synchronous = NORMAL"));
  synchronous_ = durability;
  return {};
}

// Once is enough: it stays said for as long as there is a log.
void Connection::NoteIfUnsynced() {
  if (!is_unsynced_ || !note_unsynced_) return;
  note_unsynced_();
  note_unsynced_ = nullptr;
}

// A sync of a file that grew also writes where its new blocks are, and takes half as long again. So
// once a few commits show that more will come, the log is made longer before it is needed, twice as
// long each time. SQLite takes zeros behind the last frame for what they are, the end. Nothing is
// lost if this fails: the commit that needs the room says so.
//
// Only behind frames that are there: in a log that was cut, zeros could after a power cut lie
// between old frames whose cutting was not synced, and SQLite would take those before them for all.
void Connection::FillLogAhead() {
  if (wal_frames_ < kFillAfterFrames || wal_frames_ + kFillAfterFrames <= wal_room_) return;
  sqlite3_file* log = LogOf(handle_);
  sqlite3_int64 size = 0;
  if (log == nullptr || log->pMethods->xFileSize(log, &size) != SQLITE_OK) return;
  if (size < LogBytes(wal_frames_)) return;
  wal_room_ = std::min(2 * wal_frames_, std::max(kLogFrames, wal_frames_ + kFillFramesMax));
  static constexpr std::array<char, 16 * kFrameBytes> kZeros{};
  const sqlite3_int64 end = LogBytes(wal_room_);
  while (size < end) {
    const auto count = std::min<sqlite3_int64>(end - size, kZeros.size());
    if (log->pMethods->xWrite(log, kZeros.data(), static_cast<int>(count), size) != SQLITE_OK)
      return;
    size += count;
  }
}

Status Connection::Begin(Durability durability) {
  PACTDB_TRY_STATUS(Writable());
  PACTDB_CHECK(!writing_);
  PACTDB_TRY_STATUS(CheckInPlace());
  PACTDB_TRY_STATUS(Synchronize(durability));
  NoteIfUnsynced();
  if (durability == Durability::kFull) FillLogAhead();
  FramesTogether::Watch(handle_);
  PACTDB_TRY(sqlite3_stmt * begin, Prepare("BEGIN IMMEDIATE"));
  int code = sqlite3_step(begin);
  sqlite3_reset(begin);
  // Some other program has written to the file since, or looks at the log for a moment: SQLite
  // waits for nobody while it reads.
  if ((code & 0xff) == SQLITE_BUSY && place_ != nullptr) {
    LeavePlace();
    code = sqlite3_step(begin);
    sqlite3_reset(begin);
  }
  if (code != SQLITE_DONE) return std::unexpected(Fail(code));
  writing_ = true;
  return {};
}

Status Connection::Commit() {
  PACTDB_CHECK(writing_);
  PACTDB_TRY(sqlite3_stmt * commit, Prepare("COMMIT"));
  const FramesTogether together(handle_);
  const int code = sqlite3_step(commit);
  if (code == SQLITE_DONE) {
    PACTDB_CHECK(together.is_written());
    sqlite3_reset(commit);
    writing_ = false;
    is_unsynced_ = synchronous_ != Durability::kFull;
    return {};
  }
  // Also where there is no memory to say what went wrong.
  const OnExit roll_back([&] {
    sqlite3_reset(commit);
    Rollback();
  });
  // Before the reset, which forgets what the system said.
  return std::unexpected(Fail(code));
}

std::uint32_t Connection::DataVersion() {
  std::uint32_t version = 0;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_DATA_VERSION, &version);
  return version;
}

void Connection::HoldPlace() {
  if (place_ != nullptr) return;
  const auto statement = Prepare("SELECT 1 FROM sqlite_schema");
  if (!statement) return;
  if (sqlite3_step(*statement) == SQLITE_ROW) {
    place_ = *statement;
  } else {
    sqlite3_reset(*statement);
  }
}

void Connection::LeavePlace() {
  sqlite3_reset(std::exchange(place_, nullptr));
}

void Connection::Rollback() {
  LeavePlace();
  // Some errors have rolled back already.
  if (sqlite3_get_autocommit(handle_) == 0) {
    const int code = sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) Poison(Fail(code));
  }
  writing_ = false;
}

void Connection::Checkpoint() {
  LeavePlace();
  const int code =
      sqlite3_wal_checkpoint_v2(handle_, "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  if (code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY) return;
  // A later checkpoint starts where this one did; without room it may go better then.
  if (IsNoRoom(code, LastSystemError(handle_))) return;
  Poison(Fail(code));
}

Status Connection::CutLog() {
  LeavePlace();
  const int code =
      sqlite3_wal_checkpoint_v2(handle_, "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  if (code == SQLITE_OK) {
    wal_frames_ = wal_room_ = 0;
    return {};
  }
  if ((code & 0xff) == SQLITE_BUSY) {
    return std::unexpected(
        Error(ErrorCode::kStoreBusy, "a reader keeps the log from being cut").With("path", path_));
  }
  Error error = Fail(code);
  if (!IsNoRoom(code, LastSystemError(handle_))) Poison(error);
  return std::unexpected(std::move(error));
}

Result<Transaction> Transaction::Begin(Connection& connection, Durability durability) {
  PACTDB_TRY_STATUS(connection.Begin(durability));
  return Transaction(&connection);
}

Result<ReadScope> ReadScope::Begin(Connection& connection) {
  PACTDB_TRY_STATUS(connection.Usable());
  if (sqlite3_get_autocommit(connection.handle()) == 0) return ReadScope(nullptr);
  PACTDB_TRY_STATUS(connection.JoinWriter());
  PACTDB_TRY_STATUS(connection.Run("BEGIN"));
  return ReadScope(&connection);
}

ReadScope::~ReadScope() {
  // Ends a transaction that only read; there is nothing that could fail to be written.
  if (connection_ != nullptr) {
    sqlite3_exec(connection_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

}  // namespace pactdb::sqlite
