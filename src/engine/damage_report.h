// What is damaged in a file, as people are told of it: a line for each damage, which names the
// snapshot it is in, the nodes that are hurt, and the snapshots that need what is lost.
//
// Contexts that were forked share what they have in common, so a damage shows in each of them: it
// is told once. Finding who needs what reads every record, which a sound file is not charged for.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>
#include <pactdb/ext/store.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/store_session.h"
#include "model/record.h"

namespace pactdb {

class DamageReport {
 public:
  // Null: there is no store, and nothing but AddFinding is called.
  explicit DamageReport(StoreSession* session) : session_(session) {}

  void Add(StoreProblem problem);
  // Why a context, or its older snapshots, could not be read; nothing new if that was added.
  void AddUnread(std::string_view what, const Error& error);
  // Wrong in a tree of the context. The same in a fork is told in the same line.
  void AddFinding(std::string_view context, const std::string& problem);

  std::vector<std::string> Lines();

 private:
  using Part = StoreProblem::Part;
  using Mask = std::uint64_t;

  // Ids of nodes, each once, in the order in which they were found.
  struct Ids {
    std::vector<std::string> first;  // as many as are shown
    std::unordered_set<std::string> all;
    void Add(std::string id);
  };
  struct Damage {
    StoreProblem problem;
    bool is_sound = false;            // its bytes are as they were written
    Ids nodes;                        // that have the content
    std::vector<std::string> needed;  // a text a context
  };
  struct Hurt {
    RecordId snapshot;
    Mask by = 0;
  };

  static bool Covers(const StoreProblem& problem, const RecordId& id);
  bool Knows(const Error& error) const;
  Mask BitOf(std::size_t damage) const { return damage < kTraced ? Mask{1} << damage : 0; }

  void Trace();
  void TraceRecord(const StoredRecord& record);
  Mask TraceObject(const StoredRecord& record, std::uint32_t index);
  Mask MaskOf(const RecordId& id) const;
  Mask MaskAt(const StoredAddress& address);
  void NoteNeeds(const StoredContext& context);

  Result<StoredRecord> ReadDamaged(const RecordId& id);
  std::string NameOf(const RecordId& id) const;
  std::optional<std::int64_t> CycleOf(const RecordId& id) const;
  std::string Subject(const StoreProblem& problem) const;
  std::string Details(std::size_t damage);
  std::string LineOf(std::size_t damage);

  // So many are traced to the snapshots that need them, and looked into with the records beside
  // them: a file with more is broken enough.
  static constexpr std::size_t kTraced = 64;

  StoreSession* session_;
  std::vector<Damage> damages_;
  std::vector<std::pair<std::string, std::vector<std::string>>> findings_;  // with their contexts
  std::map<std::string, std::size_t> finding_places_;

  std::map<Digest, std::size_t> contents_;   // damages by hash
  std::map<RecordId, std::int64_t> cycles_;  // of records that can be read
  RecordNumbers numbers_;
  std::unordered_map<std::uint64_t, Mask> hurt_objects_;
  std::vector<Hurt> hurt_;  // rising
  std::vector<StoredAddress> objects_;
  std::vector<Digest> hashes_;
};

}  // namespace pactdb
