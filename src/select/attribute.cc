#include "select/attribute.h"

#include <re2/re2.h>

#include <algorithm>

#include "base/clock.h"
#include "base/sha256.h"
#include "model/types.h"
#include "select/decimal.h"
#include "text/canonical.h"

namespace pactdb::select {
namespace {

// An attribute's value. `text` may point into `owned`.
struct Stored {
  enum class Kind : std::uint8_t { kNull, kInteger, kText, kNumber, kBoolean, kOther };
  Kind kind = Kind::kNull;
  std::int64_t integer = 0;
  std::string_view text;
  std::string owned;

  void SetInteger(std::int64_t value) {
    kind = Kind::kInteger;
    integer = value;
  }
  void SetText(std::string_view value) {
    kind = Kind::kText;
    text = value;
  }
  void SetOwned(std::string value) {
    owned = std::move(value);
    SetText(owned);
  }
  void SetBoolean(bool value) {
    kind = Kind::kBoolean;
    text = value ? "true" : "false";
  }
  void SetJson(std::string_view json);
};

void Stored::SetJson(std::string_view json) {
  const char first = json.empty() ? 'n' : json[0];
  if (first == '"') {
    if (json.find('\\') == std::string_view::npos) return SetText(json.substr(1, json.size() - 2));
    return SetOwned(DecodeJsonString(json));
  }
  if (first == 'n') return;
  kind = first == 't' || first == 'f'   ? Kind::kBoolean
         : first == '[' || first == '{' ? Kind::kOther
                                        : Kind::kNumber;
  text = json;
}

void ReadBody(const Node& node, std::string_view name, Stored& out) {
  if (const auto json = node.Find(name)) out.SetJson(*json);
}

std::optional<std::int64_t> StructuralDepth(const TreeView& view, const Node& node) {
  std::int64_t levels = 0;
  for (const Node* at = view.Parent(node); at != nullptr; at = view.Parent(*at)) ++levels;
  return levels;
}

void SetOptional(std::optional<std::int64_t> value, Stored& out) {
  if (value) out.SetInteger(*value);
}

std::optional<std::int64_t> Cycle(const Node& node) {
  return node.Has(Node::kHasCycle) ? std::optional(node.cycle) : std::nullopt;
}

void ReadNumber(Attr attr, const Node& node, const Scope& scope, Stored& out) {
  switch (attr) {
    case Attr::kOffset:
      return out.SetInteger(node.offset);
    case Attr::kTtl:
      if (node.has_ttl()) out.SetInteger(ShownTtl(node, scope.view->now));
      return;
    case Attr::kPriority:
      return out.SetInteger(node.priority);
    case Attr::kCreatedAtNs:
      return out.SetInteger(node.Has(Node::kListed) ? 0 : node.created_at_ns);
    case Attr::kCreationIndex:
      return out.SetInteger(node.creation_index);
    case Attr::kCycle:
    case Attr::kBornTurn:
      return SetOptional(Cycle(node), out);
    case Attr::kAge:
      if (const auto born = Cycle(node)) out.SetInteger(scope.view->now - 1 - *born);
      return;
    case Attr::kDepth:
      return SetOptional(scope.DepthOf(Match::Of(node)), out);
    case Attr::kSdepth:
      return SetOptional(StructuralDepth(*scope.view, node), out);
    default:
      return ReadBody(node, Name(attr), out);  // cad
  }
}

void ReadCreatedAtIso(const Node& node, Stored& out) {
  if (!node.Has(Node::kHasCreatedIso)) return;
  ReadBody(node, "created_at_iso", out);
  if (out.kind == Stored::Kind::kNull) out.SetOwned(FormatIso(node.created_at_ns));
}

void ReadText(Attr attr, const Node& node, const Scope& scope, Stored& out) {
  const Lexicon& lexicon = *scope.view->lexicon;
  const auto set_word = [&](WordNumber word) {
    if (word != kNoWord) out.SetText(lexicon.word(word));
  };
  switch (attr) {
    case Attr::kId:
      return out.SetOwned(std::string(lexicon.id(node.number)));
    case Attr::kNodeType:
      return set_word(node.type);
    case Attr::kRole:
      return set_word(node.role);
    case Attr::kKind:
      if (const auto kind = EffectiveKind(lexicon, node); !kind.empty()) return out.SetText(kind);
      return set_word(node.kind);
    case Attr::kCreatedAtIso:
      return ReadCreatedAtIso(node, out);
    case Attr::kContentHash:
      return out.SetOwned(ToHex(node.content_hash()));
    case Attr::kParentId:
      if (node.parent != kNoNode) out.SetOwned(std::string(lexicon.id(node.parent)));
      return;
    default:
      return ReadBody(node, Name(attr), out);  // key, mime, encoding
  }
}

// Of an implicit core all is null but what follows from what it is.
void ReadCore(Attr attr, const Scope& scope, Stored& out) {
  if (attr == Attr::kOffset) out.SetInteger(0);
  if (attr == Attr::kNodeType) out.SetText(TypeName(NodeClass::kCont, scope.dialect));
}

void Read(const Filter& filter, Match match, const Scope& scope, Stored& out) {
  if (match.is_core()) return ReadCore(filter.attr, scope, out);
  const Node& node = match.node();
  if (IsStringHeader(filter.attr)) return ReadText(filter.attr, node, scope, out);
  if (IsNumberHeader(filter.attr)) return ReadNumber(filter.attr, node, scope, out);
  if (filter.attr == Attr::kRemovable) {
    if (node.Has(Node::kHasRemovable)) out.SetBoolean(node.Has(Node::kRemovable));
  } else if (filter.attr == Attr::kPinned) {
    if (node.Has(Node::kPinned)) out.SetBoolean(true);
  } else if (filter.attr == Attr::kContent) {
    if (const auto content = node.content()) out.SetJson(*content);
  } else {
    ReadBody(node, filter.name, out);
  }
}

std::optional<std::strong_ordering> CompareNumbers(const Stored& stored, std::string_view text) {
  const auto literal = ParseDecimal(text);
  if (!literal) return std::nullopt;
  const std::string digits = stored.kind == Stored::Kind::kInteger ? std::to_string(stored.integer)
                                                                   : std::string(stored.text);
  const auto number = ParseDecimal(digits);
  if (!number) return std::nullopt;
  return CompareDecimals(*number, *literal);
}

NodeClass ClassOf(Match match) {
  return match.is_core() ? NodeClass::kCont : match.node().node_class();
}

bool EqualsType(const Stored& stored, std::string_view wanted, Match match, Dialect dialect) {
  if (stored.kind == Stored::Kind::kNull) return false;
  // Later dialects compare a canonical name with the canonical type, whatever was added to it.
  if (dialect != Dialect::kClassic) {
    if (const auto node_class = FindTypeAlias(wanted)) return ClassOf(match) == *node_class;
  }
  if (const auto region = ParseRegionName(wanted)) return ClassOf(match) == *region;
  return stored.kind == Stored::Kind::kText && IsSameType(stored.text, wanted);
}

bool Equals(Attr attr, const Stored& stored, const Value& value, Match match, const Scope& scope) {
  if (value.kind == Value::Kind::kNull) return stored.kind == Stored::Kind::kNull;
  if (attr == Attr::kNodeType) return EqualsType(stored, value.text, match, scope.dialect);
  if (stored.kind == Stored::Kind::kNull || stored.kind == Stored::Kind::kOther) return false;
  const bool is_number =
      stored.kind == Stored::Kind::kInteger || stored.kind == Stored::Kind::kNumber;
  if (IsNumberHeader(attr)) {
    const auto order = CompareNumbers(stored, value.text);
    return order && *order == 0;
  }
  if (IsStringHeader(attr)) return !is_number && stored.text == value.text;
  if ((value.kind == Value::Kind::kNumber) != is_number) return false;
  if (!is_number) return stored.text == value.text;
  const auto order = CompareNumbers(stored, value.text);
  return order && *order == 0;
}

std::optional<std::strong_ordering> Compare(Attr attr, const Stored& stored, const Value& value) {
  if (value.kind == Value::Kind::kNull || stored.kind == Stored::Kind::kNull ||
      stored.kind == Stored::Kind::kOther) {
    return std::nullopt;
  }
  if (IsNumberHeader(attr)) return CompareNumbers(stored, value.text);
  if (!IsStringHeader(attr)) {
    if (const auto order = CompareNumbers(stored, value.text)) return order;
  }
  return stored.text <=> std::string_view(value.text);
}

bool IsInOrder(Op op, std::optional<std::strong_ordering> order) {
  if (!order) return false;
  switch (op) {
    case Op::kLt:
      return *order < 0;
    case Op::kLe:
      return *order <= 0;
    case Op::kGt:
      return *order > 0;
    case Op::kGe:
      return *order >= 0;
    case Op::kPresent:
    case Op::kEq:
    case Op::kNe:
    case Op::kMatch:
      break;
  }
  return false;
}

bool EqualsAny(const Filter& filter, const Stored& stored, Match match, const Scope& scope) {
  if (!filter.is_list) return Equals(filter.attr, stored, filter.value, match, scope);
  return std::ranges::any_of(filter.list, [&](const Value& value) {
    return Equals(filter.attr, stored, value, match, scope);
  });
}

bool HoldsFor(const Filter& filter, const Stored& stored, Match match, const Scope& scope) {
  switch (filter.op) {
    case Op::kPresent:
      return stored.kind != Stored::Kind::kNull;
    case Op::kEq:
      return EqualsAny(filter, stored, match, scope);
    case Op::kNe:
      return !EqualsAny(filter, stored, match, scope);
    case Op::kMatch:
      return stored.kind == Stored::Kind::kText &&
             re2::RE2::PartialMatch(re2::StringPiece(stored.text.data(), stored.text.size()),
                                    *filter.pattern);
    case Op::kLt:
    case Op::kLe:
    case Op::kGt:
    case Op::kGe:
      return IsInOrder(filter.op, Compare(filter.attr, stored, filter.value));
  }
  return false;
}

// Calls visit(Stored) for every string in `tags`, a string or a list; stops when it returns true.
template <typename Visitor>
bool AnyTag(const Node& node, Visitor&& visit) {
  const auto json = node.Find("tags");
  if (!json || json->empty()) return false;
  std::size_t at = json->front() == '[' ? 1 : 0;
  while (at < json->size()) {
    // Canonical bytes: a string ends at the first quote that is not escaped. Other items, which
    // the engine never stores, are passed over byte by byte.
    if ((*json)[at] != '"') {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    while (end < json->size() && (*json)[end] != '"') end += (*json)[end] == '\\' ? 2 : 1;
    Stored tag;
    tag.SetJson(json->substr(at, end + 1 - at));
    if (visit(tag)) return true;
    at = end + 1;
  }
  return false;
}

bool IsNullValue(const Value& value) {
  return value.kind == Value::Kind::kNull;
}

bool HoldsForTags(const Filter& filter, Match match, const Scope& scope) {
  const auto has_any = [&](auto&& visit) {
    return !match.is_core() && AnyTag(match.node(), visit);
  };
  const bool has_tags = has_any([](const Stored&) { return true; });
  if (filter.op == Op::kPresent) return has_tags;
  const bool names_null =
      filter.is_list ? std::ranges::any_of(filter.list, IsNullValue) : IsNullValue(filter.value);
  Filter positive = filter;
  if (filter.op == Op::kNe) positive.op = Op::kEq;
  // A tag is a string, so it compares as a string header does.
  positive.attr = Attr::kKey;
  const bool found =
      (names_null && !has_tags && positive.op == Op::kEq) ||
      has_any([&](const Stored& tag) { return HoldsFor(positive, tag, match, scope); });
  return filter.op == Op::kNe ? !found : found;
}

bool IsSticky(Match match, const Scope& scope) {
  if (match.is_core() || !match.node().has_ttl()) return false;
  if (ShownTtl(match.node(), scope.view->now) != 1) return false;
  const auto cad = match.node().Find("cad");
  return cad && *cad == "1";
}

// In the canonical dialect a node without a key has its id as key, except where null is asked for.
bool HoldsForKey(const Filter& filter, Match match, const Scope& scope) {
  Stored stored;
  Read(filter, match, scope, stored);
  const bool is_lent = scope.dialect == Dialect::kCanonical && !match.is_core() &&
                       stored.kind == Stored::Kind::kNull && filter.op != Op::kPresent;
  if (!is_lent) return HoldsFor(filter, stored, match, scope);
  const auto id = scope.view->id(match.node());  // a made id's text lives as long as this
  Stored lent;
  lent.SetText(id);
  const auto equals = [&](const Value& value) {
    return Equals(Attr::kKey, IsNullValue(value) ? stored : lent, value, match, scope);
  };
  if (filter.op != Op::kEq && filter.op != Op::kNe) return HoldsFor(filter, lent, match, scope);
  const bool found =
      filter.is_list ? std::ranges::any_of(filter.list, equals) : equals(filter.value);
  return found == (filter.op == Op::kEq);
}

bool HoldsType(const TypeTest& test, Match match, const Scope& scope) {
  const Lexicon& lexicon = *scope.view->lexicon;
  if (test.node_class) {
    if (ClassOf(match) != *test.node_class) return false;
    if (test.kind.empty()) return true;
    return !match.is_core() && EffectiveKind(lexicon, match.node()) == test.kind;
  }
  if (match.is_core() || match.node().type == kNoWord) return false;
  return IsSameType(lexicon.word(match.node().type), test.name);
}

bool IsStemClass(NodeClass node_class) {
  return node_class == NodeClass::kTurn || node_class == NodeClass::kAh ||
         node_class == NodeClass::kSys;
}

bool IsAtDepth(const DepthSet& depths, Match match, const Scope& scope) {
  const auto depth = scope.DepthOf(match);
  return depth && depths.Contains(*depth);
}

bool HoldsSlot(Slot slot, std::int64_t offset) {
  if (slot == Slot::kCore) return offset == 0;
  return slot == Slot::kPre ? offset < 0 : offset > 0;
}

}  // namespace

std::optional<std::int64_t> Scope::DepthOf(Match match) const {
  const auto depth = knows_depth ? known_depth : view->Depth(match.node());
  if (depth && *depth < 1 && dialect == Dialect::kClassic) return std::nullopt;
  return depth;
}

std::string_view EffectiveKind(const Lexicon& lexicon, const Node& node) {
  if (node.kind != kNoWord) return lexicon.word(node.kind);
  if (node.type == kNoWord) return {};
  const std::string_view type = lexicon.word(node.type);
  const std::size_t colon = type.find(':');
  if (colon == std::string_view::npos || !FindTypeAlias(type.substr(0, colon))) return {};
  return type.substr(colon + 1);
}

bool IsSameType(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const std::size_t a_colon = a.find(':');
  const std::size_t b_colon = b.find(':');
  const auto a_class = FindTypeAlias(a.substr(0, a_colon));
  if (!a_class || a_class != FindTypeAlias(b.substr(0, b_colon))) return false;
  const bool has_rest = a_colon != std::string_view::npos;
  if (has_rest != (b_colon != std::string_view::npos)) return false;
  return !has_rest || a.substr(a_colon) == b.substr(b_colon);
}

bool Holds(const Filter& filter, Match match, const Scope& scope) {
  if (filter.attr == Attr::kEphemeral) return !match.is_core() && match.node().has_ttl();
  if (filter.attr == Attr::kSticky) return IsSticky(match, scope);
  if (filter.attr == Attr::kTag) return HoldsForTags(filter, match, scope);
  if (filter.attr == Attr::kKey) return HoldsForKey(filter, match, scope);
  Stored stored;
  Read(filter, match, scope, stored);
  return HoldsFor(filter, stored, match, scope);
}

namespace {

bool HoldsScope(const ScopeTest& test, Match match, const Scope& scope) {
  return std::ranges::any_of(test.scopes, [&](const ScopeTest::Scope& one) {
    return IsAtDepth(one.depths, match, scope) &&
           std::ranges::all_of(one.filters,
                               [&](const Filter& filter) { return Holds(filter, match, scope); });
  });
}

}  // namespace

bool Holds(const Part& part, Match match, const Scope& scope) {
  if (const auto* filter = std::get_if<Filter>(&part)) return Holds(*filter, match, scope);
  if (const auto* type = std::get_if<TypeTest>(&part)) return HoldsType(*type, match, scope);
  if (const auto* depth = std::get_if<DepthTest>(&part))
    return IsAtDepth(depth->depths, match, scope);
  if (const auto* slot = std::get_if<SlotTest>(&part))
    return HoldsSlot(slot->slot, match.is_core() ? 0 : match.node().offset);
  if (const auto* root = std::get_if<RootTest>(&part)) return ClassOf(match) == root->region;
  if (const auto* stem = std::get_if<StemTest>(&part)) {
    return IsStemClass(ClassOf(match)) && IsAtDepth(stem->depths, match, scope);
  }
  if (const auto* scopes = std::get_if<ScopeTest>(&part)) return HoldsScope(*scopes, match, scope);
  return ClassOf(match) != NodeClass::kRoot;  // `*`
}

}  // namespace pactdb::select
