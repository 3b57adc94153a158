// Records that were changed on purpose, behind the store's checksums: they load, or are refused as
// damaged. Nothing else may happen.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "engine/context_impl.h"
#include "model/record_writer.h"
#include "model/tree_loader.h"
#include "support/contexts.h"
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
    stored.records.bytes[number] = writer.Write(commit);
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

}  // namespace
}  // namespace pactdb
