#include "store/sqlite/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/try.h"
#include "store/sqlite/file_header.h"
#include "store/sqlite/files.h"

namespace pactdb::sqlite {
namespace {

// Each try meets a holder that just went or is about to; more in a row than this is no coincidence.
constexpr int kTriesMax = 100;
constexpr useconds_t kWaitUs = 2000;
// Behind the process id.
constexpr std::string_view kUnsynced = " unsynced";
constexpr std::string_view kSuffix = "-lock";

bool TryLock(int descriptor, short type) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

std::string DatabaseOf(const std::string& lock) {
  return lock.substr(0, lock.size() - kSuffix.size());
}

std::string ReadText(int descriptor) {
  std::array<char, 64> text{};
  const ssize_t size = pread(descriptor, text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

// 0 if the file does not say.
std::int64_t ReadPid(int descriptor) {
  const std::string text = ReadText(descriptor);
  std::int64_t pid = 0;
  std::from_chars(text.data(), text.data() + text.size(), pid);
  return pid;
}

bool SaysUnsynced(int descriptor) {
  return ReadText(descriptor).contains(kUnsynced);
}

// Of a log that is there.
bool SaysOfLog(int descriptor, const std::string& path) {
  return FileBytes(DatabaseOf(path) + "-wal") != 0 && SaysUnsynced(descriptor);
}

// For people and for the other writer's message: without room on the disk it stays empty. Written
// before it is cut: at no moment it says less than it has to.
void WritePid(int descriptor, pid_t pid, bool has_unsynced) {
  std::string text = fmt::format("{}{}\n", pid, has_unsynced ? kUnsynced : "");
  if (pid == 0 && !has_unsynced) text.clear();
  const ssize_t written = pwrite(descriptor, text.data(), text.size(), 0);
  if (written < 0) return;
  [[maybe_unused]] const int cut = ftruncate(descriptor, written);
}

// False if the file was removed between opening and locking it.
bool IsStillThere(int descriptor, const std::string& path) {
  struct stat ours{};
  struct stat there{};
  return fstat(descriptor, &ours) == 0 && stat(path.c_str(), &there) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

Error Busy(const std::string& path, std::int64_t pid) {
  if (pid == 0) return Error(ErrorCode::kStoreBusy, "another process writes to this file");
  return Error(ErrorCode::kStoreBusy, fmt::format("process {} writes to this file", pid))
      .With("path", DatabaseOf(path))
      .With("pid", pid);
}

Error CannotMake(const std::string& path, int error) {
  if (error == EACCES || error == EPERM || error == EROFS) {
    return Error(ErrorCode::kStoreReadonly, "the folder of the file may not be written")
        .With("path", path)
        .With("errno", error);
  }
  return SystemError("the lock file cannot be made", path, error);
}

}  // namespace

Result<std::unique_ptr<LockFile>> LockFile::Take(const std::string& path, Kind kind) {
  std::int64_t pid = 0;
  for (int i = 0; i < kTriesMax; ++i) {
    const int descriptor =
        open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);  // NOLINT(*-vararg)
    if (descriptor < 0) {
      const int error = errno;
      if (error == EINTR) continue;
      return std::unexpected(CannotMake(path, error));
    }
    if (TryLock(descriptor, kind == Kind::kReaders ? F_RDLCK : F_WRLCK)) {
      if (IsStillThere(descriptor, path)) {
        // Of a killed writer: who comes while this one looks after the file is to wait.
        WritePid(descriptor, kind == Kind::kWriter ? getpid() : 0, SaysOfLog(descriptor, path));
        return std::unique_ptr<LockFile>(new LockFile(path, descriptor));
      }
      close(descriptor);
      continue;
    }
    const int error = errno;
    pid = ReadPid(descriptor);
    close(descriptor);
    if (error != EAGAIN && error != EACCES) {
      return std::unexpected(SystemError("the lock file cannot be locked", path, error));
    }
    if (pid != 0) break;
    // A writer that has not said yet who it is, or somebody who will be gone in a moment.
    usleep(kWaitUs);
  }
  return std::unexpected(Busy(path, pid));
}

LockFile::~LockFile() {
  // The last holder removes the file: first the name, then the lock, so that who opened it
  // meanwhile sees that it is no longer there. What it says of a log stays as long as that.
  if (TryLock(descriptor_, F_WRLCK) && !SaysOfLog(descriptor_, path_)) unlink(path_.c_str());
  close(descriptor_);
}

void LockFile::NoteUnsynced() {
  if (SaysUnsynced(descriptor_)) return;
  WritePid(descriptor_, getpid(), true);
  fsync(descriptor_);
  [[maybe_unused]] const Status synced = SyncFolder(path_);
}

LockState ReadLock(const std::string& path) {
  const int descriptor =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);  // NOLINT(*-vararg)
  if (descriptor < 0) return {};
  struct flock lock{};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  const bool is_held =
      fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;  // NOLINT(*-vararg)
  const LockState state{.is_held = is_held, .has_unsynced = SaysUnsynced(descriptor)};
  close(descriptor);
  return state;
}

Status PlaceLocked(const std::string& draft, const std::string& path) {
  PACTDB_TRY(const auto lock, LockFile::Take(path + "-lock", LockFile::Kind::kUpkeep));
  return PutInPlace(draft, path);
}

}  // namespace pactdb::sqlite
