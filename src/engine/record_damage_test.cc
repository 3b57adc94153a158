// Records that were changed on purpose, behind the store's checksums: they load, or are refused as
// damaged. Nothing else may happen.
#include <gtest/gtest.h>
#include <pactdb/database.h>
#include <pactdb/ext/store.h>
#include <sys/resource.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/context_impl.h"
#include "engine/retention.h"
#include "engine/store_session.h"
#include "model/record_writer.h"
#include "model/tree_loader.h"
#include "support/contexts.h"
#include "support/error_text.h"
#include "support/random.h"
#include "support/scale.h"
#include "support/sessions.h"

namespace pactdb {
namespace {

using support::Must;
using support::Random;
using support::Session;

// Records by number, of one context.
class Records final : public RecordSource {
 public:
  std::map<CommitNumber, std::string> bytes;
  std::map<Digest, std::string> contents;

  Result<const StoredRecord*> Record(const RecordId& id) override {
    const auto found = bytes.find(id.commit);
    if (id.context != 1 || found == bytes.end())
      return std::unexpected(Error(ErrorCode::kStoreCorrupt, "no such record"));
    auto parsed = StoredRecord::Parse(found->second, id);
    if (!parsed) return std::unexpected(parsed.error());
    last_ = *std::move(parsed);
    return &*last_;
  }
  Result<std::string> Content(const Digest& hash) override {
    const auto found = contents.find(hash);
    if (found == contents.end())
      return std::unexpected(Error(ErrorCode::kStoreCorrupt, "no such content"));
    return found->second;
  }

 private:
  std::optional<StoredRecord> last_;
};

struct Stored {
  Records records;
  RecordNumbers numbers;
  std::map<CommitNumber, std::size_t> nodes;
};

// Every snapshot of a random session, as records.
void Store(std::uint64_t seed, Stored& stored) {
  Session session(seed);
  for (int step = 0; step < 120; ++step) session.Step();
  const std::string log = Must(session.context().Log());
  CommitNumber number = 0;
  std::vector<std::int64_t> cycles;
  for (std::size_t at = log.find("\"cycle\":"); at != std::string::npos;
       at = log.find("\"cycle\":", at + 1))
    cycles.insert(cycles.begin(), std::stoll(log.substr(at + 8)));
  for (const std::int64_t cycle : cycles) {
    const Snapshot snapshot = Must(session.context().At("@c" + std::to_string(cycle)));
    const CommitRecord& commit = snapshot.record();
    RecordWriter writer(*commit.lexicon, stored.numbers, {1, ++number});
    stored.records.bytes[number] = Must(writer.Write(commit));
    for (const StoredContent& content : writer.contents())
      stored.records.contents[content.hash] = std::string(content.bytes);
    writer.MarkStored();
    stored.nodes[number] = commit.nodes + 4;
  }
}

// Loads a snapshot into a lexicon of its own. The code of what went wrong, or "ok".
std::string Load(Stored& stored, CommitNumber number) {
  Lexicon lexicon;
  RecordNumbers numbers;
  TreeLoader loader(lexicon, numbers, stored.records);
  const auto root = loader.Load({1, number}, stored.nodes[number], nullptr);
  return root ? "ok" : std::string(WireName(root.error().code()));
}

TEST(RecordDamage, WhatWasWrittenLoads) {
  for (std::uint64_t seed = 0; seed < support::Scaled(10); ++seed) {
    Stored stored;
    Store(seed, stored);
    for (const auto& [number, nodes] : stored.nodes)
      EXPECT_EQ(Load(stored, number), "ok") << number;
  }
}

// Neither can be reached in a test by its real figure: 16 million objects, a thousand million
// bytes.
TEST(RecordBounds, ACommitThatOneRecordCannotHoldIsRefusedByTheBoundItMeets) {
  Session session(1);
  for (int step = 0; step < 120; ++step) session.Step();
  const Snapshot snapshot = Must(session.context().At("@t0"));
  const CommitRecord& commit = snapshot.record();
  const auto write = [&commit](const RecordBounds& bounds) {
    RecordNumbers numbers;
    return RecordWriter(*commit.lexicon, numbers, {1, 1}, bounds).Write(commit);
  };
  const auto whole = StoredRecord::Parse(Must(write({})), {1, 1});
  ASSERT_TRUE(whole.has_value());
  const std::size_t objects = whole->object_count();
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < objects; ++i) bytes += whole->object(i).size();

  EXPECT_TRUE(write({.objects = objects, .bytes = bytes}).has_value());
  for (const auto& [bounds, limit] :
       {std::pair(RecordBounds{.objects = objects - 1}, "record_objects"),
        std::pair(RecordBounds{.bytes = bytes - 1}, "record_bytes")}) {
    const auto refused = write(bounds);
    ASSERT_FALSE(refused.has_value()) << limit;
    EXPECT_EQ(refused.error().code(), ErrorCode::kLimitExceeded);
    EXPECT_EQ(refused.error().details().front().text, limit);
  }
}

TEST(RecordDamage, AChangedRecordLoadsOrIsRefusedAsDamaged) {
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < support::Scaled(10); ++seed) {
    Stored stored;
    Store(seed, stored);
    if (stored.nodes.empty()) continue;
    Random random(seed);
    for (int round = 0; round < 300; ++round) {
      const auto number = static_cast<CommitNumber>(1 + random.Below(stored.nodes.size()));
      const std::string before = stored.records.bytes[number];
      std::string& bytes = stored.records.bytes[number];
      for (std::size_t i = 1 + random.Below(3); i > 0; --i) {
        const std::size_t at = random.Below(bytes.size());
        const std::size_t kind = random.Below(4);
        if (kind == 0) bytes[at] = static_cast<char>(random.Below(256));
        if (kind == 1) bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.Below(8));
        if (kind == 2) bytes.erase(at, 1 + random.Below(4));
        if (kind == 3) bytes.insert(at, 1, static_cast<char>(random.Below(256)));
        if (bytes.empty()) break;
      }
      const std::string code = Load(stored, static_cast<CommitNumber>(stored.nodes.size()));
      EXPECT_TRUE(code == "ok" || code == "E_STORE_CORRUPT") << code;
      refused += code == "ok" ? 0 : 1;
      stored.records.bytes[number] = before;
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST(RecordSharing, ARecordHasNoListThatAnOlderOneHas) {
  Context context = support::NewContext();
  for (int i = 0; i < 5000; ++i) Must(context.Add(NodeSpec(), {.parent = "^sys"}));
  RecordNumbers numbers;
  const auto objects_of_next = [&](CommitNumber number) {
    Must(context.Commit());
    const Snapshot snapshot = Must(context.At("@t0"));
    RecordWriter writer(*snapshot.record().lexicon, numbers, {1, number});
    const auto parsed = StoredRecord::Parse(Must(writer.Write(snapshot.record())), {1, number});
    writer.MarkStored();
    return parsed.has_value() ? parsed->object_count() : 0;
  };
  EXPECT_GT(objects_of_next(1), 5000u);
  Must(context.Add(NodeSpec(), {.parent = "^sys"}));
  EXPECT_LT(objects_of_next(2), 20u);
}

// --- records that nobody wrote ---

// Makes a record object by object; an object is named by its place.
class HandMade {
 public:
  explicit HandMade(const RecordId& own) : own_(own) {}

  StoredAddress Add(const std::string& object) {
    objects_.push_back(object);
    return {.record = own_, .index = static_cast<std::uint32_t>(objects_.size() - 1)};
  }
  static std::string Header(NodeClass node_class, std::string_view id, bool has_children) {
    std::string object(1, static_cast<char>(node_class));
    object += static_cast<char>(has_children ? record::kChildren : 0);
    object.append(4, '\0');  // offset, cycle, time, index
    AppendSized(id, object);
    object += {1, 0, 0};  // words: a type, no role, no kind
    return object;
  }
  StoredAddress Block(std::string_view id) { return Add(Header(NodeClass::kBlock, id, false)); }
  StoredAddress Container(NodeClass node_class, std::string_view id,
                          const StoredAddress& children) {
    std::string object = Header(node_class, id, true);
    AppendDigest({}, object);
    CommitNumber near = own_.commit;
    record::AppendAddress(children, own_, near, object);
    return Add(object);
  }
  StoredAddress List(unsigned level, bool has_blocks, const std::vector<StoredAddress>& slots) {
    std::string object(1, static_cast<char>(record::kChunkObject));
    AppendVarint(2 * level + (has_blocks ? 1 : 0), object);
    AppendVarint(slots.size(), object);
    CommitNumber near = own_.commit;
    for (const StoredAddress& slot : slots) record::AppendAddress(slot, own_, near, object);
    if (has_blocks) AppendDigest({}, object);
    return Add(object);
  }
  // A tree with this list in ^ah.
  void Root(const StoredAddress& list) {
    const StoredAddress ah = Container(NodeClass::kAh, "^ah", list);
    Container(NodeClass::kRoot, "root", List(0, false, {ah}));
  }
  std::string Bytes(std::int64_t cycle = 0) const {
    std::string out;
    record::AppendHead({.cycle = cycle, .words = {"type"}}, out);
    AppendVarint(objects_.size(), out);
    for (const std::string& object : objects_) AppendVarint(object.size(), out);
    for (const std::string& object : objects_) out += object;
    return out;
  }

 private:
  RecordId own_;
  std::vector<std::string> objects_;
};

// Lists of all levels over `leaf`, each of which has the one below it this many times.
StoredAddress Tower(HandMade& record, StoredAddress leaf, std::size_t times) {
  for (unsigned level = 1; level <= child_list::kLevelMax; ++level)
    leaf = record.List(level, false, std::vector<StoredAddress>(times, leaf));
  return leaf;
}

std::string MessageOf(const Result<Ref<Container>>& loaded) {
  return loaded ? "ok" : std::string(loaded.error().message());
}

TEST(RecordDamage, AListThatATreeHasTwiceIsRefusedWhateverTheCommitStates) {
  HandMade hostile({1, 1});
  const StoredAddress leaf = hostile.List(0, true, {hostile.Block("b")});
  hostile.Root(Tower(hostile, leaf, 16));
  Records records;
  records.bytes[1] = hostile.Bytes();
  Lexicon lexicon;
  RecordNumbers numbers;
  TreeLoader loader(lexicon, numbers, records);
  EXPECT_EQ(MessageOf(loader.Load({1, 1}, UINT32_MAX, nullptr)),
            "object 1 of commit 1: its tree has it twice");
}

TEST(RecordDamage, AnOlderTreeHasNothingTwiceThatItSharesWithANewerOne) {
  HandMade older({1, 1});
  const StoredAddress block = older.Block("b");
  older.Root(Tower(older, older.List(0, true, {block}), 16));
  HandMade newer({1, 2});
  newer.Root(Tower(newer, newer.List(0, true, {block}), 1));
  Records records;
  records.bytes = {{1, older.Bytes()}, {2, newer.Bytes()}};
  Lexicon lexicon;
  RecordNumbers numbers;
  TreeLoader loader(lexicon, numbers, records);
  const Ref<Container> base = Must(loader.Load({1, 2}, 3, nullptr));
  EXPECT_EQ(MessageOf(loader.Load({1, 1}, 3, base.get())),
            "object 1 of commit 1: its tree has it twice");
}

// Of a tree that has one object of an older record in its head.
std::string MessageOfOlder(const HandMade& older, std::uint32_t index) {
  HandMade newer({1, 2});
  newer.Root(newer.List(0, true, {{.record = {1, 1}, .index = index}}));
  Records records;
  records.bytes = {{1, older.Bytes()}, {2, newer.Bytes()}};
  Lexicon lexicon;
  RecordNumbers numbers;
  TreeLoader loader(lexicon, numbers, records);
  return MessageOf(loader.Load({1, 2}, 3, nullptr));
}

TEST(RecordDamage, ANodeIsOneThatFillsItsObject) {
  const std::string node = HandMade::Header(NodeClass::kBlock, "b", false);
  HandMade older({1, 1});
  older.Add(node);
  older.Add(node + '\0');
  older.Add(node.substr(0, node.size() - 1));
  EXPECT_EQ(MessageOfOlder(older, 0), "ok");
  for (const std::string index : {"1", "2"}) {
    EXPECT_EQ(MessageOfOlder(older, static_cast<std::uint32_t>(std::stoul(index))),
              "commit 1 of context 1: object " + index + " is no node");
  }
}

TEST(RecordDamage, BehindTheLastObjectOfARecordIsNone) {
  HandMade older({1, 1});
  const StoredAddress last = older.Block("b");
  EXPECT_EQ(MessageOfOlder(older, last.index + 1), "commit 1 of context 1: object 1 is no node");
}

// What is said when a snapshot whose row and record state these is opened.
std::string ErrorOfCycles(std::int64_t in_row, std::int64_t in_record,
                          std::optional<std::int64_t> committed_at_ns = std::nullopt) {
  auto store = MakeMemoryStore();
  const StoredContext context = Must(store->CreateContext("main", {}, ""));
  HandMade made({context.number, 1});
  made.Root(made.List(0, true, {made.Block("b")}));
  const std::string record = made.Bytes(in_record);
  AppendRequest request;
  request.context = context.number;
  request.facts.number = 1;
  request.facts.nodes = 1;
  request.facts.cycle = in_row;
  request.facts.committed_at_ns = committed_at_ns;
  request.record = record;
  Must(store->Append(request));
  Database database = Must(Database::Over(std::move(store)));
  return support::ErrorText(database.Find("main"));
}

TEST(RecordDamage, ARowStatesTheCycleAndTimeOfItsRecord) {
  EXPECT_EQ(ErrorOfCycles(7, 7), "ok");
  EXPECT_EQ(ErrorOfCycles(7, 8),
            "E_STORE_CORRUPT: commit 1: its record is of another cycle"
            " {context_number=1 commit=1}");
  EXPECT_EQ(ErrorOfCycles(7, 7, 5),
            "E_STORE_CORRUPT: commit 1: its record is of another time"
            " {context_number=1 commit=1}");
}

TEST(RecordDamage, NoCycleIsNegativeOrBehindTheLastThatThereCanBe) {
  // One import below the bound, and as many commits as have a number.
  constexpr std::int64_t kLast = (std::int64_t{1} << 62) + UINT32_MAX;
  for (const std::int64_t cycle : {std::int64_t{0}, kLast})
    EXPECT_EQ(ErrorOfCycles(cycle, cycle), "ok") << cycle;
  for (const std::int64_t cycle : {std::int64_t{-1}, kLast + 1}) {
    EXPECT_EQ(ErrorOfCycles(cycle, cycle),
              "E_STORE_CORRUPT: commit 1: there is no such cycle {context_number=1 commit=1}");
  }
}

double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

TEST(RecordDamage, RetentionBelievesNoAddress) {
  auto store = MakeMemoryStore();
  Must(store->CreateContext("first", {}, "{}"));
  const StoredContext context = Must(store->CreateContext("second", {}, "{}"));
  HandMade hostile({context.number, 1});
  std::vector<StoredAddress> nowhere;
  for (CommitNumber commit = 1; commit <= 200; ++commit)
    nowhere.push_back({.record = {1, commit}, .index = RecordNumbers::kIndexMax});
  hostile.Root(hostile.List(1, false, nowhere));
  const std::string record = hostile.Bytes();
  AppendRequest request;
  request.context = context.number;
  request.facts.number = 1;
  request.record = record;
  Must(store->Append(request));
  StoreSession session(std::move(store));
  Retention retention(session);
  const double before = PeakMegabytes();
  std::vector<Retention::Target> targets = {
      {.context = Must(session.store().GetContext(context.number)), .rules = {.keep_last = 1}}};
  Must(retention.Choose(targets));
  EXPECT_EQ(Must(retention.Measure({})), 0u);
  EXPECT_LT(PeakMegabytes(), before + 100) << "a bit for each place there could be takes 400";
}

}  // namespace
}  // namespace pactdb
