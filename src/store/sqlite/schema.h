// The tables (docs/format/store.md), how a new file gets them and how an older one is brought up
// to date.
//
// Thread safety: that of the connection.
#pragma once

#include <pactdb/error.h>

#include <span>

#include "store/sqlite/connection.h"

namespace pactdb::sqlite {

// Brings a file from the version before to `version`. Statements that give no rows; the last
// sets user_version.
struct MigrationStep {
  std::int64_t version;
  Sql sql;
};

// From nothing to the present version.
std::span<const MigrationStep> MigrationSteps();

// Runs the steps above the file's version, each in a transaction of its own together with the new
// version number: a file that was being upgraded when the power went is at one version or another,
// never between.
Status Migrate(Connection& connection, std::span<const MigrationStep> steps);

Result<std::int64_t> ReadVersion(Connection& connection);

// kStoreCorrupt unless the file has exactly our tables. A view or trigger that somebody put into a
// file would run with our statements.
Status CheckSchema(Connection& connection);

}  // namespace pactdb::sqlite
