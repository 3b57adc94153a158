#include <pactdb/snapshot.h>

#include <algorithm>

#include "base/check.h"
#include "model/history.h"
#include "model/indexed.h"

namespace pactdb {

// --- NodeView ---

std::string NodeView::id() const {
  return std::string(record_->lexicon->id(node_->number));
}
std::string_view NodeView::node_type() const {
  return node_->type == kNoWord ? std::string_view() : record_->lexicon->word(node_->type);
}
std::string_view NodeView::role() const {
  return node_->role == kNoWord ? std::string_view() : record_->lexicon->word(node_->role);
}
std::string_view NodeView::kind() const {
  return node_->kind == kNoWord ? std::string_view() : record_->lexicon->word(node_->kind);
}
std::int64_t NodeView::offset() const {
  return node_->offset;
}
std::optional<std::int64_t> NodeView::ttl() const {
  if (!node_->has_ttl()) return std::nullopt;
  return ShownTtl(*node_, record_->cycle + 1);
}
std::int64_t NodeView::priority() const {
  return node_->priority;
}
std::int64_t NodeView::cycle() const {
  return node_->cycle;
}
std::int64_t NodeView::created_at_ns() const {
  return node_->Has(Node::kListed) ? 0 : node_->created_at_ns;
}
std::int64_t NodeView::creation_index() const {
  return node_->creation_index;
}
bool NodeView::pinned() const {
  return node_->Has(Node::kPinned);
}
bool NodeView::removable() const {
  return node_->Has(Node::kRemovable);
}
std::optional<std::string_view> NodeView::content() const {
  return node_->content();
}
std::optional<std::string_view> NodeView::attribute(std::string_view name) const {
  return node_->Find(name);
}
std::string NodeView::content_hash() const {
  return ToHex(node_->content_hash());
}
std::optional<std::int64_t> NodeView::depth() const {
  return record_->View().Depth(*node_);
}

std::optional<NodeView> NodeView::parent() const {
  const Node* parent = record_->View().Parent(*node_);
  if (parent == nullptr) return std::nullopt;
  return NodeView(parent, record_);
}

std::size_t NodeView::child_count() const {
  const Container* container = node_->AsContainer();
  return container == nullptr ? 0 : child_list::Size(container->children);
}

NodeView NodeView::child(std::size_t n) const {
  PACTDB_CHECK(n < child_count());
  return {child_list::At(node_->AsContainer()->children, n), record_};
}

// --- Snapshot ---

Snapshot::Snapshot(const CommitRecord* record) : record_(record) {
  Retain(record_);
}
Snapshot::Snapshot(const Snapshot& other) : record_(other.record_) {
  Retain(record_);
}
Snapshot::Snapshot(Snapshot&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
Snapshot& Snapshot::operator=(Snapshot other) noexcept {
  std::swap(record_, other.record_);
  return *this;
}
Snapshot::~Snapshot() {
  Release(record_);
}

std::int64_t Snapshot::cycle() const {
  return record_->cycle;
}
std::size_t Snapshot::node_count() const {
  return record_->nodes;
}
std::size_t Snapshot::turn_count() const {
  const Node* seq = record_->region(NodeClass::kSeq);
  return seq == nullptr ? 0 : child_list::Size(seq->AsContainer()->children);
}
std::string Snapshot::tree_sha256() const {
  return ToHex(record_->root->digest);
}
NodeView Snapshot::root() const {
  return {record_->root.get(), record_};
}

std::optional<NodeView> Snapshot::Find(std::string_view id) const {
  const auto number = record_->lexicon->FindId(id);
  if (!number) return std::nullopt;
  const Node* node = record_->Find(*number);
  if (node == nullptr) return std::nullopt;
  return NodeView(node, record_);
}

std::optional<NodeView> Snapshot::TurnAtDepth(std::int64_t depth) const {
  const std::size_t count = turn_count();
  if (depth < 1 || static_cast<std::uint64_t>(depth) > count) return std::nullopt;
  const Node* seq = record_->region(NodeClass::kSeq);
  return NodeView(
      child_list::At(seq->AsContainer()->children, count - static_cast<std::size_t>(depth)),
      record_);
}

std::vector<NodeView> Snapshot::FindByKey(std::string_view key) const {
  std::vector<NodeView> views;
  for (const Node* node : FindIndexed(record_->View(), IndexKind::kKey, key)) {
    views.push_back(NodeView(node, record_));
  }
  return views;
}

std::vector<NodeView> Snapshot::FindByTag(std::string_view tag) const {
  std::vector<NodeView> views;
  for (const Node* node : FindIndexed(record_->View(), IndexKind::kTag, tag)) {
    views.push_back(NodeView(node, record_));
  }
  return views;
}

// --- Reader ---

const Snapshot* Reader::Latest() {
  const CommitRecord* newest = history_->newest();
  if (newest == nullptr) return nullptr;
  // The history keeps every record it published, so `newest` cannot go away between the load and
  // the retain.
  if (!latest_ || &latest_->record() != newest) latest_ = Snapshot(newest);
  return &*latest_;
}

}  // namespace pactdb
