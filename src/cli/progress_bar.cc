#include "cli/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <utility>

namespace pactdb::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kBetween = std::chrono::milliseconds(100);
constexpr int kCells = 30;

}  // namespace

ProgressBar::ProgressBar(std::string what, Kind kind)
    : what_(std::move(what)),
      is_terminal_(::isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + kPatience) {
  if (kind == Kind::kUnknown && is_terminal_)
    mover_ = std::jthread([this](const std::stop_token& stop) { MoveUntilStopped(stop); });
}

// A mark that goes to and fro.
void ProgressBar::MoveUntilStopped(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  auto pause = std::chrono::milliseconds(kPatience);
  for (int step = 0;; ++step, pause = kBetween) {
    stopped.wait_for(lock, stop, pause, [] { return false; });
    if (stop.stop_requested()) return;
    const int turn = step % (2 * (kCells - 1));
    std::string bar(kCells, '.');
    bar[static_cast<std::size_t>(turn < kCells ? turn : 2 * (kCells - 1) - turn)] = '#';
    std::fprintf(stderr, "\r%s [%s]", what_.c_str(), bar.c_str());
    std::fflush(stderr);
    is_shown_ = true;
  }
}

void ProgressBar::At(double share) {
  if (!is_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  is_shown_ = true;
  share = std::clamp(share, 0.0, 1.0);
  const int full = static_cast<int>(share * kCells);
  const std::string bar = std::string(static_cast<std::size_t>(full), '#') +
                          std::string(static_cast<std::size_t>(kCells - full), '.');
  std::fprintf(stderr, "\r%s [%s] %3d%%", what_.c_str(), bar.c_str(),
               static_cast<int>(share * 100));
  std::fflush(stderr);
}

ProgressBar::~ProgressBar() {
  if (mover_.joinable()) {
    mover_.request_stop();
    mover_.join();
  }
  if (is_shown_) std::fputs("\r\033[K", stderr);
}

}  // namespace pactdb::cli
