// One writer a file: a lock on a small file beside the database, which says who holds it.
//
// The lock belongs to the open file description, so it ends with the process however that ends, and
// a second writer in the same process is refused like any other. The file is removed when the lock
// is given back; a file that a killed process left is nobody's and is taken over.
//
// Behind the process id it may say that the log can have commits that were not synced before the
// next began: after a power cut a break in that log is no damage. That stays said, whoever has the
// lock, for as long as there is a log.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>

#include <cstdint>
#include <memory>
#include <string>

namespace pactdb::sqlite {

class LockFile {
 public:
  enum class Kind : std::uint8_t {
    kWriter,   // nobody else
    kUpkeep,   // nobody else, for a moment: who comes meanwhile waits
    kReaders,  // no writer
  };

  // kStoreBusy at once if a writer has it, with `pid`; kStoreReadonly if the folder cannot be
  // written; kStoreIo.
  static Result<std::unique_ptr<LockFile>> Take(const std::string& path, Kind kind);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // Says so in the file, and waits until that is on the disk, as far as that can be had.
  void NoteUnsynced();

 private:
  LockFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_;
};

// What can be told of a lock without taking it, and without a right to write: both false if there
// is none.
struct LockState {
  bool is_held = false;  // by a writer, or for upkeep
  bool has_unsynced = false;
};
LockState ReadLock(const std::string& path);

// PutInPlace with the lock of `path` held for that moment.
Status PlaceLocked(const std::string& draft, const std::string& path);

}  // namespace pactdb::sqlite
