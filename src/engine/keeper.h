// What ties a context to its place in a store: which context it is there, and how its commits,
// configuration and notes get there.
//
// Thread safety: the context's writer.
#pragma once

#include <pactdb/ext/store.h>
#include <pactdb/options.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/store_session.h"
#include "model/history.h"

namespace pactdb {

class Keeper {
 public:
  Keeper(std::shared_ptr<StoreSession> session, StoredContext context)
      : session_(std::move(session)), context_(std::move(context)) {}

  Store& store() const { return session_->store(); }
  const std::shared_ptr<StoreSession>& session() const { return session_; }
  const StoredContext& context() const { return context_; }
  ContextNumber number() const { return context_.number; }
  // True if a caller gave this id to a node, here or in an ancestor before the fork.
  Result<bool> WasGiven(std::string_view id) const;
  // The same of the line that ends with that commit, of this context or of another one.
  Result<bool> WasGiven(std::string_view id, const RecordId& last) const;
  // Where a commit of this context, made after it was opened, is stored. REQUIRES: kept.
  static RecordId RecordOf(const CommitRecord& commit, const RecordNumbers& numbers);

  // A context forked there, and its keeper. Errors: those of Store::CreateContext.
  Result<std::unique_ptr<Keeper>> ForkAs(std::string_view name, const CommitRecord& at,
                                         std::string_view config) const;
  // REQUIRES: the commit is kept.
  Status SetTag(std::string_view name, const CommitRecord& commit);

  // A commit that is not in the store yet.
  struct Unkept {
    const CommitRecord* commit = nullptr;
    std::string_view idempotency_key;
    std::string answer;
    std::vector<std::string_view> tags;
  };
  // All of them or none.
  Status Append(std::span<const Unkept> commits, Durability durability);

 private:
  Status AppendOne(const Unkept& unkept, Durability durability,
                   std::vector<class RecordWriter>& written);

  std::shared_ptr<StoreSession> session_;
  StoredContext context_;
};

}  // namespace pactdb
