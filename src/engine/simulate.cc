// simulate: the commits to come, made and taken back.
//
// They are real commits of the working state, so what is told is what would happen. Nobody else
// sees them: they are not published, not stored, and rolled back like an import that failed.
#include <algorithm>
#include <string>

#include "base/limits.h"
#include "base/try.h"
#include "engine/commit_json.h"
#include "engine/context_impl.h"
#include "engine/request.h"
#include "engine/token_cost.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

constexpr std::size_t kTurnsAveraged = 10;

// About as many tokens: a letter between spaces is one in every encoding.
std::string TextOfTokens(std::int64_t tokens) {
  std::string text = "a";
  for (std::int64_t i = 1; i < tokens; ++i) text += " a";
  return text;
}

}  // namespace

class ContextImpl::Simulation {
 public:
  Simulation(ContextImpl& context, const SimulateOptions& options)
      : context_(context),
        options_(options),
        configured_(context.options_),
        savepoint_(context.MakeSavepoint()) {
    if (options.policy) context_.options_.policy = options.policy;
    context_.is_replaying_ = true;  // nothing of this is for the journal
  }
  ~Simulation() {
    context_.is_replaying_ = false;
    context_.RollBack(std::move(savepoint_));
    context_.options_ = configured_;
  }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  Result<std::string> Run() {
    PACTDB_TRY_STATUS(FindCost());
    const std::int64_t growth = options_.growth.value_or(RecentGrowth());
    out_.BeginObject();
    out_.Key("growth").Integer(growth);
    out_.Key("cycles").BeginArray();
    for (std::int64_t i = 0; i < options_.cycles && !is_refused_; ++i)
      PACTDB_TRY_STATUS(Step(growth));
    out_.EndArray();
    out_.Key("broken").OptionalInteger(broken_);
    out_.EndObject();
    return out_.Take();
  }

 private:
  // A build may have no vocabulary; then tokens are not told, unless they decide.
  Status FindCost() {
    auto cost = TokenCost::Make(context_.options_.encoding, *context_.lexicon_);
    const auto& policy = context_.options_.policy;
    if (cost) {
      cost_ = *cost;
    } else if (options_.growth || (policy && policy->has_token_limits())) {
      return std::unexpected(std::move(cost).error());
    }
    return {};
  }

  std::int64_t RecentGrowth() {
    context_.working_.Summarize();
    const Chunk* turns = context_.working_.region(NodeClass::kSeq).children;
    const std::size_t size = child_list::Size(turns);
    const std::size_t averaged = std::min(size, kTurnsAveraged);
    if (!cost_ || averaged == 0) return 0;
    std::uint64_t sum = 0;
    for (std::size_t i = size - averaged; i < size; ++i)
      sum += cost_->AtAndBelow(*child_list::At(turns, i)).units;
    return static_cast<std::int64_t>(sum / averaged);
  }

  Status Step(std::int64_t growth) {
    std::optional<std::string> added;
    if (growth > kMessageTokens && context_.working_.region(NodeClass::kAh).children == nullptr) {
      NodeSpec node;
      node.Role("user").Text(TextOfTokens(growth - kMessageTokens));
      PACTDB_TRY(AddResult made, context_.Add(node, {.parent = "^ah", .mark = {}, .at = {}}));
      added = std::move(made.id);
    }
    out_.BeginObject();
    out_.Key("cycle").Integer(context_.open_cycle_);
    if (added) out_.Key("added").String(*added);
    auto prepared = context_.PrepareCommit(context_.stamper_);
    if (prepared) {
      const CommitResult commit = context_.Describe(*prepared);
      if (!commit.over_limit.empty() && !broken_) broken_ = commit.cycle;
      savepoint_.commits.push_back(context_.AppendPrepared(*std::move(prepared)));
      Tell(commit);
    } else {
      broken_ = broken_.value_or(context_.open_cycle_);
      is_refused_ = true;
      out_.Key("error").BeginObject();
      out_.Key("code").String(WireName(prepared.error().code()));
      out_.Key("message").String(prepared.error().message()).EndObject();
    }
    out_.EndObject();
    return {};
  }

  void Tell(const CommitResult& commit) {
    const CommitRecord& record = *context_.history_->last();
    out_.Key("nodes").Integer(static_cast<std::int64_t>(record.nodes));
    out_.Key("tokens");
    if (cost_) {
      out_.Integer(static_cast<std::int64_t>(cost_->AtAndBelow(*record.root).units));
    } else {
      out_.Null();
    }
    WriteCommitLists(commit, out_);
    WriteOverLimit(commit, out_);
  }

  ContextImpl& context_;
  const SimulateOptions& options_;
  const Options configured_;
  Savepoint savepoint_;
  std::optional<TokenCost> cost_;
  std::optional<std::int64_t> broken_;  // the first cycle whose limits do not hold
  bool is_refused_ = false;
  JsonOut out_;
};

Result<std::string> ContextImpl::Simulate(const SimulateOptions& options) {
  if (options.policy) PACTDB_TRY_STATUS(CheckPolicy(*options.policy));
  for (const auto& [name, value] :
       {std::pair{"cycles", options.cycles}, std::pair{"growth", options.growth.value_or(0)}}) {
    if (value < 0) return std::unexpected(InvalidArgument(name, "must be zero or more"));
  }
  if (options.cycles > limits::kSimulatedCyclesMax ||
      options.growth.value_or(0) > limits::kSimulatedGrowthMax) {
    const bool cycles = options.cycles > limits::kSimulatedCyclesMax;
    const std::int64_t max = cycles ? limits::kSimulatedCyclesMax : limits::kSimulatedGrowthMax;
    return std::unexpected(
        Error(ErrorCode::kLimitExceeded,
              std::string(cycles ? "cycles" : "growth") + " must be at most " + std::to_string(max))
            .With("limit", cycles ? "simulated_cycles" : "simulated_growth")
            .With("max", max));
  }
  return Simulation(*this, options).Run();
}

}  // namespace pactdb
