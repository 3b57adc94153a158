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

void WriteCost(const Selector::Impl& impl, JsonOut& out) {
  out.Key("cost").BeginObject();
  out.Key("looks_at").BeginArray();
  for (const GroupPlan& plan : impl.plan) out.String(CostClass(plan));
  out.EndArray();
  out.EndObject();
}

}  // namespace

std::string ExplainJson(const Selector& selector) {
  JsonOut out;
  out.BeginObject();
  WriteTokens(selector, out);
  WriteAst(selector.impl().ast, out);
  out.Key("canonical").String(selector.canonical());
  WritePlan(selector.impl(), out);
  WriteCost(selector.impl(), out);
  out.EndObject();
  return out.Take();
}

}  // namespace pactdb::select
