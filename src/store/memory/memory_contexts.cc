// Contexts of the memory store, and what retention does to them.
#include <algorithm>

#include "base/sha256.h"
#include "base/try.h"
#include "store/gaps.h"
#include "store/memory/memory_store.h"
#include "store/store_errors.h"

namespace pactdb {

Result<std::vector<StoredContext>> MemoryStore::ListContexts() {
  std::vector<StoredContext> contexts;
  for (const auto& [number, line] : lines_) {
    if (!line.context.deleted) contexts.push_back(line.context);
  }
  std::ranges::sort(contexts, {}, &StoredContext::name);
  return contexts;
}

Result<std::optional<StoredContext>> MemoryStore::FindContext(std::string_view name) {
  const Line* line = FindLive(name);
  if (line == nullptr) return std::nullopt;
  return line->context;
}

Result<StoredContext> MemoryStore::GetContext(ContextNumber number) {
  const Line* line = FindLine(number);
  if (line == nullptr) return std::unexpected(NoContext(number));
  return line->context;
}

Result<StoredContext> MemoryStore::CreateContext(std::string_view name, RecordId origin,
                                                 std::string_view config) {
  if (FindLive(name) != nullptr) return std::unexpected(ContextTaken(name));
  if (origin != RecordId{} && !IsSnapshot(origin)) return std::unexpected(NoCommit(origin));
  const ContextNumber number = next_++;
  if (batch_) batch_->contexts.push_back(number);
  StoredContext& context = lines_[number].context;
  context = {
      .number = number, .name = std::string(name), .origin = origin, .config = std::string(config)};
  return context;
}

Status MemoryStore::RenameContext(std::string_view name, std::string_view to) {
  Line* line = FindLive(name);
  if (line == nullptr) return std::unexpected(NoContext(name));
  if (name == to) return {};
  if (FindLive(to) != nullptr) return std::unexpected(ContextTaken(to));
  line->context.name = to;
  return {};
}

Status MemoryStore::DeleteContext(std::string_view name) {
  Line* line = FindLive(name);
  if (line == nullptr) return std::unexpected(NoContext(name));
  line->context.deleted = true;
  line->answers.clear();
  line->tags.clear();
  line->attempts.clear();
  line->journal.clear();
  DropUnused(line->context.number);
  return {};
}

void MemoryStore::DropUnused(ContextNumber number) {
  for (Line* line = FindLine(number); line != nullptr && line->context.deleted;) {
    CommitNumber needed = 0;
    for (const auto& [other, child] : lines_) {
      if (child.context.origin.context != line->context.number) continue;
      needed = std::max(needed, child.context.origin.commit);
    }
    if (needed == 0) {
      const ContextNumber parent = line->context.origin.context;
      lines_.erase(line->context.number);
      line = FindLine(parent);
      continue;
    }
    for (auto row = line->rows.upper_bound(needed); row != line->rows.end();) {
      line->context.bytes -= row->second.record.size();
      row = line->rows.erase(row);
    }
    std::erase_if(line->ids, [&](const auto& id) { return id.second > needed; });
    line->gaps = Within(line->gaps, needed);
    line->context.head = needed;
    break;
  }
}

Status MemoryStore::SetConfig(ContextNumber context, std::string_view config) {
  Line* line = FindLive(context);
  if (line == nullptr) return std::unexpected(NoContext(context));
  if (batch_) batch_->configs.try_emplace(context, line->context.config);
  line->context.config = config;
  return {};
}

// --- retention ---

Status MemoryStore::CheckRetire(const RetireRequest& request) {
  std::map<ContextNumber, std::vector<CommitRange>> gaps;
  for (const auto& [number, line] : lines_) gaps[number] = line.gaps;
  for (const RetireRequest::Dropped& dropped : request.snapshots) {
    const Line* line = FindLine(dropped.context);
    if (line == nullptr) return std::unexpected(NoContext(dropped.context));
    PACTDB_TRY_STATUS(CheckDropped(line->context, dropped.commits));
    AddGap(gaps[dropped.context], dropped.commits);
  }
  for (const RecordId id : request.deleted) {
    const Line* line = FindLine(id.context);
    if (line == nullptr || !line->rows.contains(id.commit)) return std::unexpected(NoCommit(id));
    if (FindGap(gaps[id.context], id.commit) == nullptr) {
      return std::unexpected(NotRetirable(id, "it is a snapshot"));
    }
  }
  for (const RetireRequest::Rewritten& rewritten : request.rewritten) {
    const Line* line = FindLine(rewritten.id.context);
    if (line == nullptr || !line->rows.contains(rewritten.id.commit)) {
      return std::unexpected(NoCommit(rewritten.id));
    }
  }
  return {};
}

Status MemoryStore::Retire(const RetireRequest& request) {
  PACTDB_TRY_STATUS(CheckRetire(request));
  for (const RetireRequest::Dropped& dropped : request.snapshots) {
    AddGap(lines_[dropped.context].gaps, dropped.commits);
  }
  for (const RetireRequest::Rewritten& rewritten : request.rewritten) {
    Line& line = lines_[rewritten.id.context];
    std::string& record = line.rows.at(rewritten.id.commit).record;
    line.context.bytes += rewritten.record.size() - record.size();
    record = rewritten.record;
  }
  for (const RecordId id : request.deleted) {
    Line& line = lines_[id.context];
    line.context.bytes -= line.rows.at(id.commit).record.size();
    line.rows.erase(id.commit);
  }
  for (auto& [number, line] : lines_) {
    std::erase_if(line.answers,
                  [&](const auto& entry) { return !line.rows.contains(entry.second.commit); });
  }
  if (request.keeps_content != nullptr) {
    std::erase_if(contents_,
                  [&](const auto& content) { return !(*request.keeps_content)(content.first); });
  }
  return {};
}

Status MemoryStore::Backup(const std::string&, const std::function<void(double)>&) {
  return std::unexpected(Error(ErrorCode::kStoreIo, "a store in memory has no file to copy"));
}

Result<std::vector<StoreProblem>> MemoryStore::Verify(const std::function<void(double)>& progress) {
  std::vector<StoreProblem> problems;
  for (const auto& [hash, bytes] : contents_) {
    if (Sha256Of(bytes) == hash) continue;
    problems.push_back({.what = ContentName(hash), .message = "the bytes have another hash"});
  }
  if (progress) progress(1.0);
  return problems;
}

Result<StoreStats> MemoryStore::Stats() {
  StoreStats stats;
  for (const auto& [number, line] : lines_) {
    stats.contexts += line.context.deleted ? 0 : 1;
    stats.commits += line.context.head - CountNumbers(line.gaps);
  }
  stats.contents = contents_.size();
  for (const auto& [hash, bytes] : contents_) stats.content_bytes += bytes.size();
  stats.content_stored_bytes = stats.content_bytes;
  return stats;
}

}  // namespace pactdb
