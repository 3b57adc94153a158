// Changes are applied in the order they were written, the newer tree's preorder: when a node comes,
// its parent stands already where it belongs, so a node may move into a new group, out of one that
// goes, or change places with its parent. What was removed is taken out last, when all that lives
// on has left it.
#include "engine/history_reader.h"

#include <algorithm>

#include "base/limits.h"
#include "base/try.h"
#include "engine/departures.h"
#include "model/order.h"

namespace pactdb {
namespace {

// Gives `target` what `source` says, but for its children.
void TakeOver(Node& target, Node& source) {
  const std::uint32_t stale = target.AsContainer() != nullptr ? Node::kStale : 0u;
  target.flags = source.flags | stale;
  target.type = source.type;
  target.role = source.role;
  target.kind = source.kind;
  target.offset = source.offset;
  target.created_at_ns = source.created_at_ns;
  target.creation_index = source.creation_index;
  target.cycle = source.cycle;
  target.priority = source.priority;
  target.expiry = source.expiry;
  std::swap(target.body, source.body);
}

std::size_t LevelsBelow(const Node& node) {
  std::size_t deepest = 0;
  for (PreorderCursor below(node); below.get() != nullptr; below.Next())
    deepest = std::max(deepest, below.level());
  return deepest;
}

// The newest turn is the likely one.
const Node* FindTurn(const Container& root, std::string_view id, const Lexicon& lexicon) {
  const auto number = lexicon.FindId(id);
  for (ChildCursor region(root); number && region.get() != nullptr; region.Next()) {
    if (region.get()->node_class() != NodeClass::kSeq) continue;
    for (ChildCursor turn(*region.get()->AsContainer(), /*backwards=*/true); turn.get() != nullptr;
         turn.Next()) {
      if (turn.get()->number == *number) return turn.get();
    }
  }
  return nullptr;
}

constexpr std::string_view kPartMembers[] = {"cycle",   "whole", "sealed", "taken",      "tags",
                                             "removed", "set",   "more",   "tree_sha256"};

}  // namespace

HistoryReader::HistoryReader(ContextImpl& context, const ExportInfo& info, bool strict)
    : context_(context), info_(info), complaints_(strict), savepoint_(context.MakeSavepoint()) {
  if (info.warning) complaints_.Warn(*info.warning);
}

HistoryReader::~HistoryReader() {
  if (!is_done_) context_.RollBack(std::move(savepoint_));
}

Status HistoryReader::Add(const JsonRef& part) {
  if (!part.is_object())
    return std::unexpected(InvalidImport("a part of a commit is an object", part));
  for (auto it = part.begin(); it != part.end(); ++it) {
    if (std::ranges::find(kPartMembers, (*it).key) != std::end(kPartMembers)) continue;
    return std::unexpected(InvalidImport(
        "version 1 of the export knows no '" + std::string((*it).key) + "'", (*it).value));
  }
  const auto cycle = part.Find("cycle");
  const auto value = cycle ? cycle->AsInt64() : std::nullopt;
  if (!value) return std::unexpected(InvalidImport("a part of a commit names its cycle", part));
  if (!open_) {
    PACTDB_TRY(const std::int64_t checked, context_.ReadCycle(cycle));
    PACTDB_TRY_STATUS(Begin(part, checked));
  } else if (open_->cycle != *value) {
    return std::unexpected(InvalidImport(
        "the commit of cycle " + std::to_string(open_->cycle) + " is not complete", *cycle));
  }
  if (const auto removed = part.Find("removed")) PACTDB_TRY_STATUS(AddRemoved(*removed));
  if (const auto set = part.Find("set")) PACTDB_TRY_STATUS(AddNodes(*set));
  const auto more = part.Find("more");
  if (more && (more->kind() != Json::Kind::kBool || !more->boolean()))
    return std::unexpected(InvalidImport("more is true or not there", *more));
  const auto tree_sha256 = part.Find("tree_sha256");
  if (more) return {};
  if (!tree_sha256 || !tree_sha256->is_string())
    return std::unexpected(InvalidImport("a commit states its tree_sha256", part));
  return Close(part, *tree_sha256);
}

Status HistoryReader::Begin(const JsonRef& part, std::int64_t cycle) {
  Open open;
  open.cycle = cycle;
  if (const auto sealed = part.Find("sealed")) {
    if (!sealed->is_string())
      return std::unexpected(InvalidImport("sealed is the id of a turn", *sealed));
    open.sealed = std::string(sealed->string());
  }
  if (const auto taken = part.Find("taken")) {
    PACTDB_TRY(open.taken, ReadDepartures(*taken, *context_.lexicon_, cycle));
  }
  if (const auto tags = part.Find("tags")) PACTDB_TRY_STATUS(AddTags(*tags));
  const auto whole = part.Find("whole");
  if (whole && (whole->kind() != Json::Kind::kBool || !whole->boolean()))
    return std::unexpected(InvalidImport("whole is true or not there", *whole));
  if (!whole && commits_ == 0)
    return std::unexpected(InvalidImport("the first commit of a history must be whole", part));
  const TreeReader::Settings settings{.nodes = {.dialect = info_.dialect, .now = cycle + 1},
                                      .is_export = true};
  if (whole) {
    open.whole = std::make_unique<TreeReader>(*context_.lexicon_, settings, complaints_);
  } else {
    open.tree = context_.working_;
  }
  open_ = std::move(open);
  return {};
}

Status HistoryReader::AddTags(const JsonRef& names) {
  if (!names.is_array()) return std::unexpected(InvalidImport("tags is a list", names));
  const auto ordinal = static_cast<Ordinal>(context_.history_->size());
  for (auto it = names.begin(); it != names.end(); ++it) {
    const JsonRef name = (*it).value;
    if (!name.is_string() || !CheckTagName(name.string()))
      return std::unexpected(InvalidImport("tags lists names for the snapshot", name));
    const bool is_free = !context_.history_->tags().Find(name.string());
    if (!is_free || !savepoint_.tags.emplace(name.string(), ordinal).second) {
      return std::unexpected(
          InvalidImport("the tag '" + std::string(name.string()) + "' is there already", name));
    }
  }
  return {};
}

Status HistoryReader::AddRemoved(const JsonRef& ids) {
  if (!ids.is_array() || open_->whole)
    return std::unexpected(InvalidImport("removed lists what the commit before had", ids));
  for (auto it = ids.begin(); it != ids.end(); ++it) {
    if (!(*it).value.is_string())
      return std::unexpected(InvalidImport("removed lists ids", (*it).value));
    open_->removed.emplace_back((*it).value.string());
  }
  return {};
}

Status HistoryReader::AddNodes(const JsonRef& nodes) {
  if (!nodes.is_array()) return std::unexpected(InvalidImport("set is a list of nodes", nodes));
  for (auto it = nodes.begin(); it != nodes.end(); ++it) {
    const JsonRef item = (*it).value;
    if (!item.is_object()) return std::unexpected(InvalidImport("set lists objects", item));
    std::optional<std::string_view> parent;
    std::optional<JsonRef> node;
    NodeNote note;
    for (auto member = item.begin(); member != item.end(); ++member) {
      const auto [key, value] = *member;
      if (key == "node") {
        node = value;
      } else if (key == "note") {
        PACTDB_TRY(note, NodeNote::Read(value));
      } else if (key == "parent" && value.is_string()) {
        parent = value.string();
      } else {
        return std::unexpected(
            InvalidImport("an entry of set has a parent, a node and perhaps a note", value));
      }
    }
    if (!node) return std::unexpected(InvalidImport("an entry of set without a node", item));
    PACTDB_TRY_STATUS(open_->whole ? open_->whole->Add(*node, parent, note)
                                   : Change(*node, parent, note));
  }
  return {};
}

Status HistoryReader::Change(const JsonRef& json, std::optional<std::string_view> parent,
                             const NodeNote& note) {
  WorkingTree& tree = *open_->tree;
  const Node* holder = nullptr;
  if (parent) {
    const auto number = context_.lexicon_->FindId(*parent);
    holder = number ? tree.Find(*number) : nullptr;
    if (holder == nullptr || holder->is_block()) {
      return std::unexpected(InvalidImport(
          "the parent '" + std::string(*parent) + "' is not there or holds no children", json));
    }
  }
  NodeReader reader(*context_.lexicon_, {.dialect = info_.dialect, .now = open_->cycle + 1},
                    complaints_);
  PACTDB_TRY(Ref<Node> node, reader.Read(json, holder, note));
  const auto id = [&] { return "'" + std::string(context_.lexicon_->id(node->number)) + "'"; };
  if (!open_->set.insert(node->number).second)
    return std::unexpected(InvalidImport("the id " + id() + " comes twice", json));
  if (open_->set.size() > limits::kImportNodesMax)
    return std::unexpected(ImportOverLimit("import_nodes", limits::kImportNodesMax));
  const Node* old = tree.Find(node->number);
  const bool was_listed = old != nullptr && old->Has(Node::kListed);
  if (node->Has(Node::kListed) && !(was_listed && old->created_at_ns == node->created_at_ns))
    return std::unexpected(InvalidImport("a place in a listing comes with a whole tree", json));
  if (old == nullptr) {
    if (holder == nullptr || node->is_fixed())
      return std::unexpected(InvalidImport("a second region of a kind", json));
    PACTDB_TRY_STATUS(CheckMove(*node, *holder, json));
    context_.NotePostings(*node);
    tree.Insert(holder->number, std::move(node));
    return {};
  }
  if (old->node_class() != node->node_class())
    return std::unexpected(InvalidImport("the node " + id() + " cannot become another type", json));
  context_.NotePostings(*node, old);
  const bool stays =
      old->parent == node->parent && CompareSiblings(*old, *node, *context_.lexicon_) == 0;
  if (stays) {
    TakeOver(*tree.Own(old->number), *node);
    return {};
  }
  if (old->is_fixed())
    return std::unexpected(InvalidImport("the node " + id() + " cannot move", json));
  PACTDB_TRY_STATUS(CheckMove(*old, *holder, json));
  tree.Relocate(old->number, holder->number, [&](Node& moved) { TakeOver(moved, *node); });
  return {};
}

// Bounded depth, and no node inside itself.
Status HistoryReader::CheckMove(const Node& node, const Node& holder, const JsonRef& where) const {
  std::size_t level = 1;
  bool is_in_head = false;
  for (const Node* above = &holder; above != nullptr && above->parent != kNoNode;
       above = open_->tree->Find(above->parent), ++level) {
    if (above->number == node.number)
      return std::unexpected(InvalidImport("a node would lie inside itself", where));
    is_in_head = above->node_class() == NodeClass::kAh;
  }
  if (level + LevelsBelow(node) > (is_in_head ? limits::kHeadDepthMax : limits::kTreeDepthMax))
    return std::unexpected(ImportOverLimit("tree_depth", limits::kTreeDepthMax));
  return {};
}

Status HistoryReader::TakeOutRemoved(const JsonRef& part) {
  WorkingTree& tree = *open_->tree;
  std::unordered_set<NodeNumber> removed;
  const auto refuse = [&part](std::string_view id, std::string_view why) {
    return std::unexpected(InvalidImport(
        "the node '" + std::string(id) + "' cannot be removed: " + std::string(why), part));
  };
  for (const std::string& id : open_->removed) {
    const auto number = context_.lexicon_->FindId(id);
    const Node* node = number ? tree.Find(*number) : nullptr;
    if (node == nullptr) return refuse(id, "it is not there");
    if (node->is_fixed()) return refuse(id, "it is a fixed container");
    if (open_->set.contains(*number)) return refuse(id, "the commit has it");
    if (!removed.insert(*number).second) return refuse(id, "it is named twice");
  }
  for (const NodeNumber number : removed) {
    const Node* node = tree.Find(number);
    for (PreorderCursor below(*node); below.get() != nullptr; below.Next()) {
      if (removed.contains(below.get()->number)) continue;
      return refuse(std::string(context_.lexicon_->id(number)), "what it holds is not removed");
    }
  }
  // In the order given: which goes first changes nothing but must not depend on a table's order.
  for (const std::string& id : open_->removed) {
    const NodeNumber number = *context_.lexicon_->FindId(id);
    if (tree.Find(number) != nullptr) tree.Erase(number);
  }
  return {};
}

Status HistoryReader::Close(const JsonRef& part, const JsonRef& tree_sha256) {
  auto record = std::make_unique<CommitRecord>();
  record->cycle = open_->cycle;
  CommitNotes notes{.imported_iso = std::nullopt, .departures = std::move(open_->taken)};
  Ref<Container> root;
  if (open_->whole) {
    PACTDB_TRY(root, open_->whole->Finish(part));
    child_list::Refresh(*root, *context_.lexicon_);
    if (!open_->sealed) notes.imported_iso = open_->whole->newest_turn_iso();
  } else {
    PACTDB_TRY_STATUS(TakeOutRemoved(part));
    open_->tree->Refresh();
    root = open_->tree->Share();
  }
  if (open_->sealed) {
    const Node* turn = FindTurn(*root, *open_->sealed, *context_.lexicon_);
    if (turn == nullptr)
      return std::unexpected(InvalidImport("sealed names no turn of the commit", part));
    record->sealed = turn->number;
    record->committed_at_ns = turn->created_at_ns;
  } else if (!open_->whole) {
    return std::unexpected(InvalidImport("a commit that seals no turn must be whole", part));
  }
  if (const std::string found = ToHex(root->digest); found != tree_sha256.string()) {
    return std::unexpected(InvalidImport("the tree of cycle " + std::to_string(open_->cycle) +
                                             " is not the one whose hash the document states",
                                         tree_sha256)
                               .With("cycle", open_->cycle)
                               .With("stated", tree_sha256.string())
                               .With("found", found));
  }
  if (notes.imported_iso || !notes.departures.empty())
    record->notes = std::make_unique<const CommitNotes>(std::move(notes));
  savepoint_.commits.push_back(
      open_->whole ? context_.AppendImported(std::move(root), open_->whole->with_attributes(),
                                             std::move(record))
                   : context_.Append(std::move(*open_->tree), std::move(record)));
  open_.reset();
  ++commits_;
  return {};
}

Result<ImportResult> HistoryReader::Finish(std::size_t pos) {
  if (open_ || commits_ != info_.commits) {
    return std::unexpected(
        Error(ErrorCode::kImportInvalid, "the history ends after " + std::to_string(commits_) +
                                             " of " + std::to_string(info_.commits) + " commits")
            .With("commits", commits_)
            .With("pos", static_cast<std::int64_t>(pos)));
  }
  is_done_ = true;  // Publish takes everything back if it fails
  PACTDB_TRY_STATUS(context_.Publish(std::move(savepoint_)));
  ImportResult result{.cycle = context_.open_cycle_, .nodes = 0, .warnings = complaints_.Take()};
  if (const CommitRecord* newest = context_.history_->last(); newest != nullptr && commits_ > 0) {
    result.cycle = newest->cycle;
    result.nodes = newest->nodes;
  }
  return result;
}

}  // namespace pactdb
