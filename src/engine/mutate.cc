// add, update, replace, remove, pin, hold.
#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/hash64.h"
#include "base/limits.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/names.h"
#include "model/indexed.h"
#include "text/canonical.h"

namespace pactdb {
namespace {

std::string MakeUuid(Host& host) {
  std::array<std::uint32_t, 4> words{};
  for (std::uint32_t& word : words) word = host.RandomBits();
  words[1] = (words[1] & 0xFFFF0FFFu) | 0x4000u;      // version 4
  words[2] = (words[2] & 0x3FFFFFFFu) | 0x80000000u;  // variant 1
  std::string text;
  constexpr char kDigits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) text += '-';
    text += kDigits[words[i / 8] >> (28 - 4 * (i % 8)) & 15];
  }
  return text;
}

Error SealedError(std::string_view id, std::string_view why) {
  return Error(ErrorCode::kSealed, "'" + std::string(id) + "' " + std::string(why)).With("id", id);
}

std::uint64_t ExpiryOf(std::int64_t cycle, std::int64_t ttl) {
  return static_cast<std::uint64_t>(cycle) + static_cast<std::uint64_t>(ttl);
}

}  // namespace

bool ContextImpl::IsOpen(const Node& node) const {
  return !node.is_fixed() && !lexicon_->IsInHistory(node.number);
}

Result<NodeFields> ContextImpl::ParseSpec(const NodeSpec& spec, AttributeNames names) const {
  if (spec.fault()) return std::unexpected(*spec.fault());
  return ParseNodeFields(spec.fields(), names);
}

Ref<Body> ContextImpl::BuildBody(const NodeFields& fields, const Node& node) const {
  const bool says_nothing = !fields.content && fields.attributes.empty();
  if (says_nothing && node.role == kNoWord && node.kind == kNoWord) return {};
  return Body::Make(fields.content, fields.attributes, lexicon_->word_json(node.role),
                    lexicon_->word_json(node.kind));
}

Ref<Node> ContextImpl::BuildNode(const NodeFields& fields, const GivenType& type, NodeNumber number,
                                 const Stamp& stamp) const {
  Ref<Node> node = MakeNode(type.node_class);
  node->number = number;
  node->shape = static_cast<std::uint32_t>(ShapeHash(lexicon_->id(number)));
  node->flags |= node->is_block() ? Node::kMadeHere & ~Node::kHasChildren : Node::kMadeHere;
  node->type = lexicon_->InternWord(type.stored);
  if (fields.role) node->role = lexicon_->InternWord(*fields.role);
  if (fields.kind) node->kind = lexicon_->InternWord(*fields.kind);
  node->offset = fields.offset.value_or(0);
  node->priority = fields.priority.value_or(0);
  node->cycle = open_cycle_;
  node->created_at_ns = stamp.created_at_ns;
  node->creation_index = stamp.creation_index;
  if (fields.ttl) node->expiry = ExpiryOf(open_cycle_, *fields.ttl);
  node->Set(Node::kHasRemovable, fields.removable.has_value());
  node->Set(Node::kRemovable, fields.removable.value_or(false));
  node->Set(Node::kPinned, fields.pinned);
  node->SetBody(BuildBody(fields, *node));
  return node;
}

bool ContextImpl::IsTaken(NodeNumber number) const {
  return lexicon_->IsInHistory(number) || working_.Find(number) != nullptr;
}

Result<bool> ContextImpl::IsTaken(std::string_view id) const {
  const auto known = lexicon_->FindId(id);
  if (known && IsTaken(*known)) return true;
  if (keeper_) {
    PACTDB_TRY(const bool was_given, keeper_->WasGiven(id));
    const bool may_be_made = MadeId::Parse(id) || IsFixedId(id);
    if (was_given || !may_be_made) return was_given;
  }
  // The store has no list of the ids that the engine made: the snapshots are the list.
  PACTDB_TRY_STATUS(history_->Need(0));
  const auto number = lexicon_->FindId(id);
  return number && IsTaken(*number);
}

NodeNumber ContextImpl::NewId(NodeClass node_class, std::int64_t index) const {
  if (options_.ids == IdScheme::kUuid) return lexicon_->InternId(MakeUuid(*host_), open_cycle_);
  // The turn's id takes its number before all others of the cycle, and not when somebody first
  // looks at what a commit would give: theirs then follow one another without a gap (IdTable).
  if (index >= 0 && made_in_cycle_ == 0) NewId(NodeClass::kTurn, -1);
  const MadeId made{.cycle = static_cast<std::uint64_t>(open_cycle_),
                    .index = static_cast<std::uint32_t>(std::max<std::int64_t>(index, 0)),
                    .has_index = index >= 0,
                    .type = MadeId::TypeOf(TypeName(node_class, options_.dialect))};
  const bool fits = made.cycle <= MadeId::kCycleMax && index <= MadeId::kIndexMax;
  if (fits) {
    const NodeNumber number = lexicon_->InternId(made);
    if (!IsTaken(number)) return number;
  }
  // Taken, by a document that was imported; or too large to be kept as numbers.
  std::string id(TypeName(node_class, options_.dialect));
  id += ':';
  id += std::to_string(open_cycle_);
  if (index >= 0) {
    id += '.';
    id += std::to_string(index);
  }
  const std::size_t size = id.size();
  for (int i = 1;; ++i) {
    const NodeNumber number = lexicon_->InternId(id, open_cycle_);
    if (!IsTaken(number)) return number;
    id.resize(size);
    id += "~" + std::to_string(i);
  }
}

void ContextImpl::NotePostings(const Node& node, const Node* before) {
  ForEachIndexed(node, [&](IndexKind kind, const std::string& value) {
    if (before != nullptr && Carries(*before, kind, value)) return;
    lexicon_->AddPosting(kind, value, node.number);
  });
}

void ContextImpl::InsertNode(NodeNumber parent, Ref<Node> node) {
  ++made_in_cycle_;
  PutNode(parent, std::move(node));
}

void ContextImpl::PutNode(NodeNumber parent, Ref<Node> node) {
  const Node& holder = *working_.Find(parent);
  const bool holds_core = holder.is_turn() || holder.node_class() == NodeClass::kAh;
  node->Set(Node::kCore, holds_core && node->node_class() == NodeClass::kCont && node->offset == 0);
  NotePostings(*node);
  working_.Insert(parent, std::move(node));
}

Status ContextImpl::CheckRoom(std::size_t new_nodes) const {
  if (made_in_cycle_ + new_nodes <= limits::kNewNodesMax) return {};
  return std::unexpected(Error(ErrorCode::kLimitExceeded, "a cycle takes at most " +
                                                              std::to_string(limits::kNewNodesMax) +
                                                              " new nodes; commit first")
                             .With("limit", "new_nodes")
                             .With("max", static_cast<std::int64_t>(limits::kNewNodesMax)));
}

Status ContextImpl::CheckIdFree(const NodeFields& fields) const {
  if (!fields.id) return {};
  PACTDB_TRY(const bool is_taken, IsTaken(*fields.id));
  if (!is_taken && !HasDefaultIdShape(*fields.id, open_cycle_)) return {};
  return std::unexpected(
      Error(ErrorCode::kIdExists, is_taken ? "the id '" + *fields.id + "' is taken"
                                           : "the id '" + *fields.id + "' is kept for default ids")
          .With("id", *fields.id));
}

Status ContextImpl::CheckStamps(const NodeFields& fields, bool needs_core) const {
  if (!fields.created_at_ns && !fields.creation_index) return {};
  // The core, if one is made first, takes the stamp before.
  std::optional<std::int64_t> last_ns = stamper_.last_ns();
  std::int64_t next_index = stamper_.next_index();
  if (needs_core) {
    last_ns = stamper_.NextNs();
    if (next_index < INT64_MAX) ++next_index;
  }
  if (fields.created_at_ns && last_ns && *fields.created_at_ns <= *last_ns) {
    return std::unexpected(Error(ErrorCode::kPlacementInvalid,
                                 "created_at_ns must be greater than every one of this cycle")
                               .With("last", *last_ns));
  }
  if (fields.creation_index && *fields.creation_index < next_index) {
    return std::unexpected(Error(ErrorCode::kPlacementInvalid,
                                 "creation_index must not be below the next one of this cycle")
                               .With("next", next_index));
  }
  return {};
}

Stamp ContextImpl::TakeStamp(const NodeFields& fields) {
  Stamp stamp = stamper_.Take();
  if (fields.created_at_ns || fields.creation_index) {
    stamp.created_at_ns = fields.created_at_ns.value_or(stamp.created_at_ns);
    stamp.creation_index = fields.creation_index.value_or(stamp.creation_index);
    stamper_.Override(stamp);
  }
  return stamp;
}

NodeNumber ContextImpl::MakeCore(NodeNumber parent) {
  const Stamp stamp = stamper_.Take();
  const GivenType type{NodeClass::kCont, std::string(TypeName(NodeClass::kCont, options_.dialect)),
                       std::nullopt};
  Ref<Node> core = BuildNode({}, type, NewId(NodeClass::kCont, stamp.creation_index), stamp);
  const NodeNumber number = core->number;
  InsertNode(parent, std::move(core));
  return number;
}

Result<AddResult> ContextImpl::Add(const NodeSpec& spec, const Place& place, AttributeNames names) {
  PACTDB_TRY_STATUS(BeginEdit());
  PACTDB_TRY(NodeFields fields, ParseSpec(spec, names));
  const std::string given_type =
      fields.node_type.value_or(std::string(TypeName(NodeClass::kBlock, options_.dialect)));
  PACTDB_TRY(const GivenType type, ParseGivenType(given_type, options_.dialect));
  if (!fields.kind) fields.kind = type.kind;
  if (place.at && (place.parent || place.mark)) {
    return std::unexpected(
        Error(ErrorCode::kRequestInvalid, "'at' names the parent: give one or the other"));
  }
  Target target{.parent = nullptr, .in_missing_core = false, .mark = place.mark};
  if (place.at) {
    PACTDB_TRY(target, FindTarget(*place.at));
  } else {
    PACTDB_TRY(target.parent, FindParent(place.parent.value_or("^ah")));
  }
  PACTDB_TRY_STATUS(CheckAuthorized(*target.parent));
  const std::int64_t offset = fields.offset.value_or(0);
  PACTDB_TRY(CheckedPlace checked, CheckPlace(target, type.node_class, offset,
                                              fields.removable.value_or(false), nullptr));
  PACTDB_TRY_STATUS(CheckTreeDepth(*target.parent, checked.needs_core, 0));
  std::vector<NodeNumber> behind;
  if (target.mark && !checked.needs_core) {
    PACTDB_TRY(behind, SiblingsBehind(checked.parent, offset, *target.mark, nullptr));
  } else if (target.mark && CountsSiblings(*target.mark)) {
    return std::unexpected(
        Error(ErrorCode::kPlacementInvalid, "the core has no siblings to count yet"));
  }
  PACTDB_TRY_STATUS(CheckIdFree(fields));
  PACTDB_TRY_STATUS(CheckStamps(fields, checked.needs_core));
  PACTDB_TRY_STATUS(CheckRoom(checked.needs_core ? 2 : 1));
  if (checked.needs_core) checked.parent = MakeCore(checked.parent);
  const Stamp stamp = TakeStamp(fields);
  const NodeNumber number = fields.id ? lexicon_->InternId(*fields.id, open_cycle_)
                                      : NewId(type.node_class, stamp.creation_index);
  InsertNode(checked.parent, BuildNode(fields, type, number, stamp));
  Restamp(behind);
  EndEdit({.kind = Edit::Kind::kAdd,
           .node = &spec,
           .names = names,
           .parent = place.parent,
           .at = place.at,
           .mark = place.mark});
  return AddResult{std::string(lexicon_->id(number)), open_cycle_};
}

Result<ReplaceResult> ContextImpl::Replace(std::string_view id, const NodeSpec& spec) {
  PACTDB_TRY_STATUS(BeginEdit());
  PACTDB_TRY(const Node* old, FindNode(id));
  PACTDB_TRY(NodeFields fields, ParseSpec(spec, AttributeNames::kOwn));
  const NodeClass old_class = old->node_class();
  const bool is_plain = old_class == NodeClass::kBlock || old_class == NodeClass::kCont;
  GivenType type;
  if (fields.node_type || is_plain) {
    PACTDB_TRY(type,
               ParseGivenType(fields.node_type.value_or(std::string(TypeName(
                                  is_plain ? old_class : NodeClass::kBlock, options_.dialect))),
                              options_.dialect));
  }
  if (!fields.kind) fields.kind = type.kind;
  PACTDB_TRY_STATUS(CheckAuthorized(*old));
  if (old->is_turn())
    return std::unexpected(SealedError(id, "is a turn and stays as it was sealed"));
  if (old->is_fixed() || old->is_core()) {
    return std::unexpected(
        Error(ErrorCode::kPlacementInvalid, "regions and cores cannot be replaced").With("id", id));
  }
  if (IsInSealedCore(*old)) return std::unexpected(SealedError(id, "lies in a sealed core"));
  if (type.node_class != old_class || fields.offset.value_or(old->offset) != old->offset) {
    return std::unexpected(Error(ErrorCode::kPlacementInvalid,
                                 "a replacement has the type and the offset of what it replaces")
                               .With("id", id));
  }
  PACTDB_TRY_STATUS(CheckIdFree(fields));
  PACTDB_TRY_STATUS(CheckStamps(fields, false));
  PACTDB_TRY_STATUS(CheckRoom(1));
  fields.offset = old->offset;
  const NodeNumber parent = old->parent;
  const Stamp stamp = TakeStamp(fields);
  const NodeNumber number = fields.id ? lexicon_->InternId(*fields.id, open_cycle_)
                                      : NewId(type.node_class, stamp.creation_index);
  working_.Erase(old->number);
  InsertNode(parent, BuildNode(fields, type, number, stamp));
  EndEdit({.kind = Edit::Kind::kReplace, .id = id, .node = &spec});
  return ReplaceResult{std::string(lexicon_->id(number)), std::string(id)};
}

// --- update ---

namespace {

constexpr std::array<std::string_view, 6> kNotUpdatable = {
    "id", "nodeType", "offset", "created_at_ns", "creation_index", "removable"};

Status CheckUpdateNames(std::span<const Field> fields) {
  for (const auto& [name, value] : fields) {
    if (std::ranges::find(kNotUpdatable, name) == kNotUpdatable.end()) continue;
    return std::unexpected(
        Error(ErrorCode::kAttributeReserved, name + " is fixed when the node is made")
            .With("field", name));
  }
  return CheckFieldNames(fields);
}

}  // namespace

Status ContextImpl::Update(std::string_view id, const NodeSpec& set) {
  PACTDB_TRY_STATUS(BeginEdit());
  PACTDB_TRY(const Node* node, FindNode(id));
  if (set.fault()) return std::unexpected(*set.fault());
  PACTDB_TRY_STATUS(CheckAuthorized(*node));
  if (!IsOpen(*node)) {
    if (node->is_fixed() || RegionOf(*node) != NodeClass::kSys) {
      return std::unexpected(SealedError(
          id, "was made in an earlier cycle and is frozen; replace it or add a correction"));
    }
    for (const auto& [name, value] : set.fields()) {
      if (name == "content" || IsContentAttribute(name)) continue;
      return std::unexpected(SealedError(
          id, "was made in an earlier cycle: only its content can change, not " + name));
    }
  }
  PACTDB_TRY_STATUS(CheckUpdateNames(set.fields()));
  PACTDB_TRY_STATUS(CheckFieldValues(set.fields()));
  NodeFields fields = ReadFields(*node);
  for (const Field& field : set.fields()) ApplyField(field, fields);
  if (fields.attributes.size() > limits::kAttributesMax) {
    return std::unexpected(Error(ErrorCode::kLimitExceeded, "too many attributes")
                               .With("limit", "attributes")
                               .With("max", static_cast<std::int64_t>(limits::kAttributesMax)));
  }
  std::ranges::sort(fields.attributes, {}, &Attribute::name);
  Node* owned = working_.Own(node->number);
  owned->role = fields.role ? lexicon_->InternWord(*fields.role) : kNoWord;
  owned->kind = fields.kind ? lexicon_->InternWord(*fields.kind) : kNoWord;
  const auto sets = [&set](std::string_view name) {
    return std::ranges::find(set.fields(), name, &Field::first) != set.fields().end();
  };
  owned->priority = fields.priority.value_or(0);
  if (sets("priority")) owned->Set(Node::kHasPriority, true);
  if (sets("ttl")) {
    owned->Set(Node::kHasTtl, true);
    owned->expiry = fields.ttl ? ExpiryOf(open_cycle_, *fields.ttl) : kNoExpiry;
  }
  owned->Set(Node::kPinned, fields.pinned);
  // `fields` looks into the old body until the new one is made.
  const Ref<Node> before = CopyNode(*owned);
  owned->SetBody(BuildBody(fields, *owned));
  NotePostings(*owned, before.get());
  EndEdit({.kind = Edit::Kind::kUpdate, .id = id, .node = &set});
  return {};
}

NodeFields ContextImpl::ReadFields(const Node& node) const {
  NodeFields fields;
  if (node.role != kNoWord) fields.role = std::string(lexicon_->word(node.role));
  if (node.kind != kNoWord) fields.kind = std::string(lexicon_->word(node.kind));
  fields.priority = node.priority;
  fields.pinned = node.Has(Node::kPinned);
  if (node.body == nullptr) return fields;
  if (const auto content = node.body->content()) fields.content = *content;
  node.body->ForEach(
      [&fields](const Attribute& attribute) { fields.attributes.push_back(attribute); });
  return fields;
}

// A null header takes the header away; everything else replaces it.
void ContextImpl::ApplyField(const Field& field, NodeFields& fields) {
  const auto& [name, value] = field;
  if (name == "role") fields.role.reset();
  if (name == "kind") fields.kind.reset();
  if (name == "priority") fields.priority.reset();
  if (name == "pinned") fields.pinned = false;
  std::erase_if(fields.attributes,
                [&name](const auto& attribute) { return attribute.name == name; });
  TakeField(field, fields);
}

// --- remove, pin, hold ---

Status ContextImpl::CheckRemovable(const Node& node) const {
  const IdText id = lexicon_->id(node.number);
  if (node.is_fixed()) {
    return std::unexpected(
        Error(ErrorCode::kPlacementInvalid, "the root and its regions cannot be removed")
            .With("id", id));
  }
  if (node.is_turn()) return std::unexpected(SealedError(id, "is a sealed turn"));
  if (IsInSealedCore(node)) return std::unexpected(SealedError(id, "is or lies in a sealed core"));
  return {};
}

void ContextImpl::Erase(const Node& node, std::vector<std::string>& removed) {
  for (PreorderCursor below(node); below.get() != nullptr; below.Next()) {
    removed.emplace_back(lexicon_->id(below.get()->number));
  }
  working_.Erase(node.number);
}

Result<std::vector<std::string>> ContextImpl::Remove(std::string_view id) {
  PACTDB_TRY_STATUS(BeginEdit());
  PACTDB_TRY(const Node* node, FindNode(id));
  PACTDB_TRY_STATUS(CheckAuthorized(*node));
  PACTDB_TRY_STATUS(CheckRemovable(*node));
  std::vector<std::string> removed;
  Erase(*node, removed);
  EndEdit({.kind = Edit::Kind::kRemove, .id = id});
  return removed;
}

Status ContextImpl::SetPinned(std::string_view id, bool pinned) {
  PACTDB_TRY_STATUS(BeginEdit());
  PACTDB_TRY(const Node* node, FindNode(id));
  PACTDB_TRY_STATUS(CheckAuthorized(*node));
  if (node->Has(Node::kPinned) != pinned) working_.Own(node->number)->Set(Node::kPinned, pinned);
  EndEdit({.kind = pinned ? Edit::Kind::kPin : Edit::Kind::kUnpin, .id = id});
  return {};
}

Result<NodeRef> ContextImpl::Hold(std::string_view id) {
  PACTDB_TRY(const Node* node, FindNode(id));
  return NodeRef(std::string(id), holds_->Acquire(node->number), weak_from_this());
}

}  // namespace pactdb
