#include "store/memory/memory_store.h"

#include <algorithm>

#include "base/sha256.h"
#include "base/try.h"
#include "store/gaps.h"
#include "store/store_errors.h"

namespace pactdb {

std::unique_ptr<Store> MakeMemoryStore() {
  return std::make_unique<MemoryStore>();
}

MemoryStore::Line* MemoryStore::FindLine(ContextNumber number) {
  const auto found = lines_.find(number);
  return found == lines_.end() ? nullptr : &found->second;
}

MemoryStore::Line* MemoryStore::FindLive(ContextNumber number) {
  Line* line = FindLine(number);
  return line == nullptr || line->context.deleted ? nullptr : line;
}

MemoryStore::Line* MemoryStore::FindLive(std::string_view name) {
  for (auto& [number, line] : lines_) {
    if (!line.context.deleted && line.context.name == name) return &line;
  }
  return nullptr;
}

bool MemoryStore::IsSnapshot(RecordId id) {
  const Line* line = FindLine(id.context);
  return line != nullptr && line->rows.contains(id.commit) &&
         FindGap(line->gaps, id.commit) == nullptr;
}

// --- commits ---

Status MemoryStore::CheckHashes(std::span<const StoredContent> contents) const {
  std::map<ContentHash256, std::string_view> given;
  for (const StoredContent& content : contents) {
    const auto held = contents_.find(content.hash);
    const auto [first, is_first] = given.emplace(content.hash, content.bytes);
    if ((held != contents_.end() && held->second != content.bytes) ||
        (!is_first && first->second != content.bytes))
      return std::unexpected(HashTaken(content.hash));
  }
  return {};
}

Status MemoryStore::Append(const AppendRequest& request) {
  PACTDB_TRY_STATUS(CheckAppend(request));
  Line* line = FindLive(request.context);
  if (line == nullptr) return std::unexpected(NoContext(request.context));
  StoredContext& context = line->context;
  if (context.head != request.expected_head) {
    return std::unexpected(HeadMoved(request, context.head));
  }
  if (context.epoch != request.epoch) {
    return std::unexpected(EpochPassed(request, context.head, context.epoch));
  }
  if (context.head != 0) {
    PACTDB_TRY_STATUS(CheckCycle(request.facts.cycle, line->rows.at(context.head).facts.cycle));
  }
  const std::string key(request.idempotency_key);
  if (!key.empty() && line->answers.contains(key)) return std::unexpected(KeyTaken());

  PACTDB_TRY_STATUS(CheckHashes(request.contents));

  const CommitNumber number = request.facts.number;
  for (const StoredContent& content : request.contents) {
    const bool is_new = contents_.try_emplace(content.hash, content.bytes).second;
    if (is_new && batch_) batch_->contents.push_back(content.hash);
  }
  if (batch_) {
    batch_->commits.push_back({request.context, number});
    batch_->journals.try_emplace(request.context, line->journal);
  }
  for (const std::string_view id : request.ids) line->ids.try_emplace(std::string(id), number);
  if (!key.empty()) line->answers[key] = {.commit = number, .answer = std::string(request.answer)};
  line->rows[number] = {.facts = request.facts, .record = std::string(request.record)};
  line->journal.clear();
  context.head = number;
  context.bytes += request.record.size();
  return {};
}

Status MemoryStore::BeginBatch(Durability /*durability*/) {
  batch_.emplace();
  return {};
}

Status MemoryStore::EndBatch() {
  batch_.reset();
  return {};
}

void MemoryStore::AbandonBatch() {
  for (const RecordId& id : batch_->commits) {
    Line& line = lines_.at(id.context);
    line.context.bytes -= line.rows.at(id.commit).record.size();
    line.context.head = std::min(line.context.head, id.commit - 1);
    line.rows.erase(id.commit);
    const auto is_of = [&id](CommitNumber number) { return number == id.commit; };
    std::erase_if(line.ids, [&is_of](const auto& given) { return is_of(given.second); });
    std::erase_if(line.answers, [&is_of](const auto& given) { return is_of(given.second.commit); });
  }
  for (const ContentHash256& hash : batch_->contents) contents_.erase(hash);
  for (auto& [context, journal] : batch_->journals) lines_.at(context).journal = std::move(journal);
  for (auto& [context, config] : batch_->configs) lines_.at(context).context.config = config;
  for (auto& [context, tags] : batch_->tags) lines_.at(context).tags = std::move(tags);
  for (const ContextNumber number : batch_->contexts) lines_.erase(number);
  if (!batch_->contexts.empty()) next_ = batch_->contexts.front();
  batch_.reset();
}

Result<std::optional<std::string>> MemoryStore::FindAnswer(ContextNumber context,
                                                           std::string_view idempotency_key) {
  const Line* line = FindLine(context);
  if (line == nullptr) return std::unexpected(NoContext(context));
  const auto found = line->answers.find(idempotency_key);
  if (found == line->answers.end()) return std::nullopt;
  return found->second.answer;
}

Result<std::string> MemoryStore::ReadRecord(RecordId id) {
  const Line* line = FindLine(id.context);
  if (line == nullptr || !line->rows.contains(id.commit)) return std::unexpected(NoCommit(id));
  return line->rows.at(id.commit).record;
}

Result<std::vector<RecordId>> MemoryStore::ListRecords() {
  std::vector<RecordId> records;
  for (const auto& [context, line] : lines_) {
    for (const auto& [number, row] : line.rows) records.push_back({context, number});
  }
  return records;
}

Status MemoryStore::VisitFacts(ContextNumber context, CommitRange range,
                               const std::function<bool(const CommitFacts&)>& visit) {
  const Line* line = FindLine(context);
  if (line == nullptr) return std::unexpected(NoContext(context));
  for (auto row = line->rows.lower_bound(range.first);
       row != line->rows.end() && row->first <= range.last; ++row) {
    if (FindGap(line->gaps, row->first) != nullptr) continue;
    if (!visit(row->second.facts)) break;
  }
  return {};
}

Result<std::optional<CommitFacts>> MemoryStore::FindCycle(ContextNumber context,
                                                          std::int64_t cycle) {
  const Line* line = FindLine(context);
  if (line == nullptr) return std::unexpected(NoContext(context));
  // Halves the numbers: a map cannot be searched by what its rows hold. Rows in gaps count.
  CommitNumber first = 1;
  CommitNumber last = line->context.head;
  while (first < last) {
    const CommitNumber middle = first + (last - first) / 2;
    const auto row = line->rows.lower_bound(middle);
    if (row == line->rows.end() || row->second.facts.cycle >= cycle) {
      last = middle;
    } else {
      first = row->first + 1;
    }
  }
  if (const CommitRange* gap = FindGap(line->gaps, first)) first = gap->last + 1;
  const auto row = line->rows.find(first);
  if (row == line->rows.end() || row->second.facts.cycle < cycle) return std::nullopt;
  return row->second.facts;
}

Result<std::vector<CommitRange>> MemoryStore::ListGaps(ContextNumber context) {
  const Line* line = FindLine(context);
  if (line == nullptr) return std::unexpected(NoContext(context));
  return line->gaps;
}

Result<std::string> MemoryStore::ReadContent(const ContentHash256& hash) {
  const auto found = contents_.find(hash);
  if (found == contents_.end()) return std::unexpected(NoContent(hash));
  return found->second;
}

Status MemoryStore::VisitContents(
    const std::function<void(const ContentHash256&, std::uint64_t)>& visit) {
  for (const auto& [hash, bytes] : contents_) visit(hash, bytes.size());
  return {};
}

Result<std::optional<CommitNumber>> MemoryStore::FindId(ContextNumber context,
                                                        std::string_view id) {
  const Line* line = FindLine(context);
  if (line == nullptr) return std::unexpected(NoContext(context));
  const auto found = line->ids.find(id);
  if (found == line->ids.end()) return std::nullopt;
  return found->second;
}

// --- the journal, names and notes ---

Status MemoryStore::AppendJournal(ContextNumber context, std::span<const std::string> entries) {
  Line* line = FindLive(context);
  if (line == nullptr) return std::unexpected(NoContext(context));
  line->journal.insert(line->journal.end(), entries.begin(), entries.end());
  return {};
}

Result<std::vector<std::string>> MemoryStore::ReadJournal(ContextNumber context) {
  const Line* line = FindLine(context);
  if (line == nullptr) return std::unexpected(NoContext(context));
  return line->journal;
}

Status MemoryStore::SetTag(ContextNumber context, const Tag& tag) {
  Line* line = FindLive(context);
  if (line == nullptr) return std::unexpected(NoContext(context));
  if (batch_) batch_->tags.try_emplace(context, line->tags);
  line->tags[tag.name] = tag;
  return {};
}

Status MemoryStore::DeleteTag(ContextNumber context, std::string_view name) {
  Line* line = FindLive(context);
  if (line == nullptr) return std::unexpected(NoContext(context));
  const auto found = line->tags.find(name);
  if (found == line->tags.end()) return std::unexpected(NoTag(name));
  line->tags.erase(found);
  return {};
}

Result<std::vector<Tag>> MemoryStore::ListTags(ContextNumber context) {
  const Line* line = FindLine(context);
  if (line == nullptr) return std::unexpected(NoContext(context));
  std::vector<Tag> tags;
  tags.reserve(line->tags.size());
  for (const auto& [name, tag] : line->tags) tags.push_back(tag);
  return tags;
}

Status MemoryStore::PutAttempt(ContextNumber context, std::string_view id, std::string_view json) {
  Line* line = FindLive(context);
  if (line == nullptr) return std::unexpected(NoContext(context));
  const auto found =
      std::ranges::find(line->attempts, id, &std::pair<std::string, std::string>::first);
  if (found == line->attempts.end()) {
    line->attempts.emplace_back(id, json);
  } else {
    found->second = json;
  }
  return {};
}

Result<std::vector<std::string>> MemoryStore::ListAttempts(ContextNumber context) {
  const Line* line = FindLine(context);
  if (line == nullptr) return std::unexpected(NoContext(context));
  std::vector<std::string> attempts;
  attempts.reserve(line->attempts.size());
  for (const auto& [id, json] : line->attempts) attempts.push_back(json);
  return attempts;
}

}  // namespace pactdb
