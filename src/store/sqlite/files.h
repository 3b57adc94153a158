// What has to be done with files beside SQLite.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>

#include <cstdint>
#include <string>

#include "store/sqlite/connection.h"

namespace pactdb::sqlite {

// The one path of a file, whatever links lead to it: two writers must meet at one lock. The file
// itself need not be there. kStoreIo if its folder is not.
Result<std::string> AbsolutePath(const std::string& path);

bool FileExists(const std::string& path);

// This process may write to it.
bool IsWritable(const std::string& path);

// 0 if there is no such file.
std::uint64_t FileBytes(const std::string& path);

// The name under which this process makes the file `path`, beside it. Nobody else's: it has a
// random part, so that what is removed under it is never a file of the user, nor of another
// process.
std::string DraftOf(const std::string& path);

// Removes a database that was left half made, with the files beside it. REQUIRES: the caller made
// it.
void RemoveDatabase(const std::string& path);

// Removes an empty file of this user: a log that SQLite made when the writer's went at that moment.
void RemoveIfOurs(const std::string& path);

// kStoreIo (EEXIST) if a log lies beside the name `path`, which has no file: SQLite would take it
// for that of the next file of this name, and bring the old commits into it.
Status CheckNoLog(const std::string& path);

// Waits until the names in the folder of `path` are on the disk. kStoreIo.
Status SyncFolder(const std::string& path);

// Writes what is in the file once more, over itself, and waits until that is on the disk. kStoreIo.
Status RewriteFile(const std::string& path);

// Gives the finished file `draft` the name `path`, unless there is one or its log (kStoreIo,
// EEXIST), and waits until the folder is on the disk. REQUIRES: the lock of `path`.
Status PutInPlace(const std::string& draft, const std::string& path);

// True where a block of the file system is smaller than a page of memory: a full disk could then
// kill the process, because SQLite does not reserve all of the memory it shares with readers.
bool HasSmallBlocks(const std::string& path);

// kStoreIo if the file has other names too (hard links): the lock, the log and SQLite's own locks
// go by the name, so that a writer by another one would not be seen, and would take commits back.
Status CheckOneName(const std::string& path);

// Turns the write-ahead log on. kStoreIo where the file system cannot have one.
Status UseLog(Connection& connection);

}  // namespace pactdb::sqlite
