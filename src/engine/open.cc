// A context from a store: its newest snapshot, its configuration, and where its clock stood.
#include <memory>
#include <string>

#include "base/limits.h"
#include "base/try.h"
#include "engine/config_json.h"
#include "engine/context_impl.h"
#include "engine/lineage.h"
#include "engine/stored_past.h"

namespace pactdb {

std::shared_ptr<ContextImpl> ContextImpl::OpenEmpty(std::unique_ptr<Keeper> keeper,
                                                    const StoredConfig& config,
                                                    std::shared_ptr<Host> host) {
  auto journal_host = std::make_shared<JournalHost>(std::move(host));
  auto context = std::make_shared<ContextImpl>(config.options, journal_host);
  context->keeper_ = std::move(keeper);
  context->journal_host_ = std::move(journal_host);
  context->clock_since_cycle_ = config.clock_since_cycle;
  context->ids_ahead_ = config.ids_ahead;
  return context;
}

Result<std::shared_ptr<ContextImpl>> ContextImpl::Open(std::unique_ptr<Keeper> keeper,
                                                       std::shared_ptr<Host> host) {
  PACTDB_TRY(const StoredConfig config, ParseConfig(keeper->context().config));
  auto context = OpenEmpty(std::move(keeper), config, std::move(host));
  PACTDB_TRY_STATUS(context->LoadNewest());
  PACTDB_TRY_STATUS(context->LoadAttempts());
  PACTDB_TRY_STATUS(context->ReplayJournal());
  return context;
}

Status ContextImpl::LoadNewest() {
  PACTDB_TRY(const Lineage lineage, Lineage::Read(keeper_->store(), keeper_->context()));
  if (lineage.size() == 0) return {};
  auto past = std::make_unique<StoredPast>(keeper_->session(), lineage, lexicon_);
  PACTDB_TRY(CommitRecord * newest, past->LoadBase());
  history_ = std::make_shared<History>(newest, std::move(past));
  PACTDB_TRY_STATUS(LoadTags(lineage));
  open_cycle_ = newest->cycle + 1;
  working_ = WorkingTree(lexicon_, *newest->root, newest->ordinal);
  // A clock that was configured since the newest commit begins at its first tick.
  if (newest->cycle >= clock_since_cycle_) {
    stamper_.Resume(newest->clock, options_.clock);
  } else {
    stamper_.RiseAbove(newest->clock);
  }
  return {};
}

Status ContextImpl::LoadTags(const Lineage& lineage) {
  PACTDB_TRY(const std::vector<Tag> tags, keeper_->store().ListTags(keeper_->number()));
  for (const Tag& tag : tags) {
    // Retention may have taken the snapshot.
    if (const auto ordinal = lineage.OrdinalOf({tag.context, tag.commit}))
      history_->tags().Set(tag.name, static_cast<Ordinal>(*ordinal));
  }
  return {};
}

bool ContextImpl::HasLooseEdits() const {
  if (!holds_->empty()) return true;
  if (keeper_ && options_.journal && pending_entries_.empty()) return false;
  return IsEdited();
}

bool ContextImpl::IsEdited() const {
  bool is_edited = false;
  working_.changes().ForEach([&is_edited](NodeNumber, const Node* node) {
    is_edited = is_edited || node == nullptr || !node->is_fixed();
  });
  return is_edited;
}

// --- the journal ---

Status ContextImpl::BeginEdit() {
  // What can never be committed is refused at once, and not with the commit.
  if (keeper_ && keeper_->store().read_only() && !is_replaying_) {
    return std::unexpected(Error(ErrorCode::kStoreReadonly,
                                 "the file was opened for reading; open it for writing to edit"));
  }
  PACTDB_TRY_STATUS(LoadIdsAhead());
  if (!IsJournaling()) return {};
  if (!is_importing_) PACTDB_TRY_STATUS(FlushJournal());
  journal_host_->Begin();
  // Edits that follow are made in this state; a commit, or a configuration, begins anew.
  if (!journal_has_state_) pending_entries_.push_back(StateEntry(options_, stamper_.state()));
  journal_has_state_ = true;
  return {};
}

void ContextImpl::EndEdit(const Edit& edit) {
  if (!IsJournaling()) return;
  pending_entries_.push_back(EditEntry(edit, *journal_host_));
  journal_host_->End();
  // What cannot be written now is tried again, and stops the next edit.
  if (!is_importing_) TryFlushJournal();
}

void ContextImpl::TryFlushJournal() {
  journal_lags_ = !FlushJournal();
}

ContextImpl::~ContextImpl() {
  if (journal_lags_) TryFlushJournal();
}

Status ContextImpl::FlushJournal() {
  // The journal is no part of a batch: what belongs there is written behind it.
  if (pending_entries_.empty() || keeper_->session()->is_in_batch()) return {};
  PACTDB_TRY_STATUS(keeper_->store().AppendJournal(keeper_->number(), pending_entries_));
  pending_entries_.clear();
  return {};
}

Status ContextImpl::ReplayJournal() {
  PACTDB_TRY(const std::vector<std::string> entries,
             keeper_->store().ReadJournal(keeper_->number()));
  const Options configured = options_;
  is_replaying_ = true;
  for (const std::string& text : entries) {
    PACTDB_TRY(const auto entry, ParseEntry(text));
    if (entry->options) {
      entry->options->render_cache_bytes = options_.render_cache_bytes;
      options_ = *entry->options;
      stamper_.Resume(entry->stamper, options_.clock);
      continue;
    }
    journal_host_->Begin(entry->now, entry->random);
    if (const Status made = Redo(entry->edit); !made) {
      return std::unexpected(Error(ErrorCode::kStoreCorrupt,
                                   "the journal cannot be applied: " + made.error().message())
                                 .With("code", WireName(made.error().code())));
    }
  }
  is_replaying_ = false;
  journal_host_->End();
  // Configured after the last edit.
  if (options_.clock != configured.clock) stamper_.SetClock(configured.clock);
  options_ = configured;
  return {};
}

Status ContextImpl::Redo(const Edit& edit) {
  const auto done = [](const auto& result) -> Status {
    if (result) return {};
    return std::unexpected(result.error());
  };
  const Place place{.parent = edit.parent, .mark = edit.mark, .at = edit.at};
  switch (edit.kind) {
    case Edit::Kind::kAdd:
      return done(Add(*edit.node, place, edit.names));
    case Edit::Kind::kUpdate:
      return Update(edit.id, *edit.node);
    case Edit::Kind::kReplace:
      return done(Replace(edit.id, *edit.node));
    case Edit::Kind::kMove:
      return done(Move(edit.id, {edit.parent, edit.offset, edit.mark, edit.at}));
    case Edit::Kind::kRemove:
      return done(Remove(edit.id));
    case Edit::Kind::kRemoveSelected:
      return done(RemoveSelected(edit.id));
    case Edit::Kind::kPin:
      return SetPinned(edit.id, true);
    case Edit::Kind::kUnpin:
      return SetPinned(edit.id, false);
  }
  return {};
}

}  // namespace pactdb
