#include "store/sqlite/salvage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <limits>
#include <optional>

#include "base/sha256.h"
#include "base/try.h"
#include "store/sqlite/checksum.h"
#include "store/sqlite/compress.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/file_header.h"
#include "store/sqlite/files.h"
#include "store/sqlite/lock_file.h"
#include "store/sqlite/open.h"
#include "store/sqlite/page_rows.h"
#include "store/sqlite/salvage_copy.h"
#include "store/sqlite/sqlite_store.h"

namespace pactdb::sqlite {
namespace {

// Half of the way is reading by way of the tables, half page by page.
constexpr double kByTables = 0.5;
constexpr std::size_t kCommitColumns = 13;
constexpr std::size_t kContextColumns = 9;
constexpr std::size_t kContentColumns = 4;

// A row of `commits`, from a table or from a page.
struct CommitRow {
  std::int64_t id = 0;
  CommitFacts facts;
  std::string_view tree;
  std::int64_t epoch = 0;
  std::int64_t bytes_total = 0;
  std::int64_t record_checksum = 0;
  std::int64_t checksum = 0;
  std::string_view record;

  RecordId record_id() const { return {static_cast<ContextNumber>(id >> 32), NumberOf(id)}; }
  bool is_possible() const {
    return id >> 32 > 0 && id >> 32 <= std::numeric_limits<std::int32_t>::max() && NumberOf(id) > 0;
  }
};

struct ContextRow {
  StoredContext context;
  std::int64_t bytes_retired = 0;
  std::int64_t checksum = 0;
};

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

class Salvager {
 public:
  Salvager(SalvageCopy& copy, Connection& to, const std::function<void(double)>& progress)
      : copy_(copy), from_(copy.connection()), to_(to), progress_(progress) {}

  Result<Salvaged> Run();

 private:
  void Lose(std::string what) {
    if (std::ranges::find(salvaged_.losses, what) == salvaged_.losses.end())
      salvaged_.losses.push_back(std::move(what));
  }
  // Visits rows until their end, or the first that cannot be read: then false.
  template <typename Visitor>
  Result<bool> Walk(Sql sql, Visitor&& visit);
  // For tables without ids of their own, from both ends.
  template <typename Visitor>
  Status WalkNotes(Sql rising, Sql falling, const char* what, Visitor&& visit);

  Status TakeContexts();
  Status TakeCommits();
  Status TakeContents();
  Status TakeNotes();
  Status TakeTagsAndGaps();
  Status TakeAnswersAndAttempts();
  Status TakeJournal();
  Status TakeFromPages();
  Status TakePageRow(const RawRow& row);
  Status NameUnknown();

  Status TakeContext(const ContextRow& row);
  // Nothing if the row holds nothing.
  Status TakeCommit(const CommitRow& row);
  Status InsertCommit(const CommitRow& row);
  Result<bool> TakeContent(std::string_view hash, std::int64_t size, std::int64_t codec,
                           std::string_view data);
  Result<bool> IsWhole();
  Result<bool> HasCommit(std::int64_t id);
  void NoteNumber(ContextNumber context, CommitNumber number);

  SalvageCopy& copy_;
  Connection& from_;
  Connection& to_;
  const std::function<void(double)>& progress_;
  Salvaged salvaged_;
  std::map<ContextNumber, CommitNumber> heads_;
  std::map<ContextNumber, StoredContext> contexts_;
  std::set<std::string, std::less<>> names_;
  std::set<ContextNumber> with_commits_;
  bool is_damaged_ = false;
};

template <typename Visitor>
Result<bool> Salvager::Walk(Sql sql, Visitor&& visit) {
  Cursor rows(from_, sql);
  while (true) {
    const Result<bool> found = rows.Step();
    if (!found) is_damaged_ = true;
    if (!found) return false;
    if (!*found) return true;
    PACTDB_TRY_STATUS(visit(rows));
  }
}

template <typename Visitor>
Status Salvager::WalkNotes(Sql rising, Sql falling, const char* what, Visitor&& visit) {
  PACTDB_TRY(const bool whole, Walk(rising, visit));
  if (whole) return {};
  Lose(fmt::format("{} cannot all be read", what));
  PACTDB_TRY_STATUS(Walk(falling, visit));
  return {};
}

void Salvager::NoteNumber(ContextNumber context, CommitNumber number) {
  CommitNumber& head = heads_[context];
  head = std::max(head, number);
}

Status Salvager::TakeContext(const ContextRow& row) {
  const StoredContext& context = row.context;
  if (row.checksum != ContextChecksum(context, row.bytes_retired)) {
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

Status Salvager::TakeContexts() {
  PACTDB_TRY_STATUS(Walk("SELECT * FROM contexts NOT INDEXED", [this](const Cursor& rows) {
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

Status Salvager::TakeTagsAndGaps() {
  PACTDB_TRY_STATUS(WalkNotes(
      "SELECT * FROM gaps", "SELECT * FROM gaps ORDER BY context DESC, first DESC", "gaps",
      [this](const Cursor& rows) -> Status {
        const auto context = static_cast<ContextNumber>(rows.Int(0));
        const CommitRange gap{static_cast<CommitNumber>(rows.Int(1)),
                              static_cast<CommitNumber>(rows.Int(2))};
        if (GapChecksum(context, gap) != rows.Int(3) || gap.first == 0 || gap.last < gap.first) {
          Lose("a gap does not match its checksum");
          return {};
        }
        NoteNumber(context, gap.last);
        return Cursor(to_, "INSERT OR IGNORE INTO gaps VALUES (?, ?, ?, ?)")
            .Bind(context)
            .Bind(gap.first)
            .Bind(gap.last)
            .Bind(rows.Int(3))
            .Finish();
      }));
  return WalkNotes("SELECT * FROM tags", "SELECT * FROM tags ORDER BY context DESC, name DESC",
                   "tags", [this](const Cursor& rows) -> Status {
                     const auto context = static_cast<ContextNumber>(rows.Int(0));
                     const Tag tag{.name = std::string(rows.Text(1)),
                                   .commit = static_cast<CommitNumber>(rows.Int(3)),
                                   .context = static_cast<ContextNumber>(rows.Int(2))};
                     if (TagChecksum(context, tag) != rows.Int(4)) {
                       Lose("a tag does not match its checksum");
                       return {};
                     }
                     return Cursor(to_, "INSERT OR IGNORE INTO tags VALUES (?, ?, ?, ?, ?)")
                         .Bind(context)
                         .Bind(tag.name)
                         .Bind(tag.context)
                         .Bind(tag.commit)
                         .Bind(rows.Int(4))
                         .Finish();
                   });
}

Status Salvager::TakeAnswersAndAttempts() {
  PACTDB_TRY_STATUS(WalkNotes(
      "SELECT * FROM answers", "SELECT * FROM answers ORDER BY context DESC, idempotency_key DESC",
      "answers", [this](const Cursor& rows) -> Status {
        const auto context = static_cast<ContextNumber>(rows.Int(0));
        const auto number = static_cast<CommitNumber>(rows.Int(2));
        if (AnswerChecksum(context, rows.Text(1), number, rows.Text(3)) != rows.Int(4)) {
          Lose("the answer of a commit does not match its checksum");
          return {};
        }
        return Cursor(to_, "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)")
            .Bind(context)
            .Bind(rows.Text(1))
            .Bind(number)
            .Bind(rows.Text(3))
            .Bind(rows.Int(4))
            .Finish();
      }));
  PACTDB_TRY_STATUS(WalkNotes(
      "SELECT * FROM attempts", "SELECT * FROM attempts ORDER BY context DESC, id DESC", "attempts",
      [this](const Cursor& rows) -> Status {
        const auto context = static_cast<ContextNumber>(rows.Int(0));
        if (AttemptChecksum(context, rows.Text(1), rows.Int(2), rows.Text(3)) != rows.Int(4)) {
          Lose("an attempt does not match its checksum");
          return {};
        }
        return Cursor(to_, "INSERT OR IGNORE INTO attempts VALUES (?, ?, ?, ?, ?)")
            .Bind(context)
            .Bind(rows.Text(1))
            .Bind(rows.Int(2))
            .Bind(rows.Text(3))
            .Bind(rows.Int(4))
            .Finish();
      }));
  // Without a checksum: records say the same, and what they do not say is an id that is taken.
  return WalkNotes("SELECT * FROM ids", "SELECT * FROM ids ORDER BY context DESC, id DESC",
                   "ids that were given", [this](const Cursor& rows) -> Status {
                     return Cursor(to_, "INSERT OR IGNORE INTO ids VALUES (?, ?, ?)")
                         .Bind(rows.Int(0))
                         .Bind(rows.Text(1))
                         .Bind(rows.Int(2))
                         .Finish();
                   });
}

// Of each context the entries from the first on.
Status Salvager::TakeJournal() {
  std::map<ContextNumber, CommitNumber> taken;
  PACTDB_TRY(const bool whole,
             Walk("SELECT * FROM journal NOT INDEXED", [&](const Cursor& rows) -> Status {
               const std::int64_t id = rows.Int(0);
               const auto context = static_cast<ContextNumber>(id >> 32);
               const bool follows = NumberOf(id) == taken[context] + 1;
               if (!follows || ChecksumOf(rows.Blob(2), id) != rows.Int(1)) {
                 Lose("uncommitted edits in the journal do not match their checksum");
                 return {};
               }
               ++taken[context];
               return Cursor(to_, "INSERT INTO journal VALUES (?, ?, ?)")
                   .Bind(id)
                   .Bind(rows.Int(1))
                   .BindBlob(rows.Blob(2))
                   .Finish();
             }));
  if (!whole) Lose("uncommitted edits in the journal cannot all be read");
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
  if (row.values.size() == kContextColumns && row.id > 0 &&
      row.id <= std::numeric_limits<std::int32_t>::max())
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
    if (context.name.empty() || names_.contains(context.name))
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

// What has the file open now would change it under our hands. A folder that cannot be written has
// no writer.
Result<std::unique_ptr<LockFile>> LockOut(const std::string& from) {
  auto lock = LockFile::Take(from + "-lock", LockFile::Kind::kUpkeep);
  if (lock || lock.error().code() != ErrorCode::kStoreReadonly) return lock;
  return nullptr;
}

Result<Salvaged> SalvageInto(const std::string& from, const std::string& draft,
                             const std::function<void(double)>& progress) {
  PACTDB_TRY(const auto lock, LockOut(from));
  PACTDB_TRY(const auto copy, SalvageCopy::Make(from, draft + "-copy", draft));
  PACTDB_TRY_STATUS(MakeDraft(draft));
  PACTDB_TRY(const auto to, Connection::Open(draft, {.mode = Connection::Mode::kWrite,
                                                     .exclusive = HasSmallBlocks(draft)}));
  PACTDB_TRY(Transaction transaction, Transaction::Begin(*to));
  PACTDB_TRY(Salvaged salvaged, Salvager(*copy, *to, progress).Run());
  if (salvaged.contexts.empty()) {
    return std::unexpected(Error(ErrorCode::kStoreCorrupt, "nothing of a pactdb file can be found")
                               .With("path", from));
  }
  PACTDB_TRY_STATUS(transaction.Commit());
  return salvaged;
}

}  // namespace

std::string DraftOf(const std::string& to) {
  return to + "-new";
}

Result<Salvaged> SalvageRows(const std::string& from, const std::string& to,
                             const std::function<void(double)>& progress) {
  PACTDB_TRY(const std::string damaged, AbsolutePath(from));
  PACTDB_TRY_STATUS(CheckKind(damaged));
  PACTDB_TRY(const std::string absolute, AbsolutePath(to));
  if (FileExists(absolute)) return std::unexpected(SystemError("the file exists", to, EEXIST));
  RemoveDatabase(DraftOf(absolute));
  Result<Salvaged> salvaged = SalvageInto(damaged, DraftOf(absolute), progress);
  if (!salvaged) RemoveDatabase(DraftOf(absolute));
  return salvaged;
}

Status PlaceDraft(const std::string& to) {
  PACTDB_TRY(const std::string absolute, AbsolutePath(to));
  return PutInPlace(DraftOf(absolute), absolute);
}

void RemoveDraft(const std::string& to) {
  if (const auto absolute = AbsolutePath(to)) RemoveDatabase(DraftOf(*absolute));
}

}  // namespace pactdb::sqlite
