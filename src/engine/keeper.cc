#include "engine/keeper.h"

#include <optional>

#include "base/on_exit.h"
#include "base/try.h"
#include "model/record_writer.h"

namespace pactdb {
namespace {

CommitFacts FactsOf(const CommitRecord& commit, CommitNumber number) {
  return {
      .number = number,
      .cycle = commit.cycle,
      .committed_at_ns = commit.is_import() ? std::nullopt : std::optional(commit.committed_at_ns),
      .added = commit.added,
      .removed = commit.removed,
      .changed = commit.changed,
      .nodes = commit.nodes,
      .tree_sha256 = commit.root->digest};
}

// In the context up to the commit, or in an ancestor before the fork.
Result<bool> WasGivenBy(StoredContext at, CommitNumber last, Store& store, std::string_view id) {
  while (true) {
    PACTDB_TRY(const auto given, store.FindId(at.number, id));
    if (given && *given <= last) return true;
    if (at.origin.context == 0) return false;
    last = at.origin.commit;
    PACTDB_TRY(at, store.GetContext(at.origin.context));
  }
}

}  // namespace

RecordId Keeper::RecordOf(const CommitRecord& commit, const RecordNumbers& numbers) {
  return numbers.Unpack(commit.root->stored_at).record;
}

Result<bool> Keeper::WasGiven(std::string_view id) const {
  return WasGivenBy(context_, context_.head, store(), id);
}

Result<bool> Keeper::WasGiven(std::string_view id, const RecordId& last) const {
  PACTDB_TRY(StoredContext context, store().GetContext(last.context));
  return WasGivenBy(std::move(context), last.commit, store(), id);
}

Result<std::unique_ptr<Keeper>> Keeper::ForkAs(std::string_view name, const CommitRecord& at,
                                               std::string_view config) const {
  const RecordId origin = RecordOf(at, session_->numbers());
  PACTDB_TRY(StoredContext stored, store().CreateContext(name, origin, config));
  return std::make_unique<Keeper>(session_, std::move(stored));
}

Status Keeper::SetTag(std::string_view name, const CommitRecord& commit) {
  const RecordId id = RecordOf(commit, session_->numbers());
  return store().SetTag(number(),
                        {.name = std::string(name), .commit = id.commit, .context = id.context});
}

Status Keeper::AppendOne(const Unkept& unkept, Durability durability,
                         std::vector<RecordWriter>& written) {
  const CommitRecord& commit = *unkept.commit;
  const RecordId own{context_.number, context_.head + 1};
  RecordWriter& writer = written.emplace_back(*commit.lexicon, session_->numbers(), own);
  PACTDB_TRY(const std::string record, writer.Write(commit));
  const std::vector<std::string_view> ids(writer.given_ids().begin(), writer.given_ids().end());
  PACTDB_TRY_STATUS(store().Append({.context = context_.number,
                                    .expected_head = context_.head,
                                    .epoch = context_.epoch,
                                    .facts = FactsOf(commit, own.commit),
                                    .record = record,
                                    .contents = writer.contents(),
                                    .ids = ids,
                                    .idempotency_key = unkept.idempotency_key,
                                    .answer = unkept.answer,
                                    .durability = durability}));
  // The next commit of the batch refers to what this one wrote.
  writer.MarkStored();
  context_.head = own.commit;
  for (const std::string_view tag : unkept.tags)
    PACTDB_TRY_STATUS(store().SetTag(
        own.context, {.name = std::string(tag), .commit = own.commit, .context = own.context}));
  return {};
}

Status Keeper::Append(std::span<const Unkept> commits, Durability durability) {
  // A single one is a step by itself, unless it brings tags.
  std::optional<StoreSession::Batch> batch;
  const CommitNumber head = context_.head;
  std::vector<RecordWriter> written;
  written.reserve(commits.size());
  if (commits.size() > 1 || (!commits.empty() && !commits.front().tags.empty())) {
    PACTDB_TRY(StoreSession::Batch begun, StoreSession::Batch::Begin(*session_, durability));
    batch.emplace(std::move(begun));
  }
  // What is written so far must not wait for a commit that comes later.
  OnExit take_back([&] {
    for (RecordWriter& writer : written) writer.UnmarkStored();
    context_.head = head;
  });
  for (const Unkept& commit : commits) PACTDB_TRY_STATUS(AppendOne(commit, durability, written));
  if (batch) PACTDB_TRY_STATUS(batch->End());
  take_back.Release();
  return {};
}

}  // namespace pactdb
