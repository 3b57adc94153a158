// A node's object is read in one pass into typed members; then its class is decided, which needs
// the type, the holder and whether there are children; then the node is made. Importing a document
// is this file a million times, so nothing is allocated but the node and its body.
#include "engine/node_reader.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/clock.h"
#include "base/hash64.h"
#include "base/limits.h"
#include "base/try.h"
#include "engine/names.h"
#include "text/canonical.h"

namespace pactdb {
// What a member of a node's object is read as: dropped, the children, a header, or an attribute.
enum class NodeMember : std::uint8_t {
  kDropped,
  kChildren,
  kContent,
  kId,
  kNodeType,
  kOffset,
  kTtl,
  kPriority,
  kCycle,
  kCreatedNs,
  kCreatedIso,
  kCreationIndex,
  kRole,
  kKind,
  kRemovable,
  kPinned,
  kFirstAttribute,
  kKey = kFirstAttribute,
  kTexts,
  kText,
  kProvenance,
  kCadence,
  kCustom,
};

namespace {

// A name of up to 16 bytes as two words that overlap: names of one length are equal if these are.
struct NameWords {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  constexpr bool operator==(const NameWords&) const = default;
};

template <typename Word>
constexpr NameWords WordsOf(std::string_view name) {
  const auto load = [](const char* at) {
    std::array<char, sizeof(Word)> bytes{};
    std::copy_n(at, bytes.size(), bytes.begin());
    return std::bit_cast<Word>(bytes);
  };
  return {load(name.data()), load(name.data() + name.size() - sizeof(Word))};
}

constexpr NameWords ToWords(std::string_view name) {
  if (name.size() >= 8) return WordsOf<std::uint64_t>(name);
  if (name.size() >= 4) return WordsOf<std::uint32_t>(name);
  if (name.size() >= 2) return WordsOf<std::uint16_t>(name);
  return {};
}

struct MemberName {
  constexpr MemberName(std::string_view text, NodeMember kind)
      : name(text), words(ToWords(text)), member(kind) {}
  std::string_view name;
  NameWords words;
  NodeMember member;
};

constexpr std::array<MemberName, 25> kMembers = {{
    {"id", NodeMember::kId},
    {"key", NodeMember::kKey},
    {"ttl", NodeMember::kTtl},
    {"cad", NodeMember::kCadence},
    {"role", NodeMember::kRole},
    {"kind", NodeMember::kKind},
    {"tags", NodeMember::kTexts},
    {"refs", NodeMember::kTexts},
    {"mime", NodeMember::kText},
    {"cycle", NodeMember::kCycle},
    {"depth", NodeMember::kDropped},  // the tree itself says where a node is
    {"offset", NodeMember::kOffset},
    {"pinned", NodeMember::kPinned},
    {"content", NodeMember::kContent},
    {"nodeType", NodeMember::kNodeType},
    {"priority", NodeMember::kPriority},
    {"children", NodeMember::kChildren},
    {"encoding", NodeMember::kText},
    {"parent_id", NodeMember::kDropped},
    {"removable", NodeMember::kRemovable},
    {"provenance", NodeMember::kProvenance},
    {"content_hash", NodeMember::kDropped},  // worked out anew
    {"created_at_ns", NodeMember::kCreatedNs},
    {"created_at_iso", NodeMember::kCreatedIso},
    {"creation_index", NodeMember::kCreationIndex},
}};

// Where the names of a length start in the table above, which is sorted by length.
constexpr auto kFirstOfLength = [] {
  std::array<std::uint8_t, 17> first{};
  for (std::size_t length = 0; length < first.size(); ++length) {
    std::uint8_t at = 0;
    while (at < kMembers.size() && kMembers[at].name.size() < length) ++at;
    first[length] = at;
  }
  return first;
}();

NodeMember MemberOf(std::string_view name) {
  if (name.size() + 1 >= kFirstOfLength.size()) return NodeMember::kCustom;
  const NameWords words = ToWords(name);
  const std::size_t end = kFirstOfLength[name.size() + 1];
  for (std::size_t i = kFirstOfLength[name.size()]; i < end; ++i) {
    if (kMembers[i].words == words) return kMembers[i].member;
  }
  return NodeMember::kCustom;
}

// True if the text has more canonical bytes than a value may have; no byte becomes more than six.
bool IsTooLong(const JsonRef& text) {
  if (text.string().size() < limits::kContentBytesMax / 6) return false;
  std::string canonical;
  text.AppendCanonical(canonical);
  return canonical.size() > limits::kContentBytesMax;
}

Error WrongType(std::string_view name, std::string_view wanted, const JsonRef& where) {
  return InvalidImport(std::string(name) + " must be " + std::string(wanted), where);
}

}  // namespace

Error InvalidImport(std::string message, const JsonRef& where) {
  return Error(ErrorCode::kImportInvalid, std::move(message))
      .With("pos", static_cast<std::int64_t>(where.pos()));
}

Error ImportOverLimit(std::string_view limit, std::size_t max) {
  return Error(ErrorCode::kLimitExceeded, "the document is over the limit " + std::string(limit) +
                                              " of " + std::to_string(max))
      .With("limit", limit)
      .With("max", static_cast<std::int64_t>(max));
}

Status Complaints::Add(std::string_view what, const JsonRef& where) {
  if (strict_) return std::unexpected(InvalidImport("strict: " + std::string(what), where));
  Warn(what);
  return {};
}

void Complaints::Warn(std::string_view what) {
  if (std::ranges::find(warnings_, what) == warnings_.end()) warnings_.emplace_back(what);
}

Result<NodeNote> NodeNote::Read(const JsonRef& json) {
  NodeNote note;
  if (!json.is_object()) return std::unexpected(InvalidImport("a note must be an object", json));
  for (auto it = json.begin(); it != json.end(); ++it) {
    const auto [key, value] = *it;
    const auto number = value.AsInt64();
    if (key == "overdue" && number && *number > 0) {
      note.overdue = *number;
    } else if (key == "place" && number && *number >= 0) {
      note.place = number;
    } else if (key == "shown_type" && value.is_string()) {
      note.shown_type = std::string(value.string());
    } else if (key == "lists_children" && value.kind() == Json::Kind::kBool) {
      note.lists_children = value.boolean();
    } else {
      return std::unexpected(
          InvalidImport("version 1 of the export has no such note: " + std::string(key), value));
    }
  }
  return note;
}

Result<Ref<Node>> NodeReader::Read(const JsonRef& json, const Node* holder, const NodeNote& note) {
  PACTDB_TRY_STATUS(ReadMembers(json));
  PACTDB_TRY(const NodeClass node_class, ClassOf(json, holder));
  if (node_class == NodeClass::kBlock && children_ && children_->size() > 0)
    return std::unexpected(InvalidImport("a block holds no children", *children_));
  if (!id_ && holder != nullptr)
    return std::unexpected(InvalidImport("a node without an id", json));
  if (note.overdue > settings_.now)
    return std::unexpected(InvalidImport("a node cannot be overdue since before time began", json));
  Ref<Node> node = MakeNode(node_class);
  SetIdentity(*node);
  SetHeaders(note, *node);
  SetBody(*node);
  if (holder != nullptr) {
    node->parent = holder->number;
    const bool holds_core = holder->is_turn() || holder->node_class() == NodeClass::kAh;
    node->Set(Node::kCore, holds_core && node_class == NodeClass::kCont && node->offset == 0);
    if (holds_core && node_class == NodeClass::kBlock && node->offset == 0) {
      PACTDB_TRY_STATUS(complaints_.Add("a block at offset 0 lies outside its turn's core", json));
    }
  }
  constexpr std::uint32_t kRequired = Node::kMadeHere & ~Node::kHasChildren;
  if ((node->flags & kRequired) != kRequired) {
    PACTDB_TRY_STATUS(complaints_.Add("a node lacks one of the nine required headers", json));
  }
  return node;
}

// --- members ---

Status NodeReader::ReadMembers(const JsonRef& json) {
  if (!json.is_object()) return std::unexpected(InvalidImport("a node must be an object", json));
  children_.reset();
  id_ = type_ = role_ = kind_ = iso_ = std::nullopt;
  offset_ = ttl_ = priority_ = cycle_ = created_at_ns_ = creation_index_ = std::nullopt;
  removable_ = pinned_ = std::nullopt;
  content_.reset();
  has_ttl_ = false;
  values_.clear();
  scratch_.clear();
  std::size_t fields = 0;
  for (auto it = json.begin(); it != json.end(); ++it) {
    const auto [key, value] = *it;
    PACTDB_TRY_STATUS(ReadMember(key, value, fields));
  }
  if (fields > limits::kAttributesMax)
    return std::unexpected(ImportOverLimit("attributes", limits::kAttributesMax));
  return {};
}

Status NodeReader::ReadMember(std::string_view key, const JsonRef& value, std::size_t& fields) {
  const NodeMember member = MemberOf(key);
  if (member == NodeMember::kDropped) return {};
  if (member == NodeMember::kChildren) {
    if (value.is_null()) return {};
    if (!value.is_array()) return std::unexpected(WrongType(key, "an array", value));
    children_ = value;
    return {};
  }
  // Headers do not count: an export writes more of them than were given.
  fields += member == NodeMember::kCustom ? 1 : 0;
  return member < NodeMember::kFirstAttribute ? ReadHeader(member, key, value)
                                              : ReadAttribute(member, key, value);
}

Status NodeReader::ReadHeader(NodeMember member, std::string_view key, const JsonRef& value) {
  switch (member) {
    case NodeMember::kContent:
      return ReadAny(key, value, content_);
    case NodeMember::kId:
      PACTDB_TRY_STATUS(ReadText(key, value, id_));
      if (id_ && id_->empty())
        return std::unexpected(WrongType(key, "a string that is not empty", value));
      if (id_ && id_->size() > limits::kIdBytesMax)
        return std::unexpected(ImportOverLimit("id_bytes", limits::kIdBytesMax));
      return {};
    case NodeMember::kNodeType:
      return ReadText(key, value, type_);
    case NodeMember::kOffset:
      return ReadInteger(key, value, offset_);
    case NodeMember::kTtl:
      has_ttl_ = true;
      PACTDB_TRY_STATUS(ReadInteger(key, value, ttl_));
      if (ttl_ && *ttl_ < 0)
        return std::unexpected(WrongType(key, "a whole number of cycles, zero or more", value));
      return {};
    case NodeMember::kPriority:
      return ReadInteger(key, value, priority_);
    case NodeMember::kCycle:
      return ReadInteger(key, value, cycle_);
    case NodeMember::kCreatedNs:
      return ReadInteger(key, value, created_at_ns_);
    case NodeMember::kCreatedIso:
      return ReadText(key, value, iso_);
    case NodeMember::kCreationIndex:
      return ReadInteger(key, value, creation_index_);
    case NodeMember::kRole:
      return ReadText(key, value, role_);
    case NodeMember::kKind:
      return ReadText(key, value, kind_);
    case NodeMember::kRemovable:
      return ReadBool(key, value, removable_);
    case NodeMember::kPinned:
      return ReadBool(key, value, pinned_);
    default:
      return {};
  }
}

Status NodeReader::ReadAttribute(NodeMember member, std::string_view key, const JsonRef& value) {
  std::optional<std::string_view> text;
  std::optional<std::int64_t> number;
  switch (member) {
    case NodeMember::kKey:
      PACTDB_TRY_STATUS(ReadText(key, value, text));
      if (text && text->size() > limits::kKeyBytesMax)
        return std::unexpected(ImportOverLimit("key_bytes", limits::kKeyBytesMax));
      return text ? KeepAttribute(key, value) : Status();
    case NodeMember::kText:
      PACTDB_TRY_STATUS(ReadText(key, value, text));
      return text ? KeepAttribute(key, value) : Status();
    case NodeMember::kTexts:
      return ReadTexts(key, value);
    case NodeMember::kProvenance:
      return value.is_null() ? Status() : KeepAttribute(key, value);
    case NodeMember::kCadence:
      PACTDB_TRY_STATUS(ReadInteger(key, value, number));
      if (number && *number < 1)
        return std::unexpected(WrongType(key, "a whole number of cycles, one or more", value));
      return number ? KeepAttribute(key, value) : Status();
    default:
      return KeepAttribute(key, value);
  }
}

Status NodeReader::ReadInteger(std::string_view key, const JsonRef& value,
                               std::optional<std::int64_t>& out) const {
  out = value.AsInt64();
  if (out || value.is_null()) return {};
  return std::unexpected(WrongType(key, "a 64-bit integer", value));
}

Status NodeReader::ReadText(std::string_view key, const JsonRef& value,
                            std::optional<std::string_view>& out) const {
  if (value.is_null()) return {};
  if (!value.is_string()) return std::unexpected(WrongType(key, "a string", value));
  out = value.string();
  if (IsTooLong(value))
    return std::unexpected(ImportOverLimit("content_bytes", limits::kContentBytesMax));
  return {};
}

Status NodeReader::ReadBool(std::string_view key, const JsonRef& value,
                            std::optional<bool>& out) const {
  if (value.is_null()) return {};
  if (value.kind() != Json::Kind::kBool)
    return std::unexpected(WrongType(key, "true or false", value));
  out = value.boolean();
  return {};
}

Status NodeReader::ReadTexts(std::string_view key, const JsonRef& value) {
  if (value.is_null()) return {};
  bool valid = value.is_array();
  if (valid) {
    for (auto it = value.begin(); it != value.end(); ++it) valid = valid && (*it).value.is_string();
  }
  if (!valid) return std::unexpected(WrongType(key, "an array of strings", value));
  return KeepAttribute(key, value);
}

Status NodeReader::ReadAny(std::string_view key, const JsonRef& value, std::optional<Value>& out) {
  const std::size_t start = scratch_.size();
  value.AppendCanonical(scratch_);
  out = Value{key, start, scratch_.size() - start};
  if (out->size > limits::kContentBytesMax)
    return std::unexpected(ImportOverLimit("content_bytes", limits::kContentBytesMax));
  const bool nests = value.is_array() || value.is_object();
  if (nests && value.Depth() > limits::kContentJsonDepthMax)
    return std::unexpected(ImportOverLimit("content_json_depth", limits::kContentJsonDepthMax));
  return {};
}

Status NodeReader::KeepAttribute(std::string_view key, const JsonRef& value) {
  std::optional<Value> kept;
  PACTDB_TRY_STATUS(ReadAny(key, value, kept));
  values_.push_back(*kept);
  return {};
}

// --- the node ---

Result<NodeClass> NodeReader::ClassOf(const JsonRef& json, const Node* holder) const {
  if (holder == nullptr) {
    if (type_ && *type_ != "^root")
      return std::unexpected(InvalidImport("the root's nodeType is ^root", json));
    return NodeClass::kRoot;
  }
  NodeClass node_class = children_ ? NodeClass::kCont : NodeClass::kBlock;
  if (type_) {
    node_class = ImportedClass(*type_);
  } else if (holder->node_class() == NodeClass::kSeq) {
    node_class = NodeClass::kTurn;
  }
  const bool is_region = node_class <= NodeClass::kAh;
  if (is_region != (holder->node_class() == NodeClass::kRoot) || node_class == NodeClass::kRoot) {
    return std::unexpected(
        InvalidImport("regions stand under the root, and nothing else does", json));
  }
  if ((node_class == NodeClass::kTurn) != (holder->node_class() == NodeClass::kSeq))
    return std::unexpected(InvalidImport("turns stand in ^seq, and nothing else does", json));
  return node_class;
}

WordNumber NodeReader::WordOf(std::string_view word) {
  const auto byte = [word](std::size_t at) {
    return std::size_t{static_cast<unsigned char>(word[at])};
  };
  const std::size_t slot =
      word.empty() ? 0 : (word.size() + 3 * byte(0) + 5 * byte(word.size() - 1)) % words_.size();
  KnownWord& known = words_[slot];
  if (known.number == kNoWord || known.text != word)
    known = {std::string(word), lexicon_.InternWord(word)};
  return known.number;
}

void NodeReader::SetIdentity(Node& node) {
  const std::string_view id = id_.value_or("root");
  node.Set(Node::kHasId, id_.has_value());
  node.number = lexicon_.InternId(id, cycle_.value_or(-1));
  node.shape = static_cast<std::uint32_t>(ShapeHash(id));
}

void NodeReader::SetHeaders(const NodeNote& note, Node& node) {
  node.Set(Node::kHasType, type_.has_value());
  const std::string_view shown = note.shown_type ? std::string_view(*note.shown_type)
                                                 : TypeName(node.node_class(), settings_.dialect);
  node.type = WordOf(type_.value_or(shown));
  const auto set = [&node](std::uint32_t flag, std::int64_t& header,
                           std::optional<std::int64_t> value) {
    node.Set(flag, value.has_value());
    header = value.value_or(0);
  };
  set(Node::kHasOffset, node.offset, offset_);
  set(Node::kHasPriority, node.priority, priority_);
  set(Node::kHasCycle, node.cycle, cycle_);
  set(Node::kHasCreatedNs, node.created_at_ns, created_at_ns_);
  set(Node::kHasCreationIndex, node.creation_index, creation_index_);
  node.Set(Node::kHasTtl, has_ttl_);
  if (ttl_) {
    node.expiry = static_cast<std::uint64_t>(settings_.now) + static_cast<std::uint64_t>(*ttl_) -
                  static_cast<std::uint64_t>(note.overdue);
  }
  if (note.place && node.is_turn() && !created_at_ns_) {
    node.Set(Node::kListed, true);
    node.created_at_ns = *note.place;
  }
  if (role_) node.role = WordOf(*role_);
  if (kind_) node.kind = WordOf(*kind_);
  node.Set(Node::kHasRemovable, removable_.has_value());
  node.Set(Node::kRemovable, removable_.value_or(false));
  node.Set(Node::kPinned, pinned_.value_or(false));
  node.Set(Node::kHasChildren, children_.has_value() && note.lists_children);
}

void NodeReader::SetBody(Node& node) {
  if (iso_) {
    node.Set(Node::kHasCreatedIso, true);
    // Kept only where it is not the mirror of the stamp.
    char mirror[IsoWriter::kBytes];
    const bool is_mirror =
        created_at_ns_ && iso_->size() == IsoWriter::kBytes &&
        *iso_ == std::string_view(mirror, static_cast<std::size_t>(
                                              iso_writer_.Write(*created_at_ns_, mirror) - mirror));
    if (!is_mirror) {
      const std::size_t start = scratch_.size();
      AppendJsonString(*iso_, scratch_);
      values_.push_back({"created_at_iso", start, scratch_.size() - start});
    }
  }
  if (!content_ && values_.empty() && !role_ && !kind_) return;
  attributes_.clear();
  for (const Value& value : values_) attributes_.push_back({value.name, Text(value)});
  std::ranges::sort(attributes_, {}, &Attribute::name);
  std::optional<std::string_view> content;
  if (content_) content = Text(*content_);
  node.SetBody(Body::Make(content, attributes_, lexicon_.word_json(node.role),
                          lexicon_.word_json(node.kind)));
}

}  // namespace pactdb
