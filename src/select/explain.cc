#include "select/explain.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "model/types.h"
#include "select/normalize.h"
#include "select/parser.h"
#include "select/select.h"
#include "text/json_out.h"

namespace pactdb::select {
namespace {

void WriteTokens(const Selector& selector, JsonOut& out) {
  std::vector<Token> tokens;
  const auto again = Parser(selector.text(), selector.dialect(), &tokens).ParseSelector();
  PACTDB_CHECK(again.has_value());  // it was parsed once
  std::ranges::sort(tokens, {}, &Token::pos);
  out.Key("tokens").BeginArray();
  for (const Token& token : tokens) {
    out.BeginObject();
    out.Key("kind").String(Name(token.kind));
    out.Key("text").String(token.text);
    out.Key("pos").Integer(token.pos);
    out.EndObject();
  }
  out.EndArray();
}

void WriteStep(const Step& step, JsonOut& out) {
  out.BeginObject();
  out.Key("relation").String(Name(step.relation));
  out.Key("parts").BeginArray();
  for (const Part& part : step.parts) out.String(Dump(part));
  out.EndArray().EndObject();
}

std::string_view Name(Form form) {
  constexpr std::string_view kNames[] = {"chain", "position", "search", "children"};
  return kNames[static_cast<std::size_t>(form)];
}

void WriteAst(const Ast& ast, JsonOut& out) {
  out.Key("ast").BeginObject();
  out.Key("dialect").String(Name(ast.dialect));
  out.Key("time");
  if (ast.time.kind == Time::Kind::kNone) {
    out.Null();
  } else {
    out.String(ToText(ast.time));
  }
  out.Key("groups").BeginArray();
  for (const Group& group : ast.groups) {
    out.BeginObject();
    out.Key("form").String(Name(group.form));
    out.Key("steps").BeginArray();
    for (const Step& step : group.steps) WriteStep(step, out);
    out.EndArray().EndObject();
  }
  out.EndArray();
  const std::string controls = ToText(ast.controls);
  out.Key("controls").String(controls.empty() ? controls : controls.substr(1));
  out.EndObject();
}

void WritePlan(const Selector::Impl& impl, JsonOut& out) {
  out.Key("plan").BeginArray();
  for (std::size_t i = 0; i < impl.plan.size(); ++i) {
    out.BeginArray();
    for (std::size_t j = 0; j < impl.plan[i].size(); ++j) {
      out.String(Describe(impl.ast.groups[i].steps[j], impl.plan[i][j]));
    }
    out.EndArray();
  }
  out.EndArray();
}

// What the first step of a group, the one that decides, will look at.
std::string_view CostClass(const GroupPlan& plan) {
  switch (plan.front().access) {
    case Access::kById:
    case Access::kFixed:
      return plan.size() == 1 ? "constant" : "reach";
    case Access::kByKey:
    case Access::kByTag:
      return plan.size() == 1 ? "hits" : "reach";
    case Access::kTurns:
      return plan.size() == 1 ? "turns" : "reach";
    case Access::kWindow:
      return "window";
    case Access::kScan:
      return "tree";
  }
  return "tree";
}

std::int64_t NodesBelow(const Container* container) {
  return container == nullptr ? 0 : child_list::Below(*container).nodes;
}

std::int64_t TurnsIn(const TreeView& view, const Step& step) {
  const Container* seq = view.Region(NodeClass::kSeq);
  const auto count =
      seq == nullptr ? 0 : static_cast<std::int64_t>(child_list::Size(seq->children));
  std::int64_t turns = 0;
  for (const Part& part : step.parts) {
    const auto* depth = std::get_if<DepthTest>(&part);
    const auto* stem = std::get_if<StemTest>(&part);
    if (depth == nullptr && stem == nullptr) continue;
    for (const auto& interval : (depth != nullptr ? depth->depths : stem->depths).intervals()) {
      turns += std::max<std::int64_t>(
          0, std::min(interval.last, count) - std::max<std::int64_t>(interval.first, 1) + 1);
    }
  }
  return turns;
}

// Nodes looked at, an upper estimate: a window is taken as turns of average size.
std::int64_t EstimateVisits(const Group& group, const GroupPlan& plan, const TreeView& view) {
  const std::int64_t all = NodesBelow(view.root);
  const Container* seq = view.Region(NodeClass::kSeq);
  const auto turns =
      seq == nullptr ? 0 : static_cast<std::int64_t>(child_list::Size(seq->children));
  std::int64_t visits = 0;
  std::int64_t reach = all;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Access access = plan[i].access;
    if (access <= Access::kFixed) {
      visits += 1;
    } else if (access == Access::kTurns) {
      visits += turns;
    } else if (access == Access::kWindow) {
      const std::int64_t average = turns == 0 ? 0 : NodesBelow(seq) / turns;
      reach = std::min(reach, TurnsIn(view, group.steps[i]) * std::max<std::int64_t>(average, 1));
      visits += reach;
    } else {
      visits += reach;
    }
  }
  return visits;
}

void WriteCost(const Selector::Impl& impl, const TreeView* view, JsonOut& out) {
  std::int64_t visits = 0;
  out.Key("cost").BeginObject();
  out.Key("looks_at").BeginArray();
  for (std::size_t i = 0; i < impl.plan.size(); ++i) {
    out.String(CostClass(impl.plan[i]));
    if (view != nullptr) visits += EstimateVisits(impl.ast.groups[i], impl.plan[i], *view);
  }
  out.EndArray();
  if (view != nullptr) out.Key("visits").Integer(visits);
  out.EndObject();
}

}  // namespace

std::string ExplainJson(const Selector& selector, const TreeView* view) {
  JsonOut out;
  out.BeginObject();
  WriteTokens(selector, out);
  WriteAst(selector.impl().ast, out);
  out.Key("canonical").String(selector.canonical());
  WritePlan(selector.impl(), out);
  WriteCost(selector.impl(), view, out);
  out.EndObject();
  return out.Take();
}

std::string ExplainText(const Selector& selector) {
  const Selector::Impl& impl = selector.impl();
  std::string text = selector.canonical() + "\n" + Dump(impl.ast) + "plan\n";
  for (std::size_t i = 0; i < impl.plan.size(); ++i) {
    for (std::size_t j = 0; j < impl.plan[i].size(); ++j) {
      text += "  " + Describe(impl.ast.groups[i].steps[j], impl.plan[i][j]) + "\n";
    }
  }
  return text;
}

}  // namespace pactdb::select
