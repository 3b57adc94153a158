#include "harness.h"

#include <algorithm>
#include <span>

#include "check_result.h"

namespace pactdb::bench {
namespace {

double Quantile(std::vector<double> values, double fraction) {
  Check(!values.empty(), "a series has samples");
  const auto rank = static_cast<std::size_t>(fraction * static_cast<double>(values.size()));
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(std::min(rank, values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

// How far the two halves lie apart, as a factor from 1.
double HalvesApart(const std::vector<double>& medians) {
  if (medians.size() < 2) return 1;
  const auto middle = medians.begin() + static_cast<std::ptrdiff_t>(medians.size() / 2);
  const double first = Median({medians.begin(), middle});
  const double second = Median({middle, medians.end()});
  return std::max(first, second) / std::min(first, second);
}

}  // namespace

double Median(std::vector<double> values) {
  return Quantile(std::move(values), 0.5);
}
double Percentile99(std::vector<double> values) {
  return Quantile(std::move(values), 0.99);
}

Figure Series::Summarize() const {
  std::vector<double> medians;
  std::vector<double> all;
  for (const std::vector<double>& round : rounds_) {
    medians.push_back(Median(round));
    all.insert(all.end(), round.begin(), round.end());
  }
  return {Median(medians), Percentile99(std::move(all)), HalvesApart(medians)};
}

void Interleave(int rounds, const std::vector<Contender>& contenders) {
  Check(rounds >= kRoundsMin, "a comparison has enough rounds");
  for (int round = -1; round < rounds; ++round) {
    for (const Contender& contender : contenders) {
      Series forgotten;
      Series& series = round < 0 ? forgotten : *contender.series;
      series.BeginRound();
      contender.run(series);
    }
  }
}

}  // namespace pactdb::bench
