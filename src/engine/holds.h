// Nodes that a program holds by NodeRef. They neither expire nor are pruned.
//
// Thread safety: handles may be dropped on any thread, so the table has a lock; it is never on a
// reader's path.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "model/lexicon.h"

namespace pactdb {

class Holds : public std::enable_shared_from_this<Holds> {
 public:
  bool IsHeld(NodeNumber number) const {
    const std::lock_guard lock(mutex_);
    return counts_.contains(number);
  }

  bool empty() const {
    const std::lock_guard lock(mutex_);
    return counts_.empty();
  }

  // A handle that releases the node when its last copy goes.
  std::shared_ptr<void> Acquire(NodeNumber number) {
    {
      const std::lock_guard lock(mutex_);
      ++counts_[number];
    }
    return {nullptr, [holds = shared_from_this(), number](void*) { holds->Drop(number); }};
  }

 private:
  void Drop(NodeNumber number) {
    const std::lock_guard lock(mutex_);
    if (--counts_[number] == 0) counts_.erase(number);
  }

  mutable std::mutex mutex_;
  std::unordered_map<NodeNumber, std::size_t> counts_;
};

}  // namespace pactdb
