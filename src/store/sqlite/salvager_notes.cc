// Gaps, tags, answers, attempts, ids and the journal. Tables without ids of their own are read from
// both ends, if something in the middle cannot be.
#include <utility>

#include "store/sqlite/checksum.h"
#include "store/sqlite/salvager.h"
#include "text/canonical.h"

namespace pactdb::sqlite {

Status Salvager::TakeTagsAndGaps() {
  PACTDB_TRY_STATUS(WalkNotes(
      "SELECT * FROM gaps", "SELECT * FROM gaps ORDER BY context DESC, first DESC", "gaps",
      [this](const Cursor& rows) -> Status {
        const auto context = static_cast<ContextNumber>(rows.Int(0));
        const CommitRange gap{static_cast<CommitNumber>(rows.Int(1)),
                              static_cast<CommitNumber>(rows.Int(2))};
        if (GapChecksum(context, gap) != rows.Int(3) || gap.first == 0 || gap.last < gap.first ||
            !std::in_range<CommitNumber>(rows.Int(1)) ||
            !std::in_range<CommitNumber>(rows.Int(2))) {
          Lose("a gap does not match its checksum");
          return {};
        }
        NoteNumber(context, gap.last);
        // One that meets another cannot be; it may also be the same one, found from the other end.
        return Cursor(to_,
                      "INSERT INTO gaps SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS (SELECT 1 FROM gaps "
                      "WHERE context = ?1 AND first <= ?3 + 1 AND last >= ?2 - 1)")
            .Bind(context)
            .Bind(gap.first)
            .Bind(gap.last)
            .Bind(rows.Int(3))
            .Finish();
      }));
  return WalkNotes("SELECT * FROM tags", "SELECT * FROM tags ORDER BY context DESC, name DESC",
                   "tags", [this](const Cursor& rows) -> Status {
                     const auto context = static_cast<ContextNumber>(rows.Int(0));
                     const Tag tag{.name = std::string(rows.Text(1)),
                                   .commit = static_cast<CommitNumber>(rows.Int(3)),
                                   .context = static_cast<ContextNumber>(rows.Int(2))};
                     if (TagChecksum(context, tag) != rows.Int(4) || !IsValidUtf8(tag.name)) {
                       Lose("a tag does not match its checksum");
                       return {};
                     }
                     return Cursor(to_, "INSERT OR IGNORE INTO tags VALUES (?, ?, ?, ?, ?)")
                         .Bind(context)
                         .Bind(tag.name)
                         .Bind(tag.context)
                         .Bind(tag.commit)
                         .Bind(rows.Int(4))
                         .Finish();
                   });
}

Status Salvager::TakeAnswersAndAttempts() {
  PACTDB_TRY_STATUS(WalkNotes(
      "SELECT * FROM answers", "SELECT * FROM answers ORDER BY context DESC, idempotency_key DESC",
      "answers", [this](const Cursor& rows) -> Status {
        const auto context = static_cast<ContextNumber>(rows.Int(0));
        const auto number = static_cast<CommitNumber>(rows.Int(2));
        if (AnswerChecksum(context, rows.Text(1), number, rows.Text(3)) != rows.Int(4)) {
          Lose("the answer of a commit does not match its checksum");
          return {};
        }
        return Cursor(to_, "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)")
            .Bind(context)
            .Bind(rows.Text(1))
            .Bind(number)
            .Bind(rows.Text(3))
            .Bind(rows.Int(4))
            .Finish();
      }));
  PACTDB_TRY_STATUS(WalkNotes(
      "SELECT * FROM attempts", "SELECT * FROM attempts ORDER BY context DESC, id DESC", "attempts",
      [this](const Cursor& rows) -> Status {
        const auto context = static_cast<ContextNumber>(rows.Int(0));
        if (AttemptChecksum(context, rows.Text(1), rows.Int(2), rows.Text(3)) != rows.Int(4)) {
          Lose("an attempt does not match its checksum");
          return {};
        }
        return Cursor(to_, "INSERT OR IGNORE INTO attempts VALUES (?, ?, ?, ?, ?)")
            .Bind(context)
            .Bind(rows.Text(1))
            .Bind(rows.Int(2))
            .Bind(rows.Text(3))
            .Bind(rows.Int(4))
            .Finish();
      }));
  // Without a checksum: records say the same, and what they do not say is an id that is taken.
  return WalkNotes("SELECT * FROM ids", "SELECT * FROM ids ORDER BY context DESC, id DESC",
                   "ids that were given", [this](const Cursor& rows) -> Status {
                     return Cursor(to_, "INSERT OR IGNORE INTO ids VALUES (?, ?, ?)")
                         .Bind(rows.Int(0))
                         .Bind(rows.Text(1))
                         .Bind(rows.Int(2))
                         .Finish();
                   });
}

// Of each context the entries from the first on.
Status Salvager::TakeJournal() {
  std::map<ContextNumber, CommitNumber> taken;
  PACTDB_TRY(const bool whole,
             Walk("SELECT * FROM journal NOT INDEXED", [&](const Cursor& rows) -> Status {
               const std::int64_t id = rows.Int(0);
               const auto context = static_cast<ContextNumber>(id >> 32);
               const bool follows = NumberOf(id) == taken[context] + 1;
               if (!follows || ChecksumOf(rows.Blob(2), id) != rows.Int(1)) {
                 Lose("uncommitted edits in the journal do not match their checksum");
                 return {};
               }
               ++taken[context];
               return Cursor(to_, "INSERT INTO journal VALUES (?, ?, ?)")
                   .Bind(id)
                   .Bind(rows.Int(1))
                   .BindBlob(rows.Blob(2))
                   .Finish();
             }));
  if (!whole) Lose("uncommitted edits in the journal cannot all be read");
  return {};
}

}  // namespace pactdb::sqlite
