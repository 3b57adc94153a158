#include "store/sqlite/file_header.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "store/sqlite/files.h"

namespace pactdb::sqlite {
namespace {

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kPageSizeAt = 16;
constexpr std::size_t kPageCountAt = 28;
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;

std::int64_t BigEndian32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(byte);
  return static_cast<std::int32_t>(value);
}

Error NotOurs(const std::string& path, std::string_view why) {
  return Error(ErrorCode::kStoreCorrupt, fmt::format("not a pactdb file: {}", why))
      .With("path", path);
}

Status CheckKind(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) {
    const int error = errno;
    return std::unexpected(SystemError(
        error == ENOENT ? "there is no such file" : "the file cannot be reached", path, error));
  }
  if (S_ISDIR(status.st_mode)) {
    return std::unexpected(SystemError("this is a directory", path, EISDIR));
  }
  if (!S_ISREG(status.st_mode)) {
    return std::unexpected(SystemError("this is not a regular file", path, EINVAL));
  }
  if (access(path.c_str(), R_OK) != 0) {
    const int error = errno;
    return std::unexpected(SystemError("the file may not be read", path, error));
  }
  return {};
}

// SQLite does not mind if the last page is cut. While there is a log, the file may be shorter than
// it says: the log has the rest.
Status CheckWhole(const std::string& path, std::string_view header) {
  const auto page_bytes = static_cast<std::uint64_t>(BigEndian32(header.substr(kPageSizeAt)) >> 16);
  const auto pages = static_cast<std::uint64_t>(BigEndian32(header.substr(kPageCountAt)));
  if (FileBytes(path) >= pages * page_bytes || FileBytes(path + "-wal") != 0) return {};
  return std::unexpected(
      Error(ErrorCode::kStoreCorrupt, "the file is cut short").With("path", path));
}

// The first bytes, through SQLite's own file layer: a plain close(2) would give up the locks that
// other connections of this process hold on the file.
Result<std::array<char, kHeaderBytes>> ReadFirstBytes(const std::string& path) {
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  const std::unique_ptr<std::max_align_t[]> memory = std::make_unique<std::max_align_t[]>(
      static_cast<std::size_t>(vfs->szOsFile) / sizeof(std::max_align_t) + 1);
  auto* file = reinterpret_cast<sqlite3_file*>(memory.get());
  const std::unique_ptr<char, void (*)(char*)> name(
      const_cast<char*>(sqlite3_create_filename(path.c_str(), "", "", 0, nullptr)),
      [](char* p) { sqlite3_free_filename(p); });
  if (name == nullptr) throw std::bad_alloc();
  int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
  if (const int code = vfs->xOpen(vfs, name.get(), file, flags, &flags); code != SQLITE_OK) {
    const int error = errno;
    return std::unexpected(SystemError("the file cannot be opened", path, error));
  }
  std::array<char, kHeaderBytes> bytes{};
  sqlite3_int64 size = 0;
  int code = file->pMethods->xFileSize(file, &size);
  if (code == SQLITE_OK && size >= static_cast<sqlite3_int64>(kHeaderBytes)) {
    code = file->pMethods->xRead(file, bytes.data(), static_cast<int>(kHeaderBytes), 0);
  }
  const int error = errno;
  file->pMethods->xClose(file);
  if (size == 0) return std::unexpected(NotOurs(path, "it is empty"));
  if (code != SQLITE_OK)
    return std::unexpected(SystemError("the file cannot be read", path, error));
  return bytes;
}

}  // namespace

Error SystemError(std::string message, const std::string& path, int error) {
  return Error(ErrorCode::kStoreIo, std::move(message))
      .With("path", path)
      .With("errno", error)
      .With("reason", strerrordesc_np(error));
}

Status CheckVersion(const std::string& path, std::int64_t version) {
  if (version >= 0 && version <= kFormatVersion) return {};
  return std::unexpected(
      Error(ErrorCode::kStoreVersion,
            fmt::format("the file has format {}, this program knows formats up to {}", version,
                        kFormatVersion))
          .With("path", path)
          .With("version", version)
          .With("known", kFormatVersion));
}

Result<std::int64_t> CheckHeader(const std::string& path) {
  PACTDB_TRY_STATUS(CheckKind(path));
  PACTDB_TRY(const auto bytes, ReadFirstBytes(path));
  const std::string_view header(bytes.data(), bytes.size());
  if (!header.starts_with(kMagic)) {
    return std::unexpected(NotOurs(path, "it does not begin like one"));
  }
  if (BigEndian32(header.substr(kApplicationIdAt)) != kApplicationId) {
    return std::unexpected(NotOurs(path, "it is a database of another program"));
  }
  const std::int64_t version = BigEndian32(header.substr(kUserVersionAt));
  PACTDB_TRY_STATUS(CheckVersion(path, version));
  PACTDB_TRY_STATUS(CheckWhole(path, header));
  return version;
}

}  // namespace pactdb::sqlite
