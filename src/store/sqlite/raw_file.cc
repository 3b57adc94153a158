#include "store/sqlite/raw_file.h"

#include <sqlite3.h>

#include <cerrno>
#include <new>

#include "store/sqlite/file_header.h"

namespace pactdb::sqlite {

void RawFile::Name::operator()(char* name) const {
  sqlite3_free_filename(name);
}

Result<RawFile> RawFile::Open(const std::string& path) {
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  auto memory = std::make_unique<std::max_align_t[]>(
      static_cast<std::size_t>(vfs->szOsFile) / sizeof(std::max_align_t) + 1);
  std::unique_ptr<char, Name> name(
      const_cast<char*>(sqlite3_create_filename(path.c_str(), "", "", 0, nullptr)));
  if (name == nullptr) throw std::bad_alloc();
  RawFile raw(path, std::move(memory), std::move(name));
  int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
  if (vfs->xOpen(vfs, raw.name_.get(), raw.file(), flags, &flags) != SQLITE_OK) {
    const int error = errno;
    return std::unexpected(SystemError("the file cannot be opened", path, error));
  }
  sqlite3_int64 size = 0;
  if (raw.file()->pMethods->xFileSize(raw.file(), &size) != SQLITE_OK) {
    const int error = errno;
    return std::unexpected(SystemError("the file cannot be read", path, error));
  }
  raw.size_ = static_cast<std::uint64_t>(size);
  return raw;
}

RawFile::~RawFile() {
  if (memory_ != nullptr && file()->pMethods != nullptr) file()->pMethods->xClose(file());
}

Status RawFile::Read(std::uint64_t offset, char* bytes, std::size_t count) const {
  const int code = file()->pMethods->xRead(file(), bytes, static_cast<int>(count),
                                           static_cast<sqlite3_int64>(offset));
  if (code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ) return {};
  const int error = errno;
  return std::unexpected(SystemError("the file cannot be read", path_, error));
}

}  // namespace pactdb::sqlite
