// A line on standard error that says how far long work is. It appears after a second, only in a
// terminal, and is gone when the work is done.
//
// Thread safety: one thread at a time.
#pragma once

#include <chrono>
#include <string>

namespace pactdb::cli {

class ProgressBar {
 public:
  // `what` is being done: "verifying".
  explicit ProgressBar(std::string what);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // 0..1; cheap enough to be called often.
  void At(double share);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  bool is_terminal_;
  bool is_shown_ = false;
  Clock::time_point next_;
};

}  // namespace pactdb::cli
