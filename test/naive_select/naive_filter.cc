#include "naive_select/naive_filter.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>

namespace pactdb::naive {
namespace {

using select::Attr;
using select::Filter;
using select::Op;
using select::Value;

// digits * 10^exponent
struct PlainNumber {
  bool is_negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

std::string TakeDigits(std::string_view& text) {
  std::string digits;
  for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1)) digits += text[0];
  return digits;
}

bool TakeSign(std::string_view& text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  return is_negative;
}

std::optional<PlainNumber> ReadNumber(std::string_view text) {
  PlainNumber number;
  number.is_negative = TakeSign(text);
  number.digits = TakeDigits(text);
  if (number.digits.empty()) return std::nullopt;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::string fraction = TakeDigits(text);
    if (fraction.empty()) return std::nullopt;
    number.digits += fraction;
    number.exponent = -static_cast<std::int64_t>(fraction.size());
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    const bool is_negative = TakeSign(text);
    const std::string digits = TakeDigits(text);
    if (digits.empty()) return std::nullopt;
    // Far beyond what a selector's 4,096 bytes could spell out.
    const std::int64_t size = digits.size() > 4 ? 9999 : std::stoll(digits);
    number.exponent += is_negative ? -size : size;
  }
  if (!text.empty()) return std::nullopt;
  return number;
}

// The number times 10^-exponent, written out without leading zeros; zero is "".
std::string Digits(const PlainNumber& number, std::int64_t exponent) {
  std::string digits =
      number.digits + std::string(static_cast<std::size_t>(number.exponent - exponent), '0');
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

std::strong_ordering CompareDigits(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() <=> b.size() : a <=> b;
}

// --- what a filter reads ---

std::string_view NameOf(const Filter& filter) {
  return filter.attr == Attr::kCustom ? std::string_view(filter.name) : Name(filter.attr);
}

// In the classic dialect ^ah and ^sys have none.
std::optional<std::int64_t> AddressedDepth(const View& view, const Seen& seen) {
  if (view.dialect == Dialect::kClassic && seen.depth && *seen.depth < 1) return std::nullopt;
  return seen.depth;
}

// Of `cb:x` without a kind it is x.
PlainValue KindOf(const Seen& seen) {
  if (seen.node == nullptr) return {};
  PlainValue kind = seen.node->Field("kind");
  if (!kind.is_null()) return kind;
  const std::string& type = seen.node->Field("nodeType").text;
  const std::size_t colon = type.find(':');
  if (colon == std::string::npos || colon + 1 == type.size()) return {};
  if (!ClassOfAlias(std::string_view(type).substr(0, colon))) return {};
  return PlainValue::Text(std::string_view(type).substr(colon + 1));
}

PlainValue CoreValue(const View& view, Attr attr) {
  if (attr == Attr::kOffset) return PlainValue::Number(0);
  if (attr == Attr::kNodeType)
    return PlainValue::Text(view.dialect == Dialect::kCanonical ? "cont" : "mc");
  return {};
}

PlainValue ValueOf(const View& view, const Seen& seen, const Filter& filter) {
  if (seen.node == nullptr) return CoreValue(view, filter.attr);
  switch (filter.attr) {
    case Attr::kKind:
      return KindOf(seen);
    case Attr::kParentId:
      if (seen.parent < 0) return {};
      return PlainValue::Text(view.all[static_cast<std::size_t>(seen.parent)].node->id);
    case Attr::kBornTurn:
      return seen.node->Field("cycle");
    case Attr::kAge: {
      const PlainValue& born = seen.node->Field("cycle");
      if (born.is_null()) return {};
      return PlainValue::Number(view.cycle.value() - std::stoll(born.text));
    }
    case Attr::kDepth:
      if (const auto depth = AddressedDepth(view, seen)) return PlainValue::Number(*depth);
      return {};
    case Attr::kSdepth:
      return PlainValue::Number(seen.level);
    default:
      return seen.node->Field(NameOf(filter));
  }
}

// In the canonical dialect a node without a key has its id as key.
PlainValue EffectiveKey(const View& view, const Seen& seen) {
  if (seen.node == nullptr) return {};
  PlainValue key = seen.node->Field("key");
  if (key.is_null() && view.dialect == Dialect::kCanonical) return PlainValue::Text(seen.node->id);
  return key;
}

// What is compared with anything but null.
PlainValue Compared(const View& view, const Seen& seen, const Filter& filter) {
  return filter.attr == Attr::kKey ? EffectiveKey(view, seen) : ValueOf(view, seen, filter);
}

const std::vector<std::string>& TagsOf(const Seen& seen) {
  static const std::vector<std::string> none;
  return seen.node == nullptr ? none : seen.node->tags;
}

// --- comparing ---

struct TypeParts {
  std::optional<NodeClass> node_class;
  std::string_view prefix;  // unless it names a class
  std::string_view rest;    // from the colon on
  bool operator==(const TypeParts&) const = default;
};

TypeParts PartsOf(std::string_view type) {
  const std::size_t colon = std::min(type.find(':'), type.size());
  const auto node_class = ClassOfAlias(type.substr(0, colon));
  return {node_class, node_class ? std::string_view() : type.substr(0, colon), type.substr(colon)};
}

// Aliases are equal; from the depth dialect on a name of a class stands for the whole class.
bool IsSameType(const View& view, std::string_view stored, std::string_view wanted) {
  if (view.dialect != Dialect::kClassic && ClassOfAlias(wanted)) {
    return !stored.starts_with('^') &&
           PartsOf(stored).node_class.value_or(NodeClass::kBlock) == ClassOfAlias(wanted);
  }
  return PartsOf(stored) == PartsOf(wanted);
}

bool IsNumber(const PlainValue& value) {
  return value.kind == PlainValue::Kind::kNumber;
}

bool EqualsText(const PlainValue& stored, const std::string& text) {
  return (stored.kind == PlainValue::Kind::kText || stored.kind == PlainValue::Kind::kBool) &&
         stored.text == text;
}

// `=` with one literal.
bool Equals(const View& view, const Seen& seen, const Filter& filter, const Value& value) {
  const bool asks_null = value.kind == Value::Kind::kNull;
  if (filter.attr == Attr::kTag) {
    const auto& tags = TagsOf(seen);
    return asks_null ? tags.empty() : std::ranges::find(tags, value.text) != tags.end();
  }
  if (asks_null) return ValueOf(view, seen, filter).is_null();
  const PlainValue stored = Compared(view, seen, filter);
  if (stored.is_null()) return false;
  if (filter.attr == Attr::kNodeType) return IsSameType(view, stored.text, value.text);
  if (select::IsNumberHeader(filter.attr))
    return CompareNumbers(stored.text, value.text) == std::strong_ordering::equal;
  if (select::IsStringHeader(filter.attr)) return stored.text == value.text;
  if (value.kind == Value::Kind::kNumber) {
    return IsNumber(stored) &&
           CompareNumbers(stored.text, value.text) == std::strong_ordering::equal;
  }
  return EqualsText(stored, value.text);
}

bool EqualsAny(const View& view, const Seen& seen, const Filter& filter) {
  if (!filter.is_list) return Equals(view, seen, filter, filter.value);
  return std::ranges::any_of(filter.list,
                             [&](const Value& value) { return Equals(view, seen, filter, value); });
}

bool IsInOrder(Op op, std::strong_ordering order) {
  if (op == Op::kLt) return order < 0;
  if (op == Op::kLe) return order <= 0;
  return op == Op::kGt ? order > 0 : order >= 0;
}

// `<` `<=` `>` `>=`; null is on neither side of anything.
bool IsOrdered(const View& view, const Seen& seen, const Filter& filter) {
  const std::string& literal = filter.value.text;
  if (filter.value.kind == Value::Kind::kNull) return false;
  if (filter.attr == Attr::kTag) {
    return std::ranges::any_of(TagsOf(seen), [&](const std::string& tag) {
      return IsInOrder(filter.op, tag <=> literal);
    });
  }
  const PlainValue stored = Compared(view, seen, filter);
  if (stored.is_null() || stored.kind == PlainValue::Kind::kOther) return false;
  if (select::IsStringHeader(filter.attr)) return IsInOrder(filter.op, stored.text <=> literal);
  const auto order = CompareNumbers(stored.text, literal);
  if (order) return IsInOrder(filter.op, *order);
  return !select::IsNumberHeader(filter.attr) && IsInOrder(filter.op, stored.text <=> literal);
}

// `~`: strings only.
bool IsFound(const View& view, const Seen& seen, const Filter& filter) {
  const auto is_in = [&](const std::string& text) {
    return re2::RE2::PartialMatch(text, *filter.pattern);
  };
  if (filter.attr == Attr::kTag) return std::ranges::any_of(TagsOf(seen), is_in);
  const PlainValue stored = Compared(view, seen, filter);
  return stored.kind == PlainValue::Kind::kText && is_in(stored.text);
}

bool IsOne(const PlainValue& value) {
  return IsNumber(value) && value.text == "1";
}

bool PassesFilter(const View& view, const Seen& seen, const Filter& filter) {
  const auto header = [&](std::string_view name) {
    return seen.node == nullptr ? PlainValue() : seen.node->Field(name);
  };
  if (filter.attr == Attr::kEphemeral) return !header("ttl").is_null();
  if (filter.attr == Attr::kSticky) return IsOne(header("ttl")) && IsOne(header("cad"));
  switch (filter.op) {
    case Op::kPresent:
      return !Equals(view, seen, filter, Value());
    case Op::kEq:
      return EqualsAny(view, seen, filter);
    case Op::kNe:
      return !EqualsAny(view, seen, filter);
    case Op::kMatch:
      return IsFound(view, seen, filter);
    default:
      return IsOrdered(view, seen, filter);
  }
}

// --- the other parts ---

bool IsIn(const select::DepthSet& depths, std::optional<std::int64_t> depth) {
  return depth && std::ranges::any_of(depths.intervals(), [&](const auto& interval) {
           return interval.first <= *depth && *depth <= interval.last;
         });
}

bool IsStem(NodeClass node_class) {
  return node_class == NodeClass::kTurn || node_class == NodeClass::kAh ||
         node_class == NodeClass::kSys;
}

bool HasDepthTest(const select::Step& step) {
  return std::ranges::any_of(step.parts, [](const select::Part& part) {
    return std::holds_alternative<select::DepthTest>(part);
  });
}

bool PassesType(const View& view, const Seen& seen, const select::Step& step,
                const select::TypeTest& test) {
  if (!test.node_class) {
    return seen.node != nullptr && PartsOf(seen.node->Field("nodeType").text) == PartsOf(test.name);
  }
  // Where depths are asked for, ^ah and ^sys are turns too; not for a position's first hop.
  const bool takes_regions = test.node_class == NodeClass::kTurn && IsStem(seen.node_class()) &&
                             HasDepthTest(step) && view.dialect != Dialect::kClassic &&
                             step.relation != select::Relation::kRootChild;
  if (seen.node_class() != test.node_class && !takes_regions) return false;
  return test.kind.empty() || EqualsText(KindOf(seen), test.kind);
}

bool PassesScope(const View& view, const Seen& seen, const select::ScopeTest::Scope& scope) {
  return IsIn(scope.depths, AddressedDepth(view, seen)) &&
         std::ranges::all_of(
             scope.filters, [&](const Filter& filter) { return PassesFilter(view, seen, filter); });
}

bool PassesSlot(select::Slot slot, std::int64_t offset) {
  if (slot == select::Slot::kPre) return offset < 0;
  return slot == select::Slot::kCore ? offset == 0 : offset > 0;
}

}  // namespace

std::optional<std::strong_ordering> CompareNumbers(std::string_view a, std::string_view b) {
  const auto left = ReadNumber(a);
  const auto right = ReadNumber(b);
  if (!left || !right) return std::nullopt;
  const std::int64_t exponent = std::min(left->exponent, right->exponent);
  const std::string left_digits = Digits(*left, exponent);
  const std::string right_digits = Digits(*right, exponent);
  if (left_digits.empty() && right_digits.empty()) return std::strong_ordering::equal;
  const bool left_below = left->is_negative && !left_digits.empty();
  const bool right_below = right->is_negative && !right_digits.empty();
  if (left_below != right_below)
    return left_below ? std::strong_ordering::less : std::strong_ordering::greater;
  return left_below ? CompareDigits(right_digits, left_digits)
                    : CompareDigits(left_digits, right_digits);
}

bool Passes(const View& view, const Seen& seen, const select::Step& step,
            const select::Part& part) {
  if (const auto* filter = std::get_if<Filter>(&part)) return PassesFilter(view, seen, *filter);
  if (const auto* type = std::get_if<select::TypeTest>(&part))
    return PassesType(view, seen, step, *type);
  if (const auto* root = std::get_if<select::RootTest>(&part))
    return seen.node_class() == root->region;
  if (std::holds_alternative<select::AnyTest>(part)) return seen.node_class() != NodeClass::kRoot;
  if (const auto* stem = std::get_if<select::StemTest>(&part))
    return IsStem(seen.node_class()) && IsIn(stem->depths, AddressedDepth(view, seen));
  if (const auto* scopes = std::get_if<select::ScopeTest>(&part)) {
    return std::ranges::any_of(scopes->scopes,
                               [&](const auto& scope) { return PassesScope(view, seen, scope); });
  }
  if (const auto* depth = std::get_if<select::DepthTest>(&part))
    return IsIn(depth->depths, AddressedDepth(view, seen));
  return PassesSlot(std::get<select::SlotTest>(part).slot, seen.offset());
}

}  // namespace pactdb::naive
