#include "reader_threads.h"

#include <sched.h>

#include <barrier>
#include <cstring>
#include <thread>

#include "check_result.h"
#include "harness.h"

namespace pactdb::bench {
namespace {

cpu_set_t AllowedCores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  Check(sched_getaffinity(0, sizeof cores, &cores) == 0, "the allowed cores are known");
  return cores;
}

// Taken before any thread is bound.
const cpu_set_t& StartCores() {
  static const cpu_set_t cores = AllowedCores();
  return cores;
}

}  // namespace

int CoreCount() {
  return CPU_COUNT(&StartCores());
}

void PinToCore(int n) {
  const cpu_set_t& allowed = StartCores();
  int skip = n % CPU_COUNT(&allowed);
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || skip-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    Check(sched_setaffinity(0, sizeof one, &one) == 0, "a thread can be bound to a core");
    return;
  }
}

KeepAffinity::KeepAffinity() : mask_(sizeof(cpu_set_t)) {
  StartCores();
  const cpu_set_t cores = AllowedCores();
  std::memcpy(mask_.data(), &cores, sizeof cores);
}

KeepAffinity::~KeepAffinity() {
  cpu_set_t cores;
  std::memcpy(&cores, mask_.data(), sizeof cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

std::size_t LookUp(const Snapshot& snapshot, std::span<const std::string> ids) {
  std::size_t found = 0;
  for (const std::string& id : ids) {
    const auto node = snapshot.Find(id);
    if (node && node->created_at_ns() > 0) ++found;
  }
  return found;
}

double MeasureRate(const std::vector<std::function<std::size_t()>>& loops) {
  std::barrier start(static_cast<std::ptrdiff_t>(loops.size()));
  std::vector<double> rates(loops.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    threads.emplace_back([&, i] {
      PinToCore(static_cast<int>(i));
      loops[i]();
      start.arrive_and_wait();
      std::size_t done = 0;
      const double ns = TimeNs([&] { done = loops[i](); });
      rates[i] = static_cast<double>(done) / ns * 1e9;
    });
  }
  for (std::thread& thread : threads) thread.join();
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

}  // namespace pactdb::bench
