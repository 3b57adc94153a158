// The provider thread of a snapshot: what the model sees, as bytes.
//
//   RenderThread(snapshot, sink, &cache);           // the whole of it
//   ThreadStep step = follower.Follow(snapshot, sink);  // only what changed since the last one
//
// The thread is a JSON array of {"id","role","kind","content"}; docs/format/canonical-bytes.md has
// every byte. It is a function of the tree alone: no option, cache or thread changes it.
//
// Thread safety: RenderThread and ThreadSha256 may be called from any thread; a RenderCache may be
// shared by any number of threads; a ThreadFollower belongs to one.
#pragma once

#include <pactdb/snapshot.h>
#include <pactdb/stream.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pactdb {

// Rendered bytes of sealed turns, a run of turns a piece. A piece is named by the hash of what it
// was rendered from, so it is right for every snapshot and every context that holds the same turns,
// and one that changed is simply another piece. What may still grow, the run of the newest turns,
// is not kept.
//
// The budget bounds the bytes of the pieces. A piece gives way only if the last rendering but one
// has not used it either: a thread larger than the budget keeps the part that fits, and does not
// push itself out piece by piece.
class RenderCache {
 public:
  struct Stats {
    std::size_t bytes = 0;
    std::size_t pieces = 0;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
  };

  explicit RenderCache(std::size_t budget_bytes);
  ~RenderCache();
  RenderCache(const RenderCache&) = delete;
  RenderCache& operator=(const RenderCache&) = delete;

  std::size_t budget_bytes() const;
  // Drops what no longer fits. 0 turns the cache off.
  void SetBudget(std::size_t budget_bytes);
  Stats stats() const;

  // For the layers of this library.
  class Impl;
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Writes the thread. Cost: what is not in the cache is copied from the tree, the rest from the
// cache. A sink that stops ends it early.
void RenderThread(const Snapshot& snapshot, ByteSink& sink, RenderCache* cache = nullptr);

// sha256 of the thread, lowercase hexadecimal; worked out when first asked for, without holding
// the thread's bytes, and kept with the snapshot.
std::string ThreadSha256(const Snapshot& snapshot);

// How many bytes the threads of two snapshots begin with alike, of any contexts: what a provider
// that keeps prefixes need not read again. Cost: the bytes that are alike, once; what the snapshots
// share is not compared.
std::uint64_t SharedPrefixBytes(const Snapshot& a, const Snapshot& b);

// What became of a thread from one snapshot to the next: its first `kept` bytes are the same,
// `total` is its size now.
struct ThreadStep {
  std::uint64_t kept = 0;
  std::uint64_t total = 0;
};

// Follows a thread through snapshots. Holds no text: the size of every turn's bytes, and the last
// snapshot, from whose sharing with the next one it sees where they part.
class ThreadFollower {
 public:
  ThreadFollower() = default;

  // Writes what stands behind the kept bytes. Nothing is kept the first time. Cost: O(log turns)
  // to find the first turn that differs, then what is written. A sink that stops leaves the
  // follower where it was, as if it had not been called.
  ThreadStep Follow(const Snapshot& snapshot, ByteSink& sink);

 private:
  std::optional<Snapshot> last_;
  std::vector<std::uint64_t> turn_ends_;  // in the last thread, after each turn
  std::uint64_t sys_end_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace pactdb
