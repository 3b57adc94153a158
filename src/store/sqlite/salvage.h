// What of a damaged file is intact, row by row, as a file of its own.
//
// SalvageRows takes every row that matches its checksum, wherever it still finds it, and knows
// nothing of what rows mean to each other. Whoever reads records says what stays (engine/repair.h),
// and SettleRows makes that a file which is sound.
//
// The damaged file is only read. Everything is written beside the place where the new one will be.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/ext/store.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "store/sqlite/draft_claim.h"
#include "store/sqlite/files.h"

namespace pactdb::sqlite {

struct Salvaged {
  // Also those that are kept for others alone; rising. `head` is the greatest number there is a
  // trace of.
  std::vector<StoredContext> contexts;
  // Of these the entry is lost: name, origin and configuration are made up.
  std::set<ContextNumber> unknown;
  // Commits of which there is a row that does not match its checksum.
  std::set<RecordId> damaged;
  // Commits whose record is there, and whose facts are not.
  std::set<RecordId> without_facts;
  // What else is lost, or may be, in words.
  std::vector<std::string> losses;
  // For as long as the draft is one.
  std::shared_ptr<DraftClaim> claim;
};

// What is done with the log beside the damaged file. It may be another's: of a file that was here
// before a backup was put in its place.
enum class SalvagedLog : std::uint8_t { kTaken, kLeft };

// True if there is one with something in it.
bool HasLog(const std::string& from);

// Makes the draft of `to` (DraftOf), which must not exist, and fills it. Errors: kStoreBusy while
// `from` has a writer, kStoreIo, also if this process has a draft of `to` already, kStoreVersion,
// kStoreCorrupt if there is nothing to be found.
Result<Salvaged> SalvageRows(const std::string& from, const std::string& to,
                             const std::function<void(double)>& progress,
                             SalvagedLog log = SalvagedLog::kTaken);

// What is to become of the rows of a context.
struct SettledContext {
  StoredContext context;          // as it is to be; its head is the newest row that stays
  bool stays = true;              // else nothing of it is needed
  std::vector<CommitRange> gaps;  // up to the head
  std::vector<CommitRange> lost;  // commits that were there and are no more
  bool keeps_journal = true;
  std::vector<Tag> tags;                                  // all that stay
  std::vector<std::pair<CommitNumber, std::string>> ids;  // that records say callers gave
};

struct Settlement {
  std::vector<SettledContext> contexts;
  std::vector<RecordId> dropped;            // rows that go
  std::map<RecordId, std::int64_t> cycles;  // of rows without facts that stay
};

Status SettleRows(const std::string& to, const Settlement& settlement);
// Gives the draft its name, or removes it.
Status PlaceDraft(const std::string& to);
void RemoveDraft(const std::string& to);

// Makes room for another draft, and puts this one back in its place. kStoreIo.
Status PutDraftAside(const std::string& to);
Status TakeDraftBack(const std::string& to);
void RemoveDraftAside(const std::string& to);

}  // namespace pactdb::sqlite
