// A copy of a file that may be damaged, in a form that SQLite can be asked about and that can be
// read page by page: the log is brought into it, and where its first page, which says where the
// tables are, is no longer ours, a fresh one is put in its place.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/sqlite/connection.h"
#include "store/sqlite/log_frames.h"
#include "store/sqlite/salvage.h"

namespace pactdb::sqlite {

class SalvageCopy {
 public:
  // Makes the copy at `path`; it is removed with the object. `fresh` is a name for a moment;
  // both are names that only the caller has.
  // kStoreIo; kStoreVersion for a file of a newer version; kStoreCorrupt if it is no SQLite file
  // by any reading.
  static Result<std::unique_ptr<SalvageCopy>> Make(const std::string& from, const std::string& path,
                                                   const std::string& fresh,
                                                   SalvagedLog log = SalvagedLog::kTaken);
  ~SalvageCopy();
  SalvageCopy(const SalvageCopy&) = delete;
  SalvageCopy& operator=(const SalvageCopy&) = delete;

  Connection& connection() { return *connection_; }
  // What was noticed, in words: "the file is cut short".
  const std::vector<std::string>& findings() const { return findings_; }

  std::uint32_t page_count() const { return page_count_; }
  // A page, from 1; zeros if there is none.
  std::string ReadPage(std::uint32_t number);

 private:
  SalvageCopy(std::string path, int descriptor) : path_(std::move(path)), file_(descriptor) {}

  Status CopyFile(const std::string& from);
  Status ApplyLog(const std::string& database);
  Status Lengthen(std::uint64_t pages);
  Status WritePage(std::uint32_t number, std::string_view page);
  // Opens it as it is; kStoreCorrupt if SQLite cannot or the tables are not ours.
  Status Open();
  Status OpenWithFreshStart(const std::string& fresh);
  // How many rows a reading by this first page makes accessible, of the first hundred.
  std::int64_t CountReadable();

  std::string path_;
  int file_;
  std::uint32_t page_count_ = 0;
  std::vector<std::string> findings_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace pactdb::sqlite
