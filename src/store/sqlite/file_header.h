// What a file says of itself in its first bytes, read before SQLite opens it: SQLite would make
// files beside one that is not ours to touch.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>

#include <cstdint>
#include <string>

namespace pactdb::sqlite {

inline constexpr std::int64_t kApplicationId = 0x50414354;  // "PACT". On disk; never changes.
inline constexpr std::int64_t kFormatVersion = 1;           // On disk, as user_version.

// The version. Fails unless `path` is a regular file that we may read and that says it is a pactdb
// file of this version or an older one. kStoreIo (missing, a directory, no permission; `errno` in
// the details), kStoreCorrupt, kStoreVersion.
Result<std::int64_t> CheckHeader(const std::string& path);

// kStoreIo unless it is a regular file that we may read.
Status CheckKind(const std::string& path);

// kStoreVersion unless this program knows the version.
Status CheckVersion(const std::string& path, std::int64_t version);

// An error of the operating system.
Error SystemError(std::string message, const std::string& path, int error);

}  // namespace pactdb::sqlite
