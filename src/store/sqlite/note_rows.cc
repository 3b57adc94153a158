#include "store/sqlite/note_rows.h"

#include <fmt/format.h>

#include <utility>

#include "store/sqlite/checksum.h"
#include "store/sqlite/sqlite_store.h"
#include "text/canonical.h"

namespace pactdb::sqlite {
namespace {

Error Damaged(std::string_view what, ContextNumber context) {
  return Error(ErrorCode::kStoreCorrupt, fmt::format("{} does not match its checksum", what))
      .With("number", context);
}

// A name as it was found: the damage may be in it.
std::string Named(std::string_view what, std::string_view name) {
  return fmt::format("{} '{}'", what, ReplaceInvalidUtf8(name));
}

}  // namespace

Result<Tag> ReadTag(const Cursor& row, ContextNumber context) {
  Tag tag{.name = std::string(row.Text(0)),
          .commit = static_cast<CommitNumber>(row.Int(2)),
          .context = static_cast<ContextNumber>(row.Int(1))};
  if (TagChecksum(context, tag) != row.Int(3))
    return std::unexpected(Damaged(Named("the tag", tag.name), context));
  // Right for the numbers as they were cut, and for any bytes.
  if (!std::in_range<ContextNumber>(row.Int(1)) || !std::in_range<CommitNumber>(row.Int(2)) ||
      !IsValidUtf8(tag.name)) {
    return std::unexpected(
        Error(ErrorCode::kStoreCorrupt, Named("the tag", tag.name) + " is one that cannot be")
            .With("number", context));
  }
  return tag;
}

Result<std::string> ReadAttempt(const Cursor& row, ContextNumber context) {
  if (AttemptChecksum(context, row.Text(0), row.Int(1), row.Text(2)) != row.Int(3))
    return std::unexpected(Damaged(Named("the attempt", row.Text(0)), context));
  return std::string(row.Text(2));
}

Result<std::string> ReadEntry(const Cursor& row, std::int64_t id) {
  const auto context = static_cast<ContextNumber>(id >> 32);
  const std::string what = fmt::format("entry {} of the journal", NumberOf(id));
  if (row.Int(0) != id) {
    return std::unexpected(
        Error(ErrorCode::kStoreCorrupt, what + " is missing").With("number", context));
  }
  if (ChecksumOf(row.Blob(2), id) != row.Int(1)) return std::unexpected(Damaged(what, context));
  return std::string(row.Blob(2));
}

Result<std::string> ReadAnswer(const Cursor& row, ContextNumber context, std::string_view key) {
  const auto number = static_cast<CommitNumber>(row.Int(0));
  if (AnswerChecksum(context, key, number, row.Text(1)) != row.Int(2)) {
    return std::unexpected(
        Damaged(Named("the answer to the commit with the idempotency key", key), context)
            .With("commit", number));
  }
  return std::string(row.Text(1));
}

}  // namespace pactdb::sqlite
