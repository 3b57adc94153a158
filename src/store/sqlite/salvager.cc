#include "store/sqlite/salvager.h"

#include <optional>

#include "base/sha256.h"
#include "store/sqlite/checksum.h"
#include "store/sqlite/compress.h"
#include "text/canonical.h"

namespace pactdb::sqlite {
namespace {

// Half of the way is reading by way of the tables, half page by page.
constexpr double kByTables = 0.5;
constexpr std::size_t kCommitColumns = 13;
constexpr std::size_t kContextColumns = 9;
constexpr std::size_t kContentColumns = 4;

CommitFacts FactsOf(CommitNumber number, const auto& int_at,
                    std::optional<std::int64_t> committed_at_ns) {
  return {.number = number,
          .cycle = int_at(1),
          .committed_at_ns = committed_at_ns,
          .added = static_cast<std::uint32_t>(int_at(3)),
          .removed = static_cast<std::uint32_t>(int_at(4)),
          .changed = static_cast<std::uint32_t>(int_at(5)),
          .nodes = static_cast<std::uint32_t>(int_at(6))};
}

bool IsContextNumber(std::int64_t number) {
  return number > 0 && std::in_range<std::int32_t>(number);
}

// Columns as the table has them.
ContextRow ContextRowOf(std::int64_t number, const auto& int_at, const auto& text_at) {
  ContextRow row;
  row.context.number = static_cast<ContextNumber>(number);
  row.context.name = text_at(1);
  row.context.origin = {static_cast<ContextNumber>(int_at(2)),
                        static_cast<CommitNumber>(int_at(3))};
  row.context.epoch = int_at(4);
  row.context.deleted = int_at(5) != 0;
  row.bytes_retired = int_at(6);
  row.context.config = text_at(7);
  row.checksum = int_at(8);
  return row;
}

}  // namespace

void Salvager::NoteNumber(ContextNumber context, CommitNumber number) {
  CommitNumber& head = heads_[context];
  head = std::max(head, number);
}

Status Salvager::TakeContext(const ContextRow& row) {
  const StoredContext& context = row.context;
  if (row.checksum != ContextChecksum(context, row.bytes_retired) || !IsValidUtf8(context.name)) {
    is_damaged_ = true;
    return {};
  }
  if (contexts_.contains(context.number)) return {};
  // Two of one name cannot be: one is a page that should not be there any more.
  if (!context.deleted && !names_.insert(context.name).second) return {};
  contexts_.emplace(context.number, context);
  return Cursor(to_, "INSERT INTO contexts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .Bind(context.number)
      .Bind(context.name)
      .Bind(context.origin.context)
      .Bind(context.origin.commit)
      .Bind(context.epoch)
      .Bind(context.deleted ? 1 : 0)
      .Bind(row.bytes_retired)
      .Bind(context.config)
      .Bind(row.checksum)
      .Finish();
}

Status Salvager::TakeContexts() {
  PACTDB_TRY_STATUS(
      Walk("SELECT * FROM contexts NOT INDEXED", [this](const Cursor& rows) -> Status {
        if (!IsContextNumber(rows.Int(0))) {
          is_damaged_ = true;
          return {};
        }
        return TakeContext(ContextRowOf(
            rows.Int(0), [&rows](int column) { return rows.Int(column); },
            [&rows](int column) { return rows.Text(column); }));
      }));
  return {};
}

Result<bool> Salvager::HasCommit(std::int64_t id) {
  Cursor row(to_, "SELECT 1 FROM commits WHERE id = ?");
  return row.Bind(id).Step();
}

Status Salvager::InsertCommit(const CommitRow& row) {
  return Cursor(to_, "INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .Bind(row.id)
      .Bind(row.facts.cycle)
      .Bind(row.facts.committed_at_ns)
      .Bind(row.facts.added)
      .Bind(row.facts.removed)
      .Bind(row.facts.changed)
      .Bind(row.facts.nodes)
      .BindBlob(row.tree)
      .Bind(row.epoch)
      .Bind(row.bytes_total)
      .Bind(row.record_checksum)
      .Bind(row.checksum)
      .BindBlob(row.record)
      .Finish();
}

Status Salvager::TakeCommit(const CommitRow& row) {
  if (!row.is_possible()) {
    is_damaged_ = true;
    return {};
  }
  const RecordId id = row.record_id();
  const bool has_record = ChecksumOf(row.record, row.id) == row.record_checksum;
  CommitFacts facts = row.facts;
  bool has_facts = row.tree.size() == facts.tree_sha256.size();
  if (has_facts) std::ranges::copy(row.tree, facts.tree_sha256.begin());
  has_facts = has_facts && row.checksum == FactsChecksum(id.context, facts, row.epoch,
                                                         row.bytes_total, row.record_checksum);
  if (!has_record || !has_facts) is_damaged_ = true;
  // Both know their number. Where neither is whole, it is believed if it is the next.
  if (has_record || has_facts || id.commit == heads_[id.context] + 1)
    NoteNumber(id.context, id.commit);
  PACTDB_TRY(const bool is_there, HasCommit(row.id));
  if (!has_record) {
    if (!is_there) salvaged_.damaged.insert(id);
    return {};
  }
  if (is_there && (!has_facts || !salvaged_.without_facts.contains(id))) return {};
  if (is_there) {
    PACTDB_TRY_STATUS(Cursor(to_, "DELETE FROM commits WHERE id = ?").Bind(row.id).Finish());
  }
  salvaged_.damaged.erase(id);
  salvaged_.without_facts.erase(id);
  with_commits_.insert(id.context);
  if (has_facts) return InsertCommit(row);
  // No snapshot any more, but other commits may need its record.
  salvaged_.without_facts.insert(id);
  CommitRow bare = row;
  bare.facts = {.number = id.commit};
  bare.tree = {reinterpret_cast<const char*>(bare.facts.tree_sha256.data()),
               bare.facts.tree_sha256.size()};
  bare.epoch = 0;
  bare.bytes_total = 0;
  bare.checksum = FactsChecksum(id.context, bare.facts, 0, 0, bare.record_checksum);
  return InsertCommit(bare);
}

Status Salvager::TakeCommits() {
  std::int64_t last = 0;
  PACTDB_TRY(const bool whole, Walk("SELECT * FROM commits NOT INDEXED", [&](const Cursor& rows) {
               CommitRow row{.id = rows.Int(0)};
               row.facts = FactsOf(
                   NumberOf(row.id), [&rows](int column) { return rows.Int(column); },
                   rows.OptionalInt(2));
               row.tree = rows.Blob(7);
               row.epoch = rows.Int(8);
               row.bytes_total = rows.Int(9);
               row.record_checksum = rows.Int(10);
               row.checksum = rows.Int(11);
               row.record = rows.Blob(12);
               // A page that leads elsewhere than it did.
               if (row.id <= last) is_damaged_ = true;
               last = row.id;
               return TakeCommit(row);
             }));
  if (!whole) Lose("commits cannot all be read; the newest of a context may be missing");
  return {};
}

Result<bool> Salvager::TakeContent(std::string_view hash, std::int64_t size, std::int64_t codec,
                                   std::string_view data) {
  const std::optional<std::string> bytes = Expand(size, codec, data);
  const Digest digest = bytes ? Sha256Of(*bytes) : Digest{};
  if (!bytes || hash != std::string_view(reinterpret_cast<const char*>(digest.data()), 32))
    return false;
  PACTDB_TRY_STATUS(Cursor(to_, "INSERT OR IGNORE INTO contents VALUES (?, ?, ?, ?)")
                        .BindBlob(hash)
                        .Bind(size)
                        .Bind(codec)
                        .BindBlob(data)
                        .Finish());
  return true;
}

Status Salvager::TakeContents() {
  PACTDB_TRY_STATUS(
      Walk("SELECT * FROM contents NOT INDEXED", [this](const Cursor& rows) -> Status {
        PACTDB_TRY(const bool taken,
                   TakeContent(rows.Blob(0), rows.Int(1), rows.Int(2), rows.Blob(3)));
        if (!taken) is_damaged_ = true;
        return {};
      }));
  return {};
}

// --- page by page ---

Status Salvager::TakePageRow(const RawRow& row) {
  const auto int_at = [&row](int column) { return row.Int(static_cast<std::size_t>(column)); };
  const auto text_at = [&row](int column) { return row.Bytes(static_cast<std::size_t>(column)); };
  if (row.values.size() == kCommitColumns) {
    CommitRow commit{.id = row.id};
    commit.facts =
        FactsOf(NumberOf(row.id), int_at, row.IsNull(2) ? std::nullopt : std::optional(row.Int(2)));
    commit.tree = row.Bytes(7);
    commit.epoch = row.Int(8);
    commit.bytes_total = row.Int(9);
    commit.record_checksum = row.Int(10);
    commit.checksum = row.Int(11);
    commit.record = row.Bytes(12);
    // An id that the row does not vouch for says nothing about what is lost.
    if (ChecksumOf(commit.record, commit.id) != commit.record_checksum) return {};
    return TakeCommit(commit);
  }
  if (row.values.size() == kContextColumns && IsContextNumber(row.id))
    return TakeContext(ContextRowOf(row.id, int_at, text_at));
  if (row.values.size() == kContentColumns) {
    PACTDB_TRY_STATUS(TakeContent(row.Bytes(0), row.Int(1), row.Int(2), row.Bytes(3)));
  }
  return {};
}

Status Salvager::TakeFromPages() {
  Status status;
  ForEachPageRow(
      copy_,
      [&](const RawRow& row) {
        if (status) status = TakePageRow(row);
      },
      [this](double done) {
        if (progress_) progress_(kByTables + done * (1 - kByTables));
      });
  return status;
}

Result<bool> Salvager::IsWhole() {
  if (is_damaged_ || !copy_.findings().empty()) return false;
  Cursor row(from_, "PRAGMA quick_check(1)");
  const Result<bool> found = row.Step();
  return found && *found && row.Text(0) == "ok";
}

// Contexts that have commits and no entry. The index of names may still have theirs.
Status Salvager::NameUnknown() {
  std::map<ContextNumber, std::string> names;
  PACTDB_TRY_STATUS(
      Walk("SELECT number, name FROM contexts INDEXED BY contexts_by_name "
           "WHERE deleted = 0 ORDER BY name",
           [&names](const Cursor& rows) -> Status {
             names.emplace(static_cast<ContextNumber>(rows.Int(0)), rows.Text(1));
             return {};
           }));
  for (const ContextNumber number : with_commits_) {
    if (contexts_.contains(number)) continue;
    const auto known = names.find(number);
    StoredContext context{.number = number};
    context.name = known == names.end() ? std::string() : known->second;
    if (context.name.empty() || !IsValidUtf8(context.name) || names_.contains(context.name))
      context.name = fmt::format("recovered-{}", number);
    while (names_.contains(context.name)) context.name += '-';
    salvaged_.unknown.insert(number);
    PACTDB_TRY_STATUS(TakeContext(
        {.context = context, .bytes_retired = 0, .checksum = ContextChecksum(context, 0)}));
  }
  return {};
}

Result<Salvaged> Salvager::Run() {
  PACTDB_TRY_STATUS(TakeContexts());
  PACTDB_TRY_STATUS(TakeCommits());
  PACTDB_TRY_STATUS(TakeContents());
  PACTDB_TRY_STATUS(TakeTagsAndGaps());
  PACTDB_TRY_STATUS(TakeAnswersAndAttempts());
  PACTDB_TRY_STATUS(TakeJournal());
  if (progress_) progress_(kByTables);
  PACTDB_TRY(const bool whole, IsWhole());
  if (!whole) PACTDB_TRY_STATUS(TakeFromPages());
  PACTDB_TRY_STATUS(NameUnknown());
  for (auto& [number, context] : contexts_) {
    const auto head = heads_.find(number);
    context.head = head == heads_.end() ? 0 : head->second;
    salvaged_.contexts.push_back(context);
  }
  for (const std::string& finding : copy_.findings()) Lose(finding);
  return std::move(salvaged_);
}

}  // namespace pactdb::sqlite
