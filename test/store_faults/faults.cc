#include "store_faults/faults.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace pactdb::support {
namespace {

struct State {
  std::optional<Fault> fault;
  std::int64_t seen = 0;
  std::int64_t fired = 0;
  int system_error = 0;    // of the last call that failed
  bool is_doomed = false;  // the statement that runs is to fail
};

State& Global() {
  static State state;
  return state;
}

// Counts a call; true if it is to fail.
bool CountCall(Lever lever) {
  State& state = Global();
  if (!state.fault || state.fault->lever != lever) return false;
  const std::int64_t number = ++state.seen;
  if (number < state.fault->at || (number > state.fault->at && !state.fault->lasts)) return false;
  ++state.fired;
  return true;
}

bool FailsNow(FileCall call, bool is_main) {
  State& state = Global();
  if (!state.fault || (state.fault->only && *state.fault->only != call)) return false;
  if (state.fault->main_file && !is_main) return false;
  if (!CountCall(Lever::kFile)) return false;
  state.system_error = state.fault->system_error;
  errno = state.system_error;
  return true;
}

// --- the file layer ---

sqlite3_vfs* Real() {
  static sqlite3_vfs* const real = sqlite3_vfs_find("unix");
  return real;
}

struct File {
  sqlite3_file base;
  bool is_main;
  sqlite3_file* real;  // behind this struct
};

File& Ours(sqlite3_file* file) {
  return *reinterpret_cast<File*>(file);
}

sqlite3_file* RealOf(sqlite3_file* file) {
  return Ours(file).real;
}

bool Fails(FileCall call, sqlite3_file* file) {
  return FailsNow(call, Ours(file).is_main);
}

int Close(sqlite3_file* file) {
  return RealOf(file)->pMethods->xClose(RealOf(file));
}

int Read(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
  if (Fails(FileCall::kRead, file)) return SQLITE_IOERR_READ;
  return RealOf(file)->pMethods->xRead(RealOf(file), bytes, count, offset);
}

int Write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  if (Fails(FileCall::kWrite, file)) {
    return Global().system_error == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  }
  return RealOf(file)->pMethods->xWrite(RealOf(file), bytes, count, offset);
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (Fails(FileCall::kTruncate, file)) return SQLITE_IOERR_TRUNCATE;
  return RealOf(file)->pMethods->xTruncate(RealOf(file), size);
}

int Sync(sqlite3_file* file, int /*flags*/) {
  return Fails(FileCall::kSync, file) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  if (Fails(FileCall::kSize, file)) return SQLITE_IOERR_FSTAT;
  return RealOf(file)->pMethods->xFileSize(RealOf(file), size);
}

int Lock(sqlite3_file* file, int kind) {
  if (Fails(FileCall::kLock, file)) return SQLITE_IOERR_LOCK;
  return RealOf(file)->pMethods->xLock(RealOf(file), kind);
}

int Unlock(sqlite3_file* file, int kind) {
  return RealOf(file)->pMethods->xUnlock(RealOf(file), kind);
}

int CheckReservedLock(sqlite3_file* file, int* answer) {
  return RealOf(file)->pMethods->xCheckReservedLock(RealOf(file), answer);
}

int FileControl(sqlite3_file* file, int what, void* argument) {
  if (what == SQLITE_FCNTL_LAST_ERRNO && Global().system_error != 0) {
    *static_cast<int*>(argument) = Global().system_error;
    return SQLITE_OK;
  }
  return RealOf(file)->pMethods->xFileControl(RealOf(file), what, argument);
}

int SectorSize(sqlite3_file* file) {
  return RealOf(file)->pMethods->xSectorSize(RealOf(file));
}

int DeviceCharacteristics(sqlite3_file* file) {
  return RealOf(file)->pMethods->xDeviceCharacteristics(RealOf(file));
}

int ShmMap(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
  if (Fails(FileCall::kShmMap, file)) return SQLITE_IOERR_SHMMAP;
  return RealOf(file)->pMethods->xShmMap(RealOf(file), page, size, extend, memory);
}

int ShmLock(sqlite3_file* file, int offset, int count, int flags) {
  // Giving a lock back does not fail.
  if ((flags & SQLITE_SHM_LOCK) != 0 && Fails(FileCall::kShmLock, file))
    return SQLITE_IOERR_SHMLOCK;
  return RealOf(file)->pMethods->xShmLock(RealOf(file), offset, count, flags);
}

void ShmBarrier(sqlite3_file* file) {
  RealOf(file)->pMethods->xShmBarrier(RealOf(file));
}

int ShmUnmap(sqlite3_file* file, int remove) {
  return RealOf(file)->pMethods->xShmUnmap(RealOf(file), remove);
}

constexpr sqlite3_io_methods kMethods = {
    .iVersion = 2,  // No memory is mapped but the one that is shared.
    .xClose = Close,
    .xRead = Read,
    .xWrite = Write,
    .xTruncate = Truncate,
    .xSync = Sync,
    .xFileSize = FileSize,
    .xLock = Lock,
    .xUnlock = Unlock,
    .xCheckReservedLock = CheckReservedLock,
    .xFileControl = FileControl,
    .xSectorSize = SectorSize,
    .xDeviceCharacteristics = DeviceCharacteristics,
    .xShmMap = ShmMap,
    .xShmLock = ShmLock,
    .xShmBarrier = ShmBarrier,
    .xShmUnmap = ShmUnmap,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int Open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* got) {
  File& ours = Ours(file);
  ours.base.pMethods = nullptr;
  ours.is_main = (flags & SQLITE_OPEN_MAIN_DB) != 0;
  ours.real = reinterpret_cast<sqlite3_file*>(&ours + 1);
  if (FailsNow(FileCall::kOpen, ours.is_main)) return SQLITE_CANTOPEN;
  const int code = Real()->xOpen(Real(), name, ours.real, flags, got);
  if (ours.real->pMethods != nullptr) ours.base.pMethods = &kMethods;
  return code;
}

int Delete(sqlite3_vfs*, const char* name, int sync) {
  if (FailsNow(FileCall::kDelete, false)) return SQLITE_IOERR_DELETE;
  return Real()->xDelete(Real(), name, sync);
}

int TestAccess(sqlite3_vfs*, const char* name, int flags, int* answer) {
  if (FailsNow(FileCall::kAccess, false)) return SQLITE_IOERR_ACCESS;
  return Real()->xAccess(Real(), name, flags, answer);
}

int GetLastError(sqlite3_vfs*, int size, char* text) {
  if (Global().system_error != 0) return Global().system_error;
  return Real()->xGetLastError(Real(), size, text);
}

// --- statements ---

// Rolling back gives something up: alone it does not fail.
bool IsRollback(const char* text) {
  return text != nullptr && std::string_view(text) == "ROLLBACK";
}

// Called at least once before a step ends.
int OnProgress(void*) {
  const bool fails = Global().is_doomed;
  Global().is_doomed = false;
  return fails ? 1 : 0;
}

int OnTrace(unsigned what, void*, void* statement, void* text) {
  // The store has put one of its own in its place, that counts.
  sqlite3* const handle = sqlite3_db_handle(static_cast<sqlite3_stmt*>(statement));
  sqlite3_progress_handler(handle, 1, OnProgress, nullptr);
  if (what == SQLITE_TRACE_STMT && IsRollback(static_cast<const char*>(text))) return 0;
  if (CountCall(Lever::kStatement)) Global().is_doomed = true;
  return 0;
}

int OnAuthorize(void*, int action, const char* what, const char*, const char*, const char*) {
  const State& state = Global();
  if (action == SQLITE_TRANSACTION && IsRollback(what)) {
    const bool fails = state.fault && state.fault->lever == Lever::kPrepare && state.fault->lasts;
    return fails && state.fired > 0 ? SQLITE_DENY : SQLITE_OK;
  }
  // Once for a statement, not once for a column.
  const bool is_first = action == SQLITE_SELECT || action == SQLITE_INSERT ||
                        action == SQLITE_UPDATE || action == SQLITE_DELETE ||
                        action == SQLITE_PRAGMA || action == SQLITE_TRANSACTION;
  return is_first && CountCall(Lever::kPrepare) ? SQLITE_DENY : SQLITE_OK;
}

int OnConnection(sqlite3* handle, char**, const void*) {
  sqlite3_trace_v2(handle, SQLITE_TRACE_STMT | SQLITE_TRACE_ROW, OnTrace, nullptr);
  sqlite3_progress_handler(handle, 1, OnProgress, nullptr);
  sqlite3_set_authorizer(handle, OnAuthorize, nullptr);
  return SQLITE_OK;
}

bool Install() {
  // Nothing is synced: tests may as well work in memory.
  if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
  static sqlite3_vfs faulty = *Real();
  faulty.szOsFile = static_cast<int>(sizeof(File)) + Real()->szOsFile;
  faulty.zName = "faulty";
  faulty.xOpen = Open;
  faulty.xDelete = Delete;
  faulty.xAccess = TestAccess;
  faulty.xGetLastError = GetLastError;
  sqlite3_vfs_register(&faulty, 1);
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(OnConnection));
  return true;
}

// Before the first test: what is open already would not take part.
const bool kInstalled = Install();

}  // namespace

WithFault::WithFault(const Fault& fault) {
  if (!kInstalled || Global().fault) std::abort();
  Global() = State{};
  Global().fault = fault;
}

WithFault::~WithFault() {
  Global() = State{};
}

std::int64_t WithFault::fired() const {
  return Global().fired;
}

}  // namespace pactdb::support
