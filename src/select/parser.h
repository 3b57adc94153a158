// Text to AST: the union of the three grammars (docs/selector.md has it as EBNF).
//
// Thread safety: one parser, one thread.
#pragma once

#include <pactdb/error.h>
#include <pactdb/json.h>
#include <pactdb/options.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "select/ast.h"
#include "select/lexer.h"

namespace pactdb::select {

class Parser {
 public:
  // `tokens` may be null; the texts of tokens point into `text`.
  Parser(std::string_view text, Dialect dialect, std::vector<Token>* tokens = nullptr)
      : lexer_(text, tokens), tokens_(tokens) {
    ast_.dialect = dialect;
  }

  // Errors: kSelectorInvalid, kSnapshotRangeWildcard, kSnapshotRangeKindMismatch, kLimitExceeded.
  Result<Ast> ParseSelector();
  // A position with an insertion mark and nothing else: `(d0, cont[offset=0], end)`. Errors:
  // kSelectorInvalid, kLimitExceeded.
  Result<Ast> ParsePlace();

  struct NodeText {
    std::string type;
    std::vector<std::pair<std::string, Json>> fields;  // in written order
  };
  // `block:text { key='hero' } [ ttl=3 ] +tag`. Errors: as ParsePlace.
  Result<NodeText> ParseNode();

 private:
  // parser.cc: groups and steps
  Status CheckText() const;
  Status ParseGroup();
  Status ParseGroupStart(Group& group);
  Status ParseGroupRest(Group& group);
  Status ParseTail(Group& group);
  bool IsAfterBlank() const;
  Result<Step*> StartStep(Group& group, Relation relation);
  Status ParseStep(Step& step);
  Status ParseMore(Step& step);
  Status ParseSuffix(Step& step);
  Status ParseStem(Step& step);
  bool StartsStem() const;
  Result<bool> ParsePart(Step& step);
  Status ParseRoot(Step& step);
  Status ParseType(Step& step);
  Status ParseKey(Step& step);
  Status ParsePseudo(Step& step);
  Status ParseNth(Step& step);
  Status ParseTag(Step& step);
  TypeTest MakeTypeTest(std::string_view name) const;
  std::string_view TakeTypeName();

  // parser_filter.cc: filters and depth expressions
  Status ParseFilters(Step& step, char close);
  Result<Filter> ParseFilter();
  Status ParseOperand(Filter& filter);
  Result<Value> ParseValue();
  Status ParseList(Filter& filter);
  Status CheckMatch(Filter& filter, std::size_t at) const;
  Status CountFilter();
  Result<DepthSet> ParseDepths();
  Status ParseDepthItem(std::vector<DepthSet::Interval>& depths, bool in_set);
  Status ParseDepthRange(std::vector<DepthSet::Interval>& depths);
  Result<std::int64_t> ParseDepthNumber();
  Status CountDepth();

  // parser_position.cc: positions and searches
  Status ParsePosition(Group& group);
  // What a hop says about where it leads from the hop before.
  enum class HopKind : std::uint8_t { kNone, kDepth, kTurn, kOther };
  Status ParseHops(Group& group, bool is_within);
  Result<HopKind> ParseHop(Group& group, HopKind before, bool is_within);
  Result<HopKind> ParseHopHead(Step& step);
  Status ParseHopType(Step& step);
  Result<HopKind> ParseHopWord(Step& step);
  Status ParseHopKind(Step& step);
  Status ParseHopFilters(Step& step);
  static void JoinScopes(Group& group, std::size_t count);
  static void MergeTurn(Group& group);
  Status ParseSearch(Group& group);
  Status ParseLaterSearch(Group& group);
  Status ParseWithin(Group& group);
  Status ParseAsk(Step& step);
  bool AcceptMark();
  bool StartsHop() const;

  // node_literal.cc
  Status ParseFields(NodeText& node, std::vector<Json>& tags, char close);
  Status AddField(NodeText& node, std::vector<Json>& tags, std::string_view name, Json value,
                  std::size_t at);
  Result<Json> ParseFieldValue();
  Result<Json> ParseFieldScalar();

  // parser_time.cc: the time before, the controls behind
  Status ParseTime();
  Status ParseRangeEnd(std::size_t start);
  Result<TimePoint> ParseTimePoint(char inherited, bool& is_all);
  bool StartsRange() const;
  Status ParseControl();
  Status ParseNumberControl(std::string_view name, std::size_t at);
  Status ParseOrder();
  Status ParseMode();
  Status CheckControls() const;

  std::unexpected<Error> Fault(std::string_view reason) const {
    return FaultAt(lexer_.pos(), reason);
  }
  std::unexpected<Error> FaultAt(std::size_t pos, std::string_view reason) const;

  Lexer lexer_;
  std::vector<Token>* tokens_;
  Ast ast_;
  std::size_t steps_ = 0;
  std::size_t filters_ = 0;
  std::optional<Error> time_fault_;  // told after the syntax of the rest
  std::size_t depths_ = 0;
  std::size_t keyed_step_ = 0;  // the last step, counted from 1, that had a #
  std::size_t first_at_ = 0;    // where @first stands, for the error
  std::size_t mode_at_ = 0;
  bool in_place_ = false;      // insertion marks are welcome
  bool is_compound_ = false;   // the step takes parts of every kind: no position, no search
  bool last_is_ask_ = false;   // the step before was `?`
  bool filters_next_ = false;  // ` [..]` is a filter of the step before, not a step
};

}  // namespace pactdb::select
