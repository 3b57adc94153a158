// Runs the steps of a selector on one tree.
//
// Left to right: each step takes the matches of the step before, finds candidates the way the plan
// says, keeps those that pass its parts up to the first pick, then applies picks and further parts
// one by one. Sets of matches are kept in result order, so that a walk meets nested ones once.
//
// Thread safety: one evaluator, one thread; any number on the same tree.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/limits.h"
#include "select/attribute.h"
#include "select/match.h"
#include "select/plan.h"
#include "select/scan.h"

namespace pactdb::select {

class Evaluator {
 public:
  // `visits_max`: nodes that may be looked at.
  Evaluator(const Ast& ast, const std::vector<GroupPlan>& plan, const TreeView& view,
            std::uint64_t visits_max = limits::kSelectVisitsMax);

  // The union of all groups: sorted, each match once, implicit cores included. Where key order
  // applies it is the caller's. `stop_at` allows to end after that many matches.
  // Errors: kLimitExceeded.
  Result<MatchSet> Run(std::size_t stop_at = SIZE_MAX);

 private:
  MatchSet RunGroup(const Group& group, const GroupPlan& plan, std::size_t stop_at);
  MatchSet RunStep(const Group& group, std::size_t index, const StepPlan& plan,
                   const MatchSet& before, std::size_t stop_at);
  void FindCandidates(const Group& group, std::size_t index, const StepPlan& plan,
                      const BoundStep& bound, const MatchSet& before, std::size_t stop_at,
                      MatchSet& out);
  void FromStart(const Step& step, const StepPlan& plan, const BoundStep& bound, Scan& scan);
  bool FromIndex(const Step& step, const StepPlan& plan, const BoundStep& bound,
                 const MatchSet* before, MatchSet& out);
  std::vector<const Node*> LookUp(const Filter& filter, Access access);
  void ApplyTail(const Step& step, MatchSet& matches);
  void ApplyPick(const Pick& pick, bool by_key, MatchSet& matches);
  void Sort(MatchSet& matches) const;

  const Ast& ast_;
  const std::vector<GroupPlan>& plan_;
  const TreeView& view_;
  Scope scope_;
  std::uint64_t visits_max_;
  Budget budget_;
};

// True if `match` is `set`'s, or lies inside one of its matches.
class Insides {
 public:
  Insides(const TreeView& view, const MatchSet& set);
  bool Holds(Match match) const;

 private:
  const TreeView& view_;
  std::vector<Match> sorted_;
};

}  // namespace pactdb::select
