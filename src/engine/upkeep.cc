// What keeps a file in order: retention, backups, verification.
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/try.h"
#include "engine/config_json.h"
#include "engine/context_impl.h"
#include "engine/damage_report.h"
#include "engine/database_impl.h"
#include "engine/retention.h"
#include "engine/retention_rules.h"
#include "engine/times.h"

namespace pactdb {
namespace {

// What nothing uses any more, a context that was deleted for one, if giving it back is worth
// writing the whole file anew.
constexpr std::uint64_t kCompactShare = 8;
Result<std::uint64_t> UnusedBytes(Store& store) {
  PACTDB_TRY(const StoreStats stats, store.Stats());
  return stats.free_bytes * kCompactShare < stats.file_bytes ? 0 : stats.free_bytes;
}

Error NoContext(std::string_view name) {
  return Error(ErrorCode::kContextNotFound, "there is no context '" + std::string(name) + "'")
      .With("context", name);
}

// Who says neither rules nor a policy hears what to say.
Error NoPolicy(const std::optional<std::string>& context) {
  std::string message = "say what stays: keep_last, older_than or both; ";
  message += context ? "context '" + *context + "' has no retention policy"
                     : "no context has a retention policy";
  return {ErrorCode::kRequestInvalid, message};
}

// The contexts that are asked for, in the order of their names, with the rules they go by.
Result<std::vector<Retention::Target>> FindTargets(Store& store, const RetentionRequest& request,
                                                   std::int64_t now_ns) {
  std::vector<StoredContext> contexts;
  if (request.context) {
    PACTDB_TRY(const auto stored, store.FindContext(*request.context));
    if (!stored) return std::unexpected(NoContext(*request.context));
    contexts.push_back(*stored);
  } else {
    PACTDB_TRY(contexts, store.ListContexts());
  }
  std::vector<Retention::Target> targets;
  for (StoredContext& context : contexts) {
    std::optional<RetentionRules> rules = request.rules;
    if (!rules) {
      PACTDB_TRY(StoredConfig config, ParseConfig(context.config));
      rules = std::move(config.options.retention);
    }
    if (!rules) continue;
    std::optional<std::int64_t> older_than_ns;
    if (rules->older_than) {
      PACTDB_TRY(older_than_ns, ParseTimeOrAge(*rules->older_than, now_ns));
    }
    targets.push_back({.context = std::move(context),
                       .rules = *std::move(rules),
                       .older_than_ns = older_than_ns});
  }
  if (targets.empty()) return std::unexpected(NoPolicy(request.context));
  return targets;
}

std::string ContextNamed(std::string_view name) {
  return "context '" + std::string(name) + "'";
}

}  // namespace

Result<StoreSession*> Database::Impl::Session(std::string_view what) const {
  if (session) return session.get();
  return std::unexpected(Error(ErrorCode::kRequestInvalid,
                               std::string(what) + " needs a file; this database is in memory"));
}

Status Database::Impl::CheckReloadable() const {
  for (const auto& [name, context] : contexts) {
    if (!context.impl_->HasLooseEdits()) continue;
    return std::unexpected(Error(ErrorCode::kConflict, "context '" + name +
                                                           "' has uncommitted edits or held nodes; "
                                                           "commit first")
                               .With("context", name));
  }
  return {};
}

void Database::Impl::Reload() {
  for (auto& [name, context] : contexts) context.impl_->MarkOutdated();
  // What cannot be read now is read when it is asked for.
  for (auto& [name, context] : contexts) {
    [[maybe_unused]] const Status renewed = Refresh(name, context);
  }
}

Status Database::Impl::Refresh(std::string_view name, Context& context) {
  if (!context.impl_->is_outdated() || context.impl_->HasLooseEdits()) return {};
  PACTDB_TRY(context.impl_, Load(name));
  return {};
}

Result<RetentionResult> Database::Gc(std::string_view name, const RetentionRules& rules,
                                     bool dry_run, const Progress& progress) {
  return Gc({.context = std::string(name), .rules = rules, .dry_run = dry_run}, progress);
}

Result<RetentionResult> Database::Gc(const RetentionRequest& request, const Progress& progress) {
  if (request.rules) PACTDB_TRY_STATUS(CheckRules(*request.rules));
  PACTDB_TRY(StoreSession * session, impl_->Session("retention"));
  Retention retention(*session);
  RetentionResult result;
  {
    PACTDB_TRY(const StoreSession::Reads reads, StoreSession::Reads::Begin(*session));
    PACTDB_TRY(std::vector<Retention::Target> targets,
               FindTargets(session->store(), request, impl_->host->NowNs()));
    if (!request.dry_run) PACTDB_TRY_STATUS(impl_->CheckReloadable());
    PACTDB_TRY_STATUS(retention.Choose(targets));
    for (Retention::Target& target : targets) {
      result.contexts.push_back(
          {std::move(target.context.name), std::move(target.rules), target.snapshots});
    }
    result.snapshots = retention.snapshots();
    PACTDB_TRY(result.bytes, retention.Measure(progress));
    PACTDB_TRY(const std::uint64_t unused, UnusedBytes(session->store()));
    result.bytes += unused;
  }
  if (!request.dry_run && (retention.snapshots() > 0 || result.bytes > 0)) {
    PACTDB_TRY(result.is_compacted, retention.Run());
    impl_->Reload();
  }
  return result;
}

Status Database::Backup(const std::string& path, const Progress& progress) {
  PACTDB_TRY(StoreSession * session, impl_->Session("a backup"));
  return session->store().Backup(path, progress ? progress : [](double) {});
}

Result<FileStats> Database::Stats() {
  PACTDB_TRY(StoreSession * session, impl_->Session("the statistics of a file"));
  PACTDB_TRY(const StoreStats stats, session->store().Stats());
  return FileStats{.path = stats.path,
                   .bytes = stats.file_bytes,
                   .free_bytes = stats.free_bytes,
                   .contexts = stats.contexts,
                   .commits = stats.commits,
                   .contents = stats.contents,
                   .content_bytes = stats.content_bytes,
                   .content_stored_bytes = stats.content_stored_bytes};
}

Result<std::vector<std::string>> Database::Verify(const Progress& progress) {
  DamageReport report(impl_->session.get());
  // Half of the way is the file's, half what it says.
  const auto part = [&progress](double start) {
    return [&progress, start](double done) {
      if (progress) progress(start + done / 2);
    };
  };
  std::set<std::string> names;
  for (const auto& [name, context] : impl_->contexts) names.insert(name);
  if (impl_->session) {
    Store& store = impl_->session->store();
    PACTDB_TRY(std::vector<StoreProblem> found, store.Verify(part(0.0)));
    for (StoreProblem& problem : found) report.Add(std::move(problem));
    const auto contexts = store.ListContexts();
    if (!contexts) {
      report.AddUnread("the contexts", contexts.error());
      return report.Lines();
    }
    for (const StoredContext& context : *contexts) names.insert(context.name);
  }
  std::size_t looked_at = 0;
  for (const std::string& name : names) {
    const auto here = [&](double done) {
      part(0.5)((static_cast<double>(looked_at) + done) / static_cast<double>(names.size()));
    };
    here(0);
    if (const auto context = Find(name); !context) {
      report.AddUnread(ContextNamed(name), context.error());
    } else {
      const ContextImpl::Findings found = (*context)->impl_->FindProblems(here);
      if (found.unread) report.AddUnread(ContextNamed(name), *found.unread);
      for (const std::string& problem : found.problems) report.AddFinding(name, problem);
    }
    ++looked_at;
  }
  return report.Lines();
}

}  // namespace pactdb
