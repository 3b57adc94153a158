// The tree that is being edited: the newest snapshot plus what changed since.
//
// It starts by sharing the whole of a snapshot and copies what it touches. Beside the tree stands a
// table of the nodes that differ from the snapshot, so that a lookup by id needs no index of its
// own and a commit publishes exactly what changed. Copying a WorkingTree costs what has changed
// since the commit, never the tree; a commit works on a copy and keeps the original until it has
// succeeded.
//
// Nothing here knows the rules of placement, sealing or time: that is the engine's.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/number_map.h"
#include "model/child_list.h"
#include "model/node.h"
#include "model/tree_view.h"

namespace pactdb {

// True for the ids that the root and the regions have in a tree that was made here.
bool IsFixedId(std::string_view id);

class WorkingTree final : public NodeSource {
 public:
  // An empty tree: the root and the three regions.
  explicit WorkingTree(std::shared_ptr<Lexicon> lexicon);
  // Starts from a snapshot's tree. Regions it lacks are added.
  WorkingTree(std::shared_ptr<Lexicon> lexicon, const Container& root, Ordinal base);
  // A tree from outside in place of snapshot `base`'s (null root: of nothing): everything counts as
  // changed.
  WorkingTree(std::shared_ptr<Lexicon> lexicon, Ref<Container> root, const Container* base_root,
              Ordinal base);
  WorkingTree(const WorkingTree&) = default;
  WorkingTree& operator=(const WorkingTree&) = default;

  TreeView View(std::int64_t now) const { return {lexicon_.get(), root_node(), this, now}; }
  const Node* Find(NodeNumber number) const override;

  const Container& region(NodeClass region) const;

  // --- edits; all keep `Find` true ---

  // A private copy of the node, to be changed in place. Its place among its siblings must not
  // change.
  Node* Own(NodeNumber number);
  // Puts a new node under `parent`. REQUIRES: the id is free, the place is legal.
  void Insert(NodeNumber parent, Ref<Node> node);
  // Takes the node and all below it out for good.
  void Erase(NodeNumber number);
  // Puts a region's earlier version back, as a snapshot has it, so that both share it. REQUIRES: it
  // says the same and holds as little.
  void Restore(const Container& region);
  // Takes the node out and puts it back after `change` altered its place, parent or id-independent
  // headers.
  void Relocate(NodeNumber number, NodeNumber new_parent, const std::function<void(Node&)>& change);

  // --- summaries, hashes ---

  void Summarize() { child_list::Summarize(*root_); }
  // After this the tree may be shared with other threads.
  void Refresh() { child_list::Refresh(*root_, *lexicon_); }
  Ref<Container> Share() const { return root_; }
  // Nodes but for the fixed containers. REQUIRES: summarized.
  std::size_t node_count() const;

  // --- changes since the base snapshot ---

  // Number to node; null if it was taken out. Fixed containers are in it always.
  const NumberMap<Node*>& changes() const { return changes_; }
  Ordinal base() const { return base_; }
  // The version in the base snapshot; null if it had none.
  const Node* Base(NodeNumber number) const {
    return base_ == kNever ? nullptr : lexicon_->VersionAt(number, base_);
  }
  Lexicon& lexicon() const { return *lexicon_; }

 private:
  const Container* root_node() const { return root_.get(); }
  Container* OwnRoot();
  void NoteFixed();
  void AddMissingRegions();

  std::shared_ptr<Lexicon> lexicon_;
  Ref<Container> root_;
  Ordinal base_ = kNever;
  NumberMap<Node*> changes_;
  NodeNumber regions_[3] = {kNoNode, kNoNode, kNoNode};  // sys, seq, ah
};

}  // namespace pactdb
