#include "model/tree_view.h"

namespace pactdb {

const Container* TreeView::Region(NodeClass region) const {
  for (ChildCursor child(*root); child.get() != nullptr; child.Next()) {
    if (child.get()->node_class() == region) return child.get()->AsContainer();
  }
  return nullptr;
}

const Node* TreeView::Stem(const Node& node) const {
  const Node* at = &node;
  while (at != nullptr && !at->is_turn() && !at->is_fixed()) at = Parent(*at);
  return at != nullptr && at->node_class() != NodeClass::kRoot ? at : nullptr;
}

std::optional<std::int64_t> TreeView::Depth(const Node& node) const {
  const Node* stem = Stem(node);
  if (stem == nullptr) return std::nullopt;
  switch (stem->node_class()) {
    case NodeClass::kSys:
      return -1;
    case NodeClass::kAh:
      return 0;
    case NodeClass::kTurn: {
      const Container* seq = Region(NodeClass::kSeq);
      const std::size_t rank = child_list::Rank(seq->children, *stem, *lexicon);
      return static_cast<std::int64_t>(child_list::Size(seq->children) - rank);
    }
    case NodeClass::kRoot:
    case NodeClass::kSeq:
    case NodeClass::kCont:
    case NodeClass::kBlock:
      break;
  }
  return std::nullopt;
}

PreorderCursor::PreorderCursor(const Node& top) : node_(&top) {}

void PreorderCursor::Next() {
  const Container* container = node_->AsContainer();
  if (container != nullptr && container->children != nullptr) {
    stack_.emplace_back(*container);
    node_ = stack_.back().get();
    return;
  }
  SkipChildren();
}

void PreorderCursor::SkipChildren() {
  node_ = nullptr;
  while (!stack_.empty()) {
    stack_.back().Next();
    node_ = stack_.back().get();
    if (node_ != nullptr) return;
    stack_.pop_back();
  }
}

}  // namespace pactdb
