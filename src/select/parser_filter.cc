// Filters, literals and depth expressions.
#include <re2/re2.h>

#include "base/limits.h"
#include "base/try.h"
#include "select/fault.h"
#include "select/parser.h"

namespace pactdb::select {
namespace {

std::string_view CloseReason(char close) {
  if (close == ']') return "expected ']' to close the filter";
  if (close == '}') return "expected '}' to close the filter";
  return "expected ')' to close the group";
}

}  // namespace

Status Parser::CountFilter() {
  if (filters_ == limits::kSelectorFiltersMax) {
    return std::unexpected(MakeLimitFault(
        "selector_attributes", limits::kSelectorFiltersMax,
        "a selector has at most " + std::to_string(limits::kSelectorFiltersMax) + " filters"));
  }
  ++filters_;
  return {};
}

// `[a=1, b]`, `{a=1, b}`, `(a=1 b)`. In parentheses a blank separates too.
Status Parser::ParseFilters(Step& step, char close) {
  lexer_.Accept(lexer_.Peek());
  lexer_.SkipBlanks();
  if (lexer_.Peek() == close) return Fault("a filter cannot be empty");
  while (true) {
    PACTDB_TRY(Filter filter, ParseFilter());
    PACTDB_TRY_STATUS(CountFilter());
    step.parts.emplace_back(std::move(filter));
    const bool blank = lexer_.SkipBlanks();
    if (lexer_.Accept(close)) return {};
    if (lexer_.Accept(',')) {
      lexer_.SkipBlanks();
    } else if (close != ')' || !blank || lexer_.at_end()) {
      return Fault(CloseReason(close));
    }
  }
}

Result<Filter> Parser::ParseFilter() {
  const std::size_t start = lexer_.pos();
  const std::string_view name = lexer_.TakeName(true);
  if (name.empty()) return Fault("expected an attribute name");
  lexer_.Note(TokenKind::kWord, start);
  Filter filter;
  filter.attr = FindAttr(name);
  const std::size_t end = lexer_.pos();
  lexer_.SkipBlanks();
  constexpr Op kOps[] = {Op::kNe, Op::kLe, Op::kGe, Op::kEq, Op::kLt, Op::kGt, Op::kMatch};
  for (const Op op : kOps) {
    if (lexer_.AcceptText(Text(op), TokenKind::kOperator)) {
      filter.op = op;
      break;
    }
  }
  if (filter.op == Op::kPresent) {
    lexer_.Rewind(end);  // the blank may separate
    if (name == "ephemeral") filter.attr = Attr::kEphemeral;
    if (name == "sticky") filter.attr = Attr::kSticky;
  }
  if (filter.attr == Attr::kCustom) filter.name = name;
  if (filter.op != Op::kPresent) PACTDB_TRY_STATUS(ParseOperand(filter));
  return filter;
}

Status Parser::ParseOperand(Filter& filter) {
  lexer_.SkipBlanks();
  const std::size_t at = lexer_.pos();
  if (lexer_.Peek() == '[') {
    if (filter.op != Op::kEq && filter.op != Op::kNe)
      return Fault("a list goes with '=' or '!=' only");
    return ParseList(filter);
  }
  PACTDB_TRY(filter.value, ParseValue());
  return filter.op == Op::kMatch ? CheckMatch(filter, at) : Status();
}

Status Parser::CheckMatch(Filter& filter, std::size_t at) const {
  if (filter.value.kind != Value::Kind::kString)
    return FaultAt(at, "'~' takes a pattern, a string");
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto pattern = std::make_shared<const re2::RE2>(filter.value.text, options);
  if (!pattern->ok()) return FaultAt(at, "the pattern cannot be used: " + pattern->error());
  filter.pattern = std::move(pattern);
  return {};
}

Status Parser::ParseList(Filter& filter) {
  lexer_.Accept('[');
  filter.is_list = true;
  while (true) {
    lexer_.SkipBlanks();
    PACTDB_TRY(Value value, ParseValue());
    filter.list.push_back(std::move(value));
    lexer_.SkipBlanks();
    if (lexer_.Accept(']')) return {};
    if (!lexer_.Accept(',')) return Fault("expected ',' or ']' in the list");
  }
}

Result<Value> Parser::ParseValue() {
  const std::size_t start = lexer_.pos();
  const char c = lexer_.Peek();
  if (c == '\'' || c == '"') {
    auto text = lexer_.TakeString();
    if (!text) return Fault("the string is not closed");
    return Value{Value::Kind::kString, *std::move(text)};
  }
  if (const std::string_view number = lexer_.TakeNumber(); !number.empty()) {
    const char next = lexer_.Peek();
    if (IsNameByte(next) || next == ':' || next == '.')
      return FaultAt(start, "a number ends at a blank or a bracket; quote it to make it a string");
    lexer_.Note(TokenKind::kNumber, start);
    return Value{Value::Kind::kNumber, std::string(number)};
  }
  const std::string_view word = lexer_.TakeName(true);
  if (word.empty()) {
    return lexer_.at_end() ? Fault("expected a value, found the end") : Fault("expected a value");
  }
  lexer_.Note(TokenKind::kWord, start);
  if (word == "null" || word == "None") return Value{};
  return Value{Value::Kind::kString, std::string(word)};
}

// --- depths ---

Status Parser::CountDepth() {
  if (depths_ == limits::kSelectorDepthsMax) {
    return std::unexpected(MakeLimitFault(
        "selector_depths", limits::kSelectorDepthsMax,
        ":depth(..) takes at most " + std::to_string(limits::kSelectorDepthsMax) + " depths"));
  }
  ++depths_;
  return {};
}

// `(1)`, `(1,2..5,>7)`, `({1,3-4})`
Result<DepthSet> Parser::ParseDepths() {
  if (!lexer_.Accept('(')) return Fault("expected '(' and a depth");
  std::vector<DepthSet::Interval> depths;
  depths_ = 0;
  while (true) {
    lexer_.SkipBlanks();
    if (lexer_.Accept('{')) {
      do {
        lexer_.SkipBlanks();
        PACTDB_TRY_STATUS(ParseDepthItem(depths, true));
        lexer_.SkipBlanks();
      } while (lexer_.Accept(','));
      if (!lexer_.Accept('}')) return Fault("expected ',' or '}' in the set of depths");
    } else {
      PACTDB_TRY_STATUS(ParseDepthItem(depths, false));
    }
    lexer_.SkipBlanks();
    if (lexer_.Accept(')')) return DepthSet::Of(std::move(depths));
    if (!lexer_.Accept(',')) return Fault("expected ',' or ')' after the depth");
  }
}

Status Parser::ParseDepthItem(std::vector<DepthSet::Interval>& depths, bool in_set) {
  PACTDB_TRY_STATUS(CountDepth());
  const char c = lexer_.Peek();
  if (c != '<' && c != '>') return ParseDepthRange(depths);
  if (in_set) return Fault("a set holds numbers and ranges, no comparisons");
  const bool or_equal = lexer_.Peek(1) == '=';
  lexer_.AcceptText(c == '<' ? (or_equal ? "<=" : "<") : (or_equal ? ">=" : ">"),
                    TokenKind::kOperator);
  lexer_.SkipBlanks();
  PACTDB_TRY(const std::int64_t n, ParseDepthNumber());
  if (c == '<') {
    depths.push_back({kDepthMin, or_equal ? n : n - 1});
  } else {
    depths.push_back({or_equal ? n : n + 1, kDepthMax});
  }
  return {};
}

// n, a-b or a..b
Status Parser::ParseDepthRange(std::vector<DepthSet::Interval>& depths) {
  const std::size_t start = lexer_.pos();
  PACTDB_TRY(const std::int64_t first, ParseDepthNumber());
  const std::size_t behind = lexer_.pos();
  lexer_.SkipBlanks();
  if (!lexer_.AcceptText("..", TokenKind::kOperator) && !lexer_.Accept('-', TokenKind::kOperator)) {
    lexer_.Rewind(behind);
    depths.push_back({first, first});
    return {};
  }
  lexer_.SkipBlanks();
  PACTDB_TRY(const std::int64_t last, ParseDepthNumber());
  if (last < first) return FaultAt(start, "the range of depths runs backwards");
  depths.push_back({first, last});
  return {};
}

Result<std::int64_t> Parser::ParseDepthNumber() {
  const std::size_t start = lexer_.pos();
  if (lexer_.Peek() == '-' || lexer_.Peek() == '+') lexer_.Rewind(start + 1);
  if (lexer_.TakeDigits().empty()) {
    lexer_.Rewind(start);
    return Fault("expected a depth, a whole number");
  }
  lexer_.Note(TokenKind::kNumber, start);
  const char next = lexer_.Peek();
  if (IsLetter(next) || next == '_' || (next == '.' && lexer_.Peek(1) != '.'))
    return FaultAt(start, "a depth is a whole number");
  return SaturatingInteger(lexer_.text().substr(start, lexer_.pos() - start));
}

}  // namespace pactdb::select
