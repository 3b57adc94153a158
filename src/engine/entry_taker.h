// Takes the entries of an import into a context, one by one.
//
// An entry of a user after one that is not opens a new turn: a full commit. Those commits are
// appended to the history and not published; if a later entry is bad they are taken back.
//
// Thread safety: the writer's.
#pragma once

#include <cstdint>
#include <utility>

#include "engine/context_impl.h"
#include "providers/entry.h"

namespace pactdb {

class ContextImpl::EntryTaker final : public providers::EntrySink {
 public:
  EntryTaker(ContextImpl& context, Savepoint& savepoint, ExplainEntry explain)
      : context_(context), savepoint_(savepoint), explain_(explain) {}

  Status Take(providers::Entry&& entry) override;
  // For an entry that the context has already.
  void PassOver(const providers::Entry& entry);
  std::int64_t nodes() const { return nodes_; }

 private:
  ContextImpl& context_;
  Savepoint& savepoint_;
  ExplainEntry explain_;
  std::int64_t nodes_ = 0;
  bool after_other_ = false;  // who spoke last was not the user
};

}  // namespace pactdb
