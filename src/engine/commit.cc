// The commit sequence: expiry and cascade, pruning, sealing, snapshot.
//
// All of it happens on a copy of the working tree. Nothing can fail after the first tick of the
// clock is taken, so a commit that cannot be made leaves tree, cycle, clock and history as they
// were.
#include <algorithm>

#include "base/check.h"
#include "base/limits.h"
#include "base/on_exit.h"
#include "base/try.h"
#include "engine/commit_json.h"
#include "engine/config_json.h"
#include "engine/context_impl.h"
#include "engine/names.h"
#include "engine/token_cost.h"
#include "model/changes.h"
#include "model/difference.h"
#include "model/indexed.h"
#include "model/made_id.h"

namespace pactdb {

Status ContextImpl::CheckCycle() const {
  if (open_cycle_ < limits::kCycleMax) return {};
  return std::unexpected(
      Error(ErrorCode::kLimitExceeded, "cycles end at " + std::to_string(limits::kCycleMax - 1) +
                                           ", which the newest snapshot has")
          .With("limit", "cycle")
          .With("max", limits::kCycleMax - 1));
}

Status ContextImpl::CheckOneCore() const {
  int cores = 0;
  for (ChildCursor child(working_.region(NodeClass::kAh)); child.get() != nullptr; child.Next()) {
    cores += child.get()->is_core() ? 1 : 0;
  }
  if (cores <= 1) return {};
  return std::unexpected(Error(
      ErrorCode::kCoreExists,
      "the head has " + std::to_string(cores) + " cores; a turn has one, so it cannot be sealed"));
}

Result<ContextImpl::Prepared> ContextImpl::PrepareCommit(Stamper& stamper) const {
  PACTDB_TRY_STATUS(CheckCycle());
  PACTDB_TRY_STATUS(CheckOneCore());
  PACTDB_TRY_STATUS(LoadIdsAhead());
  Prepared prepared{.tree = working_, .expired = {}, .cascaded = {}, .pruned = {}};
  prepared.expired = Expire(prepared.tree, *holds_, open_cycle_);
  Cascade(prepared.tree, *holds_, prepared.expired.hollow, prepared.cascaded);
  if (options_.policy) {
    std::optional<TokenCost> tokens;
    if (options_.policy->has_token_limits()) {
      PACTDB_TRY(tokens, TokenCost::Make(options_.encoding, *lexicon_));
    }
    PACTDB_TRY(prepared.pruned,
               Prune(prepared.tree, *holds_, *options_.policy, tokens ? &*tokens : nullptr,
                     prepared.expired.hollow, prepared.cascaded));
  }
  prepared.turn = Seal(prepared.tree, stamper);
  return prepared;
}

// The head is empty again, most often as it was after the commit before: one record serves both.
void ContextImpl::ShareEmptyHead(WorkingTree& tree) const {
  const CommitRecord* before = history_->last();
  const Node* head = before == nullptr ? nullptr : before->region(NodeClass::kAh);
  if (head == nullptr || head->AsContainer()->children != nullptr) return;
  const Node& now = tree.region(NodeClass::kAh);
  const std::uint32_t flags = (head->flags ^ now.flags) & ~Node::kStale;
  if (head->number == now.number && flags == 0 && head->expiry == now.expiry &&
      !Differs(before->View(), *head, tree.View(open_cycle_), now))
    tree.Restore(*head->AsContainer());
}

NodeNumber ContextImpl::Seal(WorkingTree& tree, Stamper& stamper) const {
  const NodeNumber head = tree.region(NodeClass::kAh).number;
  const auto make = [&](NodeClass node_class, bool is_turn) {
    const Stamp stamp = stamper.Take();
    const GivenType type{node_class, std::string(TypeName(node_class, options_.dialect)),
                         std::nullopt};
    return BuildNode({}, type, NewId(node_class, is_turn ? -1 : stamp.creation_index), stamp);
  };
  if (FindCore(tree.region(NodeClass::kAh)) == nullptr) {
    std::vector<NodeNumber> loose;  // blocks of an imported head that lie where the core belongs
    for (ChildCursor child(tree.region(NodeClass::kAh)); child.get() != nullptr; child.Next()) {
      if (child.get()->is_block() && child.get()->offset == 0) loose.push_back(child.get()->number);
    }
    Ref<Node> core = make(NodeClass::kCont, false);
    core->Set(Node::kCore, true);
    const NodeNumber number = core->number;
    tree.Insert(head, std::move(core));
    for (const NodeNumber block : loose) tree.Relocate(block, number, [](Node&) {});
  }
  Ref<Node> turn = make(NodeClass::kTurn, true);
  const NodeNumber number = turn->number;
  std::vector<NodeNumber> children;
  for (ChildCursor child(tree.region(NodeClass::kAh)); child.get() != nullptr; child.Next()) {
    children.push_back(child.get()->number);
  }
  tree.Insert(tree.region(NodeClass::kSeq).number, std::move(turn));
  for (const NodeNumber child : children) tree.Relocate(child, number, [](Node&) {});
  ShareEmptyHead(tree);
  return number;
}

std::vector<std::string> ContextImpl::Ids(const std::vector<NodeNumber>& numbers) const {
  std::vector<std::string> ids;
  ids.reserve(numbers.size());
  for (const NodeNumber number : numbers) ids.emplace_back(lexicon_->id(number));
  return ids;
}

CommitResult ContextImpl::Describe(const Prepared& prepared) const {
  CommitResult result;
  result.cycle = open_cycle_;
  result.expired = Ids(prepared.expired.gone);
  result.cascaded = Ids(prepared.cascaded);
  result.pruned = Ids(prepared.pruned.gone);
  std::vector<NodeNumber> deferred = prepared.expired.due;
  std::erase_if(deferred,
                [&prepared](NodeNumber number) { return prepared.tree.Find(number) == nullptr; });
  result.deferred = Ids(deferred);
  result.over_limit = prepared.pruned.over_limit;
  result.sealed = lexicon_->id(prepared.turn);
  return result;
}

Result<CommitResult> ContextImpl::Commit(const CommitOptions& options) {
  if (options.idempotency_key) {
    if (options.idempotency_key->empty()) {
      return std::unexpected(
          Error(ErrorCode::kRequestInvalid, "an idempotency key must not be empty")
              .With("argument", "idempotency_key"));
    }
    PACTDB_TRY(const auto answered, FindAnswer(*options.idempotency_key));
    if (answered) return *answered;
  }
  if (options.expect_cycle && *options.expect_cycle != open_cycle_) {
    return std::unexpected(Error(ErrorCode::kConflict, "the open cycle is " +
                                                           std::to_string(open_cycle_) + ", not " +
                                                           std::to_string(*options.expect_cycle))
                               .With("expected", *options.expect_cycle)
                               .With("open", open_cycle_));
  }
  std::optional<Savepoint> savepoint;
  if (keeper_) savepoint = MakeSavepoint();
  PACTDB_TRY(Prepared prepared, PrepareCommit(stamper_));
  CommitResult result = Describe(prepared);
  std::vector<NodeNumber> changed = AppendPrepared(std::move(prepared));
  result.tree_sha256 = ToHex(history_->last()->root->digest);
  if (options.hashes) result.thread_sha256 = ToHex(thread_hasher_.Hash(*history_->last()));
  result.durable = keeper_ != nullptr && options_.durability == Durability::kFull;
  if (savepoint) {
    savepoint->commits.push_back(std::move(changed));
    PACTDB_TRY_STATUS(Publish(std::move(*savepoint), options.idempotency_key.value_or(""),
                              options.idempotency_key ? CommitJson(result) : ""));
  } else {
    history_->Publish();
  }
  if (options.idempotency_key) answered_.emplace(*options.idempotency_key, result);
  return result;
}

Result<std::optional<CommitResult>> ContextImpl::FindAnswer(const std::string& key) {
  const auto answered = answered_.find(key);
  if (answered != answered_.end()) return answered->second;
  if (!keeper_) return std::nullopt;
  PACTDB_TRY(const auto stored, keeper_->store().FindAnswer(keeper_->number(), key));
  if (!stored) return std::nullopt;
  PACTDB_TRY(CommitResult result, ParseCommitJson(*stored));
  answered_.emplace(key, result);
  return result;
}

// Ids of a cycle are made in that cycle, so older snapshots need not be asked whether one is taken.
// But a document or a caller may have given such an id before its time, and it may be gone from the
// newest snapshot: then all of them are asked.
Status ContextImpl::LoadIdsAhead() const {
  return keeper_ && ids_ahead_.Has(open_cycle_) ? history_->Need(0) : Status();
}

Status ContextImpl::KeepIdsAhead(const Savepoint& savepoint) {
  IdsAhead ahead = ids_ahead_;
  const std::size_t first = history_->size() - savepoint.commits.size();
  for (std::size_t i = 0; i < savepoint.commits.size(); ++i) {
    for (const NodeNumber number : savepoint.commits[i]) {
      const auto made = lexicon_->made_id(number);
      const std::int64_t cycle = made ? static_cast<std::int64_t>(made->cycle) : 0;
      if (cycle > history_->at(first + i).cycle && !ahead.Has(cycle)) ahead.Add({cycle, cycle});
    }
  }
  if (ahead == ids_ahead_) return {};
  PACTDB_TRY_STATUS(keeper_->store().SetConfig(
      keeper_->number(),
      ConfigJson(
          {.options = options_, .clock_since_cycle = clock_since_cycle_, .ids_ahead = ahead})));
  ids_ahead_ = std::move(ahead);
  return {};
}

Status ContextImpl::Publish(Savepoint&& savepoint, std::string_view idempotency_key,
                            std::string answer) {
  if (keeper_) PACTDB_TRY_STATUS(Keep(savepoint, idempotency_key, std::move(answer)));
  history_->Publish();
  for (const auto& [name, ordinal] : savepoint.tags) history_->tags().Set(name, ordinal);
  return {};
}

Status ContextImpl::Keep(Savepoint& savepoint, std::string_view idempotency_key,
                         std::string answer) {
  std::vector<Keeper::Unkept> unkept;
  unkept.reserve(savepoint.commits.size());
  const std::size_t first = history_->size() - savepoint.commits.size();
  for (std::size_t i = first; i < history_->size(); ++i)
    unkept.push_back({.commit = &history_->at(i), .idempotency_key = {}, .answer = {}, .tags = {}});
  for (const auto& [name, ordinal] : savepoint.tags) unkept[ordinal - first].tags.push_back(name);
  if (!unkept.empty()) {
    unkept.back().idempotency_key = idempotency_key;
    unkept.back().answer = std::move(answer);
  }
  OnExit roll_back([&] { RollBack(std::move(savepoint)); });
  PACTDB_TRY_STATUS(KeepIdsAhead(savepoint));
  PACTDB_TRY_STATUS(keeper_->Append(unkept, options_.durability));
  roll_back.Release();
  return {};
}

namespace {

// Null if nothing left: most commits take nothing, and must not pay for those that do.
std::unique_ptr<const CommitNotes> NotesOn(const Expired& expired, const Pruned& pruned,
                                           const std::vector<NodeNumber>& cascaded) {
  std::vector<Departure> departures;
  departures.reserve(expired.departures.size() + pruned.departures.size() + cascaded.size());
  departures.insert(departures.end(), expired.departures.begin(), expired.departures.end());
  departures.insert(departures.end(), pruned.departures.begin(), pruned.departures.end());
  for (const NodeNumber number : cascaded)
    departures.push_back({number, number, Departure::Cause::kCascaded});
  if (departures.empty()) return nullptr;
  std::ranges::sort(departures, {}, &Departure::node);
  return std::make_unique<const CommitNotes>(
      CommitNotes{.imported_iso = std::nullopt, .departures = std::move(departures)});
}

}  // namespace

std::vector<NodeNumber> ContextImpl::AppendPrepared(Prepared&& prepared) {
  auto record = std::make_unique<CommitRecord>();
  record->notes = NotesOn(prepared.expired, prepared.pruned, prepared.cascaded);
  record->cycle = open_cycle_;
  record->sealed = prepared.turn;
  record->committed_at_ns = prepared.tree.Find(prepared.turn)->created_at_ns;
  return Append(std::move(prepared.tree), std::move(record));
}

std::vector<NodeNumber> ContextImpl::Append(WorkingTree&& tree,
                                            std::unique_ptr<CommitRecord> record) {
  tree.Refresh();
  record->ordinal = static_cast<Ordinal>(history_->size());
  record->lexicon = lexicon_;
  record->root = tree.Share();
  record->NoteFixed();
  CountChanges(tree, history_->last(), *record);
  std::vector<NodeNumber> changed;
  tree.changes().ForEach([&](NodeNumber number, const Node* node) {
    const Node* before = tree.Base(number);
    if (node == before) return;
    // Every commit has the fixed containers anew, and finds them through its record; the index only
    // needs to know that the id was used.
    if (node != nullptr && node->is_fixed() && before != nullptr) return;
    lexicon_->AddVersion(number, record->ordinal, node);
    changed.push_back(number);
    if (node == nullptr) EndPostings(*before, record->ordinal);
  });
  open_cycle_ = record->cycle + 1;
  working_ = WorkingTree(lexicon_, *record->root, record->ordinal);
  stamper_.OpenCycle();
  record->clock = stamper_.position();
  pending_entries_.clear();  // they are part of the commit
  journal_has_state_ = false;
  made_in_cycle_ = 0;
  history_->Append(record.release());
  return changed;
}

void ContextImpl::EndPostings(const Node& node, Ordinal at) {
  ForEachIndexed(node, [&](IndexKind kind, const std::string& value) {
    lexicon_->EndPosting(kind, value, node.number, at);
  });
}

Result<ContextImpl::Prepared> ContextImpl::Preview() const {
  Stamper preview = stamper_.Clone();
  PACTDB_TRY(Prepared prepared, PrepareCommit(preview));
  prepared.tree.Summarize();
  return prepared;
}

}  // namespace pactdb
