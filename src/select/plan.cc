#include "select/plan.h"

#include <algorithm>
#include <array>

#include "select/normalize.h"

namespace pactdb::select {
namespace {

bool HasDepthTest(const Step& step) {
  return std::ranges::any_of(
      step.parts, [](const Part& part) { return std::holds_alternative<DepthTest>(part); });
}

ClassMask MaskOfType(const TypeTest& type, bool takes_regions) {
  if (!type.node_class) return kAllClasses;
  if (type.node_class == NodeClass::kTurn && takes_regions) return kStemClasses;
  return MaskOf(*type.node_class);
}

StepPlan FindIndex(const Step& step) {
  constexpr std::array<std::pair<Attr, Access>, 3> kIndexes = {
      {{Attr::kId, Access::kById}, {Attr::kKey, Access::kByKey}, {Attr::kTag, Access::kByTag}}};
  const std::size_t prefix = PrefixSize(step);
  for (const auto& [attr, access] : kIndexes) {
    for (std::size_t i = 0; i < prefix; ++i) {
      const auto* filter = std::get_if<Filter>(&step.parts[i]);
      if (filter != nullptr && filter->IsEqualityWithText(attr))
        return {access, static_cast<std::uint32_t>(i)};
    }
  }
  return {};
}

bool HasDepths(const Step& step) {
  const std::size_t prefix = PrefixSize(step);
  for (std::size_t i = 0; i < prefix; ++i) {
    if (std::holds_alternative<DepthTest>(step.parts[i]) ||
        std::holds_alternative<StemTest>(step.parts[i]))
      return true;
  }
  return false;
}

StepPlan PlanStep(const Step& step, Dialect dialect) {
  if (const StepPlan index = FindIndex(step); index.access != Access::kScan) return index;
  const ClassMask mask = ClassesOf(step, dialect);
  if (HasDepths(step)) return {Access::kWindow};
  if ((mask & ~kFixedClasses) == 0) return {Access::kFixed};
  if (mask == MaskOf(NodeClass::kTurn)) return {Access::kTurns};
  return {};
}

}  // namespace

std::size_t PrefixSize(const Step& step) {
  const auto pick = std::ranges::find_if(
      step.parts, [](const Part& part) { return std::holds_alternative<Pick>(part); });
  return static_cast<std::size_t>(pick - step.parts.begin());
}

ClassMask ClassesOf(const Step& step, Dialect dialect) {
  ClassMask mask = kAllClasses;
  // `.seg:depth(0)` is the head. The hop of a position is a turn, whatever follows it.
  const bool takes_regions =
      dialect != Dialect::kClassic && HasDepthTest(step) && step.relation != Relation::kRootChild;
  const std::size_t prefix = PrefixSize(step);
  for (std::size_t i = 0; i < prefix; ++i) {
    const Part& part = step.parts[i];
    if (const auto* root = std::get_if<RootTest>(&part)) {
      mask &= MaskOf(root->region);
    } else if (const auto* type = std::get_if<TypeTest>(&part)) {
      mask &= MaskOfType(*type, takes_regions);
    } else if (std::holds_alternative<StemTest>(part)) {
      mask &= kStemClasses;
    } else if (std::holds_alternative<AnyTest>(part)) {
      mask &= kAllClasses & ~MaskOf(NodeClass::kRoot);
    }
  }
  return mask;
}

bool AnswersToCore(const Step& step) {
  return std::ranges::any_of(step.parts, [](const Part& part) {
    const auto* type = std::get_if<TypeTest>(&part);
    return type != nullptr && type->node_class == NodeClass::kCont;
  });
}

std::vector<GroupPlan> MakePlan(const Ast& ast) {
  std::vector<GroupPlan> plan;
  plan.reserve(ast.groups.size());
  for (const Group& group : ast.groups) {
    GroupPlan& steps = plan.emplace_back();
    steps.reserve(group.steps.size());
    for (const Step& step : group.steps) steps.push_back(PlanStep(step, ast.dialect));
  }
  return plan;
}

std::string_view Name(Access access) {
  constexpr std::array<std::string_view, 7> kNames = {"id",    "key-index", "tag-index", "fixed",
                                                      "turns", "window",    "scan"};
  return kNames[static_cast<std::size_t>(access)];
}

std::string Describe(const Step& step, const StepPlan& plan) {
  std::string text(Name(plan.access));
  if (plan.access <= Access::kByTag) return text + " " + Dump(step.parts[plan.part]);
  if (plan.access != Access::kWindow) return text;
  const std::size_t prefix = PrefixSize(step);
  for (std::size_t i = 0; i < prefix; ++i) {
    const Part& part = step.parts[i];
    const auto* depth = std::get_if<DepthTest>(&part);
    const auto* stem = std::get_if<StemTest>(&part);
    if (depth != nullptr) text += " depth(" + depth->depths.ToText() + ")";
    if (stem != nullptr) text += " depth(" + stem->depths.ToText() + ")";
  }
  return text;
}

}  // namespace pactdb::select
