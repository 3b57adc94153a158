// sha256 of threads, one after another.
//
// The thread of a commit is nearly always that of the one before and a turn. A ThreadHasher keeps
// the state of the hash at the end of the turns, and at some places before, and goes on from the
// last one that still holds.
//
// Thread safety: a ThreadHasher belongs to one thread; ThreadDigest may be called from any.
#pragma once

#include <pactdb/snapshot.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/sha256.h"

namespace pactdb {

class ThreadHasher {
 public:
  // Kept with the record once it is known. Cost: the turns that the last record asked for does not
  // have, and at most kMarkBytes more.
  Digest Hash(const CommitRecord& record);

 private:
  // A place to go on from: behind so many turns and bytes.
  struct Mark {
    std::size_t turns = 0;
    std::uint64_t bytes = 0;
    Sha256 hash;
  };
  static constexpr std::uint64_t kMarkBytes = std::uint64_t{1} << 20;

  std::optional<Snapshot> last_;
  std::vector<Mark> marks_;
};

// The digest from the record, or else hashed from the start and kept there.
Digest ThreadDigest(const CommitRecord& record);

}  // namespace pactdb
