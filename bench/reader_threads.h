// Threads that read, each on a core of its own.
#pragma once

#include <pactdb/snapshot.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace pactdb::bench {

// Cores this process may use.
int CoreCount();
// Binds the calling thread to the n-th of them (modulo their number).
void PinToCore(int n);

// Restores what the calling thread was allowed when this was made.
class KeepAffinity {
 public:
  KeepAffinity();
  ~KeepAffinity();
  KeepAffinity(const KeepAffinity&) = delete;
  KeepAffinity& operator=(const KeepAffinity&) = delete;

 private:
  std::vector<unsigned char> mask_;
};

// Looks up every id and touches a field of its node; returns how many were there.
std::size_t LookUp(const Snapshot& snapshot, std::span<const std::string> ids);

// Runs the loops at the same time, one thread and core each, each loop twice: once to warm up.
// Returns the sum of what they did per second; a loop returns how much it did.
double MeasureRate(const std::vector<std::function<std::size_t()>>& loops);

}  // namespace pactdb::bench
