#include "select/ast.h"

#include <algorithm>
#include <array>

#include "model/types.h"
#include "select/normalize.h"

namespace pactdb::select {
namespace {

// In the order of the enum.
constexpr std::array<std::string_view, 28> kAttrNames = {
    "id",           "nodeType",  "role",          "kind",
    "key",          "mime",      "encoding",      "created_at_iso",
    "content_hash", "parent_id", "offset",        "ttl",
    "priority",     "cycle",     "created_at_ns", "creation_index",
    "cad",          "born_turn", "age",           "depth",
    "sdepth",       "tag",       "removable",     "pinned",
    "content",      "",          "ephemeral",     "sticky"};

bool UsesFacet(const Part& part) {
  const auto is_facet = [](const Filter& filter) { return IsFacet(filter.attr); };
  if (const auto* filter = std::get_if<Filter>(&part)) return is_facet(*filter);
  const auto* test = std::get_if<ScopeTest>(&part);
  return test != nullptr && std::ranges::any_of(test->scopes, [&](const ScopeTest::Scope& scope) {
           return std::ranges::any_of(scope.filters, is_facet);
         });
}

}  // namespace

Attr FindAttr(std::string_view name) {
  if (name == "type") return Attr::kNodeType;
  const auto end = kAttrNames.begin() + static_cast<std::ptrdiff_t>(Attr::kCustom);
  const auto found = std::find(kAttrNames.begin(), end, name);
  return static_cast<Attr>(found - kAttrNames.begin());
}

std::string_view Name(Attr attr) {
  return kAttrNames[static_cast<std::size_t>(attr)];
}

std::string_view Text(Op op) {
  constexpr std::array<std::string_view, 8> kTexts = {"", "=", "!=", "<", "<=", ">", ">=", "~"};
  return kTexts[static_cast<std::size_t>(op)];
}

std::string_view Name(Order order) {
  constexpr std::array<std::string_view, 7> kNames = {"",     "pre",          "post",         "bfs",
                                                      "path", "turn:asc,pre", "turn:desc,pre"};
  return kNames[static_cast<std::size_t>(order)];
}

std::string_view Name(RangeMode mode) {
  constexpr std::array<std::string_view, 4> kNames = {"", "union", "latest", "reduce"};
  return kNames[static_cast<std::size_t>(mode)];
}

std::string_view Name(Relation relation) {
  constexpr std::array<std::string_view, 6> kNames = {"anywhere",     "below-root", "root-child",
                                                      "region-child", "descendant", "child"};
  return kNames[static_cast<std::size_t>(relation)];
}

const Filter* Step::KeyFilter() const {
  const Filter* key = nullptr;
  for (const Part& part : parts) {
    const auto* filter = std::get_if<Filter>(&part);
    if (filter == nullptr || !filter->IsEqualityWithText(Attr::kKey)) continue;
    if (key != nullptr) return nullptr;
    key = filter;
  }
  return key;
}

bool Ast::UsesFacets() const {
  for (const Group& group : groups) {
    for (const Step& step : group.steps) {
      for (const Part& part : step.parts) {
        if (UsesFacet(part)) return true;
      }
    }
  }
  return false;
}

namespace {

struct PartDumper {
  std::string operator()(const RootTest& test) const {
    constexpr std::array<std::string_view, 4> kNames = {"root", "sys", "seq", "ah"};
    return "region=" + std::string(kNames[static_cast<std::size_t>(test.region)]);
  }
  std::string operator()(const TypeTest& test) const {
    std::string text = "type=";
    if (test.node_class) {
      text += TypeName(*test.node_class, Dialect::kCanonical);
    } else {
      text += Quote(test.name);
    }
    if (!test.kind.empty()) text += " kind=" + Quote(test.kind);
    return text;
  }
  std::string operator()(const AnyTest&) const { return "any"; }
  std::string operator()(const StemTest& test) const {
    return "stem=depth(" + test.depths.ToText() + ")";
  }
  std::string operator()(const ScopeTest& test) const {
    std::string text = "scopes=";
    for (const ScopeTest::Scope& scope : test.scopes) {
      text += (text.back() == '=' ? "depth(" : ",depth(") + scope.depths.ToText() + ")";
      for (const Filter& filter : scope.filters) text += "[" + ToText(filter) + "]";
    }
    return text;
  }
  std::string operator()(const DepthTest& test) const {
    return "in=depth(" + test.depths.ToText() + ")";
  }
  std::string operator()(const SlotTest& test) const {
    constexpr std::array<std::string_view, 3> kNames = {"pre", "core", "post"};
    return "slot=" + std::string(kNames[static_cast<std::size_t>(test.slot)]);
  }
  std::string operator()(const Filter& filter) const { return ToText(filter); }
  std::string operator()(const Pick& pick) const {
    if (pick.kind == Pick::Kind::kNth) return "pick=nth(" + std::to_string(pick.n) + ")";
    return pick.kind == Pick::Kind::kFirst ? "pick=first" : "pick=last";
  }
};

}  // namespace

std::string Dump(const Part& part) {
  return std::visit(PartDumper(), part);
}

std::string Dump(const Ast& ast) {
  std::string text;
  if (ast.time.kind != Time::Kind::kNone) text += "time " + ToText(ast.time) + "\n";
  for (std::size_t i = 0; i < ast.groups.size(); ++i) {
    if (i > 0) text += "or\n";
    for (const Step& step : ast.groups[i].steps) {
      text += Name(step.relation);
      for (const Part& part : step.parts) text += " " + Dump(part);
      text += "\n";
    }
  }
  if (const std::string controls = ToText(ast.controls); !controls.empty()) {
    text += "controls" + controls + "\n";
  }
  return text;
}

}  // namespace pactdb::select
