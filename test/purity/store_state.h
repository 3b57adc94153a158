// Everything a context shows of itself, as text: two are equal if nothing was changed in between.
#pragma once

#include <pactdb/context.h>

#include <string>

#include "support/contexts.h"

namespace pactdb::support {

inline std::string StoreState(const Context& context) {
  std::string state = context.tree_sha256() + "\n" + Must(context.Render()).sha256 + "\n" +
                      Must(context.Log()) + "\n" + Must(context.Serialize()) + "\n" +
                      context.Verify() + "\n";
  // Sizes in bytes may follow what caches hold; counts may not.
  const std::string stats = context.Stats();
  for (const char* count :
       {"cycle", "snapshots", "nodes", "turns", "ttl_nodes", "made_in_cycle", "ids", "attempts"}) {
    state += count + (" " + std::to_string(NumberIn(stats, count))) + "\n";
  }
  for (std::int64_t age = 0; age < NumberIn(stats, "snapshots"); ++age) {
    const std::string at = "@t-" + std::to_string(age);
    state += Must(context.At(at)).tree_sha256() + " " + Must(context.Render({.at = at})).sha256;
    state += "\n" + Must(context.Serialize(at)) + "\n";
  }
  return state;
}

}  // namespace pactdb::support
