// A file that is being made under a name of its own (DraftOf), and what earlier makers left.
//
// A maker that is killed leaves its draft. Nobody else may take a draft away while its maker lives,
// and pids tell nothing across containers, so the maker holds a lock on it: what nobody holds is
// removed by the next one who makes a file of that name.
#pragma once

#include <pactdb/error.h>

#include <memory>
#include <string>

namespace pactdb::sqlite {

class DraftClaim {
 public:
  // Makes the empty draft of `path`; SQLite takes it for a new database. kStoreIo if this process
  // has one already (EEXIST), which is then not the caller's to remove.
  static Result<std::unique_ptr<DraftClaim>> Make(const std::string& path);
  // Leaves the file. REQUIRES: no connection to it is open, because closing a descriptor of a file
  // takes the process's locks on it away.
  ~DraftClaim();
  DraftClaim(const DraftClaim&) = delete;
  DraftClaim& operator=(const DraftClaim&) = delete;

 private:
  explicit DraftClaim(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace pactdb::sqlite
