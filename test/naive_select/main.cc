// pactdb_select_duel: selectors by the engine and by the naive evaluator, on generated trees.
//
//   pactdb_select_duel exhaustive TOKENS TREES [PART/PARTS]
//   pactdb_select_duel random COUNT SEED
//   pactdb_select_duel print COUNT SEED      trees, requests and naive answers, as lines of JSON
//
// Exit code 1 at the first mismatch, which is printed as a session that can be replayed.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "naive_select/duel.h"

namespace {

using pactdb::naive::Exhaustive;
using pactdb::naive::Tally;

std::optional<std::uint64_t> Number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

int Usage() {
  std::cerr << "usage: pactdb_select_duel exhaustive TOKENS TREES [PART/PARTS]\n"
               "       pactdb_select_duel random COUNT SEED\n"
               "       pactdb_select_duel print COUNT SEED\n";
  return 2;
}

class Report {
 public:
  int End(std::string_view what, const std::optional<std::string>& mismatch, const Tally& tally) {
    if (mismatch) std::cout << *mismatch;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began_;
    std::cout << what << ": " << tally.pairs << " pairs, " << tally.parsed << " parsed, "
              << tally.found << " with results, " << tally.refused << " refused, "
              << (mismatch ? 1 : 0) << " mismatches, " << std::fixed << std::setprecision(1)
              << spent.count() << " s\n";
    if (tally.found == 0) std::cout << what << ": nothing was found by any, so nothing is shown\n";
    return mismatch || tally.found == 0 ? 1 : 0;
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

int RunRandom(std::uint64_t count, std::uint64_t seed) {
  Report report;
  Tally tally;
  const auto mismatch = pactdb::naive::DuelAtRandom(count, seed, tally);
  return report.End("random, seed " + std::to_string(seed), mismatch, tally);
}

int RunExhaustive(const Exhaustive& what) {
  Report report;
  Tally tally;
  std::uint64_t texts = 0;
  const auto mismatch = pactdb::naive::DuelExhaustively(what, texts, tally);
  const std::string name = "exhaustive, part " + std::to_string(what.part) + "/" +
                           std::to_string(what.parts) + ", " + std::to_string(texts) + " texts";
  return report.End(name, mismatch, tally);
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string_view> arguments(values + 1, values + count);
  if (arguments.size() < 3 || arguments.size() > 4) return Usage();
  const auto first = Number(arguments[1]);
  const auto second = Number(arguments[2]);
  if (!first || !second) return Usage();
  if (arguments[0] == "random" && arguments.size() == 3) return RunRandom(*first, *second);
  if (arguments[0] == "print" && arguments.size() == 3) {
    pactdb::naive::PrintAnswers(*first, *second);
    return 0;
  }
  if (arguments[0] != "exhaustive") return Usage();
  Exhaustive what{.tokens = *first, .trees = *second};
  if (arguments.size() == 4) {
    const std::size_t slash = std::min(arguments[3].find('/'), arguments[3].size() - 1);
    const auto part = Number(arguments[3].substr(0, slash));
    const auto parts = Number(arguments[3].substr(slash + 1));
    if (!part || !parts || *part >= *parts) return Usage();
    what.part = *part;
    what.parts = *parts;
  }
  return RunExhaustive(what);
}
