#include "store/sqlite/file_header.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "store/sqlite/big_endian.h"
#include "store/sqlite/files.h"
#include "store/sqlite/raw_file.h"

namespace pactdb::sqlite {
namespace {

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kPageSizeAt = 16;
constexpr std::size_t kPageCountAt = 28;
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;

Error NotOurs(const std::string& path, std::string_view why) {
  return Error(ErrorCode::kStoreCorrupt, fmt::format("not a pactdb file: {}", why))
      .With("path", path);
}

// SQLite does not mind if the last page is cut. While there is a log, the file may be shorter than
// it says: the log has the rest.
Status CheckWhole(const std::string& path, std::string_view header) {
  const auto page_bytes = static_cast<std::uint64_t>(BigEndian32(header, kPageSizeAt) >> 16);
  const auto pages = static_cast<std::uint64_t>(BigEndian32(header, kPageCountAt));
  if (FileBytes(path) >= pages * page_bytes || FileBytes(path + "-wal") != 0) return {};
  return std::unexpected(
      Error(ErrorCode::kStoreCorrupt, "the file is cut short").With("path", path));
}

Result<std::array<char, kHeaderBytes>> ReadFirstBytes(const std::string& path) {
  PACTDB_TRY(const RawFile file, RawFile::Open(path));
  if (file.size() == 0) return std::unexpected(NotOurs(path, "it is empty"));
  std::array<char, kHeaderBytes> bytes{};
  if (file.size() >= kHeaderBytes) PACTDB_TRY_STATUS(file.Read(0, bytes.data(), bytes.size()));
  return bytes;
}

}  // namespace

Error SystemError(std::string message, const std::string& path, int error) {
  return Error(ErrorCode::kStoreIo, std::move(message))
      .With("path", path)
      .With("errno", error)
      .With("reason", strerrordesc_np(error));
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
  if (BigEndian32(header, kApplicationIdAt) != kApplicationId) {
    return std::unexpected(NotOurs(path, "it is a database of another program"));
  }
  const auto version =
      static_cast<std::int64_t>(static_cast<std::int32_t>(BigEndian32(header, kUserVersionAt)));
  PACTDB_TRY_STATUS(CheckVersion(path, version));
  PACTDB_TRY_STATUS(CheckWhole(path, header));
  return version;
}

}  // namespace pactdb::sqlite
