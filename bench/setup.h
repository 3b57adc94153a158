// Contexts that hold a workload, and the step that every benchmark repeats: one more turn.
#pragma once

#include <pactdb/context.h>

#include "workload.h"

namespace pactdb::bench {

// A context that has imported the workload. Ends the program with a message if that fails.
Context Load(const Workload& workload);
Context Load(const Workload& workload, const Document& document);

// Adds the blocks to the head. Ends the program if the context refuses one.
void AddTurn(Context& context, const Turn& turn);
// AddTurn, then Commit.
CommitResult CommitTurn(Context& context, const Turn& turn);

}  // namespace pactdb::bench
