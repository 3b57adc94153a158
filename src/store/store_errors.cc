#include "store/store_errors.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/limits.h"
#include "base/sha256.h"

namespace pactdb {

Error NoContext(std::string_view name) {
  return Error(ErrorCode::kContextNotFound, fmt::format("no context is named '{}'", name))
      .With("context", name);
}

Error NoContext(ContextNumber number) {
  return Error(ErrorCode::kContextNotFound, fmt::format("no context has the number {}", number))
      .With("number", number);
}

Error ContextTaken(std::string_view name) {
  return Error(ErrorCode::kContextExists, fmt::format("a context named '{}' exists", name))
      .With("context", name);
}

Error NoCommit(RecordId id) {
  return Error(ErrorCode::kSnapshotNotFound,
               fmt::format("context {} has no commit {}", id.context, id.commit))
      .With("number", id.context)
      .With("commit", id.commit);
}

Error NoContent(const ContentHash256& hash) {
  return Error(ErrorCode::kStoreCorrupt, fmt::format("{} is missing", ContentName(hash)))
      .With("content", ToHex(hash));
}

Error HashTaken(const ContentHash256& hash) {
  return Error(ErrorCode::kStoreCorrupt,
               fmt::format(
                   "{} is stored with other bytes: two contents have one hash, and the second "
                   "cannot be kept",
                   ContentName(hash)))
      .With("content", ToHex(hash));
}

Error NoTag(std::string_view name) {
  return Error(ErrorCode::kSnapshotNotFound, fmt::format("no tag is named '{}'", name))
      .With("tag", name);
}

Error HeadMoved(const AppendRequest& request, CommitNumber head) {
  return Error(ErrorCode::kConflict,
               fmt::format("the newest commit is {}, not {}", head, request.expected_head))
      .With("expected", request.expected_head)
      .With("head", head);
}

Error EpochPassed(const AppendRequest& request, CommitNumber head, std::int64_t epoch) {
  return Error(ErrorCode::kConflict,
               fmt::format("the context is in epoch {}, not {}", epoch, request.epoch))
      .With("expected", request.expected_head)
      .With("head", head)
      .With("epoch", epoch);
}

Error KeyTaken() {
  return Error(ErrorCode::kConflict, "a commit of this context has the idempotency key already");
}

Error NotRetirable(RecordId id, std::string_view why) {
  return Error(ErrorCode::kRequestInvalid, fmt::format("commit {} cannot go: {}", id.commit, why))
      .With("number", id.context)
      .With("commit", id.commit);
}

std::string ContentName(const ContentHash256& hash) {
  return fmt::format("content {}", ToHex(hash));
}

Status CheckAppend(const AppendRequest& request) {
  PACTDB_CHECK(request.facts.number == request.expected_head + 1);
  if (request.record.size() > limits::kRecordBytesMax) {
    return std::unexpected(Error(ErrorCode::kLimitExceeded, "the commit's record is too large")
                               .With("limit", "record_bytes")
                               .With("max", limits::kRecordBytesMax));
  }
  for (const StoredContent& content : request.contents) {
    if (content.bytes.size() <= limits::kContentBytesMax) continue;
    return std::unexpected(Error(ErrorCode::kLimitExceeded, "a content is too large")
                               .With("limit", "content_bytes")
                               .With("max", limits::kContentBytesMax));
  }
  return {};
}

Status CheckDropped(const StoredContext& context, CommitRange commits) {
  const RecordId last{.context = context.number, .commit = commits.last};
  if (commits.first == 0 || commits.first > commits.last || commits.last > context.head) {
    return std::unexpected(NoCommit(last));
  }
  if (commits.last == context.head && !context.deleted) {
    return std::unexpected(NotRetirable(last, "it is the newest of its context"));
  }
  return {};
}

Status CheckCycle(std::int64_t cycle, std::int64_t newest) {
  if (cycle > newest) return {};
  return std::unexpected(Error(ErrorCode::kRequestInvalid,
                               fmt::format("cycle {} does not follow cycle {}", cycle, newest))
                             .With("cycle", cycle));
}

}  // namespace pactdb
