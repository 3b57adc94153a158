// fork: a second context that goes on from a snapshot; tag: a name for one.
//
// A fork shares records, trees and the tables of ids and indexes with its origin, as they were at
// the snapshot, and adds layers of its own (model/lexicon.h, model/history.h). Nothing is copied,
// and the origin does not know its forks.
#include "base/limits.h"
#include "base/try.h"
#include "engine/config_json.h"
#include "engine/context_impl.h"

namespace pactdb {
namespace {

Error NoSuchTag(std::string_view name) {
  return Error(ErrorCode::kSnapshotNotFound, "there is no tag '" + std::string(name) + "'")
      .With("snapshot", name);
}

}  // namespace

ContextImpl::ContextImpl(const ContextImpl& origin, const ForkParts& parts, const CommitRecord& at)
    : options_(origin.options_),
      host_(parts.host),
      lexicon_(parts.lexicon),
      history_(parts.history),
      working_(lexicon_, *at.root, at.ordinal),
      open_cycle_(at.cycle + 1),
      // Keyed by hashes of what is rendered, so one serves both.
      render_cache_(origin.render_cache_),
      stamper_(options_.clock, host_),
      clock_since_cycle_(origin.ClockSinceCycle(at)),
      ids_ahead_(origin.ids_ahead_) {
  // The clock goes on as if the commits behind the snapshot had never been: the same operations
  // give the same stamps, whenever the fork is made. One that was configured since begins anew.
  if (at.cycle >= clock_since_cycle_) {
    stamper_.Resume(at.clock, options_.clock);
  } else {
    stamper_.RiseAbove(at.clock);
  }
}

std::int64_t ContextImpl::ClockSinceCycle(const CommitRecord& at) const {
  return std::min(clock_since_cycle_, at.cycle + 1);
}

Result<const CommitRecord*> ContextImpl::ForkPoint(std::string_view at) const {
  if (at == "working") {
    return std::unexpected(Error(ErrorCode::kRequestInvalid,
                                 "a fork begins at a snapshot; commit the working state first")
                               .With("argument", "at"));
  }
  PACTDB_TRY(const CommitRecord* record, FindSnapshot(at));
  if (record->lexicon->fork_depth() < limits::kForkDepthMax) return record;
  return std::unexpected(Error(ErrorCode::kLimitExceeded, "a fork of too many forks")
                             .With("limit", "fork_depth")
                             .With("max", static_cast<std::int64_t>(limits::kForkDepthMax)));
}

std::shared_ptr<ContextImpl> ContextImpl::ForkAt(const CommitRecord& at,
                                                 std::unique_ptr<Keeper> keeper) const {
  // A fork at a commit that was inherited is one of the ancestor: what the contexts between did is
  // no part of it.
  const auto owner = History::OwnerOf(history_, at.ordinal);
  ForkParts parts;
  parts.lexicon =
      std::make_shared<Lexicon>(at.lexicon, at.ordinal, static_cast<Ordinal>(owner->loaded_from()));
  std::unique_ptr<PastSource> past;
  if (owner->loaded_from() > 0) past = history_->past()->CloneFor(parts.lexicon);
  parts.history = std::make_shared<History>(owner, at.ordinal, std::move(past));
  std::shared_ptr<JournalHost> journal_host;
  parts.host = journal_host_ ? journal_host_->inner() : host_;
  if (keeper) parts.host = journal_host = std::make_shared<JournalHost>(parts.host);
  std::shared_ptr<ContextImpl> fork(new ContextImpl(*this, parts, at));
  fork->keeper_ = std::move(keeper);
  fork->journal_host_ = std::move(journal_host);
  return fork;
}

Result<std::shared_ptr<ContextImpl>> ContextImpl::Fork(std::string_view at) const {
  PACTDB_TRY(const CommitRecord* record, ForkPoint(at));
  // Its layers stand on those of the snapshots behind it.
  PACTDB_TRY_STATUS(history_->Need(record->ordinal));
  return ForkAt(history_->at(record->ordinal), nullptr);
}

Result<std::shared_ptr<ContextImpl>> ContextImpl::ForkAs(std::string_view name,
                                                         std::string_view at) const {
  PACTDB_TRY(const CommitRecord* record, ForkPoint(at));
  if (!keeper_) return ForkAt(*record, nullptr);
  const std::string config = ConfigJson({.options = options_,
                                         .clock_since_cycle = ClockSinceCycle(*record),
                                         .ids_ahead = ids_ahead_});
  if (record->is_far()) return ForkFar(name, *record, config);
  PACTDB_TRY(auto keeper, keeper_->ForkAs(name, *record, config));
  return ForkAt(*record, std::move(keeper));
}

// Nothing of the lexicon is known at that snapshot. The fork is made in the store and opened there,
// which costs its newest snapshot and not the way to it; if that fails, it was never made.
Result<std::shared_ptr<ContextImpl>> ContextImpl::ForkFar(std::string_view name,
                                                          const CommitRecord& at,
                                                          std::string_view config) const {
  PACTDB_TRY(StoreSession::Batch batch,
             StoreSession::Batch::Begin(*keeper_->session(), Durability::kFull));
  PACTDB_TRY(auto keeper, keeper_->ForkAs(name, at, config));
  PACTDB_TRY(auto fork, Open(std::move(keeper), journal_host_ ? journal_host_->inner() : host_));
  PACTDB_TRY_STATUS(batch.End());
  // As a near one has them; they are no part of what a file keeps.
  fork->options_.render_cache_bytes = options_.render_cache_bytes;
  fork->render_cache_ = render_cache_;
  return fork;
}

Result<std::int64_t> ContextImpl::SetTag(std::string_view name, std::string_view at) {
  PACTDB_TRY_STATUS(CheckTagName(name));
  PACTDB_TRY(const CommitRecord* record, FindSnapshot(at));
  if (keeper_) PACTDB_TRY_STATUS(keeper_->SetTag(name, *record));
  history_->tags().Set(name, record->ordinal);
  return record->cycle;
}

Result<std::int64_t> ContextImpl::RemoveTag(std::string_view name,
                                            std::optional<std::string_view> at) {
  const auto ordinal = history_->tags().Find(name);
  if (!ordinal) return std::unexpected(NoSuchTag(name));
  if (at) {
    PACTDB_TRY(const CommitRecord* record, FindSnapshot(*at));
    if (record->ordinal != *ordinal) return std::unexpected(NoSuchTag(name));
  }
  PACTDB_TRY(const CommitLine line, history_->Line(*ordinal));
  if (keeper_) PACTDB_TRY_STATUS(keeper_->store().DeleteTag(keeper_->number(), name));
  history_->tags().Remove(name);
  return line.cycle;
}

}  // namespace pactdb
