// The cycles of which some id, imported or given, looks like one that they will make.
//
// Before such a cycle makes ids, all snapshots must be asked whether one is taken; for all others
// the newest is enough. Runs of cycles, and few of them: a document may name a cycle a million
// ahead and must not make every cycle up to it pay, nor grow what is kept of it without bound.
//
// Thread safety: a value.
#pragma once

#include <cstdint>
#include <vector>

namespace pactdb {

class IdsAhead {
 public:
  // Beyond so many the two that lie nearest to each other become one.
  static constexpr std::size_t kRunsMax = 32;
  struct Run {
    std::int64_t first = 0;
    std::int64_t last = 0;  // inclusive
    bool operator==(const Run&) const = default;
  };

  // REQUIRES: first <= last.
  void Add(const Run& run);
  bool Has(std::int64_t cycle) const;
  // Rising, none touching another.
  const std::vector<Run>& runs() const { return runs_; }
  bool operator==(const IdsAhead&) const = default;

 private:
  std::vector<Run> runs_;
};

}  // namespace pactdb
