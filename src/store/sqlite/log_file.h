// The write-ahead log as a file that takes a transaction's frames in one write.
//
// SQLite hands a frame to the system in two writes, 24 bytes and a page, and a commit has about
// three frames. Each write costs as much as the bytes in it, so the frames are put together here
// and go to the file when the last one of the transaction is there: before SQLite syncs the file,
// before it tells readers of the frames, and so that SQLite hears what became of the write.
//
// That holds for a COMMIT whose transaction has written nothing to the log yet, and for nothing
// else: a large transaction that spills into the log early may write into its frames again, and all
// of its writes pass through as they come.
//
// Thread safety: one thread at a time for each file, as SQLite has it.
#pragma once

#include <sqlite3.h>

namespace pactdb::sqlite {

// The VFS whose logs are such files; all else is the default VFS of the time of the first call.
// Null if there is no memory for it: without a name SQLite takes the default one.
const char* LogVfs();

// The log of the connection; null if it has none, or a log in memory.
sqlite3_file* LogOf(sqlite3* handle);

// Around a COMMIT. A log that was not opened by LogVfs is left alone, as is none.
class FramesTogether {
 public:
  // A transaction begins: from here on it is noted whether it writes.
  static void Watch(sqlite3* handle);

  explicit FramesTogether(sqlite3* handle);
  // What is not in the file by now belongs to a COMMIT that failed.
  ~FramesTogether();
  FramesTogether(const FramesTogether&) = delete;
  FramesTogether& operator=(const FramesTogether&) = delete;

  // Everything that SQLite wrote is in the file: so it is after a COMMIT that went well.
  bool is_written() const;

 private:
  struct LogFile* log_;
};

}  // namespace pactdb::sqlite
