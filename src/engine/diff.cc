// diff: which two trees, which nodes of them, and the answer. What differs is the diff layer's to
// find.
#include "engine/diff.h"

#include <algorithm>
#include <optional>

#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/selection.h"
#include "select/fault.h"
#include "select/select.h"

namespace pactdb {
namespace {

Result<Selector> ParseTimeless(std::string_view text, Dialect dialect) {
  PACTDB_TRY(Selector selector, Selector::Parse(text, dialect));
  if (selector.impl().ast.time.kind == select::Time::Kind::kNone) return selector;
  return std::unexpected(select::MakeFault(ErrorCode::kSelectorInvalid, text,
                                           std::min(text.find('@'), text.size()),
                                           "a diff has its times in 'from' and 'to'"));
}

Result<TreeDiff> CompareMatches(const TreeView& from, const TreeView& to,
                                const Selector& selector) {
  PACTDB_TRY(const auto before, select::MatchNodes(selector, from));
  PACTDB_TRY(const auto after, select::MatchNodes(selector, to));
  return CompareSelected(from, before, to, after);
}

}  // namespace

Result<std::string> ContextImpl::Diff(const DiffSide& from, const DiffSide& to,
                                      const DiffOptions& options) const {
  std::optional<Selector> selector;
  if (options.selector) {
    PACTDB_TRY(selector, ParseTimeless(*options.selector, options_.dialect));
  }
  PACTDB_TRY(const TreeView before, from.context.Resolve(from.at));
  PACTDB_TRY(const TreeView after, to.context.Resolve(to.at));
  TreeDiff diff;
  if (selector) {
    PACTDB_TRY(diff, CompareMatches(before, after, *selector));
  } else {
    diff = Compare(before, after, TurnOrderOf(options_.dialect));
  }
  const DiffOf of{before, after, diff};
  JsonOut out;
  out.BeginObject();
  WriteDiff(of, out);
  if (options.detail) WriteDiffDetail(of, out);
  if (options.moves) WriteDiffMoves(of, out);
  out.EndObject();
  return out.Take();
}

}  // namespace pactdb
