// Makes SQLite fail in this process: the n-th call of its file layer, of a statement's run or of a
// statement's compilation. For programs of their own: it stays between SQLite and the system, where
// it passes everything on but the syncs, which no test here needs.
//
// Thread safety: one thread at a time.
#pragma once

#include <cerrno>
#include <cstdint>
#include <optional>

namespace pactdb::support {

enum class Lever : std::uint8_t {
  kFile,       // a call of the file layer: open, read, write, sync, lock, ...
  kStatement,  // the start of a statement, or one of its rows
  kPrepare,    // compiling a statement
};

enum class FileCall : std::uint8_t {
  kOpen,
  kDelete,
  kAccess,
  kRead,
  kWrite,
  kTruncate,
  kSync,
  kSize,
  kLock,
  kShmMap,
  kShmLock,
};

struct Fault {
  Lever lever = Lever::kFile;
  std::int64_t at = 1;             // the call that fails, counted from 1
  bool lasts = false;              // all after it fail too
  std::optional<FileCall> only{};  // of the file layer: counts these alone
  bool main_file = false;          // and these on the database itself alone, not on its log
  int system_error = EIO;          // what the system is said to have answered
};

// Faults happen while one of these lives.
class WithFault {
 public:
  explicit WithFault(const Fault& fault);
  ~WithFault();
  WithFault(const WithFault&) = delete;
  WithFault& operator=(const WithFault&) = delete;

  // How often something failed so far. 0: there were fewer calls than `at`.
  std::int64_t fired() const;
};

}  // namespace pactdb::support
