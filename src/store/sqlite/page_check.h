// Checking and copying the pages of a file by way of SQLite.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>

#include <functional>
#include <string>
#include <vector>

#include "store/sqlite/connection.h"

namespace pactdb::sqlite {

// Copies one state of `source` into the empty database `target`, page by page. `progress` gets
// 0..1.
Status CopyPages(Connection& source, Connection& target,
                 const std::function<void(double)>& progress);

// What is wrong with trees, indexes and the list of free pages, in SQLite's words; at most about a
// hundred lines. A file with free pages is copied for that, to where temporary files go. Errors:
// kStoreIo if they cannot; that says nothing of the file.
Result<std::vector<std::string>> FindPageProblems(Connection& connection);

}  // namespace pactdb::sqlite
