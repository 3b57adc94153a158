// Something that is done when a scope is left, by whatever way: also when there is no memory.
//
// Thread safety: one thread at a time.
#pragma once

#include <utility>

namespace pactdb {

template <typename Action>
class [[nodiscard]] OnExit {
 public:
  explicit OnExit(Action action) : action_(std::move(action)) {}
  ~OnExit() {
    if (is_armed_) action_();
  }
  OnExit(const OnExit&) = delete;
  OnExit& operator=(const OnExit&) = delete;
  // It went well: nothing is done.
  void Release() { is_armed_ = false; }

 private:
  Action action_;
  bool is_armed_ = true;
};

}  // namespace pactdb
