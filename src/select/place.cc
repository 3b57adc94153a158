// Where a node goes, and what it is, in the language of selectors.
#include "base/try.h"
#include "select/eval.h"
#include "select/parser.h"
#include "select/select.h"

namespace pactdb::select {
namespace {

std::string ListOf(const TreeView& view, const MatchSet& matches) {
  constexpr std::size_t kListedMax = 10;
  std::string list;
  for (std::size_t i = 0; i < matches.items.size() && i < kListedMax; ++i) {
    const Match match = matches.items[i];
    if (i > 0) list += ", ";
    if (match.is_core()) list += "the core of ";
    list += "'" + std::string(view.id(match.node())) + "'";
  }
  if (matches.items.size() > kListedMax) list += ", ...";
  return list;
}

Error NoPlace(const Selector& position, const TreeView& view, const MatchSet& matches) {
  const std::size_t count = matches.items.size();
  std::string message = "the position names " +
                        (count == 0 ? std::string("no node") : std::to_string(count) + " nodes") +
                        ", one is needed";
  if (count > 0) message += ": " + ListOf(view, matches);
  return Error(ErrorCode::kPlacementInvalid, std::move(message))
      .With("at", position.text())
      .With("matched", static_cast<std::int64_t>(count));
}

}  // namespace

Result<ParsedPlace> ParsePlace(std::string_view text, Dialect dialect) {
  PACTDB_TRY(Ast ast, Parser(text, dialect).ParsePlace());
  const InsertionMark mark = *ast.mark;
  return ParsedPlace{
      Selector(std::make_shared<const Selector::Impl>(std::string(text), std::move(ast))), mark};
}

Result<FoundPlace> FindPlace(const Selector& position, const TreeView& view) {
  const Ast& ast = position.impl().ast;
  if (ast.UsesFacets() && view.ordinal == kNever) {
    return std::unexpected(Error(ErrorCode::kFacetNeedsSnapshot,
                                 "born_turn, age, depth and sdepth exist in snapshots "
                                 "only; a place is in the working state"));
  }
  PACTDB_TRY(const MatchSet matches, Evaluator(ast, position.impl().plan, view).Run());
  if (matches.items.size() != 1) return std::unexpected(NoPlace(position, view, matches));
  const Match match = matches.items[0];
  return FoundPlace{&match.node(), match.is_core()};
}

Result<NodeFields> ParseNodeLiteral(std::string_view text) {
  PACTDB_TRY(Parser::NodeText node, Parser(text, Dialect::kCanonical).ParseNode());
  PACTDB_TRY(Json type, Json::String(node.type));
  NodeFields fields;
  fields.emplace_back("nodeType", std::move(type));
  for (auto& field : node.fields) fields.push_back(std::move(field));
  return fields;
}

}  // namespace pactdb::select
