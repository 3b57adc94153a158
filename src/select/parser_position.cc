// Positions `(d1, cont[offset=0], *:block)` and searches `? {..}`, `?? {..}`, `within(..) ?? {..}`.
//
// A hop is a step. The first one is a depth or a child of the root, all others are children. `seg`
// right after a depth is that turn, so it melts into the hop before; several depths at the start of
// within(..) melt into one.
#include "base/try.h"
#include "model/types.h"
#include "select/fault.h"
#include "select/parser.h"

namespace pactdb::select {
namespace {

// d1, d-1
bool IsDepthWord(std::string_view word) {
  if (!word.starts_with('d')) return false;
  word.remove_prefix(word.starts_with("d-") ? 2 : 1);
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsStem(const Step& step) {
  return !step.parts.empty() && std::holds_alternative<StemTest>(step.parts[0]);
}

// `seg` and no more than that of a type.
bool IsPlainTurn(const Step& step) {
  const auto* type = step.parts.empty() ? nullptr : std::get_if<TypeTest>(&step.parts[0]);
  return type != nullptr && type->node_class == NodeClass::kTurn && type->kind.empty();
}

}  // namespace

// A hop without parentheses: `d1`, `cont[offset=0]`, `*:block`, `-1`. `depth(1)` is a step.
bool Parser::StartsHop() const {
  const std::string_view rest = lexer_.text().substr(lexer_.pos());
  const char c = lexer_.Peek();
  if (c == '*') return lexer_.Peek(1) == ':' && !rest.starts_with("*::") && [&] {
    const std::size_t end = rest.find_first_not_of(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 2);
    return FindTypeAlias(rest.substr(2, end == std::string_view::npos ? end : end - 2)).has_value();
  }();
  if (IsDigit(c) || ((c == '-' || c == '+') && IsDigit(lexer_.Peek(1)))) return true;
  return IsLetter(c) && !rest.starts_with("depth(");
}

Status Parser::ParsePosition(Group& group) {
  group.form = Form::kPosition;
  PACTDB_TRY_STATUS(ParseHops(group, false));
  filters_next_ = true;
  return {};
}

// "(" hop {"," hop} ")", with an insertion mark in the last place where one is welcome.
Status Parser::ParseHops(Group& group, bool is_within) {
  lexer_.Accept('(');
  while (true) {
    lexer_.SkipBlanks();
    if (in_place_ && !group.steps.empty() && AcceptMark()) break;
    PACTDB_TRY_STATUS(ParseHop(group, is_within));
    lexer_.SkipBlanks();
    if (lexer_.Peek() == ')') break;
    if (!lexer_.Accept(',')) return Fault("expected ',' or ')' after the hop");
  }
  lexer_.SkipBlanks();
  if (!lexer_.Accept(')')) return Fault("expected ')' after the insertion mark");
  group.hops = static_cast<std::uint32_t>(group.steps.size());
  return {};
}

// `)` right after a comma, `end`, `+N`, `-N`; only in the last place.
bool Parser::AcceptMark() {
  const std::size_t start = lexer_.pos();
  if (lexer_.Peek() == ')') {
    ast_.mark = InsertionMark{InsertionMark::Kind::kStart, 0};
    return true;
  }
  if (lexer_.TakeName(true) == "end") {
    ast_.mark = InsertionMark{InsertionMark::Kind::kEnd, 0};
    lexer_.Note(TokenKind::kWord, start);
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
  lexer_.Note(TokenKind::kNumber, start);
  ast_.mark = InsertionMark{
      sign == '+' ? InsertionMark::Kind::kAfter : InsertionMark::Kind::kBefore,
      SaturatingInteger(digits)};
  return true;
}

Status Parser::ParseHop(Group& group, bool is_within) {
  const std::size_t start = lexer_.pos();
  const bool is_first = group.steps.empty();
  PACTDB_TRY(Step * step, StartStep(group, is_first ? Relation::kRootChild : Relation::kChild));
  PACTDB_TRY_STATUS(ParseHopHead(*step));
  PACTDB_TRY_STATUS(ParseHopSuffix(*step));
  if (is_first) {
    if (IsStem(*step)) step->relation = Relation::kAnywhere;
    return {};
  }
  if (IsStem(*step)) {
    const bool joins = is_within && group.steps.size() == 2 && IsStem(group.steps[0]) &&
                       group.steps[0].parts.size() == 1 && step->parts.size() == 1;
    if (!joins) return FaultAt(start, "a depth stands only as the first hop");
  }
  return MergeIntoStem(group, is_within);
}

// Melts the last hop into the one before where it names the same nodes.
Status Parser::MergeIntoStem(Group& group, bool is_within) {
  if (group.steps.size() != 2 || !IsStem(group.steps[0])) return {};
  Step last = std::move(group.steps[1]);
  Step& stem = group.steps[0];
  if (is_within && IsStem(last)) {
    std::get<StemTest>(stem.parts[0]).depths.Add(std::get<StemTest>(last.parts[0]).depths);
  } else if (IsPlainTurn(last)) {
    stem.parts.insert(stem.parts.end(), std::make_move_iterator(last.parts.begin() + 1),
                      std::make_move_iterator(last.parts.end()));
  } else {
    group.steps[1] = std::move(last);
    return {};
  }
  group.steps.pop_back();
  return {};
}

Status Parser::ParseHopHead(Step& step) {
  const std::size_t start = lexer_.pos();
  const char c = lexer_.Peek();
  if (c == '?') return ParseAsk(step);
  if (c == '*') {
    lexer_.Accept('*', TokenKind::kOperator);
    if (lexer_.Peek() != ':') {
      step.parts.emplace_back(AnyTest());
      return {};
    }
  } else if (c == '+') {
    return Fault("'+N' is an insertion mark; only add and move take one");
  } else if (const std::string_view number = lexer_.TakeNumber(); !number.empty()) {
    if (number.find('.') != std::string_view::npos || IsLetter(lexer_.Peek()))
      return FaultAt(start, "a hop by offset is a whole number");
    lexer_.Note(TokenKind::kNumber, start);
    Filter filter;
    filter.attr = Attr::kOffset;
    filter.op = Op::kEq;
    filter.value = {Value::Kind::kNumber, std::string(number)};
    PACTDB_TRY_STATUS(AddFilter(step, std::move(filter)));
    if (lexer_.Peek() != ':') return {};
  } else {
    return ParseHopWord(step);
  }
  // `*:TYPE` or `0:TYPE`; a pseudo is left to the suffix.
  const std::size_t colon = lexer_.pos();
  lexer_.Rewind(colon + 1);
  const std::size_t name_at = lexer_.pos();
  const std::string_view first = lexer_.TakeName(false);
  lexer_.Rewind(name_at);
  if (first == "pre" || first == "core" || first == "post" || first == "depth" ||
      first == "first" || first == "last" || first == "nth") {
    lexer_.Rewind(colon);
    if (c == '*') step.parts.emplace_back(AnyTest());
    return {};
  }
  const std::string_view name = TakeTypeName();
  if (name.empty()) return Fault("expected a type name after ':'");
  lexer_.Note(TokenKind::kType, colon);
  step.parts.insert(step.parts.begin(), MakeTypeTest(name));
  return {};
}

Status Parser::ParseHopWord(Step& step) {
  const std::size_t start = lexer_.pos();
  if (lexer_.text().substr(start).starts_with("depth(")) {
    lexer_.AcceptText("depth", TokenKind::kWord);
    PACTDB_TRY(DepthSet depths, ParseDepths());
    step.parts.emplace_back(StemTest{std::move(depths)});
    return {};
  }
  const std::string_view name = TakeTypeName();
  if (name.empty()) return Fault("expected a hop: dN, a type, an offset, '*' or '?'");
  lexer_.Note(TokenKind::kWord, start);
  if (name == "end")
    return FaultAt(start, "'end' is an insertion mark; only add and move take one");
  if (IsDepthWord(name)) {
    PACTDB_TRY_STATUS(CountDepth());
    const std::int64_t depth = SaturatingInteger(name.substr(1));
    DepthSet depths;
    depths.Add(depth, depth);
    step.parts.emplace_back(StemTest{std::move(depths)});
    return {};
  }
  step.parts.emplace_back(MakeTypeTest(name));
  return {};
}

// `.kind`, `[..]`, `{..}`, `#key`, `+tag`, `:first` behind a hop.
Status Parser::ParseHopSuffix(Step& step) {
  while (true) {
    if (lexer_.Peek() == '.') {
      const std::size_t start = lexer_.pos();
      lexer_.Rewind(start + 1);
      const std::string_view kind = lexer_.TakeName(false);
      if (kind.empty()) return Fault("expected a kind after '.'");
      lexer_.Note(TokenKind::kType, start);
      Filter filter;
      filter.attr = Attr::kKind;
      filter.op = Op::kEq;
      filter.value = {Value::Kind::kString, std::string(kind)};
      PACTDB_TRY_STATUS(AddFilter(step, std::move(filter)));
      continue;
    }
    const std::size_t behind = lexer_.pos();
    if (lexer_.PeekPastBlanks() == '{') lexer_.SkipBlanks();
    const char c = lexer_.Peek();
    if (c != '[' && c != '{' && c != '#' && c != ':' && !(c == '+' && IsLetter(lexer_.Peek(1)))) {
      lexer_.Rewind(behind);
      return {};
    }
    PACTDB_TRY_STATUS(ParsePart(step));
  }
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
    return ParseAsk(*step);
  }
  group.form = Form::kSearch;
  PACTDB_TRY(Step * step, StartStep(group, group.steps.empty() ? Relation::kAnywhere
                                                               : Relation::kDescendant));
  lexer_.SkipBlanks();
  if (lexer_.Peek() != '{') return Fault("expected '{' after '\?\?'");
  return ParseFilters(*step, '}');
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
  if (lexer_.Peek() == '@') return Fault("a place is in the working state; it takes no time");
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
