#include "select/bind.h"

#include <charconv>

namespace pactdb::select {
namespace {

// No node carries it.
constexpr WordNumber kUnknownWord = kNoWord - 1;

WordNumber FindWord(const Lexicon& lexicon, std::string_view text) {
  return lexicon.FindWord(text).value_or(kUnknownWord);
}

void BindKind(BoundTest& test, std::string_view kind, const Lexicon& lexicon) {
  test.code = BoundTest::Code::kKind;
  test.word = FindWord(lexicon, kind);
  for (const std::string_view base : {"block:", "cb:", "cont:", "mc:", "seg:", "mt:", "turn:"}) {
    const auto word = lexicon.FindWord(std::string(base).append(kind));
    if (word) test.types[test.type_count++] = *word;
  }
}

// Headers that are plain fields of a node and never null.
bool IsPlainInteger(Attr attr) {
  return attr == Attr::kOffset || attr == Attr::kPriority || attr == Attr::kCreationIndex;
}

bool BindInteger(const Filter& filter, BoundTest& test) {
  std::string_view digits = filter.value.text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  const auto [end, fault] =
      std::from_chars(digits.data(), digits.data() + digits.size(), test.number);
  if (fault != std::errc() || end != digits.data() + digits.size()) return false;
  test.code = BoundTest::Code::kInteger;
  test.attr = filter.attr;
  test.op = filter.op;
  return true;
}

void BindFilter(const Filter& filter, const Scope& scope, BoundTest& test) {
  if (filter.is_list || filter.op == Op::kPresent || filter.op == Op::kMatch ||
      filter.value.kind == Value::Kind::kNull) {
    return;
  }
  const bool is_equality = filter.op == Op::kEq || filter.op == Op::kNe;
  if (is_equality && filter.attr == Attr::kRole) {
    test.code = BoundTest::Code::kRole;
    test.word = FindWord(*scope.view->lexicon, filter.value.text);
    test.negate = filter.op == Op::kNe;
  } else if (is_equality && filter.attr == Attr::kKind) {
    BindKind(test, filter.value.text, *scope.view->lexicon);
    test.negate = filter.op == Op::kNe;
  } else if (IsPlainInteger(filter.attr) || filter.attr == Attr::kTtl) {
    // A ttl of null must answer != by itself.
    if (filter.attr == Attr::kTtl && filter.op == Op::kNe) return;
    BindInteger(filter, test);
  }
}

std::int64_t IntegerOf(const BoundTest& test, const Node& node, const Scope& scope) {
  switch (test.attr) {
    case Attr::kPriority:
      return node.priority;
    case Attr::kCreationIndex:
      return node.creation_index;
    case Attr::kTtl:
      return ShownTtl(node, scope.view->now);
    default:
      return node.offset;
  }
}

bool PassesInteger(const BoundTest& test, const Node& node, const Scope& scope) {
  if (test.attr == Attr::kTtl && !node.has_ttl()) return false;
  const std::int64_t value = IntegerOf(test, node, scope);
  switch (test.op) {
    case Op::kEq:
      return value == test.number;
    case Op::kNe:
      return value != test.number;
    case Op::kLt:
      return value < test.number;
    case Op::kLe:
      return value <= test.number;
    case Op::kGt:
      return value > test.number;
    case Op::kGe:
      return value >= test.number;
    case Op::kPresent:
    case Op::kMatch:
      break;
  }
  return false;
}

bool PassesKind(const BoundTest& test, const Node& node) {
  if (node.kind != kNoWord) return node.kind == test.word;
  for (std::uint8_t i = 0; i < test.type_count; ++i) {
    if (node.type == test.types[i]) return true;
  }
  return false;
}

bool Passes(const BoundTest& test, const Node& node, const Scope& scope) {
  switch (test.code) {
    case BoundTest::Code::kRole:
      return (node.role == test.word) != test.negate;
    case BoundTest::Code::kKind:
      return PassesKind(test, node) != test.negate;
    case BoundTest::Code::kInteger:
      return PassesInteger(test, node, scope);
    case BoundTest::Code::kPart:
      return Holds(*test.part, Match::Of(node), scope);
  }
  return false;
}

void AddDepths(BoundStep& bound, const DepthSet& depths) {
  bound.depths = bound.depths ? bound.depths->Intersect(depths) : depths;
  bound.needs_depth = true;
}

void BindPart(const Part& part, const Scope& scope, BoundStep& bound) {
  BoundTest test;
  test.part = &part;
  if (const auto* filter = std::get_if<Filter>(&part)) {
    BindFilter(*filter, scope, test);
    if (filter->attr == Attr::kDepth) bound.needs_depth = true;
  } else if (const auto* type = std::get_if<TypeTest>(&part)) {
    if (type->node_class && type->kind.empty()) return;  // the mask says it
    if (type->node_class) BindKind(test, type->kind, *scope.view->lexicon);
  } else if (const auto* depth = std::get_if<DepthTest>(&part)) {
    AddDepths(bound, depth->depths);
  } else if (const auto* stem = std::get_if<StemTest>(&part)) {
    AddDepths(bound, stem->depths);
  } else if (!std::holds_alternative<SlotTest>(part) && !std::holds_alternative<ScopeTest>(part)) {
    return;  // roots and `*`: the mask says it
  }
  bound.tests.push_back(test);
}

}  // namespace

BoundStep Bind(const Step& step, const Scope& scope) {
  BoundStep bound;
  bound.classes = ClassesOf(step, scope.dialect);
  // `^seq.cont` is no node at all, and no core either.
  bound.answers_to_core = AnswersToCore(step) && (bound.classes & MaskOf(NodeClass::kCont)) != 0;
  const std::size_t prefix = PrefixSize(step);
  bound.tests.reserve(prefix);
  for (std::size_t i = 0; i < prefix; ++i) BindPart(step.parts[i], scope, bound);
  return bound;
}

bool Passes(const BoundStep& step, const Node& node, const Scope& scope) {
  for (const BoundTest& test : step.tests) {
    if (!Passes(test, node, scope)) return false;
  }
  return true;
}

bool Passes(const BoundStep& step, Match match, const Scope& scope) {
  if (!match.is_core()) {
    return (step.classes & MaskOf(match.node().node_class())) != 0 &&
           Passes(step, match.node(), scope);
  }
  if (!step.answers_to_core) return false;
  for (const BoundTest& test : step.tests) {
    if (!Holds(*test.part, match, scope)) return false;
  }
  return true;
}

}  // namespace pactdb::select
