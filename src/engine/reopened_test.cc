// What a context answers does not depend on whether its file was opened again in between.
#include <gtest/gtest.h>
#include <pactdb/database.h>
#include <pactdb/exec.h>

#include <string>
#include <vector>

#include "base/limits.h"
#include "support/contexts.h"
#include "support/folder.h"

namespace pactdb {
namespace {

using support::Must;

constexpr std::string_view kReopen = "";

// In memory nothing is on a disk.
std::string WithoutDurable(std::string answer) {
  const std::size_t at = answer.find(R"("durable":true)");
  if (at != std::string::npos) answer.replace(at, 14, R"("durable":false)");
  return answer;
}

// Runs the requests in memory and on a file that is opened again where they say so.
void ExpectSame(const std::vector<std::string_view>& requests) {
  const support::Folder folder;
  const std::string path = folder.path("a.pactdb");
  Exec memory;
  auto file = std::make_unique<Exec>(Must(Database::Open(path, Access::kCreate)));
  constexpr std::string_view kSetup =
      R"({"op":"configure","journal":"on","clock":{"start_ns":1000,"step_ns":1}})";
  ASSERT_EQ(file->Answer(kSetup), memory.Answer(kSetup));
  for (const std::string_view request : requests) {
    if (request == kReopen) {
      file.reset();
      file = std::make_unique<Exec>(Must(Database::Open(path)));
      continue;
    }
    ASSERT_EQ(WithoutDurable(file->Answer(request)), memory.Answer(request)) << request;
  }
}

TEST(Reopened, MakesNoIdThatAnOldSnapshotHas) {
  ExpectSame({R"({"op":"import","snapshot":{"root":{"children":[{"id":"sys","nodeType":"^sys",)"
              R"("children":[{"id":"block:3.1"},{"id":"seg:3"}]}]}}})",
              R"({"op":"remove","id":"block:3.1"})", R"({"op":"remove","id":"seg:3"})",
              R"({"op":"commit"})", kReopen, R"({"op":"add","node":{"content":"new"}})",
              R"({"op":"pin","id":"block:3.1~1"})", kReopen, R"({"op":"get","id":"block:3.1~1"})",
              R"({"op":"commit"})", R"({"op":"life","id":"seg:3"})",
              R"({"op":"diff","from":"@c1","to":"@t0"})"});
}

TEST(Reopened, AnIdGivenAheadOfItsCycleStaysTaken) {
  ExpectSame({R"({"op":"add","node":{"id":"block:2.1"}})", R"({"op":"commit"})", kReopen,
              R"({"op":"add","node":{"content":"x"}})", R"({"op":"commit"})",
              R"({"op":"fork","at":"@c1","name":"other"})", kReopen,
              R"({"op":"add","context":"other","node":{"content":"y"}})"});
}

TEST(Reopened, HasTheTagsOfAnImportedHistory) {
  for (const int commits : {1, 3}) {
    Exec source;
    for (int i = 0; i < commits; ++i) source.Answer(R"({"op":"commit"})");
    source.Answer(R"({"op":"tag","name":"first","at":"@c1"})");
    std::string history = source.Answer(R"({"op":"export","history":true})");
    history.erase(0, std::string_view(R"({"ok":true,"result":)").size());
    history.pop_back();
    const std::string import = R"({"op":"import","snapshot":)" + history + "}";
    ExpectSame({import, R"({"op":"export","at":"first"})", kReopen,
                R"({"op":"export","at":"first"})", R"({"op":"log"})"});
  }
}

// Each commit of an imported history, and not its first or last alone.
TEST(Reopened, MakesNoIdThatASnapshotOfAnImportedHistoryHas) {
  for (const std::size_t place : {0, 1, 2}) {
    Exec source;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string id = i == place ? "block:6.1" : "x" + std::to_string(i);
      source.Answer(R"({"op":"import","snapshot":{"root":{"children":[{"id":"sys",)"
                    R"("nodeType":"^sys","children":[{"id":")" +
                    id + R"("}]}]}}})");
    }
    const std::string exported = source.Answer(R"({"op":"export","history":true})");
    const std::string import =
        R"({"op":"import","snapshot":)" + exported.substr(20, exported.size() - 21) + "}";
    const std::string_view commit = R"({"op":"commit"})";
    std::vector<std::string_view> requests = {import};
    if (place == 2) requests.emplace_back(R"({"op":"remove","id":"block:6.1"})");
    requests.insert(requests.end(), {commit, commit, kReopen});
    requests.emplace_back(R"({"op":"add","node":{"content":"new"}})");
    requests.emplace_back(R"({"op":"get","id":"block:6.1~1"})");
    ExpectSame(requests);
  }
}

TEST(Reopened, AnIdMayBeAsLongAsTheLimit) {
  const std::string id(limits::kIdBytesMax, 'i');
  const std::string add = R"({"op":"add","node":{"id":")" + id + R"("}})";
  const std::string get = R"({"op":"get","id":")" + id + R"("})";
  ExpectSame({add, R"({"op":"commit"})", kReopen, get});
}

TEST(Reopened, AGivenIdStaysTakenWhenItsNodeIsGone) {
  ExpectSame({R"({"op":"add","parent":"^sys","node":{"id":"x"}})", R"({"op":"commit"})",
              R"({"op":"remove","id":"x"})", R"({"op":"add","parent":"^sys","node":{"id":"y"}})",
              R"({"op":"commit"})", R"({"op":"remove","id":"y"})", R"({"op":"commit"})",
              R"({"op":"fork","at":"@c1","name":"other"})",
              R"({"op":"remove","context":"other","id":"x"})",
              R"({"op":"commit","context":"other"})", kReopen,
              R"({"op":"add","parent":"^sys","node":{"id":"x"}})",
              R"({"op":"add","parent":"^sys","node":{"id":"y"}})",
              // In the fork, what came after it parted is free.
              R"({"op":"add","context":"other","parent":"^sys","node":{"id":"x"}})",
              R"({"op":"add","context":"other","parent":"^sys","node":{"id":"y"}})"});
}

TEST(Reopened, KnowsWhichRegionsASnapshotLacks) {
  ExpectSame({R"({"op":"import","snapshot":{"root":{"children":[{"id":"sys","nodeType":"^sys"},)"
              R"({"id":"ah","nodeType":"^ah","children":[{"id":"u","content":"Hi"}]}]}}})",
              R"({"op":"add","node":{"id":"v","content":"x"}})", R"({"op":"commit"})", kReopen,
              R"({"op":"diff","from":"@c1","to":"@c2"})",
              R"({"op":"select","selector":"@c1..@c2 .block"})",
              R"({"op":"get","id":"seq","at":"@c1"})", R"({"op":"export","history":true})"});
}

TEST(Reopened, KnowsTheNamesThatRegionsHad) {
  ExpectSame({R"({"op":"add","node":{"id":"a"}})", R"({"op":"commit"})",
              R"({"op":"import","snapshot":{"root":{"children":[)"
              R"({"id":"sys-1","nodeType":"^sys","children":[{"id":"s"}]},)"
              R"({"id":"seq-1","nodeType":"^seq"},{"id":"ah-1","nodeType":"^ah"}]}}})",
              R"({"op":"add","node":{"id":"b"}})", R"({"op":"commit"})", kReopen,
              R"({"op":"diff","from":"@c1","to":"@c2"})",
              R"({"op":"diff","from":"@c3","to":"@c1"})", R"({"op":"get","id":"sys-1","at":"@c1"})",
              R"({"op":"life","id":"sys"})", R"({"op":"add","node":{"id":"sys"}})",
              R"({"op":"add","node":{"id":"sys-1"}})"});
}

TEST(Reopened, TellsThatANodeWasGoneBeforeItCameBack) {
  constexpr std::string_view kWith =
      R"({"op":"import","snapshot":{"root":{"children":[{"id":"sys","nodeType":"^sys",)"
      R"("children":[{"id":"x"}]}]}}})";
  constexpr std::string_view kWithout = R"({"op":"import","snapshot":{"root":{}}})";
  constexpr std::string_view kInHead =
      R"({"op":"import","snapshot":{"root":{"children":[{"id":"ah","nodeType":"^ah",)"
      R"("children":[{"id":"x"}]}]}}})";
  ExpectSame({kWith, kWithout, kReopen, kInHead, R"({"op":"life","id":"x"})", kReopen,
              R"({"op":"life","id":"x"})"});
}

// What is not in the journal cannot come back; so there is no journal of half a turn.
TEST(Reopened, AJournalIsNotTurnedOnBehindEdits) {
  const support::Folder folder;
  const std::string path = folder.path("a.pactdb");
  {
    Database database = Must(Database::Open(path, Access::kCreate));
    Context& main = *Must(database.Find("main"));
    Must(main.Add(NodeSpec().Id("x").Text("one")));
    Options options = main.options();
    options.journal = true;
    EXPECT_EQ(support::CodeOf(main.Configure(options)), "E_CONFLICT");
    EXPECT_FALSE(main.options().journal);
    Must(main.Commit());
    Must(main.Configure(options));
    Must(main.Add(NodeSpec().Id("y").Text("two")));
  }
  Database database = Must(Database::Open(path));
  EXPECT_TRUE(Must(database.Find("main"))->Get("y").has_value());
}

TEST(Reopened, AContextStaysWhereItIsWhenItGetsAnotherName) {
  Database database;
  Context* const main = Must(database.Find("main"));
  Must(main->Add(NodeSpec().Id("x").Text("one")));
  Must(database.Rename("main", "other"));
  EXPECT_EQ(Must(database.Find("other")), main);
  EXPECT_TRUE(main->Get("x").has_value());
}

}  // namespace
}  // namespace pactdb
