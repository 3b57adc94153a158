#include "engine/tree_reader.h"

#include <algorithm>

#include "base/clock.h"
#include "base/limits.h"
#include "base/try.h"
#include "model/order.h"

namespace pactdb {
namespace {

Error InvalidAt(std::string message, std::size_t pos) {
  return Error(ErrorCode::kImportInvalid, std::move(message))
      .With("pos", static_cast<std::int64_t>(pos));
}

}  // namespace

Status TreeReader::SetNotes(const JsonRef& notes) {
  if (!notes.is_object()) return std::unexpected(InvalidImport("notes must be an object", notes));
  for (auto it = notes.begin(); it != notes.end(); ++it) notes_.emplace((*it).key, (*it).value);
  return {};
}

Result<Ref<Container>> TreeReader::Read(const JsonRef& root) {
  std::vector<Rest> rests;
  const auto open = [&](const JsonRef& json) -> Status {
    NodeNote note;
    if (!notes_.empty() && json.is_object()) {
      const auto id = json.Find("id");
      const auto found = notes_.find(id && id->is_string() ? id->string() : "root");
      if (found != notes_.end()) {
        PACTDB_TRY(note, NodeNote::Read(found->second));
      }
    }
    PACTDB_TRY_STATUS(Open(json, note));
    if (const auto& list = nodes_reader_.children()) {
      rests.push_back({list->begin(), list->end()});
    } else {
      rests.push_back({json.end(), json.end()});
    }
    return {};
  };
  PACTDB_TRY_STATUS(open(root));
  while (!rests.empty()) {
    Rest& rest = rests.back();
    if (rest.next != rest.end) {
      const JsonRef child = (*rest.next).value;
      ++rest.next;
      PACTDB_TRY_STATUS(open(child));
      continue;
    }
    PACTDB_TRY_STATUS(CloseTop());
    rests.pop_back();
  }
  return Ref<Container>::Adopt(root_.Detach()->AsContainer());
}

Status TreeReader::Add(const JsonRef& json, std::optional<std::string_view> parent,
                       const NodeNote& note) {
  if (!parent) {
    if (!stack_.empty() || root_)
      return std::unexpected(InvalidImport("a second node without a parent", json));
    return Open(json, note);
  }
  while (!stack_.empty() && std::string_view(lexicon_.id(stack_.back().node->number)) != *parent)
    PACTDB_TRY_STATUS(CloseTop());
  if (stack_.empty()) {
    return std::unexpected(InvalidImport(
        "the parent '" + std::string(*parent) + "' does not stand before the node", json));
  }
  if (stack_.back().node->is_block())
    return std::unexpected(InvalidImport("a block holds no children", json));
  return Open(json, note);
}

Result<Ref<Container>> TreeReader::Finish(const JsonRef& where) {
  while (!stack_.empty()) PACTDB_TRY_STATUS(CloseTop());
  if (!root_) return std::unexpected(InvalidImport("the snapshot has no root", where));
  return Ref<Container>::Adopt(root_.Detach()->AsContainer());
}

Status TreeReader::Open(const JsonRef& json, const NodeNote& note) {
  const bool is_in_head = stack_.size() > 1 && stack_[1].node->node_class() == NodeClass::kAh;
  if (stack_.size() > (is_in_head ? limits::kHeadDepthMax : limits::kTreeDepthMax))
    return std::unexpected(ImportOverLimit("tree_depth", limits::kTreeDepthMax));
  const Node* holder = stack_.empty() ? nullptr : stack_.back().node.get();
  PACTDB_TRY(Ref<Node> node, nodes_reader_.Read(json, holder, note));
  if (node->is_fixed()) {
    bool& has_region = has_region_[static_cast<std::size_t>(node->node_class())];
    if (has_region) return std::unexpected(InvalidImport("a second region of a kind", json));
    has_region = true;
  } else if (++nodes_ > static_cast<std::int64_t>(limits::kImportNodesMax)) {
    return std::unexpected(ImportOverLimit("import_nodes", limits::kImportNodesMax));
  }
  if (node->number >= is_used_.size())
    is_used_.resize(std::max<std::size_t>(node->number + 1, 2 * is_used_.size()));
  if (is_used_[node->number]) {
    return std::unexpected(
        InvalidImport("the id '" + std::string(lexicon_.id(node->number)) + "' comes twice", json));
  }
  is_used_[node->number] = true;
  if (node->body != nullptr && node->body->attribute_count() > 0)
    with_attributes_.push_back(node.get());
  stack_.push_back({std::move(node), json.pos(), children_.size()});
  return {};
}

Status TreeReader::CloseTop() {
  PACTDB_TRY_STATUS(Close(stack_.back()));
  children_.resize(stack_.back().first_child);  // they are the container's now
  Ref<Node> node = std::move(stack_.back().node);
  stack_.pop_back();
  if (stack_.empty()) {
    root_ = std::move(node);
  } else {
    children_.push_back(std::move(node));
  }
  return {};
}

Status TreeReader::Close(Frame& frame) {
  Container* container = frame.node->AsContainer();
  if (container == nullptr) return {};
  const std::span<Ref<Node>> children = ChildrenOf(frame);
  const bool is_seq = container->node_class() == NodeClass::kSeq;
  const auto complain = [&](std::string_view what) -> Status {
    if (complaints_.strict())
      return std::unexpected(InvalidAt("strict: " + std::string(what), frame.pos));
    complaints_.Warn(what);
    return {};
  };
  if (is_seq && !settings_.is_export) ListTurns(children);
  if (container->node_class() == NodeClass::kRoot && children.size() < 3)
    PACTDB_TRY_STATUS(complain("a region is missing"));
  if (container->is_turn()) {
    const auto cores =
        std::ranges::count_if(children, [](const Ref<Node>& node) { return node->is_core(); });
    if (cores != 1) PACTDB_TRY_STATUS(complain("a turn has no core, or more than one"));
  }
  const auto stands_before = [this](const Ref<Node>& a, const Ref<Node>& b) {
    return CompareSiblings(*a, *b, lexicon_) < 0;
  };
  // Exports list children in order.
  if (!std::ranges::is_sorted(children, stands_before)) std::ranges::sort(children, stands_before);
  if (is_seq) PACTDB_TRY_STATUS(CheckTurns(children, frame));
  if (is_seq && !children.empty()) NoteNewest(*children.back());
  child_list::Assign(*container, children);
  return {};
}

Status TreeReader::CheckTurns(std::span<const Ref<Node>> turns, const Frame& seq) const {
  for (std::size_t i = 1; i < turns.size(); ++i) {
    if (CompareSiblings(*turns[i - 1], *turns[i], lexicon_) < 0) continue;
    return std::unexpected(InvalidAt("two turns have one place in the listing", seq.pos));
  }
  return {};
}

// Turns without creation headers keep the order of the listing, which in the canonical dialect is
// newest first.
void TreeReader::ListTurns(std::span<Ref<Node>> turns) const {
  if (std::ranges::any_of(turns,
                          [](const Ref<Node>& turn) { return turn->Has(Node::kHasCreatedNs); }))
    return;
  const bool newest_first = settings_.nodes.dialect == Dialect::kCanonical;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    turns[i]->Set(Node::kListed, true);
    turns[i]->created_at_ns = static_cast<std::int64_t>(newest_first ? turns.size() - 1 - i : i);
  }
}

void TreeReader::NoteNewest(const Node& turn) {
  if (!turn.Has(Node::kHasCreatedIso)) return;
  const auto iso = turn.Find("created_at_iso");
  newest_turn_iso_ =
      iso ? *Json::FromCanonical(std::string(*iso)).AsString() : FormatIso(turn.created_at_ns);
}

}  // namespace pactdb
