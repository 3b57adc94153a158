#include "model/working_tree.h"

#include <algorithm>
#include <array>
#include <memory_resource>
#include <vector>

#include "base/check.h"

namespace pactdb {
namespace {

struct FixedContainer {
  NodeClass node_class;
  std::string_view id;
  std::string_view type;
  std::int64_t creation_index;
};

constexpr std::array<FixedContainer, 4> kFixed = {{{NodeClass::kRoot, "root", "^root", 0},
                                                   {NodeClass::kSys, "sys", "^sys", 0},
                                                   {NodeClass::kSeq, "seq", "^seq", 1},
                                                   {NodeClass::kAh, "ah", "^ah", 2}}};

std::size_t RegionIndex(NodeClass region) {
  return static_cast<std::size_t>(region) - static_cast<std::size_t>(NodeClass::kSys);
}

Ref<Node> MakeFixed(const FixedContainer& fixed, std::string_view id, Lexicon& lexicon) {
  Ref<Node> node = MakeNode(fixed.node_class);
  node->number = lexicon.InternId(id, 0);
  node->shape = static_cast<std::uint32_t>(ShapeHash(id));
  node->type = lexicon.InternWord(fixed.type);
  node->creation_index = fixed.creation_index;
  node->flags |= Node::kMadeHere;
  return node;
}

Ref<Container> AsContainerRef(Ref<Node> node) {
  return Ref<Container>::Adopt(node.Detach()->AsContainer());
}

}  // namespace

bool IsFixedId(std::string_view id) {
  return std::ranges::find(kFixed, id, &FixedContainer::id) != kFixed.end();
}

WorkingTree::WorkingTree(std::shared_ptr<Lexicon> lexicon) : lexicon_(std::move(lexicon)) {
  root_ = AsContainerRef(MakeFixed(kFixed[0], kFixed[0].id, *lexicon_));
  AddMissingRegions();
}

WorkingTree::WorkingTree(std::shared_ptr<Lexicon> lexicon, const Container& root, Ordinal base)
    : lexicon_(std::move(lexicon)),
      root_(Ref<Container>::Share(
          const_cast<Container*>(&root))),  // copied before any change: it is shared
      base_(base) {
  AddMissingRegions();
}

WorkingTree::WorkingTree(std::shared_ptr<Lexicon> lexicon, Ref<Container> root,
                         const Container* base_root, Ordinal base)
    : lexicon_(std::move(lexicon)), root_(std::move(root)), base_(base) {
  changes_.Reserve(lexicon_->id_count());
  if (base_root != nullptr) {
    for (PreorderCursor old(*base_root); old.get() != nullptr; old.Next())
      changes_.Set(old.get()->number, nullptr);
  }
  for (PreorderCursor node(*root_); node.get() != nullptr; node.Next()) {
    changes_.Set(node.get()->number, const_cast<Node*>(node.get()));
  }
}

void WorkingTree::AddMissingRegions() {
  NoteFixed();
  for (const FixedContainer& fixed : kFixed) {
    if (fixed.node_class == NodeClass::kRoot || regions_[RegionIndex(fixed.node_class)] != kNoNode)
      continue;
    // An imported tree may use the region's default id for something else.
    std::string id(fixed.id);
    for (int i = 1; lexicon_->FindId(id) && Find(*lexicon_->FindId(id)) != nullptr; ++i) {
      id = std::string(fixed.id) + "~" + std::to_string(i);
    }
    Ref<Node> region = MakeFixed(fixed, id, *lexicon_);
    region->parent = root_->number;
    child_list::Insert(*OwnRoot(), std::move(region), *lexicon_);
  }
  NoteFixed();
}

void WorkingTree::NoteFixed() {
  changes_.Set(root_->number, root_.get());
  for (ChildCursor child(*root_); child.get() != nullptr; child.Next()) {
    // The writer owns what it changes; constness is the readers'.
    changes_.Set(child.get()->number, const_cast<Node*>(child.get()));
    regions_[RegionIndex(child.get()->node_class())] = child.get()->number;
  }
}

const Node* WorkingTree::Find(NodeNumber number) const {
  if (const auto* change = changes_.Find(number)) return change->value;
  return Base(number);
}

const Container& WorkingTree::region(NodeClass region) const {
  return *Find(regions_[RegionIndex(region)])->AsContainer();
}

Container* WorkingTree::OwnRoot() {
  if (!IsUnique(root_.get())) {
    root_ = AsContainerRef(CopyNode(*root_));
    changes_.Set(root_->number, root_.get());
  }
  root_->Set(Node::kStale, true);
  root_->stored_at = kNotStored;
  return root_.get();
}

Node* WorkingTree::Own(NodeNumber number) {
  // Ancestors from the node upwards, then own them from the root downwards: a node may be changed
  // in place only if everything above it is private too.
  std::array<const Node*, 16> room;  // most trees are not as deep
  std::pmr::monotonic_buffer_resource memory(static_cast<void*>(room.data()), sizeof room);
  std::pmr::vector<const Node*> path(&memory);
  path.reserve(room.size());
  for (const Node* node = Find(number); node->parent != kNoNode; node = Find(node->parent))
    path.push_back(node);
  Node* owned = OwnRoot();
  for (auto step = path.rbegin(); step != path.rend(); ++step) {
    owned = child_list::Own(*owned->AsContainer(), **step, *lexicon_);
    changes_.Set(owned->number, owned);
  }
  return owned;
}

void WorkingTree::Insert(NodeNumber parent, Ref<Node> node) {
  Container* container = Own(parent)->AsContainer();
  PACTDB_CHECK(container != nullptr);
  node->parent = parent;
  // A subtree may come along (moves, imports); all of it is new here.
  for (PreorderCursor below(*node); below.get() != nullptr; below.Next()) {
    changes_.Set(below.get()->number, const_cast<Node*>(below.get()));
  }
  child_list::Insert(*container, std::move(node), *lexicon_);
}

void WorkingTree::Erase(NodeNumber number) {
  const Node* node = Find(number);
  for (PreorderCursor below(*node); below.get() != nullptr; below.Next())
    changes_.Set(below.get()->number, nullptr);
  Container* container = Own(node->parent)->AsContainer();
  child_list::Erase(*container, *node, *lexicon_);
}

void WorkingTree::Restore(const Container& region) {
  auto* shared = const_cast<Container*>(&region);  // copied before any change: it is shared
  Container* root = OwnRoot();
  child_list::Erase(*root, region, *lexicon_);
  child_list::Insert(*root, Ref<Node>::Share(shared), *lexicon_);
  changes_.Set(region.number, shared);
}

void WorkingTree::Relocate(NodeNumber number, NodeNumber new_parent,
                           const std::function<void(Node&)>& change) {
  const Node* node = Find(number);
  Ref<Node> copy = CopyNode(*node);
  child_list::Erase(*Own(node->parent)->AsContainer(), *copy, *lexicon_);
  if (Container* container = copy->AsContainer()) container->Set(Node::kStale, true);
  change(*copy);
  copy->parent = new_parent;
  changes_.Set(number, copy.get());
  child_list::Insert(*Own(new_parent)->AsContainer(), std::move(copy), *lexicon_);
}

std::size_t WorkingTree::node_count() const {
  return child_list::Below(*root_).nodes - 3;
}

}  // namespace pactdb
