// A line on standard error that says how far long work is, or, where the work cannot say, that it
// goes on. It appears after a second, only in a terminal, and is gone when the work is done.
//
// Thread safety: one thread at a time.
#pragma once

#include <chrono>
#include <string>
#include <thread>

namespace pactdb::cli {

class ProgressBar {
 public:
  enum class Kind { kShare, kUnknown };
  // `what` is being done: "verifying". kUnknown: nobody will call At; the line moves by itself.
  explicit ProgressBar(std::string what, Kind kind = Kind::kShare);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // 0..1; cheap enough to be called often.
  void At(double share);

 private:
  using Clock = std::chrono::steady_clock;

  void MoveUntilStopped(const std::stop_token& stop);

  std::string what_;
  bool is_terminal_;
  bool is_shown_ = false;
  Clock::time_point next_;
  std::jthread mover_;
};

}  // namespace pactdb::cli
