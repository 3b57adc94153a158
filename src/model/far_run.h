// Snapshots that were loaded one after the other, each from its successor, from a far one on.
//
// A step takes from its successor what both share, and keeps what the commit between them changed:
// versions in a list behind each number, newest first, as the lexicon keeps those of the past
// (model/lexicon.h). A number without a list is that of the newest, which was loaded by itself.
//
// Thread safety: one writer; any number of readers of snapshots that were entered.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "base/grow_list.h"
#include "base/interner.h"
#include "base/ref.h"
#include "model/history.h"

namespace pactdb {

class FarRun {
 public:
  explicit FarRun(const CommitRecord& newest)
      : newest_(Ref<const CommitRecord>::Share(&newest)), oldest_(newest.ordinal) {}

  // The snapshot that was entered last.
  Ordinal oldest() const { return oldest_; }
  void set_oldest(Ordinal ordinal) { oldest_ = ordinal; }
  // Writer: before commit `before` the node was `version` (null: was not there). REQUIRES: commits
  // fall.
  void Add(NodeNumber number, Ordinal before, const Node* version);
  const Node* Find(NodeNumber number, Ordinal at) const;

 private:
  struct Version {
    Ordinal before;
    const Node* node;
  };
  struct Versions {
    GrowList<Version> list;
  };
  static std::string_view KeyOf(const NodeNumber& number) {
    return {reinterpret_cast<const char*>(&number), sizeof number};
  }

  const Ref<const CommitRecord> newest_;
  Ordinal oldest_;
  Interner<Versions> past_;
};

// Of one snapshot of a run.
class FarStep final : public FarSource {
 public:
  // `nodes`: what it keeps that its successor does not have.
  FarStep(std::shared_ptr<FarRun> run, Ordinal ordinal, std::size_t nodes)
      : run_(std::move(run)), ordinal_(ordinal), nodes_(nodes) {}

  const Node* Find(NodeNumber number) const override { return run_->Find(number, ordinal_); }
  std::size_t own_nodes() const override { return nodes_; }
  std::shared_ptr<FarRun> run() const override { return run_; }

 private:
  std::shared_ptr<FarRun> run_;
  Ordinal ordinal_;
  std::size_t nodes_;
};

}  // namespace pactdb
