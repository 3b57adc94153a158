// Rows of notes, one by one: tags, attempts, entries of the journal, answers. What reads them and
// what checks a file say the same of a damaged one, which each names.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>
#include <pactdb/ext/store.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "store/sqlite/cursor.h"

namespace pactdb::sqlite {

// The rows of a context, with the columns that the functions below take.
inline constexpr Sql kTagRows(
    "SELECT name, commit_context, commit_number, checksum FROM tags "
    "WHERE context = ? ORDER BY name");
inline constexpr Sql kAttemptRows(
    "SELECT id, n, json, checksum FROM attempts WHERE context = ? ORDER BY n");
inline constexpr Sql kJournalRows(
    "SELECT id, checksum, entry FROM journal WHERE id BETWEEN ? AND ? ORDER BY id");

// Errors, of all: kStoreCorrupt.
Result<Tag> ReadTag(const Cursor& row, ContextNumber context);
// Its JSON.
Result<std::string> ReadAttempt(const Cursor& row, ContextNumber context);
// `id`: of the entry that is to come next.
Result<std::string> ReadEntry(const Cursor& row, std::int64_t id);
// The answer; columns: number, answer, checksum.
Result<std::string> ReadAnswer(const Cursor& row, ContextNumber context, std::string_view key);

}  // namespace pactdb::sqlite
