#include <pactdb/database.h>
#include <pactdb/ext/store.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/limits.h"
#include "base/try.h"
#include "engine/config_json.h"
#include "engine/context_impl.h"
#include "engine/database_impl.h"
#include "engine/store_session.h"

namespace pactdb {
namespace {

constexpr std::string_view kMain = "main";

Error NoContext(std::string_view name) {
  return Error(ErrorCode::kContextNotFound, "there is no context '" + std::string(name) + "'")
      .With("context", name);
}

Error ContextExists(std::string_view name) {
  return Error(ErrorCode::kContextExists, "there is a context '" + std::string(name) + "' already")
      .With("context", name);
}

Status CheckName(std::string_view name) {
  if (IsContextName(name)) return {};
  return std::unexpected(
      Error(ErrorCode::kRequestInvalid, "a context's name is 1 to 128 of A-Z a-z 0-9 . _ -")
          .With("argument", "context"));
}

StoreAccess AccessOf(Access access) {
  switch (access) {
    case Access::kRead:
      return StoreAccess::kRead;
    case Access::kWrite:
      return StoreAccess::kWrite;
    case Access::kCreate:
      return StoreAccess::kCreate;
  }
  return StoreAccess::kRead;
}

}  // namespace

bool IsContextName(std::string_view name) {
  const auto is_legal = [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '.' || byte == '_' || byte == '-';
  };
  return !name.empty() && name.size() <= limits::kContextNameBytesMax &&
         std::ranges::all_of(name, is_legal);
}

// --- Impl ---

Result<std::shared_ptr<ContextImpl>> Database::Impl::New(std::string_view name,
                                                         const Options& options) {
  if (!session) return std::make_shared<ContextImpl>(options, host);
  const StoredConfig config{.options = options, .clock_since_cycle = 0, .ids_ahead = {}};
  PACTDB_TRY(StoredContext stored, session->store().CreateContext(name, {}, ConfigJson(config)));
  return ContextImpl::OpenEmpty(std::make_unique<Keeper>(session, std::move(stored)), config, host);
}

Result<std::shared_ptr<ContextImpl>> Database::Impl::Load(std::string_view name) {
  if (!session) return std::unexpected(NoContext(name));
  {
    // The head, its snapshot and the edits on it are those of one moment.
    PACTDB_TRY(const StoreSession::Reads reads, StoreSession::Reads::Begin(*session));
    PACTDB_TRY(auto stored, session->store().FindContext(name));
    if (stored)
      return ContextImpl::Open(std::make_unique<Keeper>(session, *std::move(stored)), host);
  }
  if (name != kMain) return std::unexpected(NoContext(name));
  // Nothing was ever written to the file, or another `main` could not be made when one went.
  if (session->store().read_only()) return std::make_shared<ContextImpl>(Options(), host);
  return New(kMain, {});
}

Context* Database::Impl::Enter(std::string_view name, std::shared_ptr<ContextImpl> context) {
  return &contexts.insert_or_assign(std::string(name), Context(std::move(context))).first->second;
}

// --- Database ---

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Database::Database(std::shared_ptr<Host> host) : impl_(std::make_unique<Impl>()) {
  impl_->host = std::move(host);
  impl_->Enter(kMain, std::make_shared<ContextImpl>(Options(), impl_->host));
}

Result<Database> Database::Open(const std::string& path, Access access,
                                std::shared_ptr<Host> host) {
  PACTDB_TRY(auto store, OpenSqliteStore(path, AccessOf(access)));
  return Over(std::move(store), std::move(host));
}

Result<Database> Database::Over(std::unique_ptr<Store> store, std::shared_ptr<Host> host) {
  auto impl = std::make_unique<Impl>();
  impl->host = std::move(host);
  impl->session = std::make_shared<StoreSession>(std::move(store));
  Database database(std::move(impl));
  PACTDB_TRY_STATUS(database.impl_->MakeMain());
  return database;
}

Status Database::Impl::MakeMain() {
  if (session->store().read_only()) return {};
  PACTDB_TRY(const auto stored, session->store().FindContext(kMain));
  if (stored) return {};
  PACTDB_TRY(auto made, New(kMain, {}));
  Enter(kMain, std::move(made));
  return {};
}

bool Database::read_only() const {
  return impl_->session && impl_->session->store().read_only();
}

bool Database::is_file() const {
  return impl_->session != nullptr;
}

Result<Context*> Database::Find(std::string_view name) {
  PACTDB_TRY_STATUS(CheckName(name));
  const auto found = impl_->contexts.find(name);
  if (found != impl_->contexts.end()) {
    PACTDB_TRY_STATUS(impl_->Refresh(name, found->second));
    return &found->second;
  }
  PACTDB_TRY(auto loaded, impl_->Load(name));
  return impl_->Enter(name, std::move(loaded));
}

Result<Context*> Database::Make(std::string_view name, const Options& options) {
  PACTDB_TRY_STATUS(CheckName(name));
  PACTDB_TRY_STATUS(CheckOptions(options));
  if (impl_->contexts.contains(name)) return std::unexpected(ContextExists(name));
  PACTDB_TRY(auto made, impl_->New(name, options));
  return impl_->Enter(name, std::move(made));
}

Result<Context*> Database::Fork(std::string_view from, std::string_view at, std::string_view name) {
  PACTDB_TRY_STATUS(CheckName(name));
  PACTDB_TRY(const Context* origin, Find(from));
  if (impl_->contexts.contains(name)) return std::unexpected(ContextExists(name));
  PACTDB_TRY(auto fork, origin->impl_->ForkAs(name, at));
  return impl_->Enter(name, std::move(fork));
}

Status Database::Rename(std::string_view name, std::string_view to) {
  PACTDB_TRY_STATUS(CheckName(to));
  if (auto found = Find(name); !found) return std::unexpected(std::move(found).error());
  if (name == to) return {};
  if (impl_->contexts.contains(to)) return std::unexpected(ContextExists(to));
  if (impl_->session) PACTDB_TRY_STATUS(impl_->session->store().RenameContext(name, to));
  // Where it lies it stays: callers hold pointers to it.
  auto entry = impl_->contexts.extract(impl_->contexts.find(name));
  entry.key() = to;
  impl_->contexts.insert(std::move(entry));
  if (name == kMain) impl_->Renew();
  return {};
}

Status Database::Delete(std::string_view name) {
  if (auto found = Find(name); !found) return std::unexpected(std::move(found).error());
  if (impl_->session) PACTDB_TRY_STATUS(impl_->session->store().DeleteContext(name));
  impl_->contexts.erase(impl_->contexts.find(name));
  if (name == kMain) impl_->Renew();
  return {};
}

void Database::Impl::Renew() {
  if (auto made = New(kMain, {})) Enter(kMain, *std::move(made));
}

Result<std::vector<ContextInfo>> Database::List() {
  std::vector<std::string> names;
  if (impl_->session) {
    PACTDB_TRY(const std::vector<StoredContext> stored, impl_->session->store().ListContexts());
    for (const StoredContext& context : stored) names.push_back(context.name);
    const auto main = std::ranges::lower_bound(names, kMain);
    if (main == names.end() || *main != kMain) names.emplace(main, kMain);
  } else {
    for (const auto& [name, context] : impl_->contexts) names.push_back(name);
  }
  std::vector<ContextInfo> infos;
  for (const std::string& name : names) {
    PACTDB_TRY(const ContextInfo info, impl_->Info(name));
    infos.push_back(info);
  }
  return infos;
}

Result<ContextInfo> Database::Impl::Info(const std::string& name) {
  ContextInfo info{.name = name, .cycle = std::nullopt};
  const auto loaded = contexts.find(name);
  const bool is_known = loaded != contexts.end() && !loaded->second.impl_->is_outdated();
  if (is_known) {
    info.retention = loaded->second.impl_->options().retention;
    const History& history = *loaded->second.impl_->history();
    info.snapshots = static_cast<std::int64_t>(history.size());
    if (const CommitRecord* newest = history.newest()) {
      info.cycle = newest->cycle;
      info.nodes = newest->nodes;
    }
  }
  if (!session) return info;
  PACTDB_TRY(const auto stored, session->store().FindContext(name));
  if (!stored) return info;
  info.bytes = stored->bytes;
  if (is_known) return info;
  // One that cannot be read is told by whoever opens the context.
  if (const auto config = ParseConfig(stored->config)) info.retention = config->options.retention;
  PACTDB_TRY(const Lineage lineage, Lineage::Read(session->store(), *stored));
  info.snapshots = static_cast<std::int64_t>(lineage.size());
  if (lineage.size() == 0) return info;
  const RecordId head = lineage.At(lineage.size() - 1);
  PACTDB_TRY_STATUS(session->store().VisitFacts(head.context, {head.commit, head.commit},
                                                [&info](const CommitFacts& facts) {
                                                  info.cycle = facts.cycle;
                                                  info.nodes = facts.nodes;
                                                  return false;
                                                }));
  return info;
}

}  // namespace pactdb
