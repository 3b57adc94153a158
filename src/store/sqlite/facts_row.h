// The facts of commits, from their rows.
//
// Thread safety: that of the connection.
#pragma once

#include <pactdb/ext/store.h>

#include <vector>

#include "store/sqlite/connection.h"

namespace pactdb::sqlite {

// kStoreCorrupt, naming context and commit.
Error BadCommit(RecordId id);

// The facts of every commit of the range, rising, each checked. A row that is missing is
// kStoreCorrupt: the caller knows that none is.
Result<std::vector<CommitFacts>> ReadFacts(Connection& connection, ContextNumber context,
                                           CommitRange range);

}  // namespace pactdb::sqlite
