// The answer of a commit as JSON, both ways: it is what `pactdb exec` prints, and what a store
// keeps to answer a commit that is sent twice.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/context.h>
#include <pactdb/error.h>

#include <string>
#include <string_view>

namespace pactdb {

std::string CommitJson(const CommitResult& commit);
// Errors: kStoreCorrupt.
Result<CommitResult> ParseCommitJson(std::string_view json);

}  // namespace pactdb
