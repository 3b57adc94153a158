#include "select/select.h"

#include <algorithm>

#include "base/try.h"
#include "select/eval.h"
#include "select/fault.h"
#include "select/result_order.h"

namespace pactdb::select {
namespace {

Status CheckFacets(const Selector& selector, const TreeView& view) {
  if (view.ordinal != kNever || !selector.impl().ast.UsesFacets()) return {};
  return std::unexpected(
      Error(ErrorCode::kFacetNeedsSnapshot,
            "born_turn, age, depth and sdepth exist in snapshots only; name one, "
            "such as @t0"));
}

// The node named by its id, or by a key that is no other node's and that it lends from its id.
// Nothing if this does not settle the query. REQUIRES: the selector names one.
std::optional<const Node*> FindNamed(const Selector::Impl& selector, const TreeView& view) {
  const Node* node = view.FindId(*selector.name);
  // Where nobody has a key, no node need be read to see that it has none: in a large tree it comes
  // late.
  if (selector.names == Selector::Impl::Names::kId || !view.lexicon->has_postings()) return node;
  bool is_key = false;
  view.lexicon->ForEachPosting(IndexKind::kKey, selector.name->text, view.ordinal,
                               [&is_key](NodeNumber) { is_key = true; });
  if (is_key) return std::nullopt;
  return node != nullptr && node->Has(Node::kKeyed) ? nullptr : node;
}

// The last step's matches are in key order; a union never is.
bool IsInKeyOrder(const Ast& ast) {
  return ast.groups.size() == 1 && ast.controls.order == Order::kDefault &&
         ast.groups[0].steps.back().KeyFilter() != nullptr;
}

std::size_t ToSize(std::int64_t n) {
  return n <= 0 ? 0 : static_cast<std::size_t>(n);
}

// How many matches are enough, if nothing but taking the first ones follows.
std::size_t StopAt(const Ast& ast, const MatchOptions& options) {
  const Controls& controls = ast.controls;
  const bool is_plain = controls.order == Order::kDefault && !controls.unique &&
                        options.where == nullptr && !IsInKeyOrder(ast);
  if (!is_plain) return SIZE_MAX;
  const PageWindow window = options.page ? PageOf(controls) : PageWindow();
  if (window.skip == 0 && window.limit != SIZE_MAX) return window.limit;
  if (window.skip != 0 || !options.limit || options.skip != 0) return SIZE_MAX;
  return ToSize(*options.limit);
}

void ApplyOrder(const Ast& ast, const TreeView& view, std::vector<Match>& items) {
  const bool newest_first = ast.dialect == Dialect::kCanonical;
  if (IsInKeyOrder(ast)) SortByKeyOrder(view, items);
  if (ast.controls.order > Order::kPre) SortBy(ast.controls.order, view, newest_first, items);
  if (ast.controls.unique) KeepUnique(view, items);
}

Result<MatchSet> Run(const Selector& selector, const TreeView& view, std::size_t stop_at) {
  PACTDB_TRY_STATUS(CheckFacets(selector, view));
  return Evaluator(selector.impl().ast, selector.impl().plan, view).Run(stop_at);
}

}  // namespace

Result<std::vector<const Node*>> MatchNodes(const Selector& selector, const TreeView& view,
                                            const MatchOptions& options) {
  const Ast& ast = selector.impl().ast;
  std::vector<const Node*> nodes;
  const bool is_whole = options.where == nullptr && options.skip == 0 && !options.limit;
  if (is_whole && selector.impl().names != Selector::Impl::Names::kMore) {
    if (const auto found = FindNamed(selector.impl(), view)) {
      if (*found != nullptr) nodes.push_back(*found);
      return nodes;
    }
  }
  PACTDB_TRY(MatchSet matches, Run(selector, view, StopAt(ast, options)));
  std::erase_if(matches.items, [](Match match) { return match.is_core(); });
  if (options.where != nullptr) {
    PACTDB_TRY(const MatchSet scope, Run(*options.where, view, SIZE_MAX));
    const Insides insides(view, scope);
    std::erase_if(matches.items, [&](Match match) { return !insides.Holds(match); });
  }
  ApplyOrder(ast, view, matches.items);
  const PageWindow window = options.page ? PageOf(ast.controls) : PageWindow();
  ApplyWindow(window.skip, window.limit, matches.items);
  ApplyWindow(ToSize(options.skip), options.limit ? ToSize(*options.limit) : SIZE_MAX,
              matches.items);
  nodes.reserve(matches.items.size());
  for (const Match match : matches.items) nodes.push_back(&match.node());
  return nodes;
}

PageWindow PageOf(const Controls& controls) {
  const std::optional<std::int64_t> limit = controls.first ? 1 : controls.limit;
  if (!limit) return {};
  const std::size_t size = ToSize(*limit);
  const std::size_t page = ToSize(controls.page.value_or(1) - 1);
  // A page beyond everything: the product must not wrap round.
  const bool is_beyond = size > 0 && page > SIZE_MAX / size;
  return {is_beyond ? SIZE_MAX : page * size, size};
}

Status CheckWhere(const Selector& where) {
  const Ast& ast = where.impl().ast;
  if (ast.time.kind == Time::Kind::kNone && ast.controls == Controls()) return {};
  return std::unexpected(MakeFault(ErrorCode::kSelectorInvalid, where.text(),
                                   std::min(where.text().find('@'), where.text().size()),
                                   "'where' takes no time and no controls"));
}

}  // namespace pactdb::select
