// Trees from documents, nested or as a list of nodes in preorder.
//
// Children are collected, sorted and put into their containers from the leaves up; a stack of its
// own keeps what is open. Nothing touches a context. Ids seen on the way are known to the lexicon
// afterwards even if reading fails; no state names them, so nobody can tell.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/node_reader.h"
#include "model/child_list.h"

namespace pactdb {

class TreeReader {
 public:
  struct Settings {
    NodeReader::Settings nodes;
    // The document is an export: turns without stamps have their place in a note, if anywhere.
    bool is_export = false;
  };

  TreeReader(Lexicon& lexicon, const Settings& settings, Complaints& complaints)
      : lexicon_(lexicon),
        settings_(settings),
        complaints_(complaints),
        nodes_reader_(lexicon, settings.nodes, complaints) {}

  // Notes by id, for nested documents. The object must outlive the reading.
  Status SetNotes(const JsonRef& notes);

  // A nested tree.
  Result<Ref<Container>> Read(const JsonRef& root);

  // A tree as a list: every node after its parent, siblings in any order, and nothing between a
  // node and what lies below it. The root comes first, with no parent.
  Status Add(const JsonRef& json, std::optional<std::string_view> parent, const NodeNote& note);
  // REQUIRES: at least the root was added.
  Result<Ref<Container>> Finish(const JsonRef& where);

  std::int64_t nodes() const { return nodes_; }
  // Those that an index may have to know. They belong to the tree.
  const std::vector<const Node*>& with_attributes() const { return with_attributes_; }
  bool is_empty() const { return stack_.empty(); }
  const std::optional<std::string>& newest_turn_iso() const { return newest_turn_iso_; }

 private:
  struct Frame {
    Ref<Node> node;
    std::size_t pos;          // of its object
    std::size_t first_child;  // where its children start in children_
  };
  // What of a nested list is still to be read.
  struct Rest {
    JsonRef::Iterator next;
    JsonRef::Iterator end;
  };

  Status Open(const JsonRef& json, const NodeNote& note);
  Status CloseTop();
  Status Close(Frame& frame);
  std::span<Ref<Node>> ChildrenOf(const Frame& frame) {
    return std::span(children_).subspan(frame.first_child);
  }
  Status CheckTurns(std::span<const Ref<Node>> turns, const Frame& seq) const;
  void ListTurns(std::span<Ref<Node>> turns) const;
  void NoteNewest(const Node& turn);

  Lexicon& lexicon_;
  Settings settings_;
  Complaints& complaints_;
  NodeReader nodes_reader_;
  std::unordered_map<std::string_view, JsonRef> notes_;
  std::vector<Frame> stack_;
  std::vector<Ref<Node>> children_;  // of the open frames, those of the innermost last
  Ref<Node> root_;                   // once it is closed
  bool has_region_[4] = {false, false, false, false};
  std::vector<bool> is_used_;  // by node number; small blocks of a set would lie between the nodes
  std::int64_t nodes_ = 0;
  std::vector<const Node*> with_attributes_;
  std::optional<std::string> newest_turn_iso_;
};

}  // namespace pactdb
