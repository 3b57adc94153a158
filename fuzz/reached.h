// How many inputs came as far as what a target is for, told at the end of a run beside libFuzzer's
// own figures: those that are refused at the door try little.
#pragma once

#include <cstdint>
#include <cstdio>

namespace pactdb::fuzz {

class ReachedCount {
 public:
  ReachedCount() = default;
  ReachedCount(const ReachedCount&) = delete;
  ReachedCount& operator=(const ReachedCount&) = delete;
  ~ReachedCount() {
    std::fprintf(stderr, "stat::reached: %llu\n", static_cast<unsigned long long>(count_));
  }
  void Add() { ++count_; }

 private:
  std::uint64_t count_ = 0;
};

inline void CountReached() {
  static ReachedCount count;
  count.Add();
}

}  // namespace pactdb::fuzz
