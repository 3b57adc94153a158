#include "engine/node_json.h"

#include "base/clock.h"
#include "model/difference.h"

namespace pactdb {
namespace {

void WriteCreatedIso(const Node& node, JsonOut& out) {
  if (!node.Has(Node::kHasCreatedIso)) {
    out.Null();
  } else if (const auto iso = node.Find("created_at_iso")) {
    out.Raw(*iso);
  } else {
    out.String(FormatIso(node.created_at_ns));
  }
}

void WriteHeaders(const TreeView& view, const Node& node, JsonOut& out) {
  out.Key("offset").Integer(node.offset);
  out.Key("ttl");
  if (node.has_ttl()) {
    out.Integer(ShownTtl(node, view.now));
  } else {
    out.Null();
  }
  out.Key("priority").Integer(node.priority);
  out.Key("cycle");
  if (node.Has(Node::kHasCycle)) {
    out.Integer(node.cycle);
  } else {
    out.Null();
  }
  out.Key("created_at_ns").Integer(node.Has(Node::kListed) ? 0 : node.created_at_ns);
  out.Key("created_at_iso");
  WriteCreatedIso(node, out);
  out.Key("creation_index").Integer(node.creation_index);
}

}  // namespace

void WriteNodeFields(const TreeView& view, const Node& node, NodeJson form, JsonOut& out) {
  out.Key("id").String(view.id(node));
  out.Key("nodeType").Raw(view.lexicon->word_json(node.type));
  if (form == NodeJson::kWithParent) {
    out.Key("parent_id");
    if (node.parent == kNoNode) {
      out.Null();
    } else {
      out.String(view.lexicon->id(node.parent));
    }
  }
  out.Key("depth").OptionalInteger(view.Depth(node));
  WriteHeaders(view, node, out);
  if (node.role != kNoWord) out.Key("role").Raw(view.lexicon->word_json(node.role));
  if (node.kind != kNoWord) out.Key("kind").Raw(view.lexicon->word_json(node.kind));
  if (const auto content = node.content()) out.Key("content").Raw(*content);
  if (node.Has(Node::kHasRemovable)) out.Key("removable").Bool(node.Has(Node::kRemovable));
  if (node.Has(Node::kPinned)) out.Key("pinned").Bool(true);
  if (node.body != nullptr) {
    node.body->ForEach([&out](const Attribute& attribute) {
      if (attribute.name != "created_at_iso") out.AnyKey(attribute.name).Raw(attribute.value);
    });
  }
  out.Key("content_hash").String(ToHex(node.content_hash()));
}

void WriteFieldValue(const TreeView& view, const Node& node, std::string_view field, JsonOut& out) {
  const auto word = [&](WordNumber number) {
    number == kNoWord ? out.Null() : out.Raw(view.lexicon->word_json(number));
  };
  const auto header = [&](Node::Flag flag, std::int64_t value) {
    node.Has(flag) ? out.Integer(value) : out.Null();
  };
  if (field == "nodeType") return word(node.type);
  if (field == "role") return word(node.role);
  if (field == "kind") return word(node.kind);
  if (field == "offset") return header(Node::kHasOffset, node.offset);
  if (field == "priority") return header(Node::kHasPriority, node.priority);
  if (field == "cycle") return header(Node::kHasCycle, node.cycle);
  if (field == "creation_index") return header(Node::kHasCreationIndex, node.creation_index);
  if (field == "created_at_ns")
    return header(Node::kHasCreatedNs, node.Has(Node::kListed) ? 0 : node.created_at_ns);
  if (field == "created_at_iso") return WriteCreatedIso(node, out);
  if (field == "ttl") {
    node.has_ttl() ? out.Integer(ShownTtl(node, view.now)) : out.Null();
  } else if (field == "parent") {
    node.parent == kNoNode ? out.Null() : out.String(view.lexicon->id(node.parent));
  } else if (field == "content_hash") {
    out.String(ToHex(node.content_hash()));
  } else if (field == "pinned") {
    node.Has(Node::kPinned) ? out.Bool(true) : out.Null();
  } else if (field == "removable") {
    node.Has(Node::kHasRemovable) ? out.Bool(node.Has(Node::kRemovable)) : out.Null();
  } else {
    const auto value = field == "content" ? node.content() : node.Find(AttributeOfField(field));
    out.Raw(value.value_or("null"));
  }
}

void WriteTree(const TreeView& view, std::optional<std::int64_t> depth, JsonOut& out) {
  const std::size_t levels_max = depth ? static_cast<std::size_t>(*depth) : SIZE_MAX;
  std::vector<ChildCursor> stack;  // one cursor a level that is being listed
  const auto open = [&](const Node& node) {
    out.BeginObject();
    WriteNodeFields(view, node, NodeJson::kWithoutParent, out);
    const Container* container = node.AsContainer();
    if (container == nullptr || stack.size() >= levels_max) {
      out.EndObject();
      return;
    }
    out.Key("children").BeginArray();
    stack.emplace_back(*container);
  };
  open(*view.root);
  while (!stack.empty()) {
    const Node* node = stack.back().get();
    if (node == nullptr) {
      stack.pop_back();
      out.EndArray().EndObject();
      continue;
    }
    stack.back().Next();  // before open(), which may move the stack
    open(*node);
  }
}

}  // namespace pactdb
