// Measuring: interleaved rounds, medians, and how much to trust them.
//
// What is compared runs in the same rounds of the same program: round by round, first one
// contender, then the next. A series keeps every sample; its figure is the median of the rounds'
// medians. The first and the second half of the rounds are the two runs of a reference: when they
// differ by more than kSpreadMax the machine was not quiet enough and no verdict is given
// (report.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pactdb::bench {

inline constexpr double kSpreadMax = 1.25;
inline constexpr int kRoundsMin = 5;
inline constexpr int kAttemptsMax = 6;  // the first, and five more

// A measured value with what is needed to judge it. `spread` is 1 for exact values.
struct Figure {
  double value = 0;
  double p99 = 0;
  double spread = 1;

  Figure ScaledBy(double factor) const { return {value * factor, p99 * factor, spread}; }
};

class Series {
 public:
  void BeginRound() { rounds_.emplace_back(); }
  // REQUIRES: a round was begun.
  void Add(double sample) { rounds_.back().push_back(sample); }

  // REQUIRES: every round has a sample.
  Figure Summarize() const;

 private:
  std::vector<std::vector<double>> rounds_;
};

double Median(std::vector<double> values);
// The value that a hundredth of them exceed.
double Percentile99(std::vector<double> values);

// One side of a comparison: runs once a round and adds its samples.
struct Contender {
  Series* series;
  std::function<void(Series&)> run;
};

// Runs the contenders in turn, `rounds` times, after one round that warms up and is forgotten.
void Interleave(int rounds, const std::vector<Contender>& contenders);

// Nanoseconds that `work` takes.
template <typename Work>
double TimeNs(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  std::forward<Work>(work)();
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::nano>(end - start).count();
}

// Keeps a value, and what it took to compute it, in the program.
template <typename T>
void Keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

}  // namespace pactdb::bench
