// Snapshots of a stored context, as commits in memory.
//
// The newest is loaded when the context is opened; it is the base. Those before it are loaded one
// by one, backwards, and share with their successor what both have; or one that is far by itself,
// which shares with a newer one what both have, and those before it one by one from there.
//
// Thread safety: the context's writer.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "engine/lineage.h"
#include "engine/store_session.h"
#include "model/history.h"
#include "model/tree_loader.h"

namespace pactdb {

class StoredPast final : public PastSource {
 public:
  StoredPast(std::shared_ptr<StoreSession> session, Lineage lineage,
             std::shared_ptr<Lexicon> lexicon);

  // The newest snapshot; the caller gets a reference. REQUIRES: there is one, and nothing was
  // loaded into the lexicon yet.
  Result<CommitRecord*> LoadBase();

  Result<CommitRecord*> LoadBefore(const CommitRecord& newer) override;
  Result<CommitRecord*> LoadFar(std::size_t ordinal, const CommitRecord& newer) override;
  Result<std::size_t> LowerBound(std::int64_t cycle) override;
  Result<CommitLine> Line(std::size_t ordinal) override;
  std::unique_ptr<PastSource> CloneFor(std::shared_ptr<Lexicon> lexicon) const override;

 private:
  Result<CommitFacts> Facts(const RecordId& id);
  // Null: there is no newer one.
  Result<std::unique_ptr<CommitRecord>> LoadRecord(std::size_t ordinal, const CommitRecord* newer);
  Result<Ref<Container>> LoadTree(std::size_t ordinal, std::size_t nodes_max,
                                  const CommitRecord* newer);
  // Enters what differs between the two.
  void EnterPast(const CommitRecord& older, const CommitRecord& newer);
  // Gives the record its nodes, and the indexes what they lack of them.
  Status EnterFar(CommitRecord& record, const CommitRecord& newer);
  // The same for the one right before a far one.
  void EnterStep(CommitRecord& record, const CommitRecord& newer);
  // Calls enter(NodeNumber, const Node*, const Node* after) for the versions of the older one that
  // differ from those of its successor; null: was not there.
  template <typename Enter>
  void ForEachPastVersion(const CommitRecord& older, const CommitRecord& newer, Enter&& enter);
  // Of a node that lies in memory beside what the lexicon has.
  void EnterFarPostings(const Node& node, Ordinal at, Ordinal death);

  std::shared_ptr<StoreSession> session_;
  Lineage lineage_;
  std::shared_ptr<Lexicon> lexicon_;
  TreeLoader loader_;
  // Of far nodes by where they are stored: up to which commit the indexes have them. Far snapshots
  // have nodes in common that the newer one lacks.
  std::unordered_map<std::uint64_t, Ordinal> entered_;
};

}  // namespace pactdb
