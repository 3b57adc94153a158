// Preloaded into the script's process: makes a chosen call fail, or kills the process at it, or
// writes down all that reaches the system, for the replay of power cuts. See test/crash/README.md.
//
//   FAULT_DIR    only files below this folder are looked at
//   FAULT_COUNT  a file: on exit, how many calls there were that could fail
//   FAULT_AT     the number of the call, from 1
//   FAULT_DO     kill, short (half of a write is done, truthfully), or the number of an error
//   FAULT_MANY   set: this call and all after it
//   FAULT_ONLY   sync: count only syncs; write: only writes; open: only opens
//   FAULT_LOG    a file: the log
//   FAULT_NOSYNC set: syncs do nothing and are not logged (a control)
//
// Calls are counted over all kinds, so that one number names one moment of a run.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "crash/fault_log.h"

namespace {

using pactdb::crash::LogOp;

struct Settings {
  std::string folder;
  std::string count_file;
  std::string only;
  std::string action;
  long at = 0;
  bool many = false;
  bool no_sync = false;
  int log = -1;
};

// Never destroyed: calls come until the very end.
Settings& settings() {
  static Settings& settings = *[] {
    auto* made = new Settings;
    const auto text = [](const char* name) {
      const char* value = getenv(name);
      return std::string(value == nullptr ? "" : value);
    };
    made->folder = text("FAULT_DIR");
    made->count_file = text("FAULT_COUNT");
    made->only = text("FAULT_ONLY");
    made->action = text("FAULT_DO");
    made->at = atol(text("FAULT_AT").c_str());
    made->many = getenv("FAULT_MANY") != nullptr;
    made->no_sync = getenv("FAULT_NOSYNC") != nullptr;
    if (const std::string log = text("FAULT_LOG"); !log.empty()) {
      made->log = static_cast<int>(
          syscall(SYS_openat, AT_FDCWD, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
    }
    return made;
  }();
  return settings;
}

long calls = 0;
// Paths of open files that are looked at, by descriptor.
std::array<std::string, 4096>& paths() {
  static auto& paths = *new std::array<std::string, 4096>;
  return paths;
}

bool IsOurs(const char* path) {
  const std::string& folder = settings().folder;
  return !folder.empty() && path != nullptr && std::string_view(path).starts_with(folder);
}

const std::string* PathOf(int descriptor) {
  if (descriptor < 0 || descriptor >= 4096) return nullptr;
  const std::string& path = paths()[static_cast<std::size_t>(descriptor)];
  return path.empty() ? nullptr : &path;
}

void Log(LogOp op, std::string_view path, std::uint64_t offset, std::string_view data) {
  if (settings().log < 0) return;
  const std::string record = pactdb::crash::EncodeLog(op, path, offset, data);
  if (syscall(SYS_write, settings().log, record.data(), record.size()) !=
      static_cast<long>(record.size())) {
    abort();
  }
}

enum class Fault : std::uint8_t { kNone, kError, kShort };

// Counts a call of a kind and says what is to happen to it; an error is in errno then.
Fault Next(std::string_view kind) {
  const Settings& chosen = settings();
  if (!chosen.only.empty() && chosen.only != kind) return Fault::kNone;
  ++calls;
  if (chosen.at == 0 || calls < chosen.at || (calls > chosen.at && !chosen.many)) {
    return Fault::kNone;
  }
  if (chosen.action == "kill") syscall(SYS_kill, getpid(), SIGKILL);
  if (chosen.action == "short") return Fault::kShort;
  errno = atoi(chosen.action.c_str());
  return Fault::kError;
}

int Opened(int descriptor, const char* path, bool made) {
  if (descriptor >= 0 && descriptor < 4096 && IsOurs(path)) {
    paths()[static_cast<std::size_t>(descriptor)] = path;
    if (made) Log(LogOp::kCreate, path, 0, {});
  }
  return descriptor;
}

int Open(int folder, const char* path, int flags, mode_t mode) {
  if (!IsOurs(path)) return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
  if (Next("open") == Fault::kError) return -1;
  struct stat status{};
  const bool is_new = stat(path, &status) != 0;
  const int descriptor = static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
  if (descriptor >= 0 && (flags & O_TRUNC) != 0 && !is_new) Log(LogOp::kTruncate, path, 0, {});
  return Opened(descriptor, path, is_new && descriptor >= 0);
}

ssize_t Write(int descriptor, const void* bytes, std::size_t size, off_t offset) {
  const std::string* path = PathOf(descriptor);
  if (path == nullptr) return syscall(SYS_pwrite64, descriptor, bytes, size, offset);
  const Fault fault = Next("write");
  if (fault == Fault::kError) return -1;
  if (fault == Fault::kShort && size > 1) size /= 2;
  const ssize_t written = syscall(SYS_pwrite64, descriptor, bytes, size, offset);
  if (written > 0) {
    Log(LogOp::kWrite, *path, static_cast<std::uint64_t>(offset),
        {static_cast<const char*>(bytes), static_cast<std::size_t>(written)});
  }
  return written;
}

int Truncate(int descriptor, off_t size) {
  const std::string* path = PathOf(descriptor);
  if (path != nullptr && Next("truncate") == Fault::kError) return -1;
  const int done = static_cast<int>(syscall(SYS_ftruncate, descriptor, size));
  if (path != nullptr && done == 0) {
    Log(LogOp::kTruncate, *path, static_cast<std::uint64_t>(size), {});
  }
  return done;
}

int Sync(int descriptor, long call) {
  const std::string* path = PathOf(descriptor);
  if (path == nullptr) return static_cast<int>(syscall(call, descriptor));
  if (settings().no_sync) return 0;
  if (Next("sync") == Fault::kError) return -1;
  const int done = static_cast<int>(syscall(call, descriptor));
  if (done == 0) Log(LogOp::kSync, *path, 0, {});
  return done;
}

__attribute__((destructor)) void WriteCount() {
  const std::string& file = settings().count_file;
  if (file.empty()) return;
  FILE* out = fopen(file.c_str(), "w");
  if (out == nullptr) return;
  fprintf(out, "%ld\n", calls);
  fclose(out);
}

mode_t ModeOf(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Open(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = ModeOf(flags, arguments);
  va_end(arguments);
  return Open(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int close(int descriptor) {
  if (descriptor >= 0 && descriptor < 4096) paths()[static_cast<std::size_t>(descriptor)].clear();
  return static_cast<int>(syscall(SYS_close, descriptor));
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
  return Write(descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t offset) {
  return Write(descriptor, bytes, size, offset);
}

// What the script says goes to standard output, and into the log at the moment it is said.
ssize_t write(int descriptor, const void* bytes, size_t size) {
  if (descriptor == STDOUT_FILENO) {
    Log(LogOp::kSaid, {}, 0, {static_cast<const char*>(bytes), size});
  }
  return syscall(SYS_write, descriptor, bytes, size);
}

int ftruncate(int descriptor, off_t size) noexcept {
  return Truncate(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) noexcept {
  return Truncate(descriptor, size);
}

int fsync(int descriptor) {
  return Sync(descriptor, SYS_fsync);
}

int fdatasync(int descriptor) {
  return Sync(descriptor, SYS_fdatasync);
}

int unlink(const char* path) noexcept {
  if (IsOurs(path) && Next("unlink") == Fault::kError) return -1;
  const int done = static_cast<int>(syscall(SYS_unlink, path));
  if (IsOurs(path) && done == 0) Log(LogOp::kUnlink, path, 0, {});
  return done;
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  if (IsOurs(to) && Next("rename") == Fault::kError) return -1;
  const int done =
      static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
  if (IsOurs(to) && done == 0) Log(LogOp::kRename, from, 0, to);
  return done;
}

}  // extern "C"
