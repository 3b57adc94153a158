// Rows that somebody wrote on purpose: a store whose checksums are right and whose records,
// configurations, journals, facts, tags and attempts are not what the engine wrote. The target of
// files seldom gets that far, because what it changes no longer matches its checksum. Whatever the
// rows say, there is an answer or an error; and what `verify` calls sound can be read.
//
// The first byte says what is done beside reading: 1 verifies first, 2 reads more, 4 writes. Then
// six bytes each change one thing: two say which, one how, two where, one to what.
#include <pactdb/exec.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "reached.h"
#include "store/memory/memory_store.h"

namespace {

using pactdb::CommitFacts;
using pactdb::CommitRange;
using pactdb::ContextNumber;
using pactdb::Database;
using pactdb::Exec;
using pactdb::MemoryStore;
using pactdb::RecordId;
using pactdb::Result;
using pactdb::Status;
using pactdb::StoredContext;
using pactdb::Tag;

constexpr std::size_t kInputBytesMax = 1 << 12;
constexpr std::size_t kChangeBytes = 6;

enum class Part : std::uint8_t { kRecord, kConfig, kJournal, kFacts, kTag, kAttempt };
constexpr unsigned kParts = 6;

struct Change {
  Part part;
  unsigned which;  // of the things that there are of the part, by its number
  unsigned how;
  std::size_t place;
  std::uint8_t value;

  void To(std::string& bytes) const {
    if (bytes.empty()) return;
    const std::size_t at = place % bytes.size();
    switch (how % 8) {
      case 0:
        bytes.insert(at, 1, static_cast<char>(value));
        break;
      case 1:
        bytes.erase(at, 1 + value % 8);
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:  // a piece of itself, once more
        bytes.insert(at, bytes.substr(value % bytes.size(), 1 + at % 64));
        break;
      case 4:
        bytes[at] = static_cast<char>(static_cast<std::uint8_t>(bytes[at]) ^ (1U << value % 8));
        break;
      default:
        bytes[at] = static_cast<char>(value);
    }
  }
  template <typename Number>
  void To(Number& number) const {
    switch (how % 4) {
      case 0:
        number = static_cast<Number>(value);
        break;
      case 1:
        number = static_cast<Number>(static_cast<std::uint64_t>(number) + value - 128);  // wraps
        break;
      case 2:
        number = std::numeric_limits<Number>::max();
        break;
      default:
        number = std::numeric_limits<Number>::min();
    }
  }
};

std::vector<Change> ChangesOf(std::span<const std::uint8_t> input) {
  std::vector<Change> changes;
  for (; input.size() >= kChangeBytes; input = input.subspan(kChangeBytes)) {
    changes.push_back({.part = static_cast<Part>(input[0] % kParts),
                       .which = input[1],
                       .how = input[2],
                       .place = static_cast<std::size_t>(input[3]) << 8 | input[4],
                       .value = input[5]});
  }
  return changes;
}

// What was written, as it was; what was there before, as the changes have it.
class AlteredStore final : public MemoryStore {
 public:
  AlteredStore(const MemoryStore& good, std::vector<Change> changes)
      : MemoryStore(good),
        changes_(std::move(changes)),
        records_(MemoryStore::ListRecords().value()) {}

  Result<std::vector<StoredContext>> ListContexts() override {
    auto contexts = MemoryStore::ListContexts();
    if (contexts) {
      for (StoredContext& context : *contexts) Alter(context);
    }
    return contexts;
  }
  Result<std::optional<StoredContext>> FindContext(std::string_view name) override {
    auto context = MemoryStore::FindContext(name);
    if (context && *context) Alter(**context);
    return context;
  }
  Result<StoredContext> GetContext(ContextNumber number) override {
    auto context = MemoryStore::GetContext(number);
    if (context) Alter(*context);
    return context;
  }
  Result<std::string> ReadRecord(RecordId id) override {
    auto record = MemoryStore::ReadRecord(id);
    for (unsigned i = 0; record && i < records_.size(); ++i) {
      if (records_[i] == id) AlterBytes(Part::kRecord, i, *record);
    }
    return record;
  }
  Status VisitFacts(ContextNumber context, CommitRange range,
                    const std::function<bool(const CommitFacts&)>& visit) override {
    return MemoryStore::VisitFacts(
        context, range, [&](const CommitFacts& facts) { return visit(Altered(context, facts)); });
  }
  Result<std::optional<CommitFacts>> FindCycle(ContextNumber context, std::int64_t cycle) override {
    auto facts = MemoryStore::FindCycle(context, cycle);
    if (facts && *facts) **facts = Altered(context, **facts);
    return facts;
  }
  Result<std::vector<std::string>> ReadJournal(ContextNumber context) override {
    auto entries = MemoryStore::ReadJournal(context);
    for (std::size_t i = 0; entries && i < entries->size(); ++i)
      AlterBytes(Part::kJournal, static_cast<unsigned>(i), (*entries)[i]);
    return entries;
  }
  Result<std::vector<Tag>> ListTags(ContextNumber context) override {
    auto tags = MemoryStore::ListTags(context);
    for (std::size_t i = 0; tags && i < tags->size(); ++i) {
      ForEach(Part::kTag, static_cast<unsigned>(i), [&](const Change& change) {
        // Not the name: that names are UTF-8 is the store's to check.
        change.place % 2 == 0 ? change.To((*tags)[i].commit) : change.To((*tags)[i].context);
      });
    }
    return tags;
  }
  Result<std::vector<std::string>> ListAttempts(ContextNumber context) override {
    auto attempts = MemoryStore::ListAttempts(context);
    for (std::size_t i = 0; attempts && i < attempts->size(); ++i)
      AlterBytes(Part::kAttempt, static_cast<unsigned>(i), (*attempts)[i]);
    return attempts;
  }

 private:
  template <typename Do>
  void ForEach(Part part, unsigned which, const Do& change_it) const {
    for (const Change& change : changes_) {
      if (change.part == part && change.which % 16 == which % 16) change_it(change);
    }
  }
  void AlterBytes(Part part, unsigned which, std::string& bytes) const {
    ForEach(part, which, [&bytes](const Change& change) { change.To(bytes); });
  }
  void Alter(StoredContext& context) const {
    AlterBytes(Part::kConfig, context.number, context.config);
  }
  CommitFacts Altered(ContextNumber context, CommitFacts facts) const {
    ForEach(Part::kFacts, context * 8 + facts.number, [&facts](const Change& change) {
      switch (change.place % 7) {
        case 0:
          return change.To(facts.cycle);
        case 1:
          if (!facts.committed_at_ns) facts.committed_at_ns = 0;
          return change.To(*facts.committed_at_ns);
        case 2:
          return change.To(facts.added);
        case 3:
          return change.To(facts.removed);
        case 4:
          return change.To(facts.changed);
        case 5:
          return change.To(facts.nodes);
        default:
          facts.tree_sha256[change.value % facts.tree_sha256.size()] ^= 1;
      }
    });
    return facts;
  }

  std::vector<Change> changes_;
  std::vector<RecordId> records_;  // of the good store
};

// --- what there is, and what is asked of it ---

using Lines = std::vector<std::string>;

// Two contexts, a gap, a tag, an attempt, nodes with all kinds of headers, contents beside their
// record, nodes that ran out, and a journal of every kind of edit.
Lines GoodLines() {
  Lines lines = {
      R"({"op":"configure","clock":{"start_ns":1000,"step_ns":1},"journal":"on"})",
      R"({"op":"add","parent":"^sys","node":{"id":"rule","role":"system","content":"Be brief."}})",
  };
  for (int turn = 1; turn <= 5; ++turn) {
    const std::string n = std::to_string(turn);
    lines.insert(
        lines.end(),
        {R"({"op":"add","node":{"role":"user","content":"turn )" + n + R"(","ttl":)" + n + "}}",
         R"({"op":"add","node":{"id":"long)" + n + R"(","key":"k)" + n +
             R"(","tags":["t"],"refs":["rule"],"app:note":{"n":[)" + n + R"(]},"offset":)" + n +
             R"(,"content":")" + std::string(1'100 + 3 * turn, 'x') + R"("}})",
         R"({"op":"commit","idempotency_key":"key)" + n + R"("})"});
  }
  const Lines rest = {
      R"({"op":"tag","name":"tag","at":"@c4"})",
      R"({"op":"fork","at":"@c4","name":"fork"})",
      R"({"op":"add","context":"fork","node":{"content":"other"}})",
      R"({"op":"commit","context":"fork"})",
      R"({"op":"gc","keep_last":3})",
      R"({"op":"attempt","action":"start","provider":"p","model":"m"})",
      R"({"op":"add","node":{"id":"open","content":"open","removable":true}})",
      R"({"op":"update","id":"open","set":{"content":"changed","priority":3}})",
      R"({"op":"move","id":"open","offset":-1})",
      R"({"op":"pin","id":"open"})",
      R"({"op":"add","node":{"content":"gone"}})",
      R"({"op":"remove","id":"block:6.2"})",
  };
  lines.insert(lines.end(), rest.begin(), rest.end());
  return lines;
}

MemoryStore MakeGoodStore() {
  auto owned = std::make_unique<MemoryStore>();
  const MemoryStore& store = *owned;
  Exec exec(Database::Over(std::move(owned)).value());
  for (const std::string& line : GoodLines())
    PACTDB_CHECK(exec.Answer(line).starts_with(R"({"ok":true)"));
  return store;
}

// All of these are answered well by a sound store.
const Lines& Reads() {
  static const Lines lines = {
      R"({"op":"tree"})",
      R"({"op":"tree","context":"fork","at":"@t-1"})",
      R"({"op":"select","selector":"@* .block"})",
      R"({"op":"log","hashes":true})",
      R"({"op":"render"})",
      R"({"op":"diff","from":"@t-1","to":"working"})",
      R"({"op":"serialize","at":"@c4"})",
  };
  return lines;
}

const Lines& LongReads() {
  static const Lines lines = {
      R"({"op":"export","history":true})",
      R"({"op":"life","id":"long3"})",
      R"({"op":"diff","from":"@c3","to":"fork@t0","detail":true})",
      R"({"op":"contexts"})",
      R"({"op":"attempt","action":"list"})",
      R"({"op":"gc","keep_last":1,"dry_run":true})",
  };
  return lines;
}

const Lines& Writes() {
  static const Lines lines = {
      R"({"op":"add","node":{"content":"on"}})",
      R"({"op":"commit"})",
      R"({"op":"commit","idempotency_key":"key5"})",
      R"({"op":"fork","at":"@t-1","name":"branch"})",
      R"({"op":"commit","context":"branch"})",
      R"({"op":"gc","keep_last":1})",
      R"({"op":"tree","at":"@t-1"})",
  };
  return lines;
}

void Ask(Exec& exec, const Lines& lines, bool is_sound) {
  for (const std::string& line : lines) {
    const std::string answer = exec.Answer(line);
    if (!is_sound || answer.starts_with(R"({"ok":true)")) continue;
    std::fprintf(stderr, "%s\n%s\n", line.c_str(), answer.c_str());
    PACTDB_CHECK(!is_sound);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryStore good = MakeGoodStore();
  if (size == 0 || size > kInputBytesMax) return 0;
  auto database =
      Database::Over(std::make_unique<AlteredStore>(good, ChangesOf({data + 1, size - 1})));
  if (!database) return 0;
  pactdb::fuzz::CountReached();
  Exec exec(*std::move(database));
  const unsigned work = data[0];
  bool is_sound = false;
  if ((work & 1) != 0) {
    const auto problems = exec.database().Verify();
    is_sound = problems && problems->empty();
  }
  Ask(exec, Reads(), is_sound);
  if ((work & 2) != 0) Ask(exec, LongReads(), false);
  if ((work & 4) != 0) Ask(exec, Writes(), false);
  return 0;
}
