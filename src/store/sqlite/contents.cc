// Contents by hash, ids, and answers to idempotency keys.
#include <algorithm>
#include <vector>

#include "base/sha256.h"
#include "base/try.h"
#include "store/sqlite/checksum.h"
#include "store/sqlite/compress.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/note_rows.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store_errors.h"

namespace pactdb::sqlite {
namespace {

std::string_view BytesOf(const ContentHash256& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

Result<ContentHash256> ReadHash(const Cursor& row, int column) {
  ContentHash256 hash{};
  const std::string_view bytes = row.Blob(column);
  if (bytes.size() != hash.size())
    return std::unexpected(Error(ErrorCode::kStoreCorrupt, "the hash of a content is cut"));
  std::ranges::copy(bytes, hash.begin());
  return hash;
}

}  // namespace

Status SqliteStore::WriteContent(const StoredContent& content) {
  {
    Cursor row(*connection_, "SELECT size, codec, data FROM contents WHERE hash = ?");
    PACTDB_TRY(const bool found, row.BindBlob(BytesOf(content.hash)).Step());
    const auto held = found ? Expand(row.Int(0), row.Int(1), row.Blob(2)) : std::nullopt;
    if (held == content.bytes) return {};
    if (held && Sha256Of(*held) == content.hash) return std::unexpected(HashTaken(content.hash));
  }
  // What is held and damaged would take the new commit along: it is written over.
  const std::optional<std::string> smaller = Compress(content.bytes);
  return Cursor(*connection_, "INSERT OR REPLACE INTO contents VALUES (?, ?, ?, ?)")
      .BindBlob(BytesOf(content.hash))
      .Bind(static_cast<std::int64_t>(content.bytes.size()))
      .Bind(static_cast<std::int64_t>(smaller ? Codec::kZstd : Codec::kPlain))
      .BindBlob(smaller ? std::string_view(*smaller) : content.bytes)
      .Finish();
}

Result<std::string> SqliteStore::ReadContent(const ContentHash256& hash) {
  Cursor row(*connection_, "SELECT size, codec, data FROM contents WHERE hash = ?");
  PACTDB_TRY(const bool found, row.BindBlob(BytesOf(hash)).Step());
  if (!found) return std::unexpected(NoContent(hash));
  std::optional<std::string> bytes = Expand(row.Int(0), row.Int(1), row.Blob(2));
  if (!bytes || Sha256Of(*bytes) != hash) {
    return std::unexpected(
        Error(ErrorCode::kStoreCorrupt, ContentName(hash) + " has other bytes than its hash says")
            .With("content", ToHex(hash)));
  }
  return *std::move(bytes);
}

Status SqliteStore::VisitContents(
    const std::function<void(const ContentHash256&, std::uint64_t)>& visit) {
  Cursor rows(*connection_, "SELECT hash, length(data) FROM contents");
  while (true) {
    PACTDB_TRY(const bool found, rows.Step());
    if (!found) return {};
    PACTDB_TRY(const ContentHash256 hash, ReadHash(rows, 0));
    visit(hash, static_cast<std::uint64_t>(rows.Int(1)));
  }
}

Status SqliteStore::DropContents(const std::function<bool(const ContentHash256&)>& keeps) {
  std::vector<ContentHash256> dropped;
  PACTDB_TRY_STATUS(VisitContents([&](const ContentHash256& hash, std::uint64_t) {
    if (!keeps(hash)) dropped.push_back(hash);
  }));
  for (const ContentHash256& hash : dropped) {
    PACTDB_TRY_STATUS(Cursor(*connection_, "DELETE FROM contents WHERE hash = ?")
                          .BindBlob(BytesOf(hash))
                          .Finish());
  }
  return {};
}

Result<std::optional<CommitNumber>> SqliteStore::FindId(ContextNumber context,
                                                        std::string_view id) {
  PACTDB_TRY_STATUS(CheckExists(context));
  Cursor row(*connection_, "SELECT number FROM ids WHERE context = ? AND id = ?");
  PACTDB_TRY(const bool found, row.Bind(context).Bind(id).Step());
  if (!found) return std::nullopt;
  return static_cast<CommitNumber>(row.Int(0));
}

Status SqliteStore::WriteAnswer(const AppendRequest& request) {
  const std::string_view key = request.idempotency_key;
  {
    Cursor row(*connection_, "SELECT 1 FROM answers WHERE context = ? AND idempotency_key = ?");
    PACTDB_TRY(const bool taken, row.Bind(request.context).Bind(key).Step());
    if (taken) return std::unexpected(KeyTaken());
  }
  const CommitNumber number = request.facts.number;
  return Cursor(*connection_, "INSERT INTO answers VALUES (?, ?, ?, ?, ?)")
      .Bind(request.context)
      .Bind(key)
      .Bind(number)
      .Bind(request.answer)
      .Bind(AnswerChecksum(request.context, key, number, request.answer))
      .Finish();
}

Result<std::optional<std::string>> SqliteStore::FindAnswer(ContextNumber context,
                                                           std::string_view idempotency_key) {
  PACTDB_TRY_STATUS(CheckExists(context));
  Cursor row(*connection_,
             "SELECT number, answer, checksum FROM answers "
             "WHERE context = ? AND idempotency_key = ?");
  PACTDB_TRY(const bool found, row.Bind(context).Bind(idempotency_key).Step());
  if (!found) return std::nullopt;
  PACTDB_TRY(std::string answer, ReadAnswer(row, context, idempotency_key));
  return answer;
}

}  // namespace pactdb::sqlite
