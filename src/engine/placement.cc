// Where a node may stand.
#include <algorithm>

#include "base/limits.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/names.h"

namespace pactdb {
namespace {

Error NotHere(std::string message) {
  return Error(ErrorCode::kPlacementInvalid, std::move(message));
}

std::string Quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

}  // namespace

Result<const Node*> ContextImpl::FindNode(std::string_view id) const {
  const Node* node = View().FindId(id);
  if (node != nullptr) return node;
  return std::unexpected(
      Error(ErrorCode::kNodeNotFound, "there is no node " + Quoted(id) + " in the working state")
          .With("id", id));
}

Result<const Node*> ContextImpl::FindParent(std::string_view name) const {
  const auto region = ParseRegionName(name);
  if (region == NodeClass::kRoot) return View().root;
  if (region) return &working_.region(*region);
  return FindNode(name);
}

NodeClass ContextImpl::RegionOf(const Node& node) const {
  const Node* stem = View().Stem(node);
  if (stem == nullptr) return NodeClass::kRoot;
  return stem->is_turn() ? NodeClass::kSeq : stem->node_class();
}

Status ContextImpl::CheckAuthorized(const Node& node) const {
  if (options_.authorize_sys || RegionOf(node) != NodeClass::kSys) return {};
  return std::unexpected(
      Error(ErrorCode::kNotAuthorized, "this context does not authorize changes in ^sys"));
}

const Node* ContextImpl::FindCore(const Container& container) const {
  for (ChildCursor child(container); child.get() != nullptr; child.Next()) {
    if (child.get()->is_core()) return child.get();
    if (child.get()->offset > 0) break;
  }
  return nullptr;
}

bool ContextImpl::IsInSealedCore(const Node& node) const {
  const TreeView view = View();
  for (const Node* at = &node; at != nullptr && !at->is_fixed() && !at->is_turn();
       at = view.Parent(*at)) {
    const Node* parent = view.Parent(*at);
    if (!parent->is_turn()) continue;
    // A block at offset 0 right under a turn belongs to the turn's implicit core.
    return at->is_core() || (at->is_block() && at->offset == 0);
  }
  return false;
}

Result<CheckedPlace> ContextImpl::CheckPlace(const Target& target, NodeClass node_class,
                                             std::int64_t offset, bool removable,
                                             const Node* moving) const {
  const Node& parent = *target.parent;
  const IdText parent_id = lexicon_->id(parent.number);
  if (parent.is_block())
    return std::unexpected(
        NotHere("a block holds no children, and " + Quoted(parent_id) + " is one"));
  if (parent.node_class() == NodeClass::kRoot || parent.node_class() == NodeClass::kSeq) {
    return std::unexpected(
        NotHere("the root holds its regions alone, and ^seq only turns, which commits make"));
  }
  if (moving != nullptr) {
    const TreeView view = View();
    for (const Node* at = &parent; at != nullptr; at = view.Parent(*at)) {
      if (at->number != moving->number) continue;
      return std::unexpected(Error(ErrorCode::kCycleDetected, "a node cannot be moved into itself")
                                 .With("id", lexicon_->id(at->number)));
    }
  }
  if (IsInSealedCore(parent)) {
    return std::unexpected(Error(ErrorCode::kSealed, "the core of a sealed turn cannot be added to")
                               .With("id", parent_id));
  }
  if (target.in_missing_core) {
    if (!parent.is_turn()) return CheckedPlace{parent.number, true};
    return std::unexpected(Error(ErrorCode::kSealed, "the core of a sealed turn cannot be added to")
                               .With("id", parent_id));
  }
  const bool holds_core = parent.is_turn() || parent.node_class() == NodeClass::kAh;
  if (!holds_core || offset != 0) return CheckedPlace{parent.number, false};
  const Node* core = FindCore(*parent.AsContainer());
  if (node_class == NodeClass::kCont) {
    if (core != nullptr && (moving == nullptr || core->number != moving->number)) {
      return std::unexpected(
          Error(ErrorCode::kCoreExists, Quoted(parent_id) + " has its core already")
              .With("core", lexicon_->id(core->number)));
    }
    if (parent.is_turn())
      return std::unexpected(Error(ErrorCode::kSealed, "a sealed turn takes no core"));
    if (removable) return std::unexpected(NotHere("a core cannot be removable"));
    return CheckedPlace{parent.number, false};
  }
  if (parent.is_turn()) {
    return std::unexpected(Error(ErrorCode::kSealed, "the core of a sealed turn cannot be added to")
                               .With("id", parent_id));
  }
  if (core == nullptr) return CheckedPlace{parent.number, true};
  return CheckedPlace{core->number, false};
}

Status ContextImpl::CheckTreeDepth(const Node& parent, bool needs_core, std::size_t height) const {
  std::size_t depth = needs_core ? 2 : 1;
  const TreeView view = View();
  for (const Node* at = &parent; at->parent != kNoNode; at = view.Parent(*at)) ++depth;
  const bool is_in_head = RegionOf(parent) == NodeClass::kAh;
  if (depth + height <= (is_in_head ? limits::kHeadDepthMax : limits::kTreeDepthMax)) return {};
  return std::unexpected(
      Error(ErrorCode::kLimitExceeded,
            "the tree would be deeper than " + std::to_string(limits::kTreeDepthMax) + " levels")
          .With("limit", "tree_depth")
          .With("max", static_cast<std::int64_t>(limits::kTreeDepthMax)));
}

Result<std::vector<NodeNumber>> ContextImpl::SiblingsBehind(NodeNumber parent, std::int64_t offset,
                                                            const InsertionMark& mark,
                                                            const Node* moving) const {
  std::vector<NodeNumber> equals;
  for (ChildCursor child(*working_.Find(parent)->AsContainer()); child.get() != nullptr;
       child.Next()) {
    if (child.get()->offset > offset) break;
    const bool is_self = moving != nullptr && child.get()->number == moving->number;
    if (child.get()->offset == offset && !is_self) equals.push_back(child.get()->number);
  }
  const auto count = static_cast<std::int64_t>(equals.size());
  std::int64_t before = count;
  switch (mark.kind) {
    case InsertionMark::Kind::kStart:
      before = 0;
      break;
    case InsertionMark::Kind::kEnd:
      break;
    case InsertionMark::Kind::kAfter:
    case InsertionMark::Kind::kBefore:
      if (mark.n < 1 || mark.n > count) {
        return std::unexpected(NotHere("there is no sibling " + std::to_string(mark.n) +
                                       " at offset " + std::to_string(offset) + "; there are " +
                                       std::to_string(count))
                                   .With("siblings", count));
      }
      before = mark.kind == InsertionMark::Kind::kAfter ? mark.n : mark.n - 1;
  }
  equals.erase(equals.begin(), equals.begin() + before);
  for (const NodeNumber number : equals) {
    if (IsOpen(*working_.Find(number))) continue;
    return std::unexpected(NotHere("the place lies before " + Quoted(lexicon_->id(number)) +
                                   ", which is older than this cycle")
                               .With("id", lexicon_->id(number)));
  }
  return equals;
}

void ContextImpl::Restamp(const std::vector<NodeNumber>& siblings) {
  for (const NodeNumber number : siblings) {
    const Stamp stamp = stamper_.Take();
    working_.Relocate(number, working_.Find(number)->parent, [&stamp](Node& node) {
      node.created_at_ns = stamp.created_at_ns;
      node.creation_index = stamp.creation_index;
    });
  }
}

}  // namespace pactdb
