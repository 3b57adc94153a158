// The seeded workload that every benchmark runs on.
//
// One turn is ten nodes: the turn, its core and eight blocks of about 202 bytes of text. One text
// in three needs JSON escapes, one in twenty is not ASCII; a turn is about 3,800 bytes of JSON with
// all nine headers. W1, W2 and W3 are the first 100, 10,000 and 100,000 turns of one endless
// conversation, so a turn appended to a loaded workload is the turn that a longer one would have
// held, to the stamp and the byte.
//
// Thread safety: const calls may run at the same time.
#pragma once

#include <pactdb/options.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pactdb::bench {

inline constexpr int kBlocksPerTurn = 8;
inline constexpr int kNodesPerTurn = kBlocksPerTurn + 2;

// Roles go round: the first, fourth and seventh block are the user's.
inline constexpr int kUserBlocksPerTurn = 3;

inline constexpr std::int64_t kW1Turns = 100;
inline constexpr std::int64_t kW2Turns = 10'000;
inline constexpr std::int64_t kW3Turns = 100'000;

// "W1", "W2", "W3", or the number of turns.
std::string SizeName(std::int64_t turns);

// SplitMix64: small, fast, the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next();
  // In [0, bound). REQUIRES: bound > 0.
  std::uint64_t Below(std::uint64_t bound) { return Next() % bound; }

 private:
  std::uint64_t state_;
};

struct WorkloadOptions {
  std::int64_t turns = kW1Turns;
  std::uint64_t seed = 1;
  // Two nodes of every ten get a ttl that ends far behind any benchmark's horizon.
  bool has_far_ttl = false;
  // One block of every turn, so one node in ten, gets a priority of 6 to 9; the others keep 0.
  bool has_priorities = false;
  // Entry r is how many blocks, scattered over the loaded turns, go at the r-th commit (from 0)
  // after loading.
  std::vector<std::size_t> expiring = {};
};

struct Block {
  std::string text;
  std::string_view role;
  std::string_view kind;
  std::optional<std::int64_t> ttl;  // as given to Add in the turn's own cycle
  std::int64_t priority = 0;
};

using Turn = std::array<Block, kBlocksPerTurn>;

// What loading the document takes and gives.
struct Document {
  std::string json;
  std::int64_t nodes = 0;       // as the import counts them
  std::int64_t text_bytes = 0;  // UTF-8, before escaping
  // Of these, what the reference serialization would not write: spec_version, cycle and every
  // creation_index.
  std::int64_t unserialized_bytes = 0;

  // The size of the reference serialization of the same tree: the JSON that memory is held against.
  std::int64_t serialized_bytes() const {
    return static_cast<std::int64_t>(json.size()) - unserialized_bytes;
  }
};

class Workload {
 public:
  explicit Workload(WorkloadOptions options);

  std::int64_t turns() const { return options_.turns; }
  std::int64_t nodes() const { return options_.turns * kNodesPerTurn; }

  // Turn `cycle` from 1; those past turns() are what an append adds.
  Turn MakeTurn(std::int64_t cycle) const;
  // A text of the workload's kind that belongs to no turn.
  std::string MakeText(std::uint64_t salt) const;

  // The snapshot document of all turns() turns.
  Document MakeDocument() const;

  // Options under which an append goes on where the document ends.
  Options ContextOptions() const;

  // The stamp of node `index` of a turn: 0 the core, 1 to 8 the blocks, 9 the turn itself.
  std::int64_t CreatedAtNs(std::int64_t cycle, int index) const;

 private:
  friend class DocumentWriter;
  std::optional<std::int64_t> ExpiryCycle(std::int64_t cycle, int block) const;

  WorkloadOptions options_;
  std::unordered_map<std::uint64_t, std::int64_t> expiry_;  // block (by place) to expiry cycle
};

std::string TurnId(std::int64_t cycle);
std::string CoreId(std::int64_t cycle);
// `block` from 1 to kBlocksPerTurn.
std::string BlockId(std::int64_t cycle, int block);
// The ids of `count` blocks picked at random among the first `turns` turns.
std::vector<std::string> PickBlockIds(std::int64_t turns, std::size_t count, std::uint64_t seed);

}  // namespace pactdb::bench
