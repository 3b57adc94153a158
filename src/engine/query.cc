// select, explain, and the operations that take a selector: which trees a selector runs on, and
// what becomes of what it finds. The language itself is the select layer's.
#include <algorithm>

#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/request.h"
#include "model/indexed.h"
#include "select/select.h"

namespace pactdb {
namespace {

// @t-3, @c7 as an address of the history.
std::string Address(const select::TimePoint& point) {
  return std::string("@") + point.kind + std::to_string(point.value);
}

}  // namespace

Result<std::vector<const CommitRecord*>> ContextImpl::ScopesOf(const Selector& selector,
                                                               const SelectOptions& options) const {
  history_->DropFar();
  const select::Time& time = selector.impl().ast.time;
  using Records = std::vector<const CommitRecord*>;
  if (time.kind == select::Time::Kind::kNone) {
    const bool is_classic = selector.dialect() == Dialect::kClassic;
    const std::string name = options.snapshot.value_or(is_classic ? "@t0" : "working");
    if (name == "working") return Records{nullptr};
    PACTDB_TRY(const CommitRecord* record, history_->Resolve(name));
    return Records{record};
  }
  if (time.kind == select::Time::Kind::kSingle && !time.from.is_oldest) {
    PACTDB_TRY(const CommitRecord* record, history_->Resolve(Address(time.from)));
    return Records{record};
  }
  if (history_->size() == 0) {
    return std::unexpected(Error(ErrorCode::kSnapshotNotFound, "nothing was committed yet"));
  }
  if (time.kind == select::Time::Kind::kSingle) {
    PACTDB_TRY(const CommitRecord* oldest, history_->Find(0));
    return Records{oldest};
  }
  PACTDB_TRY_STATUS(history_->Need(0));
  Records records;
  for (std::size_t i = history_->size(); i-- > 0;) records.push_back(&history_->at(i));
  return records;
}

Result<std::optional<Selector>> ContextImpl::ParseWhere(const Selector& selector,
                                                        const SelectOptions& options) {
  std::optional<Selector> where;
  if (!options.where) return where;
  PACTDB_TRY(where, Selector::Parse(*options.where, selector.dialect()));
  PACTDB_TRY_STATUS(select::CheckWhere(*where));
  return where;
}

Status ContextImpl::CheckOneTime(const Selector& selector, const SelectOptions& options) {
  if (selector.impl().ast.time.kind == select::Time::Kind::kNone || !options.snapshot) return {};
  return std::unexpected(
      InvalidArgument("snapshot", "the selector names its time, and so does 'snapshot'"));
}

Result<std::vector<std::string>> ContextImpl::Select(std::string_view text,
                                                     const SelectOptions& options) const {
  PACTDB_TRY(const Selector selector,
             Selector::Parse(text, options.dialect.value_or(options_.dialect)));
  return Select(selector, options);
}

Result<std::vector<std::string>> ContextImpl::Select(const Selector& selector,
                                                     const SelectOptions& options) const {
  PACTDB_TRY(const std::optional<Selector> where, ParseWhere(selector, options));
  PACTDB_TRY_STATUS(CheckOneTime(selector, options));
  const select::Ast& ast = selector.impl().ast;
  if (ast.time.kind == select::Time::Kind::kRange) {
    return std::unexpected(
        InvalidArgument("selector", "a range of snapshots has differences, not ids"));
  }
  PACTDB_TRY(const auto scopes, ScopesOf(selector, options));
  const bool is_union = ast.time.kind == select::Time::Kind::kAll;
  select::MatchOptions match{.where = where ? &*where : nullptr,
                             .skip = is_union ? 0 : options.skip,
                             .limit = is_union ? std::nullopt : options.limit,
                             .page = !is_union};
  std::vector<NodeNumber> found;
  NumberMap<const Node*> seen;
  for (const CommitRecord* record : scopes) {
    if (record == nullptr) working_.Summarize();
    PACTDB_TRY(const auto nodes,
               select::MatchNodes(selector, record == nullptr ? View() : record->View(), match));
    for (const Node* node : nodes) {
      // Of a union each id counts once, where it is seen first.
      if (is_union && seen.Contains(node->number)) continue;
      if (is_union) seen.Set(node->number, node);
      found.push_back(node->number);
    }
  }
  if (is_union) {
    const select::PageWindow page = select::PageOf(ast.controls);
    select::ApplyWindow(page.skip, page.limit, found);
    select::ApplyWindow(static_cast<std::size_t>(options.skip),
                        options.limit ? static_cast<std::size_t>(*options.limit) : SIZE_MAX, found);
  }
  return Ids(found);
}

Result<std::vector<std::string>> ContextImpl::RemoveSelected(std::string_view text) {
  PACTDB_TRY(const Selector selector, Selector::Parse(text, options_.dialect));
  if (selector.impl().ast.time.kind != select::Time::Kind::kNone) {
    return std::unexpected(
        InvalidArgument("selector", "only the working state can be changed: leave the time out"));
  }
  PACTDB_TRY_STATUS(BeginEdit());
  working_.Summarize();
  const TreeView view = View();
  PACTDB_TRY(auto nodes, select::MatchNodes(selector, view));
  for (const Node* node : nodes) PACTDB_TRY_STATUS(CheckAuthorized(*node));
  std::ranges::sort(
      nodes, [&view](const Node* a, const Node* b) { return a != b && ComesBefore(view, *a, *b); });
  for (const Node* node : nodes) PACTDB_TRY_STATUS(CheckRemovable(*node));
  std::vector<NodeNumber> tops;
  tops.reserve(nodes.size());
  for (const Node* node : nodes) tops.push_back(node->number);
  std::vector<std::string> removed;
  for (const NodeNumber top : tops) {
    if (working_.Find(top) != nullptr) Erase(*working_.Find(top), removed);  // else gone already
  }
  EndEdit({.kind = Edit::Kind::kRemoveSelected, .id = text});
  return removed;
}

Result<ContextImpl::Target> ContextImpl::FindTarget(std::string_view at) const {
  PACTDB_TRY(const select::ParsedPlace place, select::ParsePlace(at, options_.dialect));
  if (place.position.impl().ast.time.kind != select::Time::Kind::kNone) {
    return std::unexpected(
        InvalidArgument("at", "only the working state can be changed: leave the time out"));
  }
  working_.Summarize();
  PACTDB_TRY(const select::FoundPlace found, select::FindPlace(place.position, View()));
  return Target{found.parent, found.in_missing_core, place.mark};
}

}  // namespace pactdb
