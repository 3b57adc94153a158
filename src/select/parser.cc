// Groups and steps.
//
// Recursive descent without recursion: nothing in the language nests but lists inside filters, one
// level deep. Each method reads one construct and leaves the lexer behind it. A step's parts may
// come in any order; what belongs to the step before although a blank stands between (`{..}`,
// `+tag`, and `[..]` after a position, search, tag, `{..}` or a lone `#key`) is sorted out in
// ParseGroupRest.
#include "select/parser.h"

#include <algorithm>
#include <array>

#include "base/limits.h"
#include "base/try.h"
#include "model/types.h"
#include "select/fault.h"
#include "text/canonical.h"

namespace pactdb::select {
namespace {

constexpr std::array<std::string_view, 7> kPseudos = {"pre",   "core", "post", "depth",
                                                      "first", "last", "nth"};
constexpr std::array<std::string_view, 4> kRoots = {"root", "sys", "seq", "ah"};

bool IsPseudo(std::string_view name) {
  return std::ranges::find(kPseudos, name) != kPseudos.end();
}

template <typename Test>
bool HasPart(const Step& step) {
  return std::ranges::any_of(step.parts,
                             [](const Part& part) { return std::holds_alternative<Test>(part); });
}

bool IsStructural(const Part& part) {
  return part.index() <= Part(StemTest()).index();
}

// What a node is holds wherever it is written; only filters and picks take their turn. The parts
// before `added` are in order: a step of many tags is not gone through at each of them.
void HoistStructure(Step& step, std::size_t added) {
  const auto first = step.parts.begin() + static_cast<std::ptrdiff_t>(added);
  if (std::none_of(first, step.parts.end(), IsStructural)) return;
  if (std::ranges::is_partitioned(step.parts, IsStructural)) return;
  std::vector<Part> parts;
  for (const bool structural : {true, false}) {
    for (const Part& part : step.parts) {
      if (IsStructural(part) == structural) parts.push_back(part);
    }
  }
  step.parts = std::move(parts);
}

}  // namespace

std::unexpected<Error> Parser::FaultAt(std::size_t pos, std::string_view reason) const {
  return std::unexpected(MakeFault(ErrorCode::kSelectorInvalid, lexer_.text(), pos, reason));
}

Status Parser::CheckText() const {
  const std::string_view text = lexer_.text();
  if (text.size() > limits::kSelectorBytesMax) {
    return std::unexpected(MakeLimitFault(
        "selector_bytes", limits::kSelectorBytesMax,
        "a selector is at most " + std::to_string(limits::kSelectorBytesMax) + " bytes long"));
  }
  if (IsValidUtf8(text)) return {};
  const auto high = std::ranges::find_if(
      text, [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; });
  return FaultAt(static_cast<std::size_t>(high - text.begin()), "the selector is not valid UTF-8");
}

Result<Ast> Parser::ParseSelector() {
  PACTDB_TRY_STATUS(CheckText());
  lexer_.SkipBlanks();
  PACTDB_TRY_STATUS(ParseTime());
  do {
    lexer_.SkipBlanks();
    PACTDB_TRY_STATUS(ParseGroup());
  } while (lexer_.Accept(','));
  PACTDB_TRY_STATUS(CheckControls());
  if (time_fault_) return std::unexpected(*time_fault_);
  return std::move(ast_);
}

Status Parser::ParseGroup() {
  if (ast_.groups.size() == limits::kSelectorGroupsMax) {
    return std::unexpected(MakeLimitFault(
        "selector_groups", limits::kSelectorGroupsMax,
        "a selector has at most " + std::to_string(limits::kSelectorGroupsMax) + " groups"));
  }
  Group& group = ast_.groups.emplace_back();
  filters_next_ = false;
  is_compound_ = false;
  PACTDB_TRY_STATUS(ParseGroupStart(group));
  return ParseGroupRest(group);
}

Status Parser::ParseGroupStart(Group& group) {
  const char c = lexer_.Peek();
  if (lexer_.at_end()) return Fault("expected a selector, found the end");
  if (c == '(') return ParsePosition(group);
  if (c == '?') return ParseSearch(group);
  if (c == '+' && !IsDigit(lexer_.Peek(1))) {
    PACTDB_TRY(Step * step, StartStep(group, Relation::kBelowRoot));
    PACTDB_TRY_STATUS(ParseStep(*step));
    filters_next_ = true;
    return {};
  }
  if (lexer_.text().substr(lexer_.pos()).starts_with("within")) {
    if (lexer_.Peek(6) == '(' || IsBlank(lexer_.Peek(6))) return ParseWithin(group);
  }
  if (StartsHop()) {
    group.form = Form::kPosition;
    group.hops = 1;
    filters_next_ = true;
    PACTDB_TRY_STATUS(ParseHop(group, HopKind::kNone, false));
    return ParseSuffix(group.steps.back());
  }
  PACTDB_TRY(Step * step, StartStep(group, Relation::kAnywhere));
  return ParseStep(*step);
}

// What follows the first step: filters that reach back over a blank, further steps, controls.
Status Parser::ParseGroupRest(Group& group) {
  while (true) {
    const bool blank = lexer_.SkipBlanks();
    const char c = lexer_.Peek();
    if (lexer_.at_end() || c == ',') return {};
    if (c == '@') {
      if (!blank) return Fault("expected a blank before the control");
      return ParseTail(group);
    }
    if (c == '{' || (c == '+' && IsLetter(lexer_.Peek(1))) || (c == '[' && filters_next_)) {
      PACTDB_TRY_STATUS(ParseMore(group.steps.back()));
      continue;
    }
    if (c == '(')
      return Fault("a position stands at the start; a group stands right after its type");
    if (c == '?' && blank) {
      PACTDB_TRY_STATUS(ParseLaterSearch(group));
      continue;
    }
    const bool child = lexer_.Accept('>', TokenKind::kOperator);
    if (!child && !blank) return Fault("expected a blank, '>' or ',' here");
    lexer_.SkipBlanks();
    PACTDB_TRY(Step * step, StartStep(group, child ? Relation::kChild : Relation::kDescendant));
    PACTDB_TRY_STATUS(ParseStep(*step));
  }
}

bool Parser::IsAfterBlank() const {
  return lexer_.pos() > 0 && IsBlank(lexer_.text()[lexer_.pos() - 1]);
}

// Controls, and filters between them: `(d2, *:cb) @mode=latest [depth=2]`.
Status Parser::ParseTail(Group& group) {
  while (true) {
    lexer_.SkipBlanks();
    if (lexer_.at_end()) return {};
    const char c = lexer_.Peek();
    const bool is_filter =
        c == '{' || (c == '+' && IsLetter(lexer_.Peek(1))) || (c == '[' && filters_next_);
    if ((c != '@' && !is_filter) || !IsAfterBlank())
      return Fault("controls come last; only filters may follow them");
    if (c == '@') {
      PACTDB_TRY_STATUS(ParseControl());
      continue;
    }
    PACTDB_TRY_STATUS(ParseMore(group.steps.back()));
  }
}

Result<Step*> Parser::StartStep(Group& group, Relation relation) {
  if (steps_ == limits::kSelectorStepsMax) {
    return std::unexpected(MakeLimitFault(
        "selector_steps", limits::kSelectorStepsMax,
        "a selector has at most " + std::to_string(limits::kSelectorStepsMax) + " steps"));
  }
  ++steps_;
  last_is_ask_ = false;
  is_compound_ = false;
  Step& step = group.steps.emplace_back();
  step.relation = relation;
  return &step;
}

// A filter that reaches back over a blank, and whatever is glued to it.
Status Parser::ParseMore(Step& step) {
  PACTDB_TRY_STATUS(is_compound_ ? ParseStep(step) : ParseSuffix(step));
  filters_next_ = true;
  return {};
}

Status Parser::ParseStep(Step& step) {
  const std::size_t start = lexer_.pos();
  const std::size_t parts_before = step.parts.size();
  is_compound_ = true;
  bool opens = false;
  const bool starts_with_key = lexer_.Peek() == '#';
  while (true) {
    const char c = lexer_.Peek();
    PACTDB_TRY(const bool took, ParsePart(step));
    if (!took) break;
    opens = opens || c == '{' || c == '+';
  }
  if (lexer_.pos() == start) {
    return lexer_.at_end() ? Fault("expected a step, found the end")
                           : Fault("expected a step here");
  }
  filters_next_ = opens || (starts_with_key && step.parts.size() == 1);
  HoistStructure(step, parts_before);
  return {};
}

// What may be glued to a position or a search: filters, tags and pseudos.
Status Parser::ParseSuffix(Step& step) {
  while (true) {
    const char c = lexer_.Peek();
    if (c != '[' && c != '{' && c != '+' && c != ':') return {};
    PACTDB_TRY_STATUS(ParsePart(step));
  }
}

// `d1`, `d-1`, `depth(1)`
bool Parser::StartsStem() const {
  if (lexer_.Peek() != 'd') return false;
  if (lexer_.text().substr(lexer_.pos()).starts_with("depth(")) return true;
  std::size_t i = lexer_.Peek(1) == '-' || lexer_.Peek(1) == '+' ? 2 : 1;
  if (!IsDigit(lexer_.Peek(i))) return false;
  while (IsDigit(lexer_.Peek(i))) ++i;
  return !IsLetter(lexer_.Peek(i)) && lexer_.Peek(i) != '_';
}

Status Parser::ParseStem(Step& step) {
  const std::size_t start = lexer_.pos();
  DepthSet depths;
  if (lexer_.AcceptText("depth", TokenKind::kWord)) {
    PACTDB_TRY(depths, ParseDepths());
  } else {
    lexer_.Rewind(start + 1);
    const std::string_view number = lexer_.TakeNumber();
    const std::int64_t depth = SaturatingInteger(number.substr(0, number.find('.')));
    lexer_.Rewind(start + 1 + number.substr(0, number.find('.')).size());
    lexer_.Note(TokenKind::kWord, start);
    depths = DepthSet::Of({{depth, depth}});
  }
  step.parts.emplace_back(StemTest{std::move(depths)});
  return {};
}

// Takes the next part if one comes; false if none does.
Result<bool> Parser::ParsePart(Step& step) {
  const auto done = [](const Status& status) -> Result<bool> {
    if (!status) return std::unexpected(status.error());
    return true;
  };
  switch (lexer_.Peek()) {
    case '^':
      return done(ParseRoot(step));
    case '.':
      return done(ParseType(step));
    case '#':
      return done(ParseKey(step));
    case '[':
      return done(ParseFilters(step, ']'));
    case '{':
      return done(ParseFilters(step, '}'));
    case ':':
      return done(ParsePseudo(step));
    case '+':
      return done(ParseTag(step));
    case '*':
      if (HasPart<AnyTest>(step)) return Fault("a step has one '*'");
      lexer_.Accept('*', TokenKind::kOperator);
      step.parts.emplace_back(AnyTest());
      return true;
    case 'd':
      if (!step.parts.empty() || !StartsStem()) return false;
      return done(ParseStem(step));
    default:
      return false;
  }
}

Status Parser::ParseRoot(Step& step) {
  const std::size_t start = lexer_.pos();
  if (HasPart<RootTest>(step) || HasPart<StemTest>(step)) return Fault("a step has one root");
  lexer_.Rewind(start + 1);
  const std::string_view name = lexer_.TakeName(false);
  const auto found = std::ranges::find(kRoots, name);
  if (found == kRoots.end()) {
    return FaultAt(start, "unknown root '^" + std::string(name) + "'" +
                              Suggestion(name, kRoots, "^") +
                              (name.empty() ? ", expected ^sys, ^seq, ^ah or ^root" : ""));
  }
  lexer_.Note(TokenKind::kRoot, start);
  step.parts.emplace_back(RootTest{static_cast<NodeClass>(found - kRoots.begin())});
  if (lexer_.Peek() == '(') return Fault("'(' may follow a type, not a root");
  return {};
}

// A name in which ':' joins segments, up to a segment that is a pseudo: `.block:summary:first`.
std::string_view Parser::TakeTypeName() {
  const std::size_t start = lexer_.pos();
  if (lexer_.TakeName(false).empty()) return {};
  while (lexer_.Peek() == ':' && IsNameByte(lexer_.Peek(1))) {
    const std::size_t colon = lexer_.pos();
    lexer_.Rewind(colon + 1);
    while (IsNameByte(lexer_.Peek())) lexer_.Rewind(lexer_.pos() + 1);
    if (!IsPseudo(lexer_.text().substr(colon + 1, lexer_.pos() - colon - 1))) continue;
    lexer_.Rewind(colon);
    break;
  }
  return lexer_.text().substr(start, lexer_.pos() - start);
}

TypeTest Parser::MakeTypeTest(std::string_view name) const {
  const std::size_t colon = name.find(':');
  const auto node_class = FindTypeAlias(name.substr(0, colon));
  if (!node_class) return TypeTest{std::nullopt, {}, std::string(name)};
  if (colon == std::string_view::npos) return TypeTest{node_class, {}, {}};
  const std::string_view rest = name.substr(colon + 1);
  // In the classic dialect `.cb:x` is a nodeType; later it is a type and a kind.
  if (ast_.dialect != Dialect::kClassic) return TypeTest{node_class, std::string(rest), {}};
  return TypeTest{
      std::nullopt, {}, std::string(TypeName(*node_class, ast_.dialect)) + ":" + std::string(rest)};
}

Status Parser::ParseType(Step& step) {
  const std::size_t start = lexer_.pos();
  if (HasPart<TypeTest>(step)) return Fault("a step has one type");
  lexer_.Rewind(start + 1);
  const std::string_view name = TakeTypeName();
  if (name.empty()) return Fault("expected a type name after '.'");
  lexer_.Note(TokenKind::kType, start);
  step.parts.emplace_back(MakeTypeTest(name));
  return lexer_.Peek() == '(' ? ParseFilters(step, ')') : Status();
}

Status Parser::ParseKey(Step& step) {
  const std::size_t start = lexer_.pos();
  lexer_.Rewind(start + 1);
  std::string key;
  if (lexer_.Peek() == '\'' || lexer_.Peek() == '"') {
    lexer_.Note(TokenKind::kKey, start);
    auto text = lexer_.TakeString();
    if (!text) return Fault("the string is not closed");
    key = *std::move(text);
  } else {
    key = lexer_.TakeKey();
    if (key.empty()) return Fault("expected a name or a quoted string after '#'");
    lexer_.Note(TokenKind::kKey, start);
  }
  if (keyed_step_ == steps_) return FaultAt(start, "a step has one '#'");
  keyed_step_ = steps_;
  Filter filter;
  filter.attr = ast_.dialect == Dialect::kCanonical ? Attr::kKey : Attr::kId;
  filter.op = Op::kEq;
  filter.value = {Value::Kind::kString, std::move(key)};
  step.parts.emplace_back(std::move(filter));
  return {};
}

Status Parser::ParsePseudo(Step& step) {
  const std::size_t start = lexer_.pos();
  lexer_.Rewind(start + 1);
  const std::string_view name = lexer_.TakeName(false);
  if (name.empty()) return Fault("expected a name after ':'");
  if (!IsPseudo(name)) {
    return FaultAt(start,
                   "unknown pseudo ':" + std::string(name) + "'" + Suggestion(name, kPseudos, ":"));
  }
  lexer_.Note(TokenKind::kPseudo, start);
  if (name == "depth") {
    PACTDB_TRY(DepthSet depths, ParseDepths());
    step.parts.emplace_back(DepthTest{std::move(depths)});
    return {};
  }
  if (name == "nth") return ParseNth(step);
  if (name == "first") step.parts.emplace_back(Pick{Pick::Kind::kFirst});
  if (name == "last") step.parts.emplace_back(Pick{Pick::Kind::kLast});
  if (name == "pre") step.parts.emplace_back(SlotTest{Slot::kPre});
  if (name == "core") step.parts.emplace_back(SlotTest{Slot::kCore});
  if (name == "post") step.parts.emplace_back(SlotTest{Slot::kPost});
  if (lexer_.Peek() == '(') return Fault("':" + std::string(name) + "' takes no argument");
  return {};
}

Status Parser::ParseNth(Step& step) {
  if (!lexer_.Accept('(')) return Fault("expected '(' after ':nth'");
  lexer_.SkipBlanks();
  const std::size_t start = lexer_.pos();
  const std::string_view digits = lexer_.TakeDigits();
  const std::int64_t n = SaturatingInteger(digits);
  if (digits.empty() || n == 0) return FaultAt(start, "':nth' takes a whole number from 1");
  lexer_.Note(TokenKind::kNumber, start);
  lexer_.SkipBlanks();
  if (!lexer_.Accept(')')) return Fault("expected ')' to close ':nth'");
  step.parts.emplace_back(Pick{Pick::Kind::kNth, n});
  return {};
}

Status Parser::ParseTag(Step& step) {
  const std::size_t start = lexer_.pos();
  lexer_.Rewind(start + 1);
  const std::string_view name = lexer_.TakeName(true);
  if (name.empty()) return FaultAt(start, "expected a tag, a word, after '+'");
  lexer_.Note(TokenKind::kTag, start);
  Filter filter;
  filter.attr = Attr::kTag;
  filter.op = Op::kEq;
  filter.value = {Value::Kind::kString, std::string(name)};
  step.parts.emplace_back(std::move(filter));
  return {};
}

}  // namespace pactdb::select
