#include "render/serialize.h"

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "model/order.h"
#include "text/canonical.h"

namespace pactdb {
namespace {

// Children in the literal order. It differs from ours for regions and for listed turns only.
std::vector<const Node*> LiteralChildren(const Container& container, const Lexicon& lexicon) {
  std::vector<const Node*> children;
  for (ChildCursor child(container); child.get() != nullptr; child.Next())
    children.push_back(child.get());
  const NodeClass node_class = container.node_class();
  if (node_class == NodeClass::kRoot || node_class == NodeClass::kSeq) {
    std::ranges::sort(children, [&lexicon](const Node* a, const Node* b) {
      return CompareSiblingsLiteral(*a, *b, lexicon) < 0;
    });
  }
  return children;
}

class Writer {
 public:
  Writer(const TreeView& view, std::string& out) : view_(view), out_(out) {}

  void Write() {
    struct Frame {
      const Node* node;
      std::vector<const Node*> children;
      std::size_t next = 0;
    };
    std::vector<Frame> stack;
    const auto open = [&](const Node& node) {
      out_ += '{';
      first_ = true;
      Frame frame{&node, {}};
      if (const Container* container = node.AsContainer())
        frame.children = LiteralChildren(*container, *view_.lexicon);
      if (!frame.children.empty() || node.Has(Node::kHasChildren)) {
        Key("children");
        out_ += '[';
      }
      stack.push_back(std::move(frame));
    };
    open(*view_.root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next < frame.children.size()) {
        if (frame.next > 0) out_ += ',';
        const Node& child = *frame.children[frame.next++];
        open(child);
        continue;
      }
      if (!frame.children.empty() || frame.node->Has(Node::kHasChildren)) {
        out_ += ']';
        first_ = false;
      } else {
        first_ = true;
      }
      WriteFields(*frame.node);
      out_ += '}';
      stack.pop_back();
    }
  }

 private:
  void Key(std::string_view key) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += '"';
    out_ += key;
    out_ += "\":";
  }
  void Number(std::string_view key, std::int64_t value) {
    Key(key);
    AppendJsonInteger(value, out_);
  }

  // In order of names, after "children".
  void WriteFields(const Node& node) {
    if (const auto content = node.content()) {
      Key("content");
      out_ += *content;
    }
    if (node.Has(Node::kHasCreatedIso)) {
      Key("created_at_iso");
      if (const auto iso = node.Find("created_at_iso")) {
        out_ += *iso;
      } else {
        AppendJsonString(FormatIso(node.created_at_ns), out_);
      }
    }
    if (node.Has(Node::kHasCreatedNs)) Number("created_at_ns", node.created_at_ns);
    if (node.Has(Node::kHasCycle)) Number("cycle", node.cycle);
    if (node.Has(Node::kHasId)) {
      Key("id");
      AppendJsonString(view_.id(node), out_);
    }
    Word("kind", node.kind);
    if (node.Has(Node::kHasType)) Word("nodeType", node.type);
    if (node.Has(Node::kHasOffset)) Number("offset", node.offset);
    if (node.Has(Node::kHasPriority)) Number("priority", node.priority);
    Word("role", node.role);
    if (node.has_ttl()) {
      Number("ttl", ShownTtl(node, view_.now));
    } else if (node.Has(Node::kHasTtl)) {
      Key("ttl");
      out_ += "null";
    }
  }
  void Word(std::string_view key, WordNumber word) {
    if (word == kNoWord) return;
    Key(key);
    out_ += view_.lexicon->word_json(word);
  }

  const TreeView& view_;
  std::string& out_;
  bool first_ = true;
};

}  // namespace

void SerializeSnapshot(const TreeView& view, std::string& out) {
  Writer(view, out).Write();
}

}  // namespace pactdb
