#include "agreement.h"

#include <utility>

#include "check_result.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

// A context that took the first `turns` turns one by one.
Context Grow(std::int64_t turns, WorkloadOptions options) {
  options.turns = 0;
  const Workload empty(std::move(options));
  Context context = ValueOf(Context::Make(empty.ContextOptions()), "make a context");
  for (std::int64_t cycle = 1; cycle <= turns; ++cycle) CommitTurn(context, empty.MakeTurn(cycle));
  return context;
}

// The options' own number of turns is W1's.
void CheckOne(const WorkloadOptions& options) {
  const Workload workload(options);
  const Document document = workload.MakeDocument();
  Context loaded = Load(workload, document);
  Context grown = Grow(kW1Turns, options);
  const Snapshot loaded_newest = ValueOf(loaded.At("@t0"), "take @t0");
  const Snapshot grown_newest = ValueOf(grown.At("@t0"), "take @t0");
  Check(loaded_newest.tree_sha256() == grown_newest.tree_sha256(),
        "an imported workload is the tree that its turns make");
  const std::string bytes = ValueOf(loaded.Serialize("@t0"), "serialize");
  Check(bytes == ValueOf(grown.Serialize("@t0"), "serialize"), "both serialize alike");
  Check(static_cast<std::int64_t>(bytes.size()) == document.serialized_bytes(),
        "the workload knows the size of its serialization");
  const Turn next = workload.MakeTurn(kW1Turns + 1);
  Check(CommitTurn(loaded, next).tree_sha256 == CommitTurn(grown, next).tree_sha256,
        "an append goes on where the document ends");
}

}  // namespace

void CheckAgreement() {
  CheckOne({});
  CheckOne({.has_far_ttl = true});
  CheckOne({.has_priorities = true});
}

}  // namespace pactdb::bench
