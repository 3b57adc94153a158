// A store that fails at any one call: what must come of it is said in support/fault_course.h.
#include <gtest/gtest.h>
#include <pactdb/exec.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/recorder.h"
#include "support/contexts.h"
#include "support/failing_store.h"
#include "support/fault_course.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb {
namespace {

using support::DiskAfter;
using support::FailingStore;
using support::Faults;
using support::kReopen;
using support::Lines;
using support::Must;
using support::Program;
using support::StoreFault;
using support::Sweep;
using support::SweepAfter;

// --- what there is before ---

std::string LongText(char letter) {
  return std::string(1'500, letter);  // too long to lie in a record
}

// Four commits with contents of all kinds, nodes that run out, a tag, and open edits if asked for.
Lines History() {
  return {
      R"({"op":"configure","clock":{"start_ns":1000,"step_ns":1}})",
      R"({"op":"add","parent":"^sys","node":{"id":"rule","role":"system","content":"Be brief."}})",
      R"({"op":"add","node":{"id":"q1","role":"user","content":")" + LongText('a') + R"("}})",
      R"({"op":"add","node":{"offset":1,"ttl":2,"content":")" + LongText('b') + R"("}})",
      R"({"op":"commit"})",
      R"({"op":"add","node":{"role":"user","content":"two","key":"k","tags":["t"]}})",
      R"({"op":"update","id":"rule","set":{"content":"Be kind."}})",
      R"({"op":"commit","idempotency_key":"second"})",
      R"({"op":"tag","name":"good","at":"@c2"})",
      R"({"op":"add","node":{"role":"user","content":"three"}})",
      R"({"op":"commit"})",
      R"({"op":"add","node":{"role":"user","content":")" + LongText('c') + R"("}})",
      R"({"op":"commit"})",
  };
}

Lines operator+(Lines lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

// A second context on the third commit of the first, and one commit of its own.
Lines Forked() {
  return History() + Lines{
                         R"({"op":"fork","at":"@c3","name":"b"})",
                         R"({"op":"add","context":"b","node":{"id":"qb","content":"other"}})",
                         R"({"op":"commit","context":"b"})",
                     };
}

// As many commits that the oldest are far from the newest.
Lines Long() {
  Lines lines = Forked();
  for (int turn = 0; turn < 12; ++turn) {
    lines.push_back(R"({"op":"add","node":{"role":"user","content":"on","key":"k","ttl":3}})");
    lines.push_back(R"({"op":"commit","hashes":false})");
  }
  return lines;
}

// --- the sweeps ---

TEST(StoreFaults, WhatReadsThePastSaysThatItCannot) {
  std::shared_ptr<Store> disk = DiskAfter(Forked());  // nobody changes it
  for (const std::string& read : Lines{
           R"({"op":"tree","at":"@c1"})",
           R"({"op":"get","id":"q1","at":"good"})",
           R"({"op":"log"})",
           R"({"op":"log","hashes":true,"cursor":3})",
           R"({"op":"log","tokens":true,"limit":2})",
           R"({"op":"life","id":"block:1.3"})",
           R"({"op":"diff","from":"@t-2","to":"@t0"})",
           R"({"op":"diff","from":"@t0","to":"b@t0"})",
           R"({"op":"diff","from":"b@c4","to":"@c2","selector":".block","detail":true})",
           R"({"op":"select","selector":"@* .block"})",
           R"({"op":"select","selector":"@t-3..@t0 .block"})",
           R"({"op":"select","selector":"@c1..@c3 ^seq","context":"b"})",
           R"({"op":"select","selector":"@c2 #q1"})",
           R"({"op":"render","at":"@c2"})",
           R"({"op":"render","at":"@c2","format":"openai-chat","lossy":true})",
           R"({"op":"serialize","at":"@c1"})",
           R"({"op":"export","at":"@c1"})",
           R"({"op":"export","history":true})",
           R"({"op":"export","history":true,"at":"@c2"})",
           R"({"op":"tokens","at":"@c2"})",
           R"({"op":"cache"})",
           R"({"op":"cache","from":"@c1","to":"@c3"})",
           R"({"op":"lint"})",
           R"({"op":"lint","at":"@c2"})",
           R"({"op":"check","at":"@c1"})",
           R"({"op":"simulate","cycles":3})",
           R"({"op":"contexts","action":"list"})",
           R"({"op":"attempt","action":"list"})",
           R"({"op":"verify"})",
       }) {
    SCOPED_TRACE(read);
    Sweep([&disk] { return disk; }, {std::string(kReopen), read}, Faults::kSingle);
  }
}

TEST(StoreFaults, WhatReadsFarSnapshotsSaysThatItCannot) {
  std::shared_ptr<Store> disk = DiskAfter(Long());
  for (const std::string& read : Lines{
           R"({"op":"tree","at":"@c1"})",
           R"({"op":"get","id":"q1","at":"good"})",
           R"({"op":"diff","from":"@c1","to":"@c4"})",
           R"({"op":"diff","from":"@c2","to":"b@t0"})",
           R"({"op":"select","selector":"@c2..@c5 .block"})",
           R"({"op":"cache","from":"@c2","to":"@c5"})",
       }) {
    SCOPED_TRACE(read);
    Sweep([&disk] { return disk; }, {std::string(kReopen), read}, Faults::kSingle);
  }
}

TEST(StoreFaults, AForkOfAFarSnapshotIsMadeOrNeverWas) {
  SweepAfter(Long(), {
                         std::string(kReopen),
                         R"({"op":"get","id":"q1","at":"@c3"})",
                         R"({"op":"fork","at":"@c3","name":"far"})",
                         R"({"op":"contexts","action":"list"})",
                         R"({"op":"add","context":"far","node":{"id":"own","content":"own"}})",
                         R"({"op":"commit","context":"far","hashes":false})",
                         std::string(kReopen),
                         R"({"op":"log","context":"far"})",
                     });
}

TEST(StoreFaults, ACommitIsKeptOrNeverWas) {
  SweepAfter(Forked(), {
                           R"({"op":"configure","durability":"relaxed","policy":{"max_nodes":14}})",
                           R"({"op":"add","node":{"id":"q5","role":"user","content":"five"}})",
                           R"({"op":"add","node":{"content":")" + LongText('d') + R"("}})",
                           R"({"op":"commit","hashes":true,"expect_cycle":5})",
                           R"({"op":"add","node":{"role":"user","content":"six"}})",
                           R"({"op":"commit","idempotency_key":"sixth"})",
                           R"({"op":"commit","context":"b","idempotency_key":"second"})",
                           std::string(kReopen),
                           R"({"op":"commit","idempotency_key":"sixth"})",
                           R"({"op":"commit","idempotency_key":"second"})",
                       });
}

TEST(StoreFaults, AnIdIsFreeOnlyIfTheStoreSaysSo) {
  SweepAfter(
      Forked(),
      {
          std::string(kReopen),
          R"({"op":"add","context":"b","node":{"id":"q1","content":"taken"}})",
          R"({"op":"add","context":"b","node":{"id":"mine","content":"free"}})",
          R"({"op":"add","context":"b","node":{"id":"block:1.3","content":"taken and gone"}})",
          R"({"op":"add","node":{"id":"block:4.77","content":"free"}})",
          R"({"op":"import","log":[{"role":"user","id":"q9"},{"role":"user","id":"block:2.99"}]})",
          R"({"op":"commit"})",
      });
}

TEST(StoreFaults, ContextsAreMadeNamedAndTakenAwayWholly) {
  SweepAfter(History(), {
                            R"({"op":"fork","at":"@c2","name":"b"})",
                            R"({"op":"add","context":"new","node":{"content":"first"}})",
                            R"({"op":"commit","context":"new","hashes":false})",
                            R"({"op":"add","context":"third","node":{"content":"not committed"}})",
                            R"({"op":"contexts","action":"rename","name":"b","to":"c"})",
                            R"({"op":"contexts","action":"delete","name":"third"})",
                            R"({"op":"contexts","action":"list"})",
                            std::string(kReopen),
                            R"({"op":"fork","context":"c","at":"@c1","name":"d"})",
                            R"({"op":"contexts","action":"delete","name":"c"})",
                            R"({"op":"get","context":"d","id":"q1"})",
                        });
}

// Nor does a store keep it that refuses everything from then on, as for a process that was killed.
TEST(StoreFaults, AContextWhoseFirstOperationFailsWasNeverMade) {
  SweepAfter(History(),
             {
                 R"({"op":"configure","context":"b","clock":{"start_ns":7,"step_ns":2}})",
                 R"({"op":"add","context":"c","node":{"id":"mine"}})",
                 R"({"op":"import","context":"d","snapshot":{"root":{}}})",
                 R"({"op":"import","context":"e","log":[{"role":"user","id":"block:9.9"},)"
                 R"({"role":"assistant"},{"role":"user"}]})",
                 R"({"op":"import","context":"f","log":[{"role":"user"}],"seal":true})",
                 R"({"op":"contexts","action":"list"})",
             });
}

TEST(StoreFaults, MainIsAlwaysThere) {
  SweepAfter(History(), {
                            R"({"op":"contexts","action":"rename","name":"main","to":"old"})",
                            R"({"op":"configure","clock":{"start_ns":5,"step_ns":5}})",
                            R"({"op":"add","node":{"content":"anew"}})",
                            R"({"op":"commit"})",
                            R"({"op":"contexts","action":"delete","name":"main"})",
                            R"({"op":"contexts","action":"list"})",
                        });
}

TEST(StoreFaults, TheJournalBringsBackWhatWasEdited) {
  SweepAfter(History() + Lines{R"({"op":"configure","journal":"on"})"},
             {
                 R"({"op":"add","node":{"id":"e","content":"one"}})",
                 R"({"op":"add","node":{"id":"f","offset":1,"content":"two"}})",
                 R"({"op":"update","id":"e","set":{"content":"three"}})",
                 R"({"op":"replace","id":"f","node":{"content":"four"}})",
                 R"({"op":"move","id":"e","parent":"^sys"})",
                 R"({"op":"pin","id":"e"})",
                 R"({"op":"unpin","id":"e"})",
                 std::string(kReopen),
                 R"({"op":"get","id":"e"})",
                 R"({"op":"remove","id":"e"})",
                 R"({"op":"remove","selector":"^ah :post .block"})",
                 R"({"op":"commit"})",
                 R"({"op":"import","log":[{"role":"user"},{"role":"assistant"},{"role":"user"}]})",
                 R"({"op":"add","node":{"content":"five"}})",
                 R"({"op":"fix"})",
                 std::string(kReopen),
                 R"({"op":"tree"})",
             });
}

TEST(StoreFaults, AttemptsAndTagsAreNotedOrNot) {
  const std::string failed =
      R"({"op":"attempt","action":"finish","attempt_id":"attempt:5.1","status":"error",)"
      R"("error":{"code":1}})";
  SweepAfter(
      Forked(),
      {
          R"({"op":"attempt","action":"start","provider":"acme","params":{"temperature":0}})",
          R"({"op":"attempt","action":"start","model":"m"})",
          failed,
          R"({"op":"tag","name":"good","at":"@c1"})",
          R"({"op":"tag","name":"best","at":"@t0"})",
          R"({"op":"tag","context":"b","name":"shared","at":"@c2"})",
          std::string(kReopen),
          R"({"op":"attempt","action":"finish","attempt_id":"attempt:5.2","status":"completed"})",
          R"({"op":"attempt","action":"list"})",
          R"({"op":"tag","name":"good","delete":true,"at":"@c1"})",
          R"({"op":"tag","name":"best","delete":true})",
          R"({"op":"tree","context":"b","at":"shared"})",
      });
}

TEST(StoreFaults, AnImportIsKeptWholeOrNotAtAll) {
  Program source(MakeMemoryStore());
  source.RunAll(History());
  const std::string history = source.Run(R"({"op":"export","history":true})");
  const std::string snapshot = source.Run(R"({"op":"export","at":"@c2"})");
  const auto import = [](std::string_view to, std::string answer) {
    answer.erase(0, std::string_view(R"({"ok":true,"result":)").size());
    answer.pop_back();
    return R"({"op":"import","context":")" + std::string(to) + R"(","snapshot":)" + answer + "}";
  };
  const std::string log =
      R"({"op":"import","log":[{"role":"user","content":1},{"role":"assistant"},{"role":"user"}]})";
  const std::string thread =
      R"({"op":"import","format":"openai-chat","thread":[{"role":"user","content":"a"},)"
      R"({"role":"assistant","content":"b"},{"role":"user","content":"c"}]})";
  SweepAfter({R"({"op":"configure","clock":{"start_ns":9,"step_ns":3}})"},
             {
                 R"({"op":"add","node":{"content":"open"}})",
                 import("main", history),
                 import("main", snapshot),
                 log,
                 log,
                 thread,
                 R"({"op":"add","node":{"role":"tool","data_call_id":"nobody"}})",
                 R"({"op":"fix","format":"openai-chat"})",
                 R"({"op":"commit"})",
                 std::string(kReopen),
                 R"({"op":"log"})",
             });
}

TEST(StoreFaults, RetentionTakesAllOrNothing) {
  SweepAfter(Forked() + Lines{R"({"op":"tag","context":"b","name":"mine","at":"@c1"})",
                              R"({"op":"tag","name":"good","delete":true})"},
             {
                 R"({"op":"gc","keep_last":1,"dry_run":true})",
                 R"({"op":"gc","keep_last":1})",
                 R"({"op":"log"})",
                 R"({"op":"gc","context":"b","keep_last":0,"keep_tagged":false})",
                 R"({"op":"add","node":{"content":"on"}})",
                 R"({"op":"commit"})",
                 R"({"op":"gc","older_than":"1970-01-02","keep_tagged":false})",
                 std::string(kReopen),
                 R"({"op":"log"})",
             });
}

// --- single faults ---

bool IsStoreIo(std::string_view answer) {
  return answer.find("\"E_STORE_IO\"") != std::string_view::npos;
}

TEST(StoreFaults, ACommitWhoseAnswerWasLostIsFoundByItsKey) {
  Program program(DiskAfter(History()));
  program.RunAll({R"({"op":"add","node":{"id":"q5","content":"five"}})"});
  // FindAnswer, then Append: that is written, and then nothing is known any more.
  program.fault() = {.at = 2, .lasts = true, .is_done = true, .calls = 0, .in = {}};
  EXPECT_TRUE(IsStoreIo(program.Run(R"({"op":"commit","idempotency_key":"fifth"})")));
  EXPECT_EQ(program.fault().in, "Append");
  EXPECT_TRUE(IsStoreIo(program.Run(R"({"op":"commit","idempotency_key":"fifth"})")));
  program.fault().Mend();
  program.Run(kReopen);
  const std::string answer = program.Run(R"({"op":"commit","idempotency_key":"fifth"})");
  EXPECT_EQ(support::NumberIn(answer, "cycle"), 5) << answer;
  EXPECT_EQ(program.Run(R"({"op":"commit","idempotency_key":"fifth"})"), answer);
  EXPECT_EQ(support::NumberIn(program.Run(R"({"op":"log","limit":1})"), "cycle"), 5);
  EXPECT_TRUE(program.Run(R"({"op":"get","id":"q5","at":"@t0"})").starts_with(R"({"ok":true)"));
}

TEST(StoreFaults, StatisticsAndBackupsFailWithTheStore) {
  const support::Folder folder;
  const std::string copy = folder.path("copy.pactdb");
  const std::string backup = R"({"op":"backup","to":")" + copy + "\"}";
  Program program(support::OpenOrFail(folder.path("a.pactdb"), StoreAccess::kCreate));
  program.RunAll({R"({"op":"add","node":{"content":"one"}})", R"({"op":"commit"})"});
  program.fault() = {.at = 1, .lasts = true, .calls = 0, .in = {}};
  EXPECT_TRUE(IsStoreIo(program.Run(R"({"op":"stats"})")));
  EXPECT_TRUE(IsStoreIo(program.Run(backup)));
  EXPECT_FALSE(std::filesystem::exists(copy));
  program.fault().Mend();
  program.RunAll({R"({"op":"stats"})", backup});
}

TEST(StoreFaults, WhatCannotBeOpenedIsNotRecorded) {
  std::string log;
  StringSink sink(log);
  const auto fault = std::make_shared<StoreFault>(StoreFault{.at = 1, .calls = 0, .in = {}});
  const auto recorder = Recorder::Begin(sink, [&fault](std::shared_ptr<Host> host) {
    return Database::Over(std::make_unique<FailingStore>(MakeMemoryStore(), fault),
                          std::move(host));
  });
  EXPECT_EQ(support::CodeOf(recorder), "E_STORE_IO");
  EXPECT_EQ(log, "");
}

TEST(StoreFaults, OptionsAreCheckedBeforeAContextIsMade) {
  Database database = Must(Database::Over(MakeMemoryStore()));
  Options options;
  options.policy = Policy{.max_nodes = -1};
  EXPECT_EQ(support::CodeOf(database.Make("b", options)), "E_REQUEST_INVALID");
  EXPECT_EQ(support::CodeOf(database.Find("b")), "E_CONTEXT_NOT_FOUND");
  EXPECT_EQ(Must(database.List()).size(), 1u);
}

}  // namespace
}  // namespace pactdb
