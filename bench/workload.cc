#include "workload.h"

#include <fmt/format.h>

#include <utility>

namespace pactdb::bench {
namespace {

constexpr std::int64_t kStartNs = 1'700'000'000'000'000'000;
constexpr std::int64_t kStepNs = 1'000'000;
constexpr std::int64_t kFarCycles = 1'000'000'000;

constexpr std::array<std::string_view, 3> kRoles = {"user", "assistant", "tool"};
constexpr std::array<std::string_view, 3> kKinds = {"text", "call", "result"};

constexpr std::array<std::string_view, 48> kWords = {
    "the",     "of",       "and",      "a",         "to",      "in",      "is",       "file",
    "context", "function", "error",    "returns",   "value",   "search",  "result",   "turn",
    "tool",    "please",   "change",   "database",  "version", "tree",    "snapshot", "query",
    "because", "should",   "with",     "line",      "number",  "message", "token",    "window",
    "agent",   "history",  "commit",   "selector",  "not",     "found",   "open",     "write",
    "test",    "passes",   "expected", "directory", "for",     "index",   "node",     "order"};
constexpr std::array<std::string_view, 6> kSpecials = {"\n", "\"quoted\"", "C:\\path",
                                                       "\t", "\n\n",       "{\"key\": 1}"};
constexpr std::array<std::string_view, 6> kForeign = {"naïve",   "größer", "東京",
                                                      "déjà vu", "🙂",     "Привет"};

std::uint64_t PlaceKey(std::int64_t cycle, int block) {
  return static_cast<std::uint64_t>(cycle) * 16 + static_cast<std::uint64_t>(block);
}

std::string MakeWords(Random random) {
  const std::size_t size = 148 + random.Below(104);
  const bool has_specials = random.Below(3) == 0;
  const bool has_foreign = random.Below(20) == 0;
  std::string text;
  text.reserve(size + 32);
  for (int word = 0; text.size() < size; ++word) {
    if (word > 0) text += ' ';
    if (has_specials && word % 8 == 3) {
      text += kSpecials[random.Below(kSpecials.size())];
    } else if (has_foreign && word % 6 == 5) {
      text += kForeign[random.Below(kForeign.size())];
    } else {
      text += kWords[random.Below(kWords.size())];
    }
  }
  return text;
}

}  // namespace

std::uint64_t Random::Next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

std::string SizeName(std::int64_t turns) {
  if (turns == kW1Turns) return "W1";
  if (turns == kW2Turns) return "W2";
  if (turns == kW3Turns) return "W3";
  return fmt::format("{} turns", turns);
}

std::string TurnId(std::int64_t cycle) {
  return fmt::format("seg:{}", cycle);
}
std::string CoreId(std::int64_t cycle) {
  return fmt::format("cont:{}.0", cycle);
}
std::string BlockId(std::int64_t cycle, int block) {
  return fmt::format("block:{}.{}", cycle, block);
}

std::vector<std::string> PickBlockIds(std::int64_t turns, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::string> ids;
  ids.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto cycle = 1 + static_cast<std::int64_t>(random.Below(turns));
    ids.push_back(BlockId(cycle, 1 + static_cast<int>(random.Below(kBlocksPerTurn))));
  }
  return ids;
}

Workload::Workload(WorkloadOptions options) : options_(std::move(options)) {
  Random random(options_.seed ^ 0xe0);
  for (std::size_t batch = 0; batch < options_.expiring.size(); ++batch) {
    const std::int64_t expiry = options_.turns + 1 + static_cast<std::int64_t>(batch);
    for (std::size_t placed = 0; placed < options_.expiring[batch];) {
      const auto cycle = 1 + static_cast<std::int64_t>(random.Below(options_.turns));
      const auto block = 1 + static_cast<int>(random.Below(kBlocksPerTurn));
      if (expiry_.emplace(PlaceKey(cycle, block), expiry).second) ++placed;
    }
  }
}

std::optional<std::int64_t> Workload::ExpiryCycle(std::int64_t cycle, int block) const {
  // Every place has its own cycle to end in, so that they do not all share one bucket.
  if (options_.has_far_ttl && block % 4 == 2)
    return cycle + kFarCycles + block * 1000 + cycle % 997;
  if (expiry_.empty()) return std::nullopt;
  const auto found = expiry_.find(PlaceKey(cycle, block));
  return found == expiry_.end() ? std::nullopt : std::optional(found->second);
}

std::string Workload::MakeText(std::uint64_t salt) const {
  Random mixer(options_.seed * 0x9e3779b97f4a7c15 + salt);
  return MakeWords(Random(mixer.Next()));
}

Turn Workload::MakeTurn(std::int64_t cycle) const {
  Turn turn;
  for (int i = 0; i < kBlocksPerTurn; ++i) {
    Block& block = turn[i];
    block.text = MakeText(PlaceKey(cycle, i + 1));
    block.role = kRoles[i % kRoles.size()];
    block.kind = kKinds[i % kKinds.size()];
    if (const auto expiry = ExpiryCycle(cycle, i + 1)) block.ttl = *expiry - cycle;
  }
  if (options_.has_priorities)
    turn[cycle % kBlocksPerTurn].priority = 6 + cycle / kBlocksPerTurn % 4;
  return turn;
}

std::int64_t Workload::CreatedAtNs(std::int64_t cycle, int index) const {
  return kStartNs + ((cycle - 1) * kNodesPerTurn + index) * kStepNs;
}

Options Workload::ContextOptions() const {
  Options options;
  options.clock = SteppedClockOptions{.start_ns = CreatedAtNs(turns() + 1, 0), .step_ns = kStepNs};
  return options;
}

}  // namespace pactdb::bench
