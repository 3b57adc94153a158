// Threads of a test: start them together, join them at the end. Failures inside are reported by
// GoogleTest's own macros, which are thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

namespace pactdb::support {

class Crew {
 public:
  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { Join(); }

  // The thread waits for Go().
  template <typename Work>
  void Add(Work work) {
    threads_.emplace_back([this, work = std::move(work)]() mutable {
      while (!go_.load(std::memory_order_acquire)) std::this_thread::yield();
      work();
    });
  }
  void Go() { go_.store(true, std::memory_order_release); }
  void Join() {
    Go();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::atomic<bool> go_{false};
  std::vector<std::thread> threads_;
};

}  // namespace pactdb::support
