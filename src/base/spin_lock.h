// A lock that is held for a few instructions.
//
// A mutex costs twice as much to take and give back once a program has a second thread, and memory
// for a node is asked for more often than anything else. Whoever has to wait spins, as the holder
// is nearly done; if it was stopped in between, waiting goes on asleep, so that it gets on whatever
// the priorities are.
//
// Thread safety: it is one. Not recursive.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace pactdb {

class SpinLock {
 public:
  void lock() {
    if (is_held_.exchange(true, std::memory_order_acquire)) Wait();
  }
  void unlock() { is_held_.store(false, std::memory_order_release); }

 private:
  static constexpr int kSpins = 1'000;

  void Wait() {
    int spins = 0;
    do {
      while (is_held_.load(std::memory_order_relaxed)) {
        if (++spins > kSpins) std::this_thread::sleep_for(std::chrono::microseconds(10));
      }
    } while (is_held_.exchange(true, std::memory_order_acquire));
  }

  std::atomic<bool> is_held_{false};
};

}  // namespace pactdb
