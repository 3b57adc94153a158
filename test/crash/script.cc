#include "crash/script.h"

#include <fmt/format.h>

#include "base/try.h"
#include "support/random.h"

namespace pactdb::crash {
namespace {

constexpr int kPeriod = 30;
constexpr ContextNumber kContextsMax = 64;
// Contents have numbers below this; several steps bring the same one.
constexpr int kContents = 12;

std::string Noise(support::Random& random, std::size_t size) {
  std::string bytes;
  while (bytes.size() < size) bytes += static_cast<char>(random.Below(256));
  return bytes;
}

std::string ContentOf(int number) {
  support::Random random(static_cast<std::uint64_t>(number));
  // Some can be compressed, some cannot.
  if (number % 2 == 0) return std::string(1000 + number * 2000, static_cast<char>('a' + number));
  return Noise(random, 500 + static_cast<std::size_t>(number) * 700);
}

std::size_t RecordSize(support::Random& random, int step) {
  if (step % 25 == 11) return 120'000;
  if (step % 10 == 3) return 9'000;
  return 50 + random.Below(4000);
}

std::string Hex(std::string_view bytes) {
  return ToHex(Sha256Of(bytes));
}

}  // namespace

Script::Kind Script::KindOf(int step) const {
  switch (step % kPeriod) {
    case 8:
    case 9:
    case 19:
      return Kind::kRelaxed;
    case 24:
      return Kind::kReopen;
    default:
      return Kind::kDurable;
  }
}

Status Script::Append(Store& store, int step, ContextNumber context, Durability durability) {
  PACTDB_TRY(const StoredContext stored, store.GetContext(context));
  support::Random random(seed_ * 1'000'003 + static_cast<std::uint64_t>(step) * 131 + stored.head);
  const std::string record = Noise(random, RecordSize(random, step));
  std::vector<std::string> texts;
  if (step % 4 == 1) {
    texts.push_back(ContentOf(static_cast<int>(random.Below(kContents))));
    texts.push_back(ContentOf(static_cast<int>(random.Below(kContents))));
  }
  std::vector<StoredContent> contents;
  for (const std::string& text : texts) contents.push_back({Sha256Of(text), text});
  const std::string id = fmt::format("id-{}-{}", context, stored.head + 1);
  const std::vector<std::string_view> ids = {id};
  const std::string key = fmt::format("key-{}-{}", context, stored.head + 1);
  AppendRequest request;
  request.context = context;
  request.expected_head = stored.head;
  request.facts = {.number = stored.head + 1,
                   .cycle = std::int64_t{stored.head} * 3 + 5,
                   .added = static_cast<std::uint32_t>(step),
                   .tree_sha256 = Sha256Of(record)};
  request.record = record;
  request.contents = contents;
  if (step % 3 == 0) request.ids = ids;
  if (step % 5 == 0) {
    request.idempotency_key = key;
    request.answer = key;
  }
  request.durability = durability;
  return store.Append(request);
}

Status Script::Batch(Store& store, int step, Durability durability) {
  PACTDB_TRY_STATUS(store.BeginBatch(durability));
  for (int i = 0; i < 3; ++i) {
    if (Status appended = Append(store, step, 1, durability); !appended) {
      store.AbandonBatch();
      return appended;
    }
  }
  return store.EndBatch();
}

Status Script::Fork(Store& store, int step) {
  PACTDB_TRY(const StoredContext main, store.GetContext(1));
  if (main.head == 0) return {};
  const std::string name = fmt::format("fork-{}", step);
  // Retire leaves the first commit alone.
  PACTDB_TRY_STATUS(store.CreateContext(name, {1, 1}, R"({"fork":true})"));
  return {};
}

// The context with the second name, if there are that many.
Status Script::Delete(Store& store, int /*step*/) {
  PACTDB_TRY(const std::vector<StoredContext> contexts, store.ListContexts());
  if (contexts.size() < 3) return {};
  return store.DeleteContext(contexts[1].name == "main" ? contexts[0].name : contexts[1].name);
}

Status Script::Retire(Store& store, int step) {
  PACTDB_TRY(const StoredContext main, store.GetContext(1));
  if (main.head < 12) return {};
  PACTDB_TRY(const std::vector<CommitRange> gaps, store.ListGaps(1));
  const CommitNumber first = gaps.empty() ? 2 : gaps.back().last + 1;
  const CommitNumber last = main.head - 6;
  if (first > last) return {};
  RetireRequest request;
  request.snapshots = {{1, {first, last}}};
  for (CommitNumber n = first; n <= last; n += 2) request.deleted.push_back({1, n});
  if (first < last) request.rewritten = {{{1, first + 1}, fmt::format("rewritten {}", step)}};
  const std::function<bool(const ContentHash256&)> keeps = [&](const ContentHash256& hash) {
    return (hash[0] + step) % 3 != 0;
  };
  request.keeps_content = &keeps;
  return store.Retire(request);
}

Status Script::Run(Store& store, int step, bool everything_relaxed) {
  const Durability full = everything_relaxed ? Durability::kRelaxed : Durability::kFull;
  if (step == 0) {
    PACTDB_TRY_STATUS(store.CreateContext("main", {}, "{}"));
    return {};
  }
  const std::vector<std::string> entries = {fmt::format("entry {}", step), std::string(300, 'j')};
  const std::string name = fmt::format("tag-{}", step % 4);
  switch (step % kPeriod) {
    case 5:
      return Fork(store, step);
    case 8:
    case 9:
      return store.AppendJournal(1, entries);
    case 12:
      return Batch(store, step, full);
    case 14: {
      PACTDB_TRY(const StoredContext main, store.GetContext(1));
      return store.SetTag(1, {.name = name, .commit = main.head, .context = 1});
    }
    case 15:
      return store.PutAttempt(1, name, fmt::format("attempt {}", step));
    case 16:
      return store.SetConfig(1, fmt::format(R"({{"step":{}}})", step));
    case 19:
      return Append(store, step, 1, Durability::kRelaxed);
    case 22:
      return Delete(store, step);
    case 24:
      return {};
    case 26:
      return Retire(store, step);
    case 27:
      return store.Compact();
    default:
      return Append(store, step, 1, full);
  }
}

Result<std::string> Script::Describe(Store& store) const {
  std::string text;
  const auto out = std::back_inserter(text);
  for (ContextNumber number = 1; number <= kContextsMax; ++number) {
    const Result<StoredContext> context = store.GetContext(number);
    if (!context && context.error().code() == ErrorCode::kContextNotFound) continue;
    if (!context) return std::unexpected(context.error());
    fmt::format_to(out, "context {} {} from {}/{} head {} epoch {} bytes {} deleted {} {}\n",
                   number, context->name, context->origin.context, context->origin.commit,
                   context->head, context->epoch, context->bytes, context->deleted,
                   context->config);
    PACTDB_TRY(const std::vector<CommitRange> gaps, store.ListGaps(number));
    for (const CommitRange& gap : gaps) fmt::format_to(out, "gap {}-{}\n", gap.first, gap.last);
    PACTDB_TRY_STATUS(store.VisitFacts(number, {1, 0xffffffff}, [&](const CommitFacts& facts) {
      fmt::format_to(out, "facts {} {} {} {}\n", facts.number, facts.cycle, facts.added,
                     ToHex(facts.tree_sha256));
      return true;
    }));
    for (CommitNumber n = 1; n <= context->head; ++n) {
      const Result<std::string> record = store.ReadRecord({number, n});
      if (!record && record.error().code() != ErrorCode::kSnapshotNotFound) {
        return std::unexpected(record.error());
      }
      fmt::format_to(out, "record {} {}\n", n, record ? Hex(*record) : "none");
      PACTDB_TRY(const auto id, store.FindId(number, fmt::format("id-{}-{}", number, n)));
      if (id) fmt::format_to(out, "id {}\n", *id);
      PACTDB_TRY(const auto answer, store.FindAnswer(number, fmt::format("key-{}-{}", number, n)));
      if (answer) fmt::format_to(out, "answer {}\n", *answer);
    }
    PACTDB_TRY(const std::vector<Tag> tags, store.ListTags(number));
    for (const Tag& tag : tags) fmt::format_to(out, "tag {} {}\n", tag.name, tag.commit);
    PACTDB_TRY(const std::vector<std::string> attempts, store.ListAttempts(number));
    for (const std::string& attempt : attempts) fmt::format_to(out, "attempt {}\n", attempt);
    PACTDB_TRY(const std::vector<std::string> journal, store.ReadJournal(number));
    for (const std::string& entry : journal) fmt::format_to(out, "journal {}\n", Hex(entry));
  }
  for (int i = 0; i < kContents; ++i) {
    const std::string content = ContentOf(i);
    const Result<std::string> found = store.ReadContent(Sha256Of(content));
    if (found) fmt::format_to(out, "content {} {}\n", i, *found == content);
  }
  return text;
}

std::vector<Digest> Script::Expected() {
  const std::unique_ptr<Store> store = MakeMemoryStore();
  std::vector<Digest> digests = {Sha256Of(Describe(*store).value())};
  for (int step = 0; step < steps_; ++step) {
    if (!Run(*store, step)) std::abort();
    digests.push_back(Sha256Of(Describe(*store).value()));
  }
  return digests;
}

}  // namespace pactdb::crash
