// A tree and the snapshots taken of it, made without the engine.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/history.h"
#include "model/working_tree.h"
#include "support/nodes.h"

namespace pactdb::support {

// Commits a bare tree as snapshot `ordinal` and goes on from it.
inline Ref<const CommitRecord> CommitTree(WorkingTree& tree, std::shared_ptr<Lexicon> lexicon,
                                          std::size_t ordinal) {
  tree.Refresh();
  auto* record = new CommitRecord();
  record->ordinal = static_cast<Ordinal>(ordinal);
  record->cycle = record->ordinal + 1;
  record->lexicon = lexicon;
  record->root = tree.Share();
  record->NoteFixed();
  tree.changes().ForEach([&](NodeNumber number, const Node* node) {
    const Node* before = tree.Base(number);
    if (node == before || (node != nullptr && node->is_fixed() && before != nullptr)) return;
    lexicon->AddVersion(number, record->ordinal, node);
  });
  tree = WorkingTree(std::move(lexicon), *record->root, record->ordinal);
  return Ref<const CommitRecord>::Adopt(record);
}

class TreeSeries {
 public:
  WorkingTree& tree() { return tree_; }
  Lexicon& lexicon() { return *lexicon_; }
  NodeNumber Number(std::string_view id) const { return *lexicon_->FindId(id); }
  const CommitRecord& at(std::size_t n) const { return *records_[n]; }
  std::size_t size() const { return records_.size(); }

  void Put(std::string_view parent, std::string_view id, const NodeTraits& traits = {}) {
    tree_.Insert(Number(parent), NewNode(*lexicon_, id, traits));
  }

  // The snapshot of cycle size() + 1.
  const CommitRecord& Commit() {
    records_.push_back(CommitTree(tree_, lexicon_, records_.size()));
    return *records_.back();
  }

  // As after an import of itself: the same tree, not one node or chunk of it shared.
  void MakeAnew() {
    std::vector<std::vector<Ref<Node>>> children;  // of the containers that are open
    Ref<Node> root = Bare(*Working().root);
    std::vector<Ref<Node>> open = {root};
    std::vector<ChildCursor> cursors = {ChildCursor(*Working().root)};
    children.emplace_back();
    while (!open.empty()) {
      const Node* node = cursors.back().get();
      if (node == nullptr) {
        child_list::Assign(*open.back()->AsContainer(), children.back());
        open.pop_back();
        cursors.pop_back();
        children.pop_back();
        continue;
      }
      cursors.back().Next();
      Ref<Node> copy = Bare(*node);
      children.back().push_back(copy);
      if (node->is_block()) continue;
      cursors.emplace_back(*node->AsContainer());
      open.push_back(std::move(copy));
      children.emplace_back();
    }
    const CommitRecord* last = records_.empty() ? nullptr : records_.back().get();
    tree_ = WorkingTree(lexicon_, Ref<Container>::Adopt(root.Detach()->AsContainer()),
                        last == nullptr ? nullptr : last->root.get(),
                        last == nullptr ? kNever : last->ordinal);
  }

  // The working state, summarized.
  TreeView Working() {
    tree_.Summarize();
    return tree_.View(static_cast<std::int64_t>(records_.size()) + 1);
  }

 private:
  // A copy without children.
  static Ref<Node> Bare(const Node& node) {
    Ref<Node> copy = CopyNode(node);
    if (Container* container = copy->AsContainer(); container != nullptr) {
      if (container->children != nullptr) Release(container->children);
      container->children = nullptr;
      container->Set(Node::kStale, true);
    }
    return copy;
  }

  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
  WorkingTree tree_{lexicon_};
  std::vector<Ref<const CommitRecord>> records_;
};

}  // namespace pactdb::support
