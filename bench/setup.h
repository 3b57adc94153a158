// Contexts that hold a workload, and the step that every benchmark repeats: one more turn.
#pragma once

#include <pactdb/context.h>

#include <cstdint>
#include <optional>

#include "workload.h"

namespace pactdb::bench {

// A context that has imported the workload. Ends the program with a message if that fails.
Context Load(const Workload& workload);
Context Load(const Workload& workload, const Document& document);

// A workload's context, loaded when first asked for and anew once commits have made it grow by
// half: W1 stays W1 however often it is committed to.
class LoadedContext {
 public:
  explicit LoadedContext(std::int64_t turns) : workload_({.turns = turns}) {}

  const Workload& workload() const { return workload_; }
  // Good until the next call.
  Context& Get();

 private:
  Workload workload_;
  std::optional<Context> context_;
};

// True if a workload of `turns` turns that is at `cycle` now has grown by half.
inline bool HasGrown(std::int64_t cycle, std::int64_t turns) {
  return cycle > turns + turns / 2;
}

// Adds the blocks to the head. Ends the program if the context refuses one.
void AddTurn(Context& context, const Turn& turn);
// AddTurn, then Commit.
CommitResult CommitTurn(Context& context, const Turn& turn);

}  // namespace pactdb::bench
