// What the engine uses: parse, run on a tree, place.
//
// Users: read pactdb/selector.h instead.
//
//   PACTDB_TRY(Selector selector, Selector::Parse(text, dialect));
//   // resolve selector.impl().ast.time to a tree, then:
//   PACTDB_TRY(std::vector<const Node*> nodes, MatchNodes(selector, view, {.where = &where}));
//
// Thread safety: pure functions; a view's own rules hold.
#pragma once

#include <pactdb/json.h>
#include <pactdb/selector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/tree_view.h"
#include "select/ast.h"
#include "select/plan.h"

namespace pactdb {

struct Selector::Impl {
  Impl(std::string text, select::Ast ast);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const std::string text;
  const select::Ast ast;  // ast.time, ast.controls, ast.UsesFacets() are the engine's to read
  const std::vector<select::GroupPlan> plan;
  // `#x` and its like, the commonest query of all, mostly needs no evaluator: the id or key, which
  // points into `ast`, if the selector says nothing else.
  enum class Names : std::uint8_t { kMore, kId, kKey };
  Names names = Names::kMore;
  std::optional<WantedId> name;
};

namespace select {

struct MatchOptions {
  // Keeps matches of it and what lies inside them. Takes no time and no controls: see CheckWhere.
  const Selector* where = nullptr;
  std::int64_t skip = 0;
  std::optional<std::int64_t> limit;
  // Off for `@*`: pages are taken of the union, with PageOf and ApplyWindow.
  bool page = true;
};

// The nodes of one tree, in result order, filters, where, order, unique and page applied in this
// order, then skip and limit. The selector's time is not looked at. REQUIRES: the view's lists are
// summarized. Errors: kFacetNeedsSnapshot if it uses facets and the view is no snapshot's;
// kLimitExceeded.
Result<std::vector<const Node*>> MatchNodes(const Selector& selector, const TreeView& view,
                                            const MatchOptions& options = {});

// The items that @first, @limit and @p keep.
struct PageWindow {
  std::size_t skip = 0;
  std::size_t limit = SIZE_MAX;
};
PageWindow PageOf(const Controls& controls);

template <typename T>
void ApplyWindow(std::size_t skip, std::size_t limit, std::vector<T>& items) {
  skip = skip < items.size() ? skip : items.size();
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(skip));
  if (items.size() > limit)
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(limit), items.end());
}

// kSelectorInvalid if the selector cannot be a `where`: it has a time or controls.
Status CheckWhere(const Selector& where);

// --- placement ---

struct ParsedPlace {
  Selector position;
  InsertionMark mark;
};

// `(d0, cont[offset=0], end)`. Errors: kSelectorInvalid, kLimitExceeded.
Result<ParsedPlace> ParsePlace(std::string_view text, Dialect dialect);

struct FoundPlace {
  const Node* parent;
  // The place is in the core of `parent`, a head or turn that has none yet.
  bool in_missing_core = false;
};

// The one parent the position names. Errors: kPlacementInvalid, listing what it matched, if that
// is none or several; kFacetNeedsSnapshot, kLimitExceeded.
Result<FoundPlace> FindPlace(const Selector& position, const TreeView& view);

using NodeFields = std::vector<std::pair<std::string, Json>>;

// `block:text { key='hero' } [ ttl=3 ]`: nodeType first, then the others as written. Errors:
// kSelectorInvalid, kLimitExceeded.
Result<NodeFields> ParseNodeLiteral(std::string_view text);

}  // namespace select
}  // namespace pactdb
