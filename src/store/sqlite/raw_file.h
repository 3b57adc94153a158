// The bytes of a database file, read through SQLite's own file layer: a plain close(2) would give
// up the locks that other connections of this process hold on the file.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

struct sqlite3_file;  // NOLINT(readability-identifier-naming): the library's

namespace pactdb::sqlite {

class RawFile {
 public:
  // kStoreIo. REQUIRES: an absolute path.
  static Result<RawFile> Open(const std::string& path);
  ~RawFile();
  RawFile(RawFile&& other) noexcept = default;
  RawFile(const RawFile&) = delete;
  RawFile& operator=(RawFile&&) = delete;

  std::uint64_t size() const { return size_; }
  // Bytes from `offset` on; behind the end of the file they are zero. kStoreIo.
  Status Read(std::uint64_t offset, char* bytes, std::size_t count) const;

 private:
  struct Name {
    void operator()(char* name) const;
  };
  RawFile(std::string path, std::unique_ptr<std::max_align_t[]> memory,
          std::unique_ptr<char, Name> name)
      : path_(std::move(path)), memory_(std::move(memory)), name_(std::move(name)) {}
  sqlite3_file* file() const { return reinterpret_cast<sqlite3_file*>(memory_.get()); }

  std::string path_;
  std::unique_ptr<std::max_align_t[]> memory_;  // the file, of a size that SQLite knows
  std::unique_ptr<char, Name> name_;            // which it keeps using
  std::uint64_t size_ = 0;
};

}  // namespace pactdb::sqlite
