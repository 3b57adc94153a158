// The nodes of a snapshot that was loaded without those between it and a newer one, the base.
//
// The lexicon has versions of snapshots that were loaded one after the other (model/lexicon.h).
// One that stands apart from these keeps the nodes that the base does not have itself, in a table
// of its own; what it shares with the base is found there. A node of the base is also one of the
// far snapshot if its nearest ancestor that is not shared holds it, or the shared node it lies in:
// then everything on the way is the same object in both.
//
// Costs: a lookup is one probe or, for a shared node, the way up to what is not shared and one
// search in a list.
//
// Thread safety: as a snapshot; any number of readers once it is made.
#pragma once

#include "base/number_map.h"
#include "base/ref.h"
#include "model/history.h"

namespace pactdb {

class FarNodes final : public FarSource {
 public:
  // `lexicon` is the far snapshot's, which a fork's base need not have: its numbers go further.
  FarNodes(const CommitRecord& base, const Lexicon& lexicon)
      : base_(Ref<const CommitRecord>::Share(&base)), lexicon_(lexicon) {}

  // Adds a node that the base does not have in this version. False: one of its number is there.
  bool Add(const Node& node);
  const CommitRecord& base() const { return *base_; }

  const Node* Find(NodeNumber number) const override;
  std::size_t own_nodes() const override { return own_.size(); }

 private:
  const Ref<const CommitRecord> base_;
  const Lexicon& lexicon_;  // the record holds it
  NumberMap<const Node*> own_;
};

}  // namespace pactdb
