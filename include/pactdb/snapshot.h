// Snapshots: immutable states of a context.
//
// A Snapshot is a value. Taking, copying and holding one is O(1) and shares everything with its
// neighbours in time. It stays good after the context moved on or is gone.
//
//   Snapshot snapshot = context.At("@t0").value();
//   if (auto node = snapshot.Find("block:1.1")) use(node->content());
//
// Thread safety: a Snapshot may be read from any number of threads, and no read touches a lock or a
// shared counter. Copying one touches a counter: give each thread its copy once, or a Reader, and
// read through it.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pactdb {

struct CommitRecord;
struct Node;

// A node in a snapshot. Valid while the Snapshot it came from is held; text it returns too.
class NodeView {
 public:
  std::string id() const;
  std::string_view node_type() const;  // as stored; empty if an imported node had none
  std::string_view role() const;       // empty if absent
  std::string_view kind() const;       // empty if absent
  std::int64_t offset() const;
  std::optional<std::int64_t> ttl() const;  // what is left in this snapshot
  std::int64_t priority() const;
  std::int64_t cycle() const;
  std::int64_t created_at_ns() const;
  std::int64_t creation_index() const;
  bool pinned() const;
  bool removable() const;
  // Canonical JSON; absent if the node has no content.
  std::optional<std::string_view> content() const;
  // Canonical JSON of key, tags, refs, mime, encoding, provenance, cad or a custom attribute.
  std::optional<std::string_view> attribute(std::string_view name) const;
  std::string content_hash() const;
  // 0 in ^ah, -1 in ^sys, 1.. for turns from the newest; absent for the root and ^seq.
  std::optional<std::int64_t> depth() const;

  std::optional<NodeView> parent() const;
  std::size_t child_count() const;
  // The n-th child in canonical order, O(log children). REQUIRES: n < child_count().
  NodeView child(std::size_t n) const;

  bool operator==(const NodeView&) const = default;

  // For the layers of this library.
  NodeView(const Node* node, const CommitRecord* record) : node_(node), record_(record) {}

 private:
  const Node* node_;
  const CommitRecord* record_;
};

// Nodes of one snapshot, in an order: what a selector found. A handle costs a pointer; the views
// are made as they are looked at. Valid while the Snapshot it came from is held.
class NodeList {
 public:
  class Iterator {
   public:
    using value_type = NodeView;
    using difference_type = std::ptrdiff_t;
    NodeView operator*() const { return {*at_, record_}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {at_++, record_}; }
    bool operator==(const Iterator&) const = default;

    Iterator() = default;
    Iterator(const Node* const* at, const CommitRecord* record) : at_(at), record_(record) {}

   private:
    const Node* const* at_ = nullptr;
    const CommitRecord* record_ = nullptr;
  };

  std::size_t size() const { return nodes_.size(); }
  bool empty() const { return nodes_.empty(); }
  // REQUIRES: n < size().
  NodeView operator[](std::size_t n) const { return {nodes_[n], record_}; }
  Iterator begin() const { return {nodes_.data(), record_}; }
  Iterator end() const { return {nodes_.data() + nodes_.size(), record_}; }

  // For the layers of this library.
  NodeList(std::vector<const Node*> nodes, const CommitRecord* record)
      : nodes_(std::move(nodes)), record_(record) {}

 private:
  std::vector<const Node*> nodes_;
  const CommitRecord* record_;
};

class Snapshot {
 public:
  Snapshot(const Snapshot& other);
  Snapshot(Snapshot&& other) noexcept;
  Snapshot& operator=(Snapshot other) noexcept;
  ~Snapshot();

  std::int64_t cycle() const;
  // All nodes but the four fixed containers.
  std::size_t node_count() const;
  std::size_t turn_count() const;
  // Lowercase hexadecimal; equal for equal logical trees (docs/format/tree-hash.md).
  std::string tree_sha256() const;

  NodeView root() const;
  // By id, O(1) whatever the age of the snapshot.
  std::optional<NodeView> Find(std::string_view id) const;
  // Nodes that carry the key or the tag, in canonical order; cost follows the number of nodes that
  // ever did.
  std::vector<NodeView> FindByKey(std::string_view key) const;
  std::vector<NodeView> FindByTag(std::string_view tag) const;
  // The turn at depth n from 1 (newest), O(log turns).
  std::optional<NodeView> TurnAtDepth(std::int64_t depth) const;

  // For the layers of this library.
  const CommitRecord& record() const { return *record_; }
  explicit Snapshot(const CommitRecord* record);  // adds a reference

 private:
  const CommitRecord* record_;
};

// The newest snapshot of a context, for a thread that asks again and again. Latest() costs one load
// while nothing was committed.
//
// Thread safety: one Reader a thread.
class Reader {
 public:
  // Null until the first commit.
  const Snapshot* Latest();

 private:
  friend class Context;
  explicit Reader(std::shared_ptr<const class History> history) : history_(std::move(history)) {}
  std::shared_ptr<const class History> history_;
  std::optional<Snapshot> latest_;
};

}  // namespace pactdb
