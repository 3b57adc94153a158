// The engine and the naive evaluator on the same selectors and trees.
//
// Thread safety: one thread.
#pragma once

#include <pactdb/exec.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "naive_select/naive_select.h"
#include "naive_select/plain_tree.h"
#include "naive_select/text_maker.h"

namespace pactdb::naive {

// A generated tree as both see it.
class Ground {
 public:
  explicit Ground(std::uint64_t seed);

  const std::vector<std::string>& lines() const { return lines_; }
  const Context& context() const { return *context_; }
  const History& history() const { return *history_; }
  Dialect dialect() const { return context_->options().dialect; }

  // One request of both. The engine goes the way of Context::Select.
  Answer AskEngine(const Request& request) const;
  Answer AskNaive(const Request& request) const;
  // As a line of JSON for `pactdb exec`.
  std::string LineOf(const Request& request) const;

 private:
  std::vector<std::string> lines_;
  Exec exec_;
  const Context* context_;
  std::optional<History> history_;
};

struct Tally {
  std::uint64_t pairs = 0;    // of a selector and a tree
  std::uint64_t parsed = 0;   // of them
  std::uint64_t found = 0;    // gave at least one id
  std::uint64_t refused = 0;  // parsed, and an error by both
};

// Each gives a text that tells of the first mismatch so that it can be replayed, or nothing.

// `count` requests on trees made from the seed.
std::optional<std::string> DuelAtRandom(std::uint64_t count, std::uint64_t seed, Tally& tally);

// Every selector of up to `tokens` tokens of a small alphabet on `trees` trees, each in its
// dialect; one part of `parts` of them. `texts` counts the selectors.
struct Exhaustive {
  std::size_t tokens;
  std::size_t trees;
  std::uint64_t part = 0;
  std::uint64_t parts = 1;
};
std::optional<std::string> DuelExhaustively(const Exhaustive& what, std::uint64_t& texts,
                                            Tally& tally);

// Trees, requests and the naive answers as lines of JSON on standard output, for check_naive.py.
void PrintAnswers(std::uint64_t count, std::uint64_t seed);

}  // namespace pactdb::naive
