#include "store/sqlite/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "base/try.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/file_header.h"

namespace pactdb::sqlite {
namespace {

constexpr unsigned long kPageOfMemory = 4096;
constexpr std::size_t kRewrittenAtOnce = std::size_t{1} << 20;

struct FolderAndName {
  std::string folder;
  std::string name;
};

FolderAndName Split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {.folder = ".", .name = path};
  return {.folder = path.substr(0, slash + 1), .name = path.substr(slash + 1)};
}

// Empty if there is no such file.
std::string RealPath(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  return real == nullptr ? std::string() : std::string(real.get());
}

// A call, again for as long as it was interrupted.
template <typename Call>
auto Uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// The same for the whole life of the process: a draft is found again by the name it will have.
const std::string& DraftSuffix() {
  static const std::string kSuffix = [] {
    std::random_device device;
    return fmt::format("-new-{:08x}{:08x}", device(), device());
  }();
  return kSuffix;
}

// 0, or errno. Never replaces a file.
int RenameNew(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // File systems that cannot do that can link.
  if (link(from.c_str(), to.c_str()) != 0) return errno;
  unlink(from.c_str());
  return 0;
}

}  // namespace

Result<std::string> AbsolutePath(const std::string& path) {
  if (path.empty() || path.contains('\0')) {
    return std::unexpected(SystemError("this is not the name of a file", path, EINVAL));
  }
  if (std::string real = RealPath(path); !real.empty()) return real;
  const auto [folder, name] = Split(path);
  const std::string real = RealPath(folder);
  if (real.empty()) {
    const int error = errno;
    return std::unexpected(SystemError("the folder cannot be reached", folder, error));
  }
  if (name.empty() || name == "." || name == "..") {
    return std::unexpected(SystemError("this is a directory", path, EISDIR));
  }
  return real == "/" ? real + name : real + "/" + name;
}

bool FileExists(const std::string& path) {
  struct stat status{};
  return lstat(path.c_str(), &status) == 0;
}

bool IsWritable(const std::string& path) {
  return access(path.c_str(), W_OK) == 0;
}

std::uint64_t FileBytes(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::string DraftOf(const std::string& path) {
  return path + DraftSuffix();
}

void RemoveDatabase(const std::string& path) {
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) unlink((path + suffix).c_str());
}

void RemoveIfOurs(const std::string& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0 &&
      status.st_uid == geteuid())
    unlink(path.c_str());
}

Status SyncFolder(const std::string& path) {
  const std::string folder = Split(path).folder;
  const int descriptor = Uninterrupted([&] {
    return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // NOLINT(*-vararg)
  });
  int error = descriptor < 0 ? errno : 0;
  if (descriptor >= 0) {
    // EINVAL: a file system where a folder has nothing to sync.
    if (Uninterrupted([&] { return fsync(descriptor); }) != 0 && errno != EINVAL) error = errno;
    close(descriptor);
  }
  if (error == 0) return {};
  return std::unexpected(SystemError("the folder cannot be synced", folder, error));
}

Status RewriteFile(const std::string& path) {
  const int descriptor =
      Uninterrupted([&] { return open(path.c_str(), O_RDWR | O_CLOEXEC); });  // NOLINT(*-vararg)
  int error = descriptor < 0 ? errno : 0;
  std::vector<char> block(kRewrittenAtOnce);
  off_t at = 0;
  while (error == 0) {
    const ssize_t size =
        Uninterrupted([&] { return pread(descriptor, block.data(), block.size(), at); });
    if (size < 0) error = errno;
    if (size <= 0) break;
    const ssize_t written = Uninterrupted(
        [&] { return pwrite(descriptor, block.data(), static_cast<std::size_t>(size), at); });
    if (written <= 0) error = written < 0 ? errno : EIO;
    at += std::max<ssize_t>(written, 0);
  }
  if (error == 0 && Uninterrupted([&] { return fdatasync(descriptor); }) != 0) error = errno;
  if (descriptor >= 0) close(descriptor);
  if (error == 0) return {};
  return std::unexpected(SystemError("the file cannot be synced", path, error));
}

Status CheckNoLog(const std::string& path) {
  for (const char* suffix : {"-wal", "-journal"}) {
    // An empty one says nothing to SQLite.
    if (FileBytes(path + suffix) == 0) continue;
    const std::string message = fmt::format(
        "the log of a file that is gone lies under this name with {} added; move it away", suffix);
    return std::unexpected(SystemError(message, path + suffix, EEXIST));
  }
  return {};
}

Status PutInPlace(const std::string& draft, const std::string& path) {
  if (FileExists(path)) return std::unexpected(SystemError("the file exists", path, EEXIST));
  PACTDB_TRY_STATUS(CheckNoLog(path));
  // Shared with whoever still has a removed file of this name open.
  unlink((path + "-shm").c_str());
  if (const int error = RenameNew(draft, path); error != 0) {
    return std::unexpected(SystemError(
        error == EEXIST ? "the file exists" : "the new file cannot be renamed", path, error));
  }
  return SyncFolder(path);
}

bool HasSmallBlocks(const std::string& path) {
  struct statvfs status{};
  return statvfs(path.c_str(), &status) == 0 && status.f_bsize < kPageOfMemory;
}

Status CheckOneName(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || status.st_nlink <= 1) return {};
  return std::unexpected(
      Error(ErrorCode::kStoreIo,
            fmt::format("the file has {} names (hard links), and a writer by another of them would "
                        "not be seen; copy it, or remove the others",
                        status.st_nlink))
          .With("path", path)
          .With("names", static_cast<std::int64_t>(status.st_nlink)));
}

Status UseLog(Connection& connection) {
  Cursor row(connection, "PRAGMA journal_mode = WAL");
  PACTDB_TRY_STATUS(row.Step());
  if (row.Text(0) == "wal") return {};
  return std::unexpected(
      SystemError("the file system cannot have a log beside the file", connection.path(), ENOTSUP));
}

}  // namespace pactdb::sqlite
