// Snapshots of a stored context, as commits in memory.
//
// The newest is loaded when the context is opened; it is the base. Those before it are loaded one
// by one, backwards, and share with their successor what both have; or one that is far by itself,
// which shares with a newer one what both have.
//
// Thread safety: the context's writer.
#pragma once

#include <memory>

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

  std::shared_ptr<StoreSession> session_;
  Lineage lineage_;
  std::shared_ptr<Lexicon> lexicon_;
  TreeLoader loader_;
};

}  // namespace pactdb
