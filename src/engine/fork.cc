// fork: a second context that goes on from a snapshot; tag: a name for one.
//
// A fork shares records, trees and the tables of ids and indexes with its origin, as they were at
// the snapshot, and adds layers of its own (model/lexicon.h, model/history.h). Nothing is copied,
// and the origin does not know its forks.
#include "base/limits.h"
#include "base/try.h"
#include "engine/context_impl.h"

namespace pactdb {
namespace {

// The history that has the commit itself. A fork at a commit that was inherited is one of the
// ancestor: what the contexts between did is no part of it.
std::shared_ptr<const History> OwnerOf(std::shared_ptr<const History> history, Ordinal ordinal) {
  while (ordinal < history->inherited()) history = history->parent();
  return history;
}

Error NoSuchTag(std::string_view name) {
  return Error(ErrorCode::kSnapshotNotFound, "there is no tag '" + std::string(name) + "'")
      .With("snapshot", name);
}

}  // namespace

ContextImpl::ContextImpl(const ContextImpl& origin, const CommitRecord& at)
    : options_(origin.options_),
      host_(origin.host_),
      lexicon_(std::make_shared<Lexicon>(at.lexicon, at.ordinal)),
      history_(std::make_shared<History>(OwnerOf(origin.history_, at.ordinal), at.ordinal,
                                         origin.history_->tags().ForkAt(at.ordinal))),
      working_(lexicon_, *at.root, at.ordinal),
      open_cycle_(at.cycle + 1),
      // Keyed by hashes of what is rendered, so one serves both.
      render_cache_(origin.render_cache_),
      stamper_(options_.clock, host_),
      clock_since_cycle_(origin.clock_since_cycle_) {
  // The clock goes on as if the commits behind the snapshot had never been: the same operations
  // give the same stamps, whenever the fork is made. One that was configured since begins anew.
  if (at.cycle >= clock_since_cycle_) {
    stamper_.Resume(at.clock, options_.clock);
  } else {
    stamper_.RiseAbove(at.clock);
    clock_since_cycle_ = at.cycle + 1;
  }
}

Result<std::shared_ptr<ContextImpl>> ContextImpl::Fork(std::string_view at) const {
  if (at == "working") {
    return std::unexpected(Error(ErrorCode::kRequestInvalid,
                                 "a fork begins at a snapshot; commit the working state first")
                               .With("snapshot", at));
  }
  PACTDB_TRY(const CommitRecord* record, history_->Resolve(at));
  if (record->lexicon->fork_depth() >= limits::kForkDepthMax) {
    return std::unexpected(Error(ErrorCode::kLimitExceeded, "a fork of too many forks")
                               .With("limit", "fork_depth")
                               .With("max", static_cast<std::int64_t>(limits::kForkDepthMax)));
  }
  return std::shared_ptr<ContextImpl>(new ContextImpl(*this, *record));
}

Result<std::int64_t> ContextImpl::SetTag(std::string_view name, std::string_view at) {
  PACTDB_TRY_STATUS(CheckTagName(name));
  PACTDB_TRY(const CommitRecord* record, history_->Resolve(at));
  history_->tags().Set(name, record->ordinal);
  return record->cycle;
}

Result<std::int64_t> ContextImpl::RemoveTag(std::string_view name) {
  const auto ordinal = history_->tags().Find(name);
  if (!ordinal) return std::unexpected(NoSuchTag(name));
  const std::int64_t cycle = history_->at(*ordinal).cycle;
  history_->tags().Remove(name);
  return cycle;
}

}  // namespace pactdb
