// The time before a selector and the controls behind it.
#include <array>

#include "base/try.h"
#include "select/fault.h"
#include "select/parser.h"

namespace pactdb::select {
namespace {

constexpr std::array<std::string_view, 6> kControls = {"mode",  "p",     "limit",
                                                       "order", "first", "unique"};

}  // namespace

// Nothing, @tN, @cN, @*, @history, or a range of two points.
Status Parser::ParseTime() {
  if (lexer_.Peek() != '@') return {};
  const std::size_t start = lexer_.pos();
  if (lexer_.AcceptText("@history", TokenKind::kTime)) {
    ast_.time = {Time::Kind::kRange, {'t', false, 0}, {'t', true, 0}};
  } else {
    bool is_all = false;
    PACTDB_TRY(ast_.time.from, ParseTimePoint('\0', is_all));
    ast_.time.kind = is_all ? Time::Kind::kAll : Time::Kind::kSingle;
    if (StartsRange()) PACTDB_TRY_STATUS(ParseRangeEnd(start));
  }
  const char next = lexer_.Peek();
  if (!lexer_.at_end() && !IsBlank(next) && next != '(')
    return Fault("expected a blank after the time");
  return {};
}

// True if `..` or `:` comes and an end of a range behind it. `@t0 :pre` is no range.
bool Parser::StartsRange() const {
  Lexer ahead = lexer_;
  ahead.SkipBlanks();
  const std::string_view rest = ahead.text().substr(ahead.pos());
  if (rest.starts_with("..")) return true;
  if (!rest.starts_with(':')) return false;
  ahead.Rewind(ahead.pos() + 1);
  const char next = ahead.PeekPastBlanks();
  return next == '@' || next == '-' || IsDigit(next);
}

Status Parser::ParseRangeEnd(std::size_t start) {
  const bool from_all = ast_.time.kind == Time::Kind::kAll;
  lexer_.SkipBlanks();
  if (!lexer_.AcceptText("..", TokenKind::kTime)) lexer_.Accept(':', TokenKind::kTime);
  lexer_.SkipBlanks();
  const std::size_t end_at = lexer_.pos();
  bool to_all = false;
  PACTDB_TRY(ast_.time.to, ParseTimePoint(from_all ? 't' : ast_.time.from.kind, to_all));
  if (from_all || to_all) {
    time_fault_ = MakeFault(ErrorCode::kSnapshotRangeWildcard, lexer_.text(),
                            from_all ? start : end_at, "'@*' cannot be an end of a range");
  } else if (ast_.time.from.kind != ast_.time.to.kind) {
    time_fault_ = MakeFault(ErrorCode::kSnapshotRangeKindMismatch, lexer_.text(), end_at,
                            "a range has two @t ends or two @c ends");
  }
  ast_.time.kind = Time::Kind::kRange;
  return {};
}

// `@t-3`, `@c7`, `@*`, `@t-*`; where a kind is inherited also `-3`, `7`, `-*`.
Result<TimePoint> Parser::ParseTimePoint(char inherited, bool& is_all) {
  const std::size_t start = lexer_.pos();
  TimePoint point{inherited, false, 0};
  if (lexer_.Peek() == '@') {
    point.kind = lexer_.Peek(1);
    lexer_.Rewind(start + (point.kind == '*' ? 1 : 2));
  }
  if (lexer_.Peek() == '*' && point.kind == '*') {
    is_all = true;
    lexer_.Rewind(lexer_.pos() + 1);
    lexer_.Note(TokenKind::kTime, start);
    return point;
  }
  const std::size_t number_at = lexer_.pos();
  const bool is_relative = point.kind == 't';
  if (is_relative && lexer_.Peek() == '-' && lexer_.Peek(1) == '*') {
    point.is_oldest = true;
    lexer_.Rewind(number_at + 2);
  } else {
    if (is_relative && (lexer_.Peek() == '-' || lexer_.Peek() == '+')) lexer_.Rewind(number_at + 1);
    const bool known = point.kind == 't' || point.kind == 'c';
    if (!known || lexer_.TakeDigits().empty()) {
      return FaultAt(start, "expected a time: @tN, @t-N, @cN, @* or @history");
    }
    point.value = SaturatingInteger(lexer_.text().substr(number_at, lexer_.pos() - number_at));
  }
  lexer_.Note(TokenKind::kTime, start);
  return point;
}

// --- controls ---

Status Parser::ParseControl() {
  const std::size_t start = lexer_.pos();
  lexer_.Rewind(start + 1);
  const std::string_view name = lexer_.TakeName(false);
  Controls& controls = ast_.controls;
  if (name == "first" || name == "unique") {
    bool& flag = name == "first" ? controls.first : controls.unique;
    if (flag) return FaultAt(start, "'@" + std::string(name) + "' stands twice");
    flag = true;
    if (name == "first") first_at_ = start;
  } else if (name == "limit" || name == "p") {
    PACTDB_TRY_STATUS(ParseNumberControl(name, start));
  } else if (name == "order") {
    if (controls.order != Order::kDefault) return FaultAt(start, "'@order' stands twice");
    PACTDB_TRY_STATUS(ParseOrder());
  } else if (name == "mode") {
    if (controls.mode != RangeMode::kDefault) return FaultAt(start, "'@mode' stands twice");
    mode_at_ = start;
    PACTDB_TRY_STATUS(ParseMode());
  } else {
    return FaultAt(
        start, "unknown control '@" + std::string(name) + "'" + Suggestion(name, kControls, "@"));
  }
  if (!lexer_.at_end() && !IsBlank(lexer_.Peek()))
    return Fault("expected a blank after the control");
  lexer_.Note(TokenKind::kControl, start);
  return {};
}

Status Parser::ParseNumberControl(std::string_view name, std::size_t at) {
  const bool is_limit = name == "limit";
  std::optional<std::int64_t>& number = is_limit ? ast_.controls.limit : ast_.controls.page;
  if (number) return FaultAt(at, "'@" + std::string(name) + "' stands twice");
  if (lexer_.Peek() != '=') return Fault("expected '=' after '@" + std::string(name) + "'");
  lexer_.Rewind(lexer_.pos() + 1);
  const std::size_t start = lexer_.pos();
  const std::string_view digits = lexer_.TakeDigits();
  number = SaturatingInteger(digits);
  if (digits.empty() || (!is_limit && number == 0)) {
    return FaultAt(start, is_limit ? "'@limit' takes a whole number" : "pages count from 1");
  }
  return {};
}

Status Parser::ParseOrder() {
  const std::size_t start = lexer_.pos();
  const std::string_view rest = lexer_.text().substr(start);
  for (int i = static_cast<int>(Order::kPre); i <= static_cast<int>(Order::kTurnDesc); ++i) {
    const std::string text = "=" + std::string(Name(static_cast<Order>(i)));
    if (!rest.starts_with(text)) continue;
    if (rest.size() > text.size() && !IsBlank(rest[text.size()])) continue;
    ast_.controls.order = static_cast<Order>(i);
    lexer_.Rewind(start + text.size());
    return {};
  }
  return Fault("'@order' is pre, post, bfs, path, turn:asc,pre or turn:desc,pre");
}

Status Parser::ParseMode() {
  const std::size_t start = lexer_.pos();
  const std::string_view rest = lexer_.text().substr(start);
  for (int i = static_cast<int>(RangeMode::kUnion); i <= static_cast<int>(RangeMode::kReduce);
       ++i) {
    const std::string text = "=" + std::string(Name(static_cast<RangeMode>(i)));
    if (!rest.starts_with(text)) continue;
    ast_.controls.mode = static_cast<RangeMode>(i);
    lexer_.Rewind(start + text.size());
    return {};
  }
  return Fault("'@mode' is union, latest or reduce");
}

Status Parser::CheckControls() const {
  const Controls& controls = ast_.controls;
  if (controls.first && (controls.limit || controls.page))
    return FaultAt(first_at_, "'@first' is '@limit=1'; it goes with neither '@limit' nor '@p'");
  if (controls.mode != RangeMode::kDefault && ast_.time.kind != Time::Kind::kRange)
    return FaultAt(mode_at_, "'@mode' needs a range of snapshots");
  return {};
}

}  // namespace pactdb::select
