// What a Database is made of. See pactdb/database.h.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/database.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/context_impl.h"
#include "engine/lineage.h"
#include "engine/store_session.h"

namespace pactdb {

struct Database::Impl {
  std::shared_ptr<Host> host;
  std::shared_ptr<StoreSession> session;                 // null: in memory
  std::map<std::string, Context, std::less<>> contexts;  // those in use

  // A fresh context; in a store, made there too.
  Result<std::shared_ptr<ContextImpl>> New(std::string_view name, const Options& options);
  // One that the store has.
  Result<std::shared_ptr<ContextImpl>> Load(std::string_view name);
  Context* Enter(std::string_view name, std::shared_ptr<ContextImpl> context);
  Status MakeMain();
  // A fresh `main` in place of one that went. If the store refuses now, Load makes it when it is
  // asked for: what took the old one has happened.
  void Renew();
  Result<ContextInfo> Info(const std::string& name);
  // The store; kRequestInvalid in memory.
  Result<StoreSession*> Session(std::string_view what) const;
  // Contexts in use, as the store has them now.
  Status CheckReloadable() const;
  void Reload();
  // As the store has it now, if that took snapshots from it and no edit would be lost.
  Status Refresh(std::string_view name, Context& context);
};

}  // namespace pactdb
