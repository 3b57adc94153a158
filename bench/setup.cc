#include "setup.h"

#include "check_result.h"

namespace pactdb::bench {

Context Load(const Workload& workload) {
  return Load(workload, workload.MakeDocument());
}

Context Load(const Workload& workload, const Document& document) {
  Context context = ValueOf(Context::Make(workload.ContextOptions()), "make a context");
  const ImportResult result = ValueOf(context.ImportSnapshot(document.json), "import the workload");
  Check(result.nodes == document.nodes, "the import counts every node");
  Check(result.cycle == workload.turns(), "the import has the workload's cycle");
  Check(result.warnings.empty(), "the import has nothing to warn about");
  return context;
}

Context& LoadedContext::Get() {
  if (!context_ || HasGrown(context_->open_cycle(), workload_.turns())) {
    context_.reset();  // never two at a time
    context_.emplace(Load(workload_));
  }
  return *context_;
}

void AddTurn(Context& context, const Turn& turn) {
  for (const Block& block : turn) {
    NodeSpec spec;
    spec.Role(block.role).Kind(block.kind).Text(block.text);
    if (block.ttl) spec.Ttl(*block.ttl);
    if (block.priority != 0) spec.Priority(block.priority);
    ValueOf(context.Add(spec), "add a block");
  }
}

CommitResult CommitTurn(Context& context, const Turn& turn) {
  AddTurn(context, turn);
  return ValueOf(context.Commit(), "commit");
}

}  // namespace pactdb::bench
