// Errors and checks that every backend words the same way.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>
#include <pactdb/ext/store.h>

#include <string>
#include <string_view>

namespace pactdb {

Error NoContext(std::string_view name);
Error NoContext(ContextNumber number);
Error ContextTaken(std::string_view name);
Error NoCommit(RecordId id);
Error NoContent(const ContentHash256& hash);
// Another content has this hash, and has it rightly.
Error HashTaken(const ContentHash256& hash);
Error NoTag(std::string_view name);
Error HeadMoved(const AppendRequest& request, CommitNumber head);
Error EpochPassed(const AppendRequest& request, CommitNumber head, std::int64_t epoch);
Error KeyTaken();
Error NotRetirable(RecordId id, std::string_view why);

// "content 9f86d0818..."
std::string ContentName(const ContentHash256& hash);

// What can be said of an append without looking at the store: sizes. The caller numbers the commit;
// a number that is not the one after expected_head is its mistake and trips a check.
Status CheckAppend(const AppendRequest& request);

// True of commits that exist, the newest of a living context apart.
Status CheckDropped(const StoredContext& context, CommitRange commits);

// Cycles rise with the numbers of a context; FindCycle depends on it.
Status CheckCycle(std::int64_t cycle, std::int64_t newest);

}  // namespace pactdb
