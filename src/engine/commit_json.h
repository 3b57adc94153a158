// The answer of a commit as JSON, both ways: it is what `pactdb exec` prints, and what a store
// keeps to answer a commit that is sent twice.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/context.h>
#include <pactdb/error.h>

#include <string>
#include <string_view>

#include "text/json_out.h"

namespace pactdb {

// Members of an object that is open: what the commit took and kept; the limits it could not hold,
// if there are any.
void WriteCommitLists(const CommitResult& commit, JsonOut& out);
void WriteOverLimit(const CommitResult& commit, JsonOut& out);

std::string CommitJson(const CommitResult& commit);
// Errors: kStoreCorrupt.
Result<CommitResult> ParseCommitJson(std::string_view json);

}  // namespace pactdb
