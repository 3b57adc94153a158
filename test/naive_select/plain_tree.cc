#include "naive_select/plain_tree.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "text/json_doc.h"

namespace pactdb::naive {
namespace {

// What lies in a region is a cont if its type says so; a type nobody knows is a block.
NodeClass ClassOf(std::string_view type, const PlainNode* parent) {
  if (parent == nullptr) return NodeClass::kRoot;
  if (parent->node_class == NodeClass::kRoot) {
    if (type == "^sys") return NodeClass::kSys;
    return type == "^seq" ? NodeClass::kSeq : NodeClass::kAh;
  }
  if (parent->node_class == NodeClass::kSeq) return NodeClass::kTurn;
  const bool is_cont = ClassOfAlias(type.substr(0, type.find(':'))) == NodeClass::kCont;
  return is_cont ? NodeClass::kCont : NodeClass::kBlock;
}

PlainValue ValueOf(const JsonRef& json) {
  if (json.is_null()) return {};
  if (json.is_string()) return PlainValue::Text(json.string());
  if (json.is_object() || json.is_array()) return {PlainValue::Kind::kOther, {}};
  PlainValue value;
  value.kind =
      json.kind() == Json::Kind::kBool ? PlainValue::Kind::kBool : PlainValue::Kind::kNumber;
  json.AppendCanonical(value.text);
  return value;
}

PlainNode Copy(const JsonRef& json, const PlainNode* parent) {
  PlainNode node;
  std::optional<JsonRef> children;
  for (auto it = json.begin(); it != json.end(); ++it) {
    const auto [key, value] = *it;
    if (key == "depth") continue;
    if (key == "children") {
      children = value;
      continue;
    }
    node.fields[std::string(key)] = ValueOf(value);
    if (key == "tags" && value.is_array()) {
      for (auto tag = value.begin(); tag != value.end(); ++tag)
        node.tags.emplace_back((*tag).value.string());
    }
  }
  node.id = node.Field("id").text;
  node.offset = std::stoll(node.Field("offset").text);
  node.created_at_ns = std::stoll(node.Field("created_at_ns").text);
  node.creation_index = std::stoll(node.Field("creation_index").text);
  node.node_class = ClassOf(node.Field("nodeType").text, parent);
  if (!children) return node;
  for (auto it = children->begin(); it != children->end(); ++it)
    node.children.push_back(Copy((*it).value, &node));
  return node;
}

PlainNode ReadTree(const Context& context, const std::string& at) {
  const std::string text = context.Tree(at).value();
  const JsonDoc doc = JsonDoc::Parse(text, 1000).value();
  return Copy(doc.root(), nullptr);
}

bool LacksCore(const PlainNode& node) {
  if (node.node_class != NodeClass::kTurn && node.node_class != NodeClass::kAh) return false;
  return std::ranges::none_of(node.children, [](const PlainNode& child) {
    return child.node_class == NodeClass::kCont && child.offset == 0;
  });
}

class ViewMaker {
 public:
  explicit ViewMaker(View& view) : view_(view) {}

  // Gives where the node stands in the list.
  int Visit(const PlainNode& node, int parent, std::optional<std::int64_t> depth) {
    const int here = Push(&node, parent, depth);
    const bool lacks_core = LacksCore(node);
    int core = -1;
    const std::size_t count = node.children.size();
    const bool newest_first =
        node.node_class == NodeClass::kSeq && view_.dialect == Dialect::kCanonical;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t index = newest_first ? count - 1 - i : i;
      const PlainNode& child = node.children[index];
      // The implicit core stands before everything at offset 0.
      if (lacks_core && core < 0 && child.offset >= 0) core = Push(nullptr, here, depth);
      const int at = Visit(child, here, DepthOf(node, child, count - index, depth));
      if (core >= 0 && child.node_class == NodeClass::kBlock && child.offset == 0)
        view_.all[static_cast<std::size_t>(at)].core = core;
    }
    if (lacks_core && core < 0) Push(nullptr, here, depth);
    return here;
  }

 private:
  static std::optional<std::int64_t> DepthOf(const PlainNode& parent, const PlainNode& child,
                                             std::size_t from_newest,
                                             std::optional<std::int64_t> inherited) {
    if (parent.node_class == NodeClass::kSeq) return static_cast<std::int64_t>(from_newest);
    if (child.node_class == NodeClass::kAh) return 0;
    if (child.node_class == NodeClass::kSys) return -1;
    return inherited;
  }

  int Push(const PlainNode* node, int parent, std::optional<std::int64_t> depth) {
    Seen seen;
    seen.node = node;
    seen.parent = parent;
    seen.level = parent < 0 ? 0 : view_.all[static_cast<std::size_t>(parent)].level + 1;
    seen.depth = depth;
    view_.all.push_back(seen);
    return static_cast<int>(view_.all.size()) - 1;
  }

  View& view_;
};

}  // namespace

std::optional<NodeClass> ClassOfAlias(std::string_view name) {
  if (name == "seg" || name == "mt" || name == "turn") return NodeClass::kTurn;
  if (name == "cont" || name == "mc") return NodeClass::kCont;
  if (name == "block" || name == "cb") return NodeClass::kBlock;
  return std::nullopt;
}

View MakeView(const PlainNode& root, Dialect dialect, std::optional<std::int64_t> cycle) {
  View view;
  view.dialect = dialect;
  view.cycle = cycle;
  ViewMaker(view).Visit(root, -1, std::nullopt);
  return view;
}

History::History(const Context& context) {
  while (const auto snapshot = context.At("@t-" + std::to_string(cycles_.size())))
    cycles_.push_back(snapshot->cycle());
  std::ranges::reverse(cycles_);
  for (const std::int64_t cycle : cycles_)
    trees_.push_back(ReadTree(context, "@c" + std::to_string(cycle)));
  trees_.push_back(ReadTree(context, "working"));
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    const auto cycle = i < cycles_.size() ? std::optional(cycles_[i]) : std::nullopt;
    for (const auto dialect : {Dialect::kClassic, Dialect::kDepth, Dialect::kCanonical}) {
      PACTDB_CHECK(views_.size() == i * 3 + static_cast<std::size_t>(dialect));
      views_.push_back(MakeView(trees_[i], dialect, cycle));
    }
  }
}

}  // namespace pactdb::naive
