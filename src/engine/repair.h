// Repair: which snapshots of what was salvaged are whole, and what becomes of the rest.
//
// An object is whole if it can be read and everything it refers to is; a snapshot, if its root is.
// Objects stand behind what they refer to (model/record.h), so one pass in rising order tells.
// Whole snapshots stay. Others become gaps; their records stay where later ones may need them, but
// not above the newest snapshot of a context that goes on: numbers and cycles must rise from there.
//
// Thread safety: one thread at a time, as the store.
#pragma once

#include <pactdb/ext/store.h>
#include <pactdb/repair.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "model/record.h"
#include "store/sqlite/salvage.h"

namespace pactdb {

class Repair {
 public:
  Repair(Store& store, sqlite::Salvaged salvaged) : store_(store), salvaged_(std::move(salvaged)) {}

  Status Run(const Progress& progress);

  // Snapshots of a context, as two attempts at one file are compared by them.
  struct Tally {
    std::int64_t kept = 0;
    std::int64_t lost = 0;    // as far as there is a trace of them
    CommitNumber newest = 0;  // that is kept
  };
  using Tallies = std::map<ContextNumber, Tally>;

  // After Run.
  const sqlite::Settlement& settlement() const { return settlement_; }
  // Also of deleted contexts, as far as forks need them.
  const Tallies& tallies() const { return tallies_; }
  RepairReport TakeReport() { return std::move(report_); }

 private:
  // A place in reasons_; 0: nothing is wrong.
  using Cause = std::uint32_t;
  // What is known of a context while it is looked at.
  struct Line {
    StoredContext context;
    std::vector<CommitRange> gaps;   // as they were
    std::vector<CommitNumber> rows;  // that are there, rising
    std::vector<CommitNumber> kept;  // of those, snapshots that stay
    RecordId newest_reference;       // to another context
  };

  Status Judge(Line& line);
  Status JudgeRecord(Line& line, const RecordId& id);
  Result<Cause> JudgeObject(Line& line, const StoredRecord& record, std::uint32_t index);
  Result<Cause> JudgeReferences(Line& line, const StoredRecord& record, std::uint32_t index);
  Cause CauseOf(const StoredAddress& address);
  Cause CauseOfMissing(const RecordId& id);
  Cause CauseOfFacts(const RecordId& id);
  Cause NewCause(std::string reason);
  Cause RootCause(const RecordId& id) const;

  void DropTail(Line& line);
  // Runs of commits that are lost, each with its cause.
  struct Loss {
    CommitRange commits;
    Cause cause = 0;
  };
  std::vector<Loss> FindLosses(const Line& line);
  void AddHole(ContextNumber context, CommitRange hole, std::vector<Loss>& losses);
  Status Settle(const Line& line);
  Status SettleNotes(const Line& line, sqlite::SettledContext& settled, RepairedContext& report);
  RecordId NewOrigin(const Line& line) const;
  bool IsLost(const RecordId& id) const;
  std::string NameOf(const RecordId& id) const;

  Store& store_;
  sqlite::Salvaged salvaged_;
  std::map<ContextNumber, Line> lines_;
  std::map<RecordId, std::vector<Cause>> causes_;  // of the objects of a record
  std::map<RecordId, Cause> missing_;
  std::map<Digest, Cause> contents_;
  std::vector<std::string> reasons_ = {""};
  Cause retired_ = 0;
  std::map<ContextNumber, RecordId> origins_;  // as they will be
  std::map<ContextNumber, std::vector<std::pair<CommitNumber, std::string>>> ids_;
  sqlite::Settlement settlement_;
  Tallies tallies_;
  RepairReport report_;
};

}  // namespace pactdb
