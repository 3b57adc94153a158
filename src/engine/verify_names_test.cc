// Bits flipped in a file: verify says in one line each which snapshot, which nodes, and who needs
// what is lost.
#include <gtest/gtest.h>
#include <pactdb/database.h>
#include <pactdb/ext/store.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "engine/damage_report.h"
#include "engine/store_session.h"
#include "model/record_check.h"
#include "support/contexts.h"
#include "support/folder.h"
#include "support/random.h"
#include "support/scale.h"

namespace pactdb {
namespace {

using support::Must;
using support::Random;
using Lines = std::vector<std::string>;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteAll(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Letters that do not compress to much less, too many to stand in a record.
std::string LongText(std::uint64_t seed) {
  Random random(seed);
  std::string text;
  for (int i = 0; i < 3'000; ++i) text += static_cast<char>('a' + random.Below(26));
  return text;
}

// Six turns of a question each and, in the second and the third, the same long answer; `side` was
// forked after the third.
class VerifyNames : public ::testing::Test {
 protected:
  VerifyNames() {
    {
      Database database = Must(Database::Open(path_, Access::kCreate));
      Context& main = *Must(database.Find("main"));
      Options options = support::SteppedOptions();
      options.journal = true;
      Must(main.Configure(options));
      for (int turn = 1; turn <= 6; ++turn) AddTurn(main, turn);
      Must(main.Tag("asked", "@c2"));
      Must(main.StartAttempt({}));
      Context& side = *Must(database.Fork("main", "@c3", "side"));
      Must(side.Add(NodeSpec().Role("user").Text("beside")));
      Must(side.Commit());
      Must(main.Add(NodeSpec().Role("user").Text("not committed")));
    }
    good_ = ReadAll(path_);
  }

  static void AddTurn(Context& context, int turn) {
    const std::string number = std::to_string(turn);
    Must(context.Add(NodeSpec().Role("user").Text("question " + number)));
    if (turn == 2 || turn == 3) Must(context.Add(NodeSpec().Role("assistant").Text(LongText(1))));
    CommitOptions options;
    if (turn == 4) options.idempotency_key = "fourth";
    Must(context.Commit(options));
  }

  Lines Problems() {
    Database database = Must(Database::Open(path_, Access::kRead));
    return Must(database.Verify());
  }
  Lines ProblemsOf(const std::string& bytes) {
    WriteAll(path_, bytes);
    return Problems();
  }
  // With one bit of this text flipped, which the file has once.
  Lines ProblemsAt(const std::string& text, std::size_t offset = 0) {
    const std::size_t at = good_.find(text);
    EXPECT_NE(at, std::string::npos) << text;
    std::string bytes = good_;
    bytes[at + offset] = static_cast<char>(bytes[at + offset] ^ 1);
    return ProblemsOf(bytes);
  }
  std::string Record(RecordId id) {
    return Must(Must(OpenSqliteStore(path_, StoreAccess::kRead))->ReadRecord(id));
  }

  support::Folder folder_;
  std::string path_ = folder_.path("a.pactdb");
  std::string good_;
};

TEST_F(VerifyNames, NothingIsWrong) {
  EXPECT_EQ(Problems(), Lines());
}

TEST_F(VerifyNames, ATextIsNamedByItsNodeInOneLine) {
  EXPECT_EQ(ProblemsAt("question 2"),
            Lines{"@c2 of 'main' does not match its checksum: block:2.1 has other content than its "
                  "hash says; needed by @c2 to @c6 of 'main', @c2 to @c4 of 'side'"});
  EXPECT_EQ(ProblemsAt("question 5"),
            Lines{"@c5 of 'main' does not match its checksum: block:5.1 has other content than its "
                  "hash says; needed by @c5 to @c6 of 'main'"});
  // The newest, without which the context cannot be opened.
  EXPECT_EQ(ProblemsAt("question 6"),
            Lines{"@c6 of 'main' does not match its checksum: block:6.1 has other content than its "
                  "hash says"});
}

TEST_F(VerifyNames, ATextThatIsNoTextAnyMoreIsNamedToo) {
  const std::size_t at = good_.find("question 2");
  std::string bytes = good_;
  bytes[at] = '\x80';
  EXPECT_EQ(ProblemsOf(bytes),
            Lines{"@c2 of 'main' does not match its checksum: block:2.1 cannot be read; needed by "
                  "@c2 to @c6 of 'main', @c2 to @c4 of 'side'"});
}

TEST_F(VerifyNames, ALongContentIsNamedByAllThatHaveIt) {
  const std::string content = "\"" + LongText(1) + "\"";
  const std::string hash = ToHex(Sha256Of(content));
  const auto store = Must(OpenSqliteStore(path_, StoreAccess::kRead));
  ASSERT_TRUE(store->ReadContent(Sha256Of(content)).has_value());
  // It was compressed: what is next to its hash is found by the page it has for itself.
  std::size_t at = good_.find(std::string_view("\x28\xb5\x2f\xfd", 4));
  if (at == std::string::npos) at = good_.find(LongText(1).substr(0, 50));
  ASSERT_NE(at, std::string::npos);
  std::string bytes = good_;
  bytes[at + 40] = static_cast<char>(bytes[at + 40] ^ 1);
  EXPECT_EQ(ProblemsOf(bytes),
            Lines{"content " + hash +
                  " has other bytes than its hash says: it is of block:2.2, "
                  "block:3.2; needed by @c2 to @c6 of 'main', @c2 to @c4 of 'side'"});
}

TEST_F(VerifyNames, NotesAreNamed) {
  EXPECT_EQ(ProblemsAt("asked"),
            Lines{"context 'main': the tag '`sked' does not match its checksum"});
  EXPECT_EQ(ProblemsAt("running"),
            Lines{"context 'main': the attempt 'attempt:7.1' does not match its checksum"});
  EXPECT_EQ(ProblemsAt("not committed"),
            Lines{"context 'main': entry 2 of the journal does not match its checksum"});
  EXPECT_EQ(ProblemsAt("fourth"),
            Lines{"context 'main': the answer to the commit with the idempotency key 'gourth' does "
                  "not match its checksum"});
}

// Bytes whose checksum is right, and that are no record.
TEST_F(VerifyNames, ARecordThatSomebodyMadeIsToldOnceOfAllContexts) {
  {
    const auto store = Must(OpenSqliteStore(path_, StoreAccess::kWrite));
    RetireRequest request;
    request.rewritten = {{{1, 2}, "no record"}};
    Must(store->Retire(request));
  }
  EXPECT_EQ(Problems(),
            Lines{"@c2 of 'main': its record is of an unknown version; needed by @c2 to @c6 of "
                  "'main', @c2 to @c4 of 'side'"});
}

// Whatever bit it is, the snapshot is named in one line. Of few bits it cannot be told where in the
// record they are: those of what belongs to no node.
TEST_F(VerifyNames, EveryBitOfARecordIsOneLine) {
  const std::string record = Record({1, 5});
  const std::size_t at = good_.find(record);
  ASSERT_NE(at, std::string::npos);
  const std::size_t step = 100 / support::Scaled(10) + 1;
  std::size_t named = 0;
  std::size_t flips = 0;
  for (std::size_t bit = 0; bit < record.size() * 8; bit += step) {
    std::string bytes = good_;
    char& byte = bytes[at + bit / 8];
    byte = static_cast<char>(byte ^ 1 << bit % 8);
    const Lines lines = ProblemsOf(bytes);
    ASSERT_EQ(lines.size(), 1u) << bit;
    EXPECT_TRUE(lines[0].starts_with("@c5 of 'main' does not match its checksum: ")) << lines[0];
    EXPECT_TRUE(lines[0].ends_with("; needed by @c5 to @c6 of 'main'")) << lines[0];
    ++flips;
    const std::size_t nodes = lines[0].find("checksum: ") + 10;
    const std::string_view found = std::string_view(lines[0]).substr(nodes);
    named += found.starts_with("which of") || found.starts_with("its nodes") ? 0 : 1;
  }
  EXPECT_GT(named * 10, flips * 8) << named << " of " << flips;
}

class FileRecords final : public RecordSource {
 public:
  explicit FileRecords(Store& store) : store_(store) {}
  Result<const StoredRecord*> Record(const RecordId& id) override {
    auto bytes = store_.ReadRecord(id);
    if (!bytes) return std::unexpected(bytes.error());
    auto parsed = StoredRecord::Parse(*std::move(bytes), id);
    if (!parsed) return std::unexpected(parsed.error());
    last_ = *std::move(parsed);
    return &*last_;
  }
  Result<std::string> Content(const Digest& hash) override { return store_.ReadContent(hash); }

 private:
  Store& store_;
  std::optional<StoredRecord> last_;
};

TEST_F(VerifyNames, AWholeRecordHasNoDamage) {
  const auto store = Must(OpenSqliteStore(path_, StoreAccess::kRead));
  FileRecords source(*store);
  for (const RecordId& id : Must(store->ListRecords())) {
    const StoredRecord record = Must(StoredRecord::Parse(Must(store->ReadRecord(id)), id));
    EXPECT_EQ(FindDamage(record, source).parts, Lines()) << id.commit;
  }
}

TEST_F(VerifyNames, AnyBytesAreLookedAtWithoutHarm) {
  const auto store = Must(OpenSqliteStore(path_, StoreAccess::kRead));
  FileRecords source(*store);
  Random random(1);
  std::size_t found = 0;
  for (std::size_t round = 0; round < support::Scaled(5'000); ++round) {
    const RecordId id{.context = 1, .commit = static_cast<CommitNumber>(1 + random.Below(6))};
    std::string bytes = Must(store->ReadRecord(id));
    for (std::size_t i = 1 + random.Below(8); i > 0; --i) {
      const std::size_t at = random.Below(bytes.size());
      const std::size_t kind = random.Below(3);
      if (kind == 0) bytes[at] = static_cast<char>(random.Below(256));
      if (kind == 1) bytes.erase(at, 1 + random.Below(4));
      if (kind == 2) bytes.insert(at, 1, static_cast<char>(random.Below(256)));
    }
    const auto record = StoredRecord::Parse(std::move(bytes), id);
    if (record) found += FindDamage(*record, source).parts.empty() ? 0 : 1;
  }
  EXPECT_GT(found, 0u);
}

TEST(DamageReport, NamesTenOfTheNodesThatHaveAContentAndCountsTheOthers) {
  const support::Folder folder;
  const std::string path = folder.path("a.pactdb");
  const std::string text = LongText(1);
  {
    Database database = Must(Database::Open(path, Access::kCreate));
    Context& main = *Must(database.Find("main"));
    for (int i = 0; i < 2'000; ++i) Must(main.Add(NodeSpec().Text(text)));
    Must(main.Commit());
  }
  StoreSession session(Must(OpenSqliteStore(path, StoreAccess::kRead)));
  StoreProblem problem{.what = "the content", .message = "the content is damaged"};
  problem.part = StoreProblem::Part::kContent;
  problem.content = Sha256Of("\"" + text + "\"");
  DamageReport report(&session);
  report.Add(problem);
  EXPECT_EQ(report.Lines(), Lines{"the content is damaged: it is of block:1.1, block:1.2, "
                                  "block:1.3, block:1.4, block:1.5, block:1.6, block:1.7, "
                                  "block:1.8, block:1.9, block:1.10 and 1990 more; needed by @c1 "
                                  "of 'main'"});
}

TEST(ListOfIds, NamesTenAndCountsTheOthers) {
  EXPECT_EQ(ListOfIds({"a"}), "a");
  Lines ids;
  for (int i = 1; i <= 10; ++i) ids.push_back(std::to_string(i));
  EXPECT_EQ(ListOfIds(ids), "1, 2, 3, 4, 5, 6, 7, 8, 9, 10");
  ids.push_back("11");
  EXPECT_EQ(ListOfIds(ids), "1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 1 more");
}

}  // namespace
}  // namespace pactdb
