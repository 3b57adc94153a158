// A script of changes to a store, the same on every store: what the fault sweeps run.
//
// Step i is a function of the seed, i and what the store holds, so that a store that holds the
// state after i steps can go on with step i. After a fault the state must be the one after some
// number of whole steps; `Describe` writes a state as text, and the memory store, which nothing
// happens to, says what it has to be.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/ext/store.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/sha256.h"

namespace pactdb::crash {

class Script {
 public:
  Script(std::uint64_t seed, int steps) : seed_(seed), steps_(steps) {}

  int steps() const { return steps_; }

  enum class Kind : std::uint8_t {
    kDurable,  // survives the machine when acknowledged
    kRelaxed,  // survives the process
    kReopen,   // changes nothing; whoever runs the script closes the store and opens it again
  };
  Kind KindOf(int step) const;

  // One step, whole or not at all. `everything_relaxed` is for a control that must lose commits.
  Status Run(Store& store, int step, bool everything_relaxed = false);

  // The state as text: everything that can be read from a store after this script.
  Result<std::string> Describe(Store& store) const;

  // SHA-256 of the description after 0, 1, ... steps.
  std::vector<Digest> Expected();

 private:
  Status Append(Store& store, int step, ContextNumber context, Durability durability);
  Status Fork(Store& store, int step);
  Status Delete(Store& store, int step);
  Status Retire(Store& store, int step);
  Status Batch(Store& store, int step, Durability durability);

  std::uint64_t seed_;
  int steps_;
};

}  // namespace pactdb::crash
