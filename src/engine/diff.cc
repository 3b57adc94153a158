// diff: which two trees, which nodes of them, and the answer. What differs is the diff layer's to
// find.
#include "engine/diff.h"

#include <algorithm>
#include <optional>

#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/lineage.h"
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

Result<TreeDiff> CompareMatches(const TreeView& from, const TreeView& to, const Selector& selector,
                                const std::optional<CommonPast>& common) {
  PACTDB_TRY(const auto before, select::MatchNodes(selector, from));
  PACTDB_TRY(const auto after, select::MatchNodes(selector, to));
  return CompareSelected(from, before, to, after, common);
}

}  // namespace

Result<std::optional<CommonPast>> ContextImpl::FindCommonPast(const ContextImpl& other,
                                                              Status& asked) const {
  if (this == &other || !keeper_ || !other.keeper_ ||
      keeper_->session() != other.keeper_->session())
    return std::nullopt;
  PACTDB_TRY(const Lineage own, Lineage::Read(keeper_->store(), keeper_->context()));
  PACTDB_TRY(const Lineage others, Lineage::Read(keeper_->store(), other.keeper_->context()));
  const std::optional<RecordId> last = own.LastCommitWith(others);
  if (!last) return std::nullopt;
  CommonPast common{.snapshots = own.SharedWith(others)};
  if (own.OrdinalOf(*last)) {
    PACTDB_TRY(const CommitRecord* record, history_->Find(common.snapshots - 1));
    common.cycle = record->cycle;
    common.last = record->View();
  } else {
    // Its row stays, emptied, as long as a context was forked there (engine/retention.h).
    PACTDB_TRY(const StoredRecord* record, keeper_->session()->Record(*last));
    common.cycle = record->head().cycle;
    common.was_given = [&keeper = *keeper_, last = *last, &asked](std::string_view id) {
      if (!asked) return false;
      const Result<bool> given = keeper.WasGiven(id, last);
      if (!given) asked = std::unexpected(given.error());
      return given.value_or(false);
    };
  }
  return common;
}

Result<std::string> ContextImpl::Diff(const DiffSide& from, const DiffSide& to,
                                      const DiffOptions& options) const {
  std::optional<Selector> selector;
  if (options.selector) {
    PACTDB_TRY(selector, ParseTimeless(*options.selector, options_.dialect));
  }
  for (const ContextImpl* context : {&from.context, &to.context}) context->history_->DropFar();
  PACTDB_TRY(const TreeView before, from.context.Resolve(from.at));
  PACTDB_TRY(const TreeView after, to.context.Resolve(to.at));
  Status asked;
  PACTDB_TRY(const auto common, from.context.FindCommonPast(to.context, asked));
  TreeDiff diff;
  if (selector) {
    PACTDB_TRY(diff, CompareMatches(before, after, *selector, common));
  } else {
    diff = Compare(before, after, TurnOrderOf(options_.dialect), common);
  }
  PACTDB_TRY_STATUS(std::move(asked));
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
