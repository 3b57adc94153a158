// diff: which two trees, which nodes of them, and the answer. What differs is the diff layer's to
// find.
#include "engine/diff.h"

#include <algorithm>

#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/selection.h"
#include "select/fault.h"
#include "select/select.h"

namespace pactdb {
namespace {

Result<TreeDiff> CompareMatches(const TreeView& from, const TreeView& to, std::string_view text,
                                Dialect dialect) {
  PACTDB_TRY(const Selector selector, Selector::Parse(text, dialect));
  if (selector.impl().ast.time.kind != select::Time::Kind::kNone) {
    return std::unexpected(select::MakeFault(ErrorCode::kSelectorInvalid, text,
                                             std::min(text.find('@'), text.size()),
                                             "a diff has its times in 'from' and 'to'"));
  }
  return Selection(&selector, nullptr, dialect).Compare(from, to);
}

}  // namespace

Result<std::string> ContextImpl::Diff(const DiffSide& from, const DiffSide& to,
                                      const DiffOptions& options) const {
  PACTDB_TRY(const TreeView before, from.context.Resolve(from.at));
  PACTDB_TRY(const TreeView after, to.context.Resolve(to.at));
  TreeDiff diff;
  if (options.selector) {
    PACTDB_TRY(diff, CompareMatches(before, after, *options.selector, options_.dialect));
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
