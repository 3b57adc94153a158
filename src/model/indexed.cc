#include "model/indexed.h"

#include <pactdb/json.h>

#include <algorithm>

#include "model/order.h"

namespace pactdb {
namespace {

void VisitStrings(const Node& node, std::string_view name, IndexKind kind,
                  const std::function<void(IndexKind, const std::string&)>& visit) {
  const auto value = node.Find(name);
  if (!value) return;
  const Json json = Json::FromCanonical(std::string(*value));
  if (const auto text = json.AsString()) return visit(kind, *text);
  const auto items = json.AsArray();
  if (!items) return;
  for (const Json& item : *items) {
    if (const auto text = item.AsString()) visit(kind, *text);
  }
}

// Ancestors from the root down to the node.
std::vector<const Node*> Path(const TreeView& view, const Node& node) {
  std::vector<const Node*> path;
  for (const Node* at = &node; at != nullptr; at = view.Parent(*at)) path.push_back(at);
  std::ranges::reverse(path);
  return path;
}

}  // namespace

void ForEachIndexed(const Node& node,
                    const std::function<void(IndexKind, const std::string&)>& visit) {
  if (!node.Has(Node::kAttributed)) return;
  VisitStrings(node, "key", IndexKind::kKey, visit);
  VisitStrings(node, "tags", IndexKind::kTag, visit);
  VisitStrings(node, "refs", IndexKind::kRef, visit);
  // Only a string links a call and its result.
  if (const auto call = node.Find("data_call_id"); call && call->starts_with('"')) {
    VisitStrings(node, "data_call_id", IndexKind::kCall, visit);
  }
}

bool Carries(const Node& node, IndexKind kind, std::string_view value) {
  bool carries = false;
  ForEachIndexed(node, [&](IndexKind node_kind, const std::string& node_value) {
    carries = carries || (node_kind == kind && node_value == value);
  });
  return carries;
}

bool ComesBefore(const TreeView& view, const Node& a, const Node& b) {
  const auto a_path = Path(view, a);
  const auto b_path = Path(view, b);
  std::size_t i = 0;
  while (i < a_path.size() && i < b_path.size() && a_path[i] == b_path[i]) ++i;
  if (i == a_path.size() || i == b_path.size()) return a_path.size() < b_path.size();
  return CompareSiblings(*a_path[i], *b_path[i], *view.lexicon) < 0;
}

std::vector<const Node*> FindIndexed(const TreeView& view, IndexKind kind, std::string_view value) {
  std::vector<const Node*> nodes;
  view.lexicon->ForEachPosting(kind, value, view.ordinal, [&](NodeNumber number) {
    const Node* node = view.Find(number);
    if (node != nullptr && Carries(*node, kind, value)) nodes.push_back(node);
  });
  std::ranges::sort(
      nodes, [&view](const Node* a, const Node* b) { return a != b && ComesBefore(view, *a, *b); });
  const auto repeats = std::ranges::unique(nodes);
  nodes.erase(repeats.begin(), repeats.end());
  return nodes;
}

}  // namespace pactdb
