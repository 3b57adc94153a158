// Import of a snapshot document.
//
// The document is walked with a stack of its own, children are collected, sorted and put into their
// containers from the leaves up. Nothing touches the context until the whole tree stands. Ids seen
// on the way are known to the lexicon afterwards even if the import fails; no state names them, so
// nobody can tell.
#include <algorithm>
#include <unordered_set>

#include "base/hash64.h"
#include "base/limits.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/names.h"
#include "model/order.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

constexpr std::int64_t kCycleMax = std::int64_t{1} << 62;

Error Invalid(std::string message, const JsonRef& where) {
  return Error(ErrorCode::kImportInvalid, std::move(message))
      .With("pos", static_cast<std::int64_t>(where.pos()));
}

// What strict import refuses and lenient import warns of, each said once.
class Complaints {
 public:
  explicit Complaints(bool strict) : strict_(strict) {}
  Status Add(const std::string& what, const JsonRef& where) {
    if (strict_) return std::unexpected(Invalid("strict: " + what, where));
    if (std::ranges::find(warnings_, what) == warnings_.end()) warnings_.push_back(what);
    return {};
  }
  std::vector<std::string> Take() { return std::move(warnings_); }

 private:
  bool strict_;
  std::vector<std::string> warnings_;
};

class TreeReader {
 public:
  TreeReader(Lexicon& lexicon, Dialect dialect, std::int64_t cycle, bool strict)
      : lexicon_(lexicon), dialect_(dialect), cycle_(cycle), complaints_(strict) {}

  Result<Ref<Container>> Read(const JsonRef& root) {
    PACTDB_TRY_STATUS(Open(root, nullptr));
    while (true) {
      Frame& frame = stack_.back();
      if (frame.next != frame.end) {
        const JsonRef child = (*frame.next).value;
        ++frame.next;
        PACTDB_TRY_STATUS(Open(child, &frame));
        continue;
      }
      PACTDB_TRY_STATUS(Close(frame));
      Ref<Node> node = std::move(frame.node);
      stack_.pop_back();
      if (stack_.empty()) return Ref<Container>::Adopt(node.Detach()->AsContainer());
      stack_.back().children.push_back(std::move(node));
    }
  }

  std::int64_t nodes() const { return nodes_; }
  std::vector<std::string> TakeWarnings() { return complaints_.Take(); }
  std::optional<std::string> newest_turn_iso() const { return newest_turn_iso_; }

 private:
  struct Frame {
    Ref<Node> node;
    JsonRef json;
    JsonRef::Iterator next;
    JsonRef::Iterator end;
    std::vector<Ref<Node>> children;
  };

  // --- one node ---

  Status Open(const JsonRef& json, const Frame* parent) {
    if (!json.is_object()) return std::unexpected(Invalid("a node must be an object", json));
    const auto children = json.Find("children");
    if (children && !children->is_array() && !children->is_null()) {
      return std::unexpected(Invalid("children must be an array", *children));
    }
    const bool lists_children = children && children->is_array();
    PACTDB_TRY(NodeClass node_class, ClassOf(json, parent, lists_children));
    if (node_class == NodeClass::kBlock && lists_children && children->size() > 0) {
      return std::unexpected(Invalid("a block holds no children", *children));
    }
    if (stack_.size() > limits::kTreeDepthMax)
      return std::unexpected(OverLimit("tree_depth", limits::kTreeDepthMax));
    Ref<Node> node = MakeNode(node_class);
    PACTDB_TRY_STATUS(ReadFields(json, *node));
    node->Set(Node::kHasChildren, lists_children);
    if (parent != nullptr) {
      node->parent = parent->node->number;
      const NodeClass holder = parent->node->node_class();
      const bool holds_core = holder == NodeClass::kTurn || holder == NodeClass::kAh;
      node->Set(Node::kCore, holds_core && node_class == NodeClass::kCont && node->offset == 0);
      if (holds_core && node_class == NodeClass::kBlock && node->offset == 0) {
        PACTDB_TRY_STATUS(
            complaints_.Add("a block at offset 0 lies outside its turn's core", json));
      }
    }
    if (!node->is_fixed() && ++nodes_ > static_cast<std::int64_t>(limits::kImportNodesMax)) {
      return std::unexpected(OverLimit("import_nodes", limits::kImportNodesMax));
    }
    const JsonRef& list = lists_children ? *children : json;
    Frame frame{std::move(node),
                json,
                lists_children ? list.begin() : json.end(),
                lists_children ? list.end() : json.end(),
                {}};
    stack_.push_back(std::move(frame));
    return {};
  }

  Result<NodeClass> ClassOf(const JsonRef& json, const Frame* parent, bool lists_children) {
    const auto type = json.Find("nodeType");
    const bool has_type = type && !type->is_null();
    if (has_type && !type->is_string())
      return std::unexpected(Invalid("nodeType must be a string", *type));
    if (parent == nullptr) {
      if (has_type && type->string() != "^root")
        return std::unexpected(Invalid("the root's nodeType is ^root", *type));
      return NodeClass::kRoot;
    }
    const NodeClass holder = parent->node->node_class();
    NodeClass node_class = lists_children ? NodeClass::kCont : NodeClass::kBlock;
    if (has_type) {
      node_class = ImportedClass(type->string());
    } else if (holder == NodeClass::kSeq) {
      node_class = NodeClass::kTurn;
    }
    const bool is_region = node_class <= NodeClass::kAh;
    if (is_region != (holder == NodeClass::kRoot) || node_class == NodeClass::kRoot) {
      return std::unexpected(Invalid("regions stand under the root, and nothing else does", json));
    }
    if ((node_class == NodeClass::kTurn) != (holder == NodeClass::kSeq)) {
      return std::unexpected(Invalid("turns stand in ^seq, and nothing else does", json));
    }
    if (is_region && !regions_.insert(node_class).second) {
      return std::unexpected(Invalid("a second region of a kind", json));
    }
    return node_class;
  }

  // --- fields ---

  Status ReadFields(const JsonRef& json, Node& node) {
    std::vector<Field> fields;
    for (auto it = json.begin(); it != json.end(); ++it) {
      const auto [key, value] = *it;
      if (key == "children" || key == "content_hash" || key == "parent_id" || key == "depth")
        continue;
      PACTDB_TRY_STATUS(CheckValue(key, value));
      if (key == "cycle") {
        SetHeader(node, Node::kHasCycle, node.cycle, value);
      } else if (key == "created_at_iso") {
        if (!value.is_null()) fields.emplace_back(key, value.ToJson());
      } else {
        fields.emplace_back(key, value.ToJson());
      }
    }
    if (fields.size() > limits::kAttributesMax)
      return std::unexpected(OverLimit("attributes", limits::kAttributesMax));
    NodeFields parsed;
    for (const Field& field : fields) TakeField(field, parsed);
    std::ranges::sort(parsed.attributes, {}, &Attribute::name);
    PACTDB_TRY_STATUS(SetIdentity(json, parsed, node));
    SetHeaders(json, parsed, node);
    SetBody(parsed, node);
    return CheckHeaders(json, node);
  }

  static void SetHeader(Node& node, std::uint32_t flag, std::int64_t& header,
                        const JsonRef& value) {
    if (value.is_null()) return;
    node.Set(flag, true);
    header = *value.AsInt64();
  }

  Status CheckValue(std::string_view key, const JsonRef& value) {
    if (key == "cycle") {
      if (value.is_null() || value.AsInt64()) return {};
      return std::unexpected(Invalid("cycle must be a 64-bit integer", value));
    }
    if (key == "created_at_iso") {
      if (value.is_null() || value.is_string()) return {};
      return std::unexpected(Invalid("created_at_iso must be a string", value));
    }
    Status checked = CheckFieldValue(key, value.ToJson());
    if (checked || checked.error().code() == ErrorCode::kLimitExceeded) return checked;
    return std::unexpected(Invalid(checked.error().message(), value));
  }

  Status SetIdentity(const JsonRef& json, const NodeFields& fields, Node& node) {
    const bool is_root = node.node_class() == NodeClass::kRoot;
    if (!fields.id && !is_root) return std::unexpected(Invalid("a node without an id", json));
    const std::string id = fields.id.value_or("root");
    node.Set(Node::kHasId, fields.id.has_value());
    node.number = lexicon_.InternId(id);
    node.shape = static_cast<std::uint32_t>(ShapeHash(id));
    if (node.number >= is_used_.size())
      is_used_.resize(std::max<std::size_t>(node.number + 1, 2 * is_used_.size()));
    if (is_used_[node.number])
      return std::unexpected(Invalid("the id '" + id + "' comes twice", json));
    is_used_[node.number] = true;
    return {};
  }

  void SetHeaders(const JsonRef& json, const NodeFields& fields, Node& node) {
    node.Set(Node::kHasType, fields.node_type.has_value());
    node.type = lexicon_.InternWord(fields.node_type.value_or(DefaultType(node.node_class())));
    const auto set = [&node](std::uint32_t flag, std::int64_t& header,
                             std::optional<std::int64_t> value) {
      node.Set(flag, value.has_value());
      header = value.value_or(0);
    };
    set(Node::kHasOffset, node.offset, fields.offset);
    set(Node::kHasPriority, node.priority, fields.priority);
    set(Node::kHasCreatedNs, node.created_at_ns, fields.created_at_ns);
    set(Node::kHasCreationIndex, node.creation_index, fields.creation_index);
    node.Set(Node::kHasTtl, json.Find("ttl").has_value());
    // The document shows what is left after its own commit.
    if (fields.ttl)
      node.expiry =
          static_cast<std::uint64_t>(cycle_) + 1 + static_cast<std::uint64_t>(*fields.ttl);
    if (fields.role) node.role = lexicon_.InternWord(*fields.role);
    if (fields.kind) node.kind = lexicon_.InternWord(*fields.kind);
    node.Set(Node::kHasRemovable, fields.removable.has_value());
    node.Set(Node::kRemovable, fields.removable.value_or(false));
    node.Set(Node::kPinned, fields.pinned);
  }

  std::string DefaultType(NodeClass node_class) const {
    switch (node_class) {
      case NodeClass::kRoot:
        return "^root";
      case NodeClass::kSys:
        return "^sys";
      case NodeClass::kSeq:
        return "^seq";
      case NodeClass::kAh:
        return "^ah";
      case NodeClass::kTurn:
      case NodeClass::kCont:
      case NodeClass::kBlock:
        break;
    }
    return std::string(TypeName(node_class, dialect_));
  }

  void SetBody(NodeFields& fields, Node& node) {
    const auto iso = std::ranges::find(fields.attributes, "created_at_iso", &Attribute::name);
    if (iso != fields.attributes.end()) {
      node.Set(Node::kHasCreatedIso, true);
      // Kept only where it is not the mirror of the stamp.
      const std::string mirror = "\"" + FormatIso(node.created_at_ns) + "\"";
      if (node.Has(Node::kHasCreatedNs) && iso->value == mirror) fields.attributes.erase(iso);
    }
    if (!fields.content && fields.attributes.empty() && !fields.role && !fields.kind) return;
    node.body = Body::Make(fields.content, fields.attributes, lexicon_.word_json(node.role),
                           lexicon_.word_json(node.kind))
                    .Detach();
  }

  Status CheckHeaders(const JsonRef& json, const Node& node) {
    constexpr std::uint32_t kRequired = Node::kMadeHere & ~Node::kHasChildren;
    if ((node.flags & kRequired) == kRequired) return {};
    return complaints_.Add("a node lacks one of the nine required headers", json);
  }

  // --- containers ---

  Status Close(Frame& frame) {
    Container* container = frame.node->AsContainer();
    if (container == nullptr) return {};
    if (container->node_class() == NodeClass::kSeq) ListTurns(frame.children);
    if (container->node_class() == NodeClass::kRoot && frame.children.size() < 3) {
      PACTDB_TRY_STATUS(complaints_.Add("a region is missing", frame.json));
    }
    if (container->is_turn()) {
      const auto cores = std::ranges::count_if(
          frame.children, [](const Ref<Node>& node) { return node->is_core(); });
      if (cores != 1)
        PACTDB_TRY_STATUS(complaints_.Add("a turn has no core, or more than one", frame.json));
    }
    std::ranges::sort(frame.children, [this](const Ref<Node>& a, const Ref<Node>& b) {
      return CompareSiblings(*a, *b, lexicon_) < 0;
    });
    if (container->node_class() == NodeClass::kSeq && !frame.children.empty())
      NoteNewest(*frame.children.back());
    child_list::Assign(*container, frame.children);
    return {};
  }

  // Turns without creation headers keep the order of the listing, which in the canonical dialect is
  // newest first.
  void ListTurns(std::vector<Ref<Node>>& turns) {
    if (std::ranges::any_of(turns,
                            [](const Ref<Node>& turn) { return turn->Has(Node::kHasCreatedNs); }))
      return;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      turns[i]->Set(Node::kListed, true);
      turns[i]->created_at_ns =
          static_cast<std::int64_t>(dialect_ == Dialect::kCanonical ? turns.size() - 1 - i : i);
    }
  }

  void NoteNewest(const Node& turn) {
    if (!turn.Has(Node::kHasCreatedIso)) return;
    const auto iso = turn.Find("created_at_iso");
    newest_turn_iso_ =
        iso ? *Json::FromCanonical(std::string(*iso)).AsString() : FormatIso(turn.created_at_ns);
  }

  static Error OverLimit(std::string_view limit, std::size_t max) {
    return Error(ErrorCode::kLimitExceeded, "the document is over the limit " + std::string(limit) +
                                                " of " + std::to_string(max))
        .With("limit", limit)
        .With("max", static_cast<std::int64_t>(max));
  }

  Lexicon& lexicon_;
  Dialect dialect_;
  std::int64_t cycle_;
  Complaints complaints_;
  std::vector<Frame> stack_;
  std::unordered_set<NodeClass> regions_;
  std::vector<bool> is_used_;  // by node number; small blocks of a set would lie between the nodes
  std::int64_t nodes_ = 0;
  std::optional<std::string> newest_turn_iso_;
};

Result<std::int64_t> ReadCycle(const JsonRef& document, std::int64_t open_cycle) {
  const auto cycle = document.Find("cycle");
  if (!cycle || cycle->is_null()) return open_cycle;
  const auto value = cycle->AsInt64();
  if (value && *value >= open_cycle && *value < kCycleMax) return *value;
  return std::unexpected(Invalid(
      "cycle must be an integer not below the open cycle " + std::to_string(open_cycle), *cycle));
}

// "PACT/0..." is known; another major version is read as well as can be.
std::optional<std::string> VersionWarning(const JsonRef& document) {
  const auto version = document.Find("spec_version");
  if (!version || version->is_null()) return std::nullopt;
  if (version->is_string() &&
      (version->string() == "PACT/0" || version->string().starts_with("PACT/0.")))
    return std::nullopt;
  return "spec_version is not one of PACT/0";
}

}  // namespace

Result<ImportResult> ContextImpl::ImportSnapshot(std::string_view document, bool strict) {
  PACTDB_TRY(const JsonDoc doc,
             JsonDoc::Parse(document, limits::kDocumentJsonDepthMax, ErrorCode::kImportInvalid));
  return ImportSnapshot(doc.root(), strict);
}

Result<ImportResult> ContextImpl::ImportSnapshot(const JsonRef& document, bool strict) {
  if (!document.is_object())
    return std::unexpected(Invalid("a snapshot document is an object", document));
  const auto root = document.Find("root");
  if (!root) return std::unexpected(Invalid("the document has no root", document));
  PACTDB_TRY(const std::int64_t cycle, ReadCycle(document, open_cycle_));
  lexicon_->ReserveIds(root->CountObjects());
  TreeReader reader(*lexicon_, options_.dialect, cycle, strict);
  PACTDB_TRY(Ref<Container> tree_root, reader.Read(*root));

  ImportResult result{.cycle = cycle, .nodes = reader.nodes(), .warnings = reader.TakeWarnings()};
  if (const auto warning = VersionWarning(document)) result.warnings.push_back(*warning);
  const CommitRecord* before = history_->last();
  WorkingTree tree(lexicon_, std::move(tree_root), before == nullptr ? nullptr : before->root.get(),
                   before == nullptr ? kNever : before->ordinal);
  tree.changes().ForEach([this](NodeNumber /*number*/, const Node* node) {
    if (node != nullptr) NotePostings(*node);
  });
  auto record = std::make_unique<CommitRecord>();
  record->cycle = cycle;
  if (auto iso = reader.newest_turn_iso()) {
    record->notes = std::make_unique<const CommitNotes>(
        CommitNotes{.imported_iso = *std::move(iso), .departures = {}});
  }
  Append(std::move(tree), std::move(record));
  history_->Publish();
  return result;
}

}  // namespace pactdb
