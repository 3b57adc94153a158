// An object that refers to something lost is lost with it. Objects stand behind what they refer to,
// so one walk over the records in their order tells of each snapshot what of the damage it needs.
#include "engine/damage_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/try.h"
#include "engine/lineage.h"
#include "model/record_check.h"
#include "store/gaps.h"
#include "store/store_errors.h"

namespace pactdb {
namespace {

constexpr std::size_t kContextsMax = 10;
constexpr std::size_t kRunsMax = 5;

// Gives no record: what stands in others is not compared.
class NoRecords final : public RecordSource {
 public:
  explicit NoRecords(StoreSession& session) : session_(session) {}
  Result<const StoredRecord*> Record(const RecordId& id) override {
    return std::unexpected(NoCommit(id));
  }
  Result<std::string> Content(const Digest& hash) override { return session_.Content(hash); }

 private:
  StoreSession& session_;
};

const Error::Detail* FindDetail(const Error& error, std::string_view name) {
  const auto found = std::ranges::find(error.details(), name, &Error::Detail::name);
  return found == error.details().end() ? nullptr : &*found;
}

// Stores say `number`, the engine says `context_number`.
std::optional<RecordId> RecordIn(const Error& error) {
  const Error::Detail* context = FindDetail(error, "context_number");
  if (context == nullptr) context = FindDetail(error, "number");
  const Error::Detail* commit = FindDetail(error, "commit");
  if (context == nullptr || commit == nullptr) return std::nullopt;
  return RecordId{.context = static_cast<ContextNumber>(context->number),
                  .commit = static_cast<CommitNumber>(commit->number)};
}

std::optional<ContentHash256> ContentIn(const Error& error) {
  const Error::Detail* detail = FindDetail(error, "content");
  ContentHash256 hash{};
  if (detail == nullptr || detail->text.size() != 2 * hash.size()) return std::nullopt;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const char* digits = detail->text.data() + 2 * i;
    if (std::from_chars(digits, digits + 2, hash[i], 16).ptr != digits + 2) return std::nullopt;
  }
  return hash;
}

// The message behind the name that it begins with: " does not match", ": it is missing".
std::string Behind(std::string_view message, std::initializer_list<std::string> names) {
  for (const std::string& name : names) {
    if (!message.starts_with(name)) continue;
    const std::string_view rest = message.substr(name.size());
    if (rest.starts_with(' ') || rest.starts_with(':')) return std::string(rest);
  }
  return ": " + std::string(message);
}

std::string Joined(const std::vector<std::string>& parts, std::size_t max) {
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), max); ++i)
    text.append(i == 0 ? "" : ", ").append(parts[i]);
  if (parts.size() > max) text += fmt::format(" and {} more", parts.size() - max);
  return text;
}

}  // namespace

bool DamageReport::Covers(const StoreProblem& problem, const RecordId& id) {
  return problem.context == id.context && problem.commits.first <= id.commit &&
         id.commit <= problem.commits.last;
}

// --- what is added ---

void DamageReport::Add(StoreProblem problem) {
  if (problem.part == Part::kContent) contents_.emplace(problem.content, damages_.size());
  damages_.push_back({.problem = std::move(problem), .is_sound = false, .nodes = {}, .needed = {}});
}

bool DamageReport::Knows(const Error& error) const {
  const std::optional<RecordId> id = RecordIn(error);
  const std::optional<ContentHash256> content = ContentIn(error);
  return std::ranges::any_of(damages_, [&](const Damage& damage) {
    const StoreProblem& problem = damage.problem;
    if (problem.message == error.message()) return true;
    if (id && problem.context != 0 && Covers(problem, *id)) return true;
    return content && problem.part == Part::kContent && problem.content == *content;
  });
}

void DamageReport::AddUnread(std::string_view what, const Error& error) {
  if (Knows(error)) return;
  StoreProblem problem{.what = std::string(what), .message = error.message()};
  const std::optional<RecordId> id = RecordIn(error);
  if (const auto content = ContentIn(error)) {
    problem.part = Part::kContent;
    problem.what = ContentName(*content);
    problem.content = *content;
  } else if (id) {
    problem.part = Part::kRecord;
    problem.context = id->context;
    problem.commits = {id->commit, id->commit};
    // Unknown if that cannot be read.
    [[maybe_unused]] const Status read = session_->store().VisitFacts(
        id->context, problem.commits, [&problem](const CommitFacts& facts) {
          problem.cycle = facts.cycle;
          return false;
        });
  }
  Add(std::move(problem));
  damages_.back().is_sound = true;
}

void DamageReport::AddFinding(std::string_view context, const std::string& problem) {
  const auto [place, is_new] = finding_places_.try_emplace(problem, findings_.size());
  if (is_new) findings_.emplace_back(problem, std::vector<std::string>());
  findings_[place->second].second.push_back(fmt::format("'{}'", context));
}

// --- who needs it ---

DamageReport::Mask DamageReport::MaskOf(const RecordId& id) const {
  Mask mask = 0;
  for (std::size_t i = 0; i < std::min(damages_.size(), kTraced); ++i) {
    const StoreProblem& problem = damages_[i].problem;
    const bool is_lost = problem.part == Part::kRecord || problem.part == Part::kMissing;
    if (is_lost && Covers(problem, id)) mask |= BitOf(i);
  }
  return mask;
}

DamageReport::Mask DamageReport::MaskAt(const StoredAddress& address) {
  const Mask mask = MaskOf(address.record);
  if (mask != 0 || hurt_objects_.empty()) return mask;
  const auto found = hurt_objects_.find(numbers_.Pack(address));
  return found == hurt_objects_.end() ? 0 : found->second;
}

void DamageReport::Ids::Add(std::string id) {
  const auto [place, is_new] = all.insert(std::move(id));
  if (is_new && first.size() < kListedIds) first.push_back(*place);
}

DamageReport::Mask DamageReport::TraceObject(const StoredRecord& record, std::uint32_t index) {
  objects_.clear();
  hashes_.clear();
  if (record.object(index).empty() || !record.ReadReferences(index, objects_, hashes_)) return 0;
  Mask mask = 0;
  for (const StoredAddress& address : objects_) mask |= MaskAt(address);
  for (const Digest& hash : hashes_) {
    const auto found = contents_.find(hash);
    if (found == contents_.end()) continue;
    mask |= BitOf(found->second);
    StoredNode node;
    if (!record.ReadNode(index, node)) continue;
    damages_[found->second].nodes.Add(IdOf(node));
  }
  return mask;
}

void DamageReport::TraceRecord(const StoredRecord& record) {
  cycles_[record.id()] = record.head().cycle;
  Mask mask = 0;
  for (std::uint32_t index = 0; index < record.object_count(); ++index) {
    mask = TraceObject(record, index);
    if (mask != 0) hurt_objects_[numbers_.Pack({record.id(), index})] = mask;
  }
  // The last object is the root.
  for (std::size_t i = 0; i < std::min(damages_.size(), kTraced); ++i) {
    const StoreProblem& problem = damages_[i].problem;
    if (problem.part == Part::kFacts && Covers(problem, record.id())) mask |= BitOf(i);
  }
  if (mask != 0) hurt_.push_back({record.id(), mask});
}

void DamageReport::Trace() {
  const auto records = session_->store().ListRecords();
  if (!records) return;
  for (const RecordId& id : *records) {
    const Mask mask = MaskOf(id);
    const Result<const StoredRecord*> record = session_->Record(id);
    if (mask != 0) {
      if (record) {
        cycles_[id] = (*record)->head().cycle;
      } else if (const auto damaged = ReadDamaged(id)) {
        cycles_[id] = damaged->head().cycle;
      }
      hurt_.push_back({id, mask});
    } else if (record) {
      TraceRecord(**record);
    }
  }
  const auto contexts = session_->store().ListContexts();
  if (!contexts) return;
  for (const StoredContext& context : *contexts) NoteNeeds(context);
}

void DamageReport::NoteNeeds(const StoredContext& context) {
  struct Run {
    std::size_t next = 0;  // ordinal behind it
    RecordId first;
    RecordId last;
  };
  const Result<Lineage> lineage = Lineage::Read(session_->store(), context);
  if (!lineage) return;
  std::map<std::size_t, std::vector<Run>> runs;  // by damage
  for (const Hurt& hurt : hurt_) {
    const std::optional<std::size_t> ordinal = lineage->OrdinalOf(hurt.snapshot);
    if (!ordinal) continue;
    for (std::size_t i = 0; i < std::min(damages_.size(), kTraced); ++i) {
      if ((hurt.by & BitOf(i)) == 0) continue;
      std::vector<Run>& own = runs[i];
      if (own.empty() || own.back().next != *ordinal)
        own.push_back({*ordinal, hurt.snapshot, hurt.snapshot});
      own.back().next = *ordinal + 1;
      own.back().last = hurt.snapshot;
    }
  }
  const auto text = [this](const RecordId& id) {
    const std::optional<std::int64_t> cycle = CycleOf(id);
    return cycle ? fmt::format("@c{}", *cycle) : fmt::format("commit {}", id.commit);
  };
  for (const auto& [damage, own] : runs) {
    std::vector<std::string> parts;
    for (const Run& run : own) {
      parts.push_back(run.first == run.last ? text(run.first)
                                            : text(run.first) + " to " + text(run.last));
    }
    damages_[damage].needed.push_back(
        fmt::format("{} of '{}'", Joined(parts, kRunsMax), context.name));
  }
}

// --- words ---

std::optional<std::int64_t> DamageReport::CycleOf(const RecordId& id) const {
  for (const Damage& damage : damages_) {
    if (damage.problem.cycle && Covers(damage.problem, id)) return damage.problem.cycle;
  }
  const auto found = cycles_.find(id);
  return found == cycles_.end() ? std::nullopt : std::optional(found->second);
}

// "@c3 of 'main'", or as the store numbers it.
std::string DamageReport::NameOf(const RecordId& id) const {
  const auto context = session_->store().GetContext(id.context);
  const std::string of =
      context ? fmt::format("'{}'", context->name) : fmt::format("context {}", id.context);
  const std::optional<std::int64_t> cycle = CycleOf(id);
  std::string name =
      cycle ? fmt::format("@c{} of {}", *cycle, of) : fmt::format("commit {} of {}", id.commit, of);
  if (context && context->deleted) name += ", which was deleted";
  const auto gaps = session_->store().ListGaps(id.context);
  if (gaps && FindGap(*gaps, id.commit) != nullptr) return "what is left of " + name;
  return name;
}

std::string DamageReport::Subject(const StoreProblem& problem) const {
  const RecordId first{.context = problem.context, .commit = problem.commits.first};
  if (problem.part == Part::kRecord || problem.part == Part::kFacts) return NameOf(first);
  if (problem.part != Part::kMissing) return problem.what;
  const RecordId before{.context = first.context, .commit = first.commit - 1};
  if (before.commit == 0 || !CycleOf(before)) return problem.what;
  const std::uint64_t count = std::uint64_t{problem.commits.last} - first.commit + 1;
  return count == 1 ? "the snapshot after " + NameOf(before)
                    : fmt::format("the {} snapshots after {}", count, NameOf(before));
}

Result<StoredRecord> DamageReport::ReadDamaged(const RecordId& id) {
  PACTDB_TRY(std::string bytes, session_->store().ReadDamagedRecord(id));
  return StoredRecord::Parse(std::move(bytes), id);
}

// Of a record: which of its nodes. Of a content: whose it is.
std::string DamageReport::Details(std::size_t damage) {
  const auto& [problem, is_sound, nodes, needed] = damages_[damage];
  if (problem.part == Part::kContent)
    return nodes.all.empty() ? "no node has it"
                             : "it is of " + ListOfIds(nodes.first, nodes.all.size());
  if (problem.part != Part::kRecord) return {};
  const RecordId id{.context = problem.context, .commit = problem.commits.first};
  const Result<StoredRecord> record = ReadDamaged(id);
  if (!record) return is_sound ? "" : "its nodes cannot be told";
  NoRecords none(*session_);
  RecordSource* source = session_;
  if (damage >= kTraced) source = &none;
  const RecordDamage found = FindDamage(*record, *source);
  if (!found.parts.empty()) return Joined(found.parts, found.parts.size());
  if (is_sound) return {};
  return found.nodes.empty() ? "no node is in it"
                             : "which of its nodes cannot be told: " + ListOfIds(found.nodes);
}

std::string DamageReport::LineOf(std::size_t damage) {
  const StoreProblem& problem = damages_[damage].problem;
  const std::string commit = fmt::format("commit {}", problem.commits.first);
  const std::string subject = Subject(problem);
  std::string line = subject;
  if (problem.part == Part::kOther) {
    line += ": " + problem.message;
  } else if (problem.part == Part::kMissing) {
    const bool is_one = problem.commits.first == problem.commits.last;
    line += is_one ? ": it is missing" : ": they are missing";
  } else {
    std::string rest =
        Behind(problem.message,
               {fmt::format("{} of context {}", commit, problem.context), commit, problem.what});
    if (problem.part == Part::kFacts && rest.starts_with(' '))
      rest = ": its row, the record apart," + rest;
    line += rest;
  }
  if (const std::string details = Details(damage); !details.empty()) line += ": " + details;
  const std::vector<std::string>& needed = damages_[damage].needed;
  // That it needs itself is said by its name.
  if (!needed.empty() && (needed.size() > 1 || needed.front() != subject))
    line += "; needed by " + Joined(needed, kContextsMax);
  return line;
}

std::vector<std::string> DamageReport::Lines() {
  const bool is_traced = std::ranges::any_of(
      damages_, [](const Damage& damage) { return damage.problem.part != Part::kOther; });
  std::optional<Result<StoreSession::Reads>> reads;
  if (is_traced) {
    reads.emplace(StoreSession::Reads::Begin(*session_));
    Trace();
  }
  std::vector<std::string> lines;
  lines.reserve(damages_.size() + findings_.size());
  for (std::size_t i = 0; i < damages_.size(); ++i) lines.push_back(LineOf(i));
  for (const auto& [problem, contexts] : findings_) {
    lines.push_back(fmt::format("{} {}: {}", contexts.size() == 1 ? "context" : "contexts",
                                Joined(contexts, kContextsMax), problem));
  }
  return lines;
}

}  // namespace pactdb
