// Positions `(d1, cont[offset=0], *:block)` and searches `? {..}`, `?? {..}`, `within(..) ?? {..}`.
//
// A hop is a step. The first one is a depth or a child of the root, all others are children. `seg`
// right after a depth is that turn, so it melts into the hop before; several depths at the start of
// within(..) are one hop, their union.
#include <iterator>
#include <utility>

#include "base/try.h"
#include "model/types.h"
#include "select/fault.h"
#include "select/parser.h"

namespace pactdb::select {

// A hop without parentheses: `cont[offset=0]`, `*:block`, `-1`. `d1` and `depth(1)` are steps.
bool Parser::StartsHop() const {
  const char c = lexer_.Peek();
  if (c == '*' && lexer_.Peek(1) == ':') {
    Lexer ahead = lexer_;
    ahead.Rewind(ahead.pos() + 2);
    return FindTypeAlias(ahead.TakeName(false)).has_value();
  }
  if (IsDigit(c) || ((c == '-' || c == '+') && IsDigit(lexer_.Peek(1)))) return true;
  return IsLetter(c) && !StartsStem();
}

Status Parser::ParsePosition(Group& group) {
  group.form = Form::kPosition;
  PACTDB_TRY_STATUS(ParseHops(group, false));
  filters_next_ = true;
  return in_place_ ? Status() : ParseSuffix(group.steps.back());
}

// "(" hop {"," hop} ")", with an insertion mark in the last place where one is welcome.
Status Parser::ParseHops(Group& group, bool is_within) {
  lexer_.Accept('(');
  HopKind before = HopKind::kNone;
  while (true) {
    lexer_.SkipBlanks();
    if (in_place_ && before != HopKind::kNone && AcceptMark()) break;
    PACTDB_TRY(before, ParseHop(group, before, is_within));
    lexer_.SkipBlanks();
    if (lexer_.Peek() == ')') break;
    if (!lexer_.Accept(',')) return Fault("expected ',' or ')' after the hop");
  }
  lexer_.SkipBlanks();
  if (!lexer_.Accept(')')) return Fault("expected ')' after the insertion mark");
  if (before == HopKind::kDepth) JoinScopes(group, group.steps.size());
  group.hops = static_cast<std::uint32_t>(group.steps.size());
  return {};
}

// `)` right after a comma, `end`, `+N`, `-N`; only in the last place. Tokens are told of selectors,
// which have no mark.
bool Parser::AcceptMark() {
  const std::size_t start = lexer_.pos();
  if (lexer_.Peek() == ')') {
    ast_.mark = InsertionMark{InsertionMark::Kind::kStart, 0};
    return true;
  }
  if (lexer_.TakeName(true) == "end") {
    ast_.mark = InsertionMark{InsertionMark::Kind::kEnd, 0};
    return true;
  }
  lexer_.Rewind(start);
  const char sign = lexer_.Peek();
  if (sign != '+' && sign != '-') return false;
  lexer_.Rewind(start + 1);
  const std::string_view digits = lexer_.TakeDigits();
  if (digits.empty() || lexer_.PeekPastBlanks() != ')') {
    lexer_.Rewind(start);
    return false;
  }
  ast_.mark =
      InsertionMark{sign == '+' ? InsertionMark::Kind::kAfter : InsertionMark::Kind::kBefore,
                    SaturatingInteger(digits)};
  return true;
}

Result<Parser::HopKind> Parser::ParseHop(Group& group, HopKind before, bool is_within) {
  const std::size_t start = lexer_.pos();
  const bool is_first = before == HopKind::kNone;
  Step& step = group.steps.emplace_back();
  step.relation = is_first ? Relation::kRootChild : Relation::kChild;
  PACTDB_TRY(const HopKind kind, ParseHopHead(step));
  PACTDB_TRY_STATUS(ParseHopFilters(step));
  if (kind == HopKind::kDepth) step.relation = Relation::kAnywhere;
  if (kind == HopKind::kDepth) {
    const bool joins = is_first || (is_within && before == HopKind::kDepth);
    if (!joins) return FaultAt(start, "a depth stands only as the first hop");
  } else if (before == HopKind::kDepth) {
    JoinScopes(group, group.steps.size() - 1);
    if (kind == HopKind::kTurn) MergeTurn(group);
  }
  return kind;
}

// The first `count` steps are depths, each with its tests; makes them one.
void Parser::JoinScopes(Group& group, std::size_t count) {
  if (count < 2) return;
  std::vector<DepthSet::Interval> all;
  std::vector<DepthSet::Interval> untested;
  ScopeTest test;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Part>& parts = group.steps[i].parts;
    DepthSet& depths = std::get<StemTest>(parts[0]).depths;
    const auto& intervals = depths.intervals();
    all.insert(all.end(), intervals.begin(), intervals.end());
    if (parts.size() == 1) {
      untested.insert(untested.end(), intervals.begin(), intervals.end());
      continue;
    }
    ScopeTest::Scope& scope = test.scopes.emplace_back();
    scope.depths = std::move(depths);
    for (std::size_t j = 1; j < parts.size(); ++j)
      scope.filters.push_back(std::move(std::get<Filter>(parts[j])));
  }
  group.steps.erase(group.steps.begin() + 1,
                    group.steps.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<Part>& parts = group.steps[0].parts;
  parts.clear();
  parts.emplace_back(StemTest{DepthSet::Of(std::move(all))});
  if (test.scopes.empty()) return;
  if (!untested.empty())
    test.scopes.insert(test.scopes.begin(), {DepthSet::Of(std::move(untested)), {}});
  parts.emplace_back(std::move(test));
}

// Melts the last hop, `seg`, into the depths before it: it names the same nodes.
void Parser::MergeTurn(Group& group) {
  Step last = std::move(group.steps.back());
  group.steps.pop_back();
  Step& stem = group.steps.back();
  stem.parts.insert(stem.parts.end(), std::make_move_iterator(last.parts.begin() + 1),
                    std::make_move_iterator(last.parts.end()));
}

Result<Parser::HopKind> Parser::ParseHopHead(Step& step) {
  const std::size_t start = lexer_.pos();
  const char c = lexer_.Peek();
  if (StartsStem()) {
    PACTDB_TRY_STATUS(ParseStem(step));
    return HopKind::kDepth;
  }
  if (IsLetter(c)) return ParseHopWord(step);
  if (c == '?') {
    PACTDB_TRY_STATUS(ParseAsk(step));
    return HopKind::kOther;
  }
  if (c == '+') return Fault("'+N' is an insertion mark; only add and move take one");
  if (lexer_.Accept('*', TokenKind::kOperator)) {
    if (lexer_.Peek() != ':') step.parts.emplace_back(AnyTest());
  } else {
    const std::string_view number = lexer_.TakeNumber();
    if (number.empty()) return Fault("expected a hop: dN, a type, an offset, '*' or '?'");
    if (number.find('.') != std::string_view::npos || IsNameByte(lexer_.Peek()))
      return FaultAt(start, "a hop by offset is a whole number");
    lexer_.Note(TokenKind::kNumber, start);
    Filter filter;
    filter.attr = Attr::kOffset;
    filter.op = Op::kEq;
    filter.value = {Value::Kind::kNumber, std::string(number)};
    step.parts.emplace_back(std::move(filter));
  }
  if (lexer_.Peek() == ':') PACTDB_TRY_STATUS(ParseHopType(step));
  return HopKind::kOther;
}

// `*:TYPE` or `0:TYPE`
Status Parser::ParseHopType(Step& step) {
  const std::size_t colon = lexer_.pos();
  lexer_.Rewind(colon + 1);
  const std::string_view name = TakeTypeName();
  if (name.empty()) return Fault("expected a type name after ':'");
  lexer_.Note(TokenKind::kType, colon);
  step.parts.insert(step.parts.begin(), MakeTypeTest(name));
  return ParseHopKind(step);
}

Result<Parser::HopKind> Parser::ParseHopWord(Step& step) {
  const std::size_t start = lexer_.pos();
  const std::string_view name = lexer_.TakeName(true);
  lexer_.Note(TokenKind::kWord, start);
  if (name == "end")
    return FaultAt(start, "'end' is an insertion mark; only add and move take one");
  const auto node_class = FindTypeAlias(name);
  if (!node_class) {
    return FaultAt(start, "'" + std::string(name) +
                              "' is no hop; expected dN, seg, cont, block, an offset, '*' or '?'");
  }
  step.parts.emplace_back(TypeTest{node_class, {}, {}});
  PACTDB_TRY_STATUS(ParseHopKind(step));
  return node_class == NodeClass::kTurn ? HopKind::kTurn : HopKind::kOther;
}

// `.kind` behind a type
Status Parser::ParseHopKind(Step& step) {
  if (lexer_.Peek() != '.') return {};
  const std::size_t start = lexer_.pos();
  lexer_.Rewind(start + 1);
  const std::string_view kind = lexer_.TakeName(true);
  if (kind.empty()) return Fault("expected a kind after '.'");
  lexer_.Note(TokenKind::kType, start);
  Filter filter;
  filter.attr = Attr::kKind;
  filter.op = Op::kEq;
  filter.value = {Value::Kind::kString, std::string(kind)};
  step.parts.emplace_back(std::move(filter));
  return {};
}

// `[..]` and `{..}` behind a hop, blanks before them or not.
Status Parser::ParseHopFilters(Step& step) {
  while (lexer_.PeekPastBlanks() == '[' || lexer_.PeekPastBlanks() == '{') {
    lexer_.SkipBlanks();
    PACTDB_TRY_STATUS(ParsePart(step));
  }
  return {};
}

// `? {..}`: the hop tests children.
Status Parser::ParseAsk(Step& step) {
  lexer_.Accept('?', TokenKind::kOperator);
  lexer_.SkipBlanks();
  if (lexer_.Peek() == '?') return Fault("'?' cannot follow '?'; '\?\?' searches all depths");
  if (lexer_.Peek() != '{') return Fault("expected '{' after '?'");
  return ParseFilters(step, '}');
}

// `? {..}` or `?? {..}` at the start of a group.
Status Parser::ParseSearch(Group& group) {
  filters_next_ = true;
  if (!lexer_.AcceptText("\?\?", TokenKind::kOperator)) {
    group.form = Form::kAsk;
    PACTDB_TRY(Step * step, StartStep(group, Relation::kRegionChild));
    PACTDB_TRY_STATUS(ParseAsk(*step));
    last_is_ask_ = true;
    return ParseSuffix(*step);
  }
  group.form = Form::kSearch;
  PACTDB_TRY(Step * step,
             StartStep(group, group.steps.empty() ? Relation::kBelowRoot : Relation::kDescendant));
  lexer_.SkipBlanks();
  if (lexer_.Peek() != '{') return Fault("expected '{' after '\?\?'");
  PACTDB_TRY_STATUS(ParseFilters(*step, '}'));
  return ParseSuffix(*step);
}

// `X ? {..}` tests the children of what X matches, `X ?? {..}` all below.
Status Parser::ParseLaterSearch(Group& group) {
  filters_next_ = true;
  if (lexer_.AcceptText("\?\?", TokenKind::kOperator)) {
    PACTDB_TRY(Step * step, StartStep(group, Relation::kDescendant));
    lexer_.SkipBlanks();
    if (lexer_.Peek() != '{') return Fault("expected '{' after '\?\?'");
    PACTDB_TRY_STATUS(ParseFilters(*step, '}'));
    return ParseSuffix(*step);
  }
  if (last_is_ask_) return Fault("'?' cannot follow '?'; '\?\?' searches all depths");
  PACTDB_TRY(Step * step, StartStep(group, Relation::kChild));
  PACTDB_TRY_STATUS(ParseAsk(*step));
  last_is_ask_ = true;
  return ParseSuffix(*step);
}

Status Parser::ParseWithin(Group& group) {
  lexer_.AcceptText("within", TokenKind::kWord);
  lexer_.SkipBlanks();
  if (lexer_.Peek() != '(') return Fault("expected '(' after 'within'");
  PACTDB_TRY_STATUS(ParseHops(group, true));
  lexer_.SkipBlanks();
  if (!lexer_.text().substr(lexer_.pos()).starts_with("\?\?"))
    return Fault("expected '\?\?' after 'within(..)'");
  return ParseSearch(group);
}

Result<Ast> Parser::ParsePlace() {
  PACTDB_TRY_STATUS(CheckText());
  in_place_ = true;
  lexer_.SkipBlanks();
  if (lexer_.Peek() == '@') {
    return std::unexpected(MakeFault(ErrorCode::kRequestInvalid, lexer_.text(), lexer_.pos(),
                                     "a place is in the working state; it takes no time"));
  }
  if (lexer_.Peek() != '(') return Fault("expected '(': a place is a position with a mark");
  PACTDB_TRY_STATUS(ParsePosition(ast_.groups.emplace_back()));
  if (!ast_.mark) {
    return FaultAt(lexer_.pos() - 1,
                   "expected an insertion mark before ')': ',' for the start, 'end', '+N' or '-N'");
  }
  lexer_.SkipBlanks();
  if (!lexer_.at_end()) return Fault("nothing may follow a place");
  return std::move(ast_);
}

}  // namespace pactdb::select
