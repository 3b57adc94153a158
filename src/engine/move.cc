// move: within a region the node keeps its id; crossing regions, what a snapshot holds becomes a
// new node.
#include <algorithm>
#include <unordered_map>

#include "base/hash64.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/names.h"

namespace pactdb {
namespace {

Error Sealed(std::string_view id, std::string_view why) {
  return Error(ErrorCode::kSealed, "'" + std::string(id) + "' " + std::string(why)).With("id", id);
}

std::size_t Height(const Node& node) {
  std::size_t height = 0;
  for (PreorderCursor below(node); below.get() != nullptr; below.Next())
    height = std::max(height, below.level());
  return height;
}

bool IsCorePlace(const Node& parent, const Node& node) {
  return (parent.is_turn() || parent.node_class() == NodeClass::kAh) &&
         node.node_class() == NodeClass::kCont && node.offset == 0;
}

}  // namespace

Status ContextImpl::CheckMovable(const Node& node) const {
  const IdText id = lexicon_->id(node.number);
  if (node.is_turn()) return std::unexpected(Sealed(id, "is a turn and stays where it was sealed"));
  if (node.is_fixed() || node.is_core()) {
    return std::unexpected(
        Error(ErrorCode::kPlacementInvalid, "regions and cores cannot be moved").With("id", id));
  }
  if (IsInSealedCore(node)) return std::unexpected(Sealed(id, "lies in a sealed core"));
  return {};
}

std::size_t ContextImpl::CountHeld(const Node& node) const {
  std::size_t held = 0;
  for (PreorderCursor below(node); below.get() != nullptr; below.Next())
    held += IsOpen(*below.get()) ? 0 : 1;
  return held;
}

Result<ContextImpl::Target> ContextImpl::FindMoveTarget(const Node& node,
                                                        const MoveOptions& options) const {
  if (options.at && (options.parent || options.mark)) {
    return std::unexpected(
        Error(ErrorCode::kRequestInvalid, "'at' names the parent: give one or the other"));
  }
  if (options.at) return FindTarget(*options.at);
  Target target{.parent = View().Parent(node), .in_missing_core = false, .mark = options.mark};
  if (options.parent) {
    PACTDB_TRY(target.parent, FindParent(*options.parent));
  }
  return target;
}

Result<std::string> ContextImpl::Move(std::string_view id, const MoveOptions& options) {
  if (!options.parent && !options.offset && !options.mark && !options.at) {
    return std::unexpected(
        Error(ErrorCode::kRequestInvalid, "move needs a parent, an offset or a place"));
  }
  PACTDB_TRY_STATUS(BeginEdit());
  PACTDB_TRY(const Node* node, FindNode(id));
  PACTDB_TRY(const Target target, FindMoveTarget(*node, options));
  PACTDB_TRY_STATUS(CheckAuthorized(*node));
  if (target.parent != nullptr) PACTDB_TRY_STATUS(CheckAuthorized(*target.parent));
  PACTDB_TRY_STATUS(CheckMovable(*node));
  const std::int64_t offset = options.offset.value_or(node->offset);
  PACTDB_TRY(CheckedPlace place,
             CheckPlace(target, node->node_class(), offset, node->Has(Node::kRemovable), node));
  PACTDB_TRY_STATUS(CheckTreeDepth(*target.parent, place.needs_core, Height(*node)));
  const bool crosses = RegionOf(*node) != RegionOf(*target.parent);
  if (target.mark && !crosses && !IsOpen(*node)) {
    return std::unexpected(Error(ErrorCode::kPlacementInvalid,
                                 "a node that a snapshot holds keeps its place in its region")
                               .With("id", id));
  }
  std::vector<NodeNumber> behind;
  if (target.mark && !place.needs_core) {
    PACTDB_TRY(behind, SiblingsBehind(place.parent, offset, *target.mark, node));
  } else if (target.mark && CountsSiblings(*target.mark)) {
    return std::unexpected(
        Error(ErrorCode::kPlacementInvalid, "the core has no siblings to count yet"));
  }
  // Crossing regions, what a snapshot holds is made anew.
  const std::size_t made_anew = crosses ? CountHeld(*node) : 0;
  PACTDB_TRY_STATUS(CheckRoom(made_anew + (place.needs_core ? 1 : 0)));

  if (place.needs_core) place.parent = MakeCore(place.parent);
  node = View().FindId(id);
  std::string new_id(id);
  if (made_anew > 0) {
    new_id = MoveHeld(*node, place.parent, options.offset, target.mark.has_value());
  } else {
    std::optional<Stamp> stamp;
    if (target.mark) stamp = stamper_.Take();
    const Node& holder = *working_.Find(place.parent);
    working_.Relocate(node->number, place.parent, [&](Node& moved) {
      moved.offset = offset;
      moved.Set(Node::kHasOffset, moved.Has(Node::kHasOffset) || options.offset.has_value());
      if (stamp) {
        moved.created_at_ns = stamp->created_at_ns;
        moved.creation_index = stamp->creation_index;
      }
      moved.Set(Node::kCore, IsCorePlace(holder, moved));
    });
  }
  Restamp(behind);
  EndEdit({.kind = Edit::Kind::kMove,
           .id = id,
           .parent = options.parent,
           .at = options.at,
           .mark = options.mark,
           .offset = options.offset});
  return new_id;
}

std::string ContextImpl::MoveHeld(const Node& node, NodeNumber parent,
                                  std::optional<std::int64_t> offset, bool restamps) {
  struct Moving {
    Ref<Node> copy;
    NodeNumber parent;
  };
  std::vector<Moving> subtree;
  for (PreorderCursor below(node); below.get() != nullptr; below.Next()) {
    subtree.push_back({CopyNode(*below.get()), below.get()->parent});
  }
  working_.Erase(node.number);
  std::unordered_map<NodeNumber, NodeNumber> renamed = {{subtree[0].parent, parent}};
  const NodeNumber top = subtree[0].copy->number;
  for (auto& [copy, old_parent] : subtree) {
    const NodeNumber old_number = copy->number;
    if (Container* container = copy->AsContainer()) {
      Release(std::exchange(container->children, nullptr));  // they come one by one
      container->Set(Node::kStale, true);
    }
    if (old_number == top) {
      copy->Set(Node::kHasOffset, copy->Has(Node::kHasOffset) || offset.has_value());
      copy->offset = offset.value_or(copy->offset);
    }
    const bool is_anew = !IsOpen(*copy);
    if (is_anew) {
      MakeAnew(*copy);
    } else if (old_number == top && restamps) {
      const Stamp stamp = stamper_.Take();
      copy->created_at_ns = stamp.created_at_ns;
      copy->creation_index = stamp.creation_index;
    }
    renamed[old_number] = copy->number;
    if (is_anew) {
      InsertNode(renamed.at(old_parent), std::move(copy));
    } else {
      PutNode(renamed.at(old_parent), std::move(copy));
    }
  }
  return std::string(lexicon_->id(renamed.at(top)));
}

void ContextImpl::MakeAnew(Node& node) {
  const Stamp stamp = stamper_.Take();
  node.number = NewId(node.node_class(), stamp.creation_index);
  node.shape = static_cast<std::uint32_t>(ShapeHash(lexicon_->id(node.number)));
  node.flags |= Node::kHasId | Node::kHasCycle | Node::kHasCreatedNs | Node::kHasCreatedIso |
                Node::kHasCreationIndex;
  node.cycle = open_cycle_;
  node.created_at_ns = stamp.created_at_ns;
  node.creation_index = stamp.creation_index;
  if (node.Find("created_at_iso")) {  // it mirrors the new stamp from now on
    NodeFields fields = ReadFields(node);
    std::erase_if(fields.attributes,
                  [](const auto& attribute) { return attribute.name == "created_at_iso"; });
    node.SetBody(BuildBody(fields, node));
  }
}

}  // namespace pactdb
