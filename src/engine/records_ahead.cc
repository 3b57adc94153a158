#include "engine/records_ahead.h"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <new>
#include <system_error>
#include <utility>

namespace pactdb {
namespace {

// Signals are for the threads of the program, which know what to do with them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

RecordsAhead::RecordsAhead(Read read, ContextNumber context, CommitRange commits)
    : read_(std::move(read)),
      context_(context),
      commits_(commits),
      records_(kKept),
      ready_(commits.first),
      wanted_(commits.first),
      known_ready_(commits.first),
      newest_asked_(commits.first),
      said_wanted_(commits.first) {
  const SignalsBlocked blocked;
  try {
    reader_ = std::thread([this] { ReadAll(); });
  } catch (const std::system_error&) {
    ended_ = true;
  }
}

RecordsAhead::~RecordsAhead() {
  if (!reader_.joinable()) return;
  End();
  reader_.join();
}

std::uint64_t RecordsAhead::WaitForWork(std::uint64_t next) {
  const std::uint64_t end = std::uint64_t{commits_.last} + 1;
  if (next == end) return next;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ || next < wanted_ + kAhead; });
  return ended_ ? next : std::min({end, next + kBatch, wanted_ + kAhead});
}

void RecordsAhead::ReadAll() {
  std::uint64_t next = commits_.first;
  try {
    for (std::uint64_t end = WaitForWork(next); end != next; end = WaitForWork(next)) {
      for (; next < end; ++next) {
        std::optional<StoredRecord>& record = records_[next % kKept];
        record.reset();
        // One that retention took, or that is damaged, is for the store to speak of.
        if (auto read = read_({context_, static_cast<CommitNumber>(next)}))
          record.emplace(*std::move(read));
      }
      const std::lock_guard lock(mutex_);
      ready_ = next;
      changed_.notify_all();
    }
  } catch (const std::bad_alloc&) {
    End();  // whoever asks will meet it again
    return;
  }
  End();
}

void RecordsAhead::End() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

const StoredRecord* RecordsAhead::Find(const RecordId& id) {
  const std::uint64_t commit = id.commit;
  if (id.context != context_ || commit < commits_.first || commit > commits_.last) return nullptr;
  if (commit >= newest_asked_ + kAhead || commit + (kKept - kAhead) < newest_asked_) return nullptr;
  newest_asked_ = std::max(newest_asked_, commit);
  if (commit >= known_ready_ || newest_asked_ >= said_wanted_ + kBatch) {
    std::unique_lock lock(mutex_);
    wanted_ = said_wanted_ = newest_asked_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return ended_ || ready_ > commit; });
    known_ready_ = ready_;
    if (commit >= ready_) return nullptr;
  }
  const std::optional<StoredRecord>& record = records_[commit % kKept];
  return record && record->id() == id ? &*record : nullptr;
}

}  // namespace pactdb
