// Commits: appending and reading them.
#include <fmt/format.h>

#include <algorithm>

#include "base/on_exit.h"
#include "base/try.h"
#include "store/gaps.h"
#include "store/sqlite/checksum.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/facts_row.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store_errors.h"

namespace pactdb::sqlite {
namespace {

// Facts are read in lots, so that a visitor may take its time, and read itself.
constexpr std::int64_t kFactsAtOnce = 256;

// A damaged page above those of the rows gives one that was not asked for.
Error OutOfOrder(ContextNumber context) {
  return Error(ErrorCode::kStoreCorrupt,
               fmt::format("the commits of context {} are out of order", context))
      .With("number", context);
}

}  // namespace

void SqliteStore::KeepLogShort() {
  if (!batch_ && connection_->wal_frames() >= kLogPages) connection_->Checkpoint();
}

// --- appending ---

Result<SqliteStore::Head> SqliteStore::ReadHead(ContextNumber context) {
  Cursor row(*connection_,
             "SELECT id, cycle, bytes_total FROM commits WHERE id BETWEEN ? AND ? "
             "ORDER BY id DESC LIMIT 1");
  PACTDB_TRY(const bool found, row.Bind(FirstRow(context)).Bind(LastRow(context)).Step());
  if (!found) return Head{};
  return Head{.number = NumberOf(row.Int(0)), .cycle = row.Int(1), .bytes_total = row.Int(2)};
}

// A session appends to one context again and again, and nobody else writes: then what it left is
// what it finds. The version tells, of changes by this connection and by any other.
Result<SqliteStore::Tip> SqliteStore::FindTip(ContextNumber context) {
  if (!batch_ && tip_ && tip_->context == context && tip_->version == connection_->DataVersion())
    return *tip_;
  Cursor row(*connection_, "SELECT epoch FROM contexts WHERE number = ? AND deleted = 0");
  PACTDB_TRY(const bool found, row.Bind(context).Step());
  if (!found) return std::unexpected(NoContext(context));
  PACTDB_TRY(const Head head, ReadHead(context));
  return Tip{.context = context, .head = head, .epoch = row.Int(0), .version = 0};
}

Status SqliteStore::CheckTip(const AppendRequest& request, const Tip& tip) {
  const Head& head = tip.head;
  if (head.number != request.expected_head) return std::unexpected(HeadMoved(request, head.number));
  if (tip.epoch != request.epoch)
    return std::unexpected(EpochPassed(request, head.number, tip.epoch));
  if (head.number != 0) PACTDB_TRY_STATUS(CheckCycle(request.facts.cycle, head.cycle));
  return {};
}

Status SqliteStore::WriteRow(const AppendRequest& request, std::int64_t bytes_total) {
  const CommitFacts& facts = request.facts;
  const std::int64_t id = RowId(request.context, facts.number);
  const std::int64_t record_checksum = ChecksumOf(request.record, id);
  const std::string_view tree(reinterpret_cast<const char*>(facts.tree_sha256.data()),
                              facts.tree_sha256.size());
  return Cursor(*connection_, "INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .Bind(id)
      .Bind(facts.cycle)
      .Bind(facts.committed_at_ns)
      .Bind(facts.added)
      .Bind(facts.removed)
      .Bind(facts.changed)
      .Bind(facts.nodes)
      .BindBlob(tree)
      .Bind(request.epoch)
      .Bind(bytes_total)
      .Bind(record_checksum)
      .Bind(FactsChecksum(request.context, facts, request.epoch, bytes_total, record_checksum))
      .BindBlob(request.record)
      .Finish();
}

// What comes with a commit and is seldom there.
Status SqliteStore::WriteBeside(const AppendRequest& request) {
  for (const StoredContent& content : request.contents) PACTDB_TRY_STATUS(WriteContent(content));
  for (const std::string_view id : request.ids) {
    PACTDB_TRY_STATUS(Cursor(*connection_, "INSERT OR IGNORE INTO ids VALUES (?, ?, ?)")
                          .Bind(request.context)
                          .Bind(id)
                          .Bind(request.facts.number)
                          .Finish());
  }
  if (!request.idempotency_key.empty()) PACTDB_TRY_STATUS(WriteAnswer(request));
  return EmptyJournal(request.context);
}

// Only this object writes, so what it emptied is empty until it writes there again.
Status SqliteStore::EmptyJournal(ContextNumber context) {
  if (empty_journals_.contains(context)) return {};
  return Cursor(*connection_, "DELETE FROM journal WHERE id BETWEEN ? AND ?")
      .Bind(FirstRow(context))
      .Bind(LastRow(context))
      .Finish();
}

Result<SqliteStore::Tip> SqliteStore::AppendRows(const AppendRequest& request) {
  PACTDB_TRY(Tip tip, FindTip(request.context));
  PACTDB_TRY_STATUS(CheckTip(request, tip));
  PACTDB_TRY_STATUS(WriteBeside(request));
  tip.head = {
      .number = request.facts.number,
      .cycle = request.facts.cycle,
      .bytes_total = tip.head.bytes_total + static_cast<std::int64_t>(request.record.size())};
  PACTDB_TRY_STATUS(WriteRow(request, tip.head.bytes_total));
  return tip;
}

Status SqliteStore::Append(const AppendRequest& request) {
  PACTDB_TRY_STATUS(CheckAppend(request));
  if (batch_) {
    PACTDB_TRY_STATUS(AppendRows(request));
    return {};
  }
  {
    PACTDB_TRY(Transaction transaction, Transaction::Begin(*connection_, request.durability));
    PACTDB_TRY(const Tip tip, AppendRows(request));
    PACTDB_TRY_STATUS(transaction.Commit());
    tip_ = tip;
    tip_->version = connection_->DataVersion();
  }
  empty_journals_.insert(request.context);
  KeepLogShort();
  connection_->HoldPlace();
  return {};
}

Status SqliteStore::BeginBatch(Durability durability) {
  PACTDB_TRY(Transaction transaction, Transaction::Begin(*connection_, durability));
  batch_.emplace(std::move(transaction));
  return {};
}

Status SqliteStore::EndBatch() {
  const Status committed = batch_->Commit();
  batch_.reset();
  if (committed) KeepLogShort();
  return committed;
}

void SqliteStore::AbandonBatch() {
  batch_.reset();
}

// --- reading ---

Status SqliteStore::BeginReads() {
  PACTDB_TRY(ReadScope scope, ReadScope::Begin(*connection_));
  reads_.emplace(std::move(scope));
  return {};
}

void SqliteStore::EndReads() {
  records_.End();
  reads_.reset();
}

Result<std::string> SqliteStore::ReadRecord(RecordId id) {
  const std::int64_t row_id = RowId(id.context, id.commit);
  // Outside of BeginReads and EndReads every read is one by itself.
  const OnExit end([this] {
    if (!reads_) records_.End();
  });
  PACTDB_TRY(const Cursor* row, records_.Find(row_id));
  if (row == nullptr) return std::unexpected(WhyMissing(id));
  std::string record(row->Blob(2));
  if (ChecksumOf(record, row_id) != row->Int(1)) return std::unexpected(BadCommit(id));
  return record;
}

// A row that is not there though its number says that it should be is damage, not absence.
Error SqliteStore::WhyMissing(RecordId id) {
  const Result<StoredContext> context = GetContext(id.context);
  if (!context && context.error().code() == ErrorCode::kContextNotFound) return NoCommit(id);
  if (!context) return context.error();
  if (id.commit == 0 || id.commit > context->head) return NoCommit(id);
  const Result<std::vector<CommitRange>> gaps = ListGaps(id.context);
  if (!gaps) return gaps.error();
  return FindGap(*gaps, id.commit) == nullptr ? MissingCommit(id) : NoCommit(id);
}

Result<std::vector<RecordId>> SqliteStore::ListRecords() {
  std::vector<RecordId> records;
  std::optional<std::int64_t> before;
  Cursor rows(*connection_, "SELECT id FROM commits ORDER BY id");
  while (true) {
    PACTDB_TRY(const bool found, rows.Step());
    if (!found) return records;
    const std::int64_t id = rows.Int(0);
    records.push_back({static_cast<ContextNumber>(id >> 32), NumberOf(id)});
    if (before && id <= *before) return std::unexpected(OutOfOrder(records.back().context));
    before = id;
  }
}

Result<bool> SqliteStore::IsSnapshot(RecordId id) {
  {
    Cursor row(*connection_, "SELECT 1 FROM commits WHERE id = ?");
    PACTDB_TRY(const bool found, row.Bind(RowId(id.context, id.commit)).Step());
    if (!found || id.commit == 0) return false;
  }
  PACTDB_TRY(const std::vector<CommitRange> gaps, ListGaps(id.context));
  return FindGap(gaps, id.commit) == nullptr;
}

Status SqliteStore::VisitFacts(ContextNumber context, CommitRange range,
                               const std::function<bool(const CommitFacts&)>& visit) {
  PACTDB_TRY(const StoredContext stored, GetContext(context));
  PACTDB_TRY(const std::vector<CommitRange> gaps, ListGaps(context));
  range.first = std::max<CommitNumber>(range.first, 1);
  range.last = std::min(range.last, stored.head);
  for (const CommitRange& run : Between(gaps, range)) {
    std::uint64_t next = run.first;
    while (next <= run.last) {
      const auto last = std::min<std::uint64_t>(run.last, next + kFactsAtOnce - 1);
      PACTDB_TRY(const std::vector<CommitFacts> facts,
                 ReadFacts(*connection_, context,
                           {static_cast<CommitNumber>(next), static_cast<CommitNumber>(last)}));
      for (const CommitFacts& one : facts) {
        if (!visit(one)) return {};
      }
      next = last + 1;
    }
  }
  return {};
}

// Halves the numbers: cycles rise with them, in rows that are no snapshots any more too.
Result<std::optional<CommitFacts>> SqliteStore::FindCycle(ContextNumber context,
                                                          std::int64_t cycle) {
  PACTDB_TRY(const ReadScope scope, ReadScope::Begin(*connection_));
  PACTDB_TRY_STATUS(CheckExists(context));
  PACTDB_TRY(const Head head, ReadHead(context));
  if (head.number == 0 || head.cycle < cycle) return std::nullopt;
  // The least number from which on the next row's cycle is not too small lies in [first, last].
  CommitNumber first = 1;
  CommitNumber last = head.number;
  while (first < last) {
    const CommitNumber middle = first + (last - first) / 2;
    Cursor row(*connection_,
               "SELECT id, cycle FROM commits WHERE id >= ? AND id <= ? ORDER BY id LIMIT 1");
    row.Bind(RowId(context, middle)).Bind(RowId(context, head.number));
    PACTDB_TRY(const bool found, row.Step());
    const CommitNumber number = NumberOf(row.Int(0));
    if (found && row.Int(1) >= cycle) {
      last = middle;
    } else if (found && number >= middle && number < last) {
      first = number + 1;
    } else {
      return std::unexpected(OutOfOrder(context));
    }
  }
  PACTDB_TRY(const std::vector<CommitRange> gaps, ListGaps(context));
  if (const CommitRange* gap = FindGap(gaps, first)) first = gap->last + 1;
  if (first > head.number) return std::nullopt;
  PACTDB_TRY(const std::vector<CommitFacts> facts,
             ReadFacts(*connection_, context, {first, first}));
  return facts.front();
}

}  // namespace pactdb::sqlite
