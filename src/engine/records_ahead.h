// Records of a context, read before they are asked for, on a thread of their own.
//
// Who loads a large tree asks for its records nearly in their order. Getting a record out of a file
// and checking it is a third of the work, and needs nothing of the rest.
//
// Thread safety: one thread asks; `read` is called on the reading one.
#pragma once

#include <pactdb/ext/store.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "model/record.h"

namespace pactdb {

class RecordsAhead {
 public:
  using Read = std::function<Result<StoredRecord>(const RecordId&)>;

  // Starts to read the commits of the context. Where no thread can be had, nothing is ever found.
  RecordsAhead(Read read, ContextNumber context, CommitRange commits);
  // Stops reading.
  ~RecordsAhead();
  RecordsAhead(const RecordsAhead&) = delete;
  RecordsAhead& operator=(const RecordsAhead&) = delete;

  // Good until the next call. Null: it is not among them, too far from those asked for last, or
  // cannot be read; ask the store, which says why.
  const StoredRecord* Find(const RecordId& id);

 private:
  // Records kept, of which the ones ahead may be this many: a list of turns names a few hundred.
  static constexpr std::uint64_t kKept = 1'024;
  static constexpr std::uint64_t kAhead = 512;
  static constexpr std::uint64_t kBatch = 128;  // between two words to the other thread

  void ReadAll();
  // The end of the batch that begins at `next`; `next` itself if there is nothing more to do.
  std::uint64_t WaitForWork(std::uint64_t next);
  // Lets nobody wait any longer.
  void End();

  const Read read_;
  const ContextNumber context_;
  const CommitRange commits_;
  // A commit has one place. The reading thread writes to places of commits from ready_ up to
  // wanted_ + kAhead; the other one reads those below ready_ that cannot be written to meanwhile.
  std::vector<std::optional<StoredRecord>> records_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t ready_;   // the first that is not read yet; guarded
  std::uint64_t wanted_;  // the newest that was asked for, as far as it was said; guarded
  bool ended_ = false;    // nothing more comes, or is to come; guarded

  // The asking thread's own.
  std::uint64_t known_ready_;
  std::uint64_t newest_asked_;
  std::uint64_t said_wanted_;

  std::thread reader_;
};

}  // namespace pactdb
