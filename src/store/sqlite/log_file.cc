#include "store/sqlite/log_file.h"

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "store/sqlite/log_frames.h"

namespace pactdb::sqlite {

// SQLite gives the memory, enough for this and behind it for the file of the default VFS.
struct LogFile {
  sqlite3_file base{};        // what SQLite sees; first
  bool is_watched = false;    // a transaction began, and has written nothing since
  bool is_gathering = false;  // during its COMMIT
  bool is_last = false;       // the newest frame header is that of a commit
  sqlite3_int64 start = 0;    // where in the file `frames` begins
  std::vector<unsigned char> frames;
};

namespace {

constexpr int kHeaderCount = static_cast<int>(kFrameHeaderBytes);
// So many bytes are written though more frames come: SQLite's own file cuts a write to what 17 bits
// can count, and takes one of which nothing is left for a full disk.
constexpr std::size_t kGatheredMax = 100'000;

LogFile& Log(sqlite3_file* file) {
  return *reinterpret_cast<LogFile*>(file);
}

sqlite3_file* Real(sqlite3_file* file) {
  static_assert(std::is_standard_layout_v<LogFile> && sizeof(LogFile) % alignof(void*) == 0);
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<LogFile*>(file) + 1);
}

int WriteReal(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
  return Real(file)->pMethods->xWrite(Real(file), bytes, count, at);
}

// What cannot be written is gone, and whoever asked hears of it.
int WriteGathered(sqlite3_file* file) {
  LogFile& log = Log(file);
  if (log.frames.empty()) return SQLITE_OK;
  const int code =
      WriteReal(file, log.frames.data(), static_cast<int>(log.frames.size()), log.start);
  log.frames.clear();
  return code;
}

int Gather(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
  LogFile& log = Log(file);
  const bool goes_on =
      !log.frames.empty() && at == log.start + static_cast<sqlite3_int64>(log.frames.size());
  if (!goes_on) {
    if (const int code = WriteGathered(file); code != SQLITE_OK) return code;
    if (count != kHeaderCount) return WriteReal(file, bytes, count, at);
    log.start = at;
  }
  const auto* const first = static_cast<const unsigned char*>(bytes);
  try {
    log.frames.insert(log.frames.end(), first, first + count);
  } catch (const std::bad_alloc&) {
    log.frames.clear();
    return SQLITE_IOERR_NOMEM;
  }
  if (count == kHeaderCount) {
    // The size of the database after the commit; 0 in any other frame.
    log.is_last = (first[4] | first[5] | first[6] | first[7]) != 0;
    return SQLITE_OK;
  }
  return log.is_last || log.frames.size() > kGatheredMax ? WriteGathered(file) : SQLITE_OK;
}

// --- the methods of the file ---

int Write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
  if (Log(file).is_gathering) return Gather(file, bytes, count, at);
  Log(file).is_watched = false;
  return WriteReal(file, bytes, count, at);
}

int Read(sqlite3_file* file, void* bytes, int count, sqlite3_int64 at) {
  const int code = WriteGathered(file);
  return code != SQLITE_OK ? code : Real(file)->pMethods->xRead(Real(file), bytes, count, at);
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  const int code = WriteGathered(file);
  return code != SQLITE_OK ? code : Real(file)->pMethods->xTruncate(Real(file), size);
}

int Sync(sqlite3_file* file, int flags) {
  const int code = WriteGathered(file);
  return code != SQLITE_OK ? code : Real(file)->pMethods->xSync(Real(file), flags);
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  const int code = WriteGathered(file);
  return code != SQLITE_OK ? code : Real(file)->pMethods->xFileSize(Real(file), size);
}

int Close(sqlite3_file* file) {
  const int code = Real(file)->pMethods->xClose(Real(file));
  std::destroy_at(&Log(file));
  return code;
}

int Lock(sqlite3_file* file, int kind) {
  return Real(file)->pMethods->xLock(Real(file), kind);
}

int Unlock(sqlite3_file* file, int kind) {
  return Real(file)->pMethods->xUnlock(Real(file), kind);
}

int CheckReservedLock(sqlite3_file* file, int* answer) {
  return Real(file)->pMethods->xCheckReservedLock(Real(file), answer);
}

int FileControl(sqlite3_file* file, int what, void* argument) {
  return Real(file)->pMethods->xFileControl(Real(file), what, argument);
}

int SectorSize(sqlite3_file* file) {
  return Real(file)->pMethods->xSectorSize(Real(file));
}

int DeviceCharacteristics(sqlite3_file* file) {
  return Real(file)->pMethods->xDeviceCharacteristics(Real(file));
}

// Version 1: a log has no shared memory of its own, and is never mapped.
constexpr sqlite3_io_methods kMethods = {
    .iVersion = 1,
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
};

// --- the VFS ---

sqlite3_vfs* RealVfs() {
  static sqlite3_vfs* const real = sqlite3_vfs_find(nullptr);
  return real;
}

int Open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  if ((flags & SQLITE_OPEN_WAL) == 0)
    return RealVfs()->xOpen(RealVfs(), name, file, flags, flags_out);
  std::construct_at(&Log(file));
  const int code = RealVfs()->xOpen(RealVfs(), name, Real(file), flags, flags_out);
  // SQLite closes what has methods, whether it was opened or not.
  if (Real(file)->pMethods != nullptr) {
    file->pMethods = &kMethods;
  } else {
    std::destroy_at(&Log(file));
    file->pMethods = nullptr;
  }
  return code;
}

// Null unless it was opened by this VFS.
LogFile* OursOf(sqlite3* handle) {
  sqlite3_file* const file = LogOf(handle);
  return file != nullptr && file->pMethods == &kMethods ? &Log(file) : nullptr;
}

}  // namespace

const char* LogVfs() {
  // The table of the default one, as it says itself what it works on. Never unregistered: a
  // connection may outlive every static object.
  static sqlite3_vfs* const vfs = [] {
    auto* const made = new sqlite3_vfs(*RealVfs());
    made->zName = "pactdb";
    made->pNext = nullptr;
    made->szOsFile += static_cast<int>(sizeof(LogFile));
    made->xOpen = Open;
    return sqlite3_vfs_register(made, 0) == SQLITE_OK ? made : nullptr;
  }();
  return vfs == nullptr ? nullptr : vfs->zName;
}

sqlite3_file* LogOf(sqlite3* handle) {
  sqlite3_file* log = nullptr;
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log));
  return log != nullptr && log->pMethods != nullptr ? log : nullptr;
}

void FramesTogether::Watch(sqlite3* handle) {
  if (LogFile* const log = OursOf(handle)) log->is_watched = true;
}

FramesTogether::FramesTogether(sqlite3* handle) : log_(OursOf(handle)) {
  if (log_ != nullptr) log_->is_gathering = log_->is_watched;
}

bool FramesTogether::is_written() const {
  return log_ == nullptr || log_->frames.empty();
}

FramesTogether::~FramesTogether() {
  if (log_ == nullptr) return;
  log_->frames.clear();
  log_->is_gathering = log_->is_watched = false;
}

}  // namespace pactdb::sqlite
