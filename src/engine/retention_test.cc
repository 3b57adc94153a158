// Retention by the policies that contexts have, and of what deleted contexts left to their forks.
#include <gtest/gtest.h>
#include <pactdb/database.h>
#include <pactdb/exec.h>
#include <pactdb/ext/store.h>
#include <pactdb/repair.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "support/contexts.h"
#include "support/error_text.h"
#include "support/folder.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

using support::CodeOf;
using support::ErrorText;
using support::Must;

using Cycles = std::vector<std::int64_t>;

RetentionRules KeepLast(std::int64_t count, bool keep_tagged = true) {
  return {.keep_last = count, .older_than = std::nullopt, .keep_tagged = keep_tagged};
}

class RetentionTest : public ::testing::Test {
 protected:
  explicit RetentionTest(bool is_file = true)
      : database_(is_file ? Must(Database::Open(path_, Access::kCreate))
                          : Must(Database::Over(MakeMemoryStore()))) {}

  Context& context(std::string_view name) { return *Must(database_.Find(name)); }

  // A text of every turn expires with the next: snapshots hold what no later one has.
  void Commit(std::string_view name, int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      Context& to = context(name);
      Must(to.Add(NodeSpec().Role("user").Offset(1).Ttl(1).Text(std::string(500, 'a'))));
      Must(to.Add(NodeSpec().Role("assistant").Text("said in " + std::string(name))));
      Must(to.Commit());
    }
  }

  void SetPolicy(std::string_view name, std::optional<RetentionRules> rules) {
    Options options = context(name).options();
    options.retention = std::move(rules);
    Must(context(name).Configure(options));
  }

  void Reopen() {
    database_ = Database();
    database_ = Must(Database::Open(path_));
  }

  // Of the line, oldest first.
  Cycles CyclesOf(std::string_view name) {
    Cycles cycles;
    const JsonDoc log = Must(JsonDoc::Parse(Must(context(name).Log()), 8));
    const JsonRef commits = log.root();
    for (auto it = commits.begin(); it != commits.end(); ++it)
      cycles.push_back((*it).value.Find("cycle")->AsInt64().value_or(-1));
    std::ranges::reverse(cycles);
    return cycles;
  }

  void ExpectWhole() { EXPECT_EQ(Must(database_.Verify()), std::vector<std::string>()); }

  support::Folder folder_;
  std::string path_ = folder_.path("a.pactdb");
  Database database_;
};

// --- policies ---

TEST_F(RetentionTest, GoesByThePolicyThatTheFileKeeps) {
  Commit("main", 6);
  SetPolicy("main", KeepLast(2));
  Reopen();
  EXPECT_EQ(context("main").options().retention, KeepLast(2));
  const RetentionRequest request{.context = "main", .rules = std::nullopt, .dry_run = true};
  const RetentionResult planned = Must(database_.Gc(request));
  EXPECT_EQ(planned.snapshots, 4);
  EXPECT_EQ(CyclesOf("main").size(), 6u) << "a dry run takes nothing";
  const RetentionResult done = Must(database_.Gc({.context = "main", .rules = std::nullopt}));
  EXPECT_EQ(done.snapshots, 4);
  EXPECT_EQ(done.bytes, planned.bytes);
  ASSERT_EQ(done.contexts.size(), 1u);
  EXPECT_EQ(done.contexts[0].rules, KeepLast(2));
  EXPECT_EQ(CyclesOf("main"), (Cycles{5, 6}));
  ExpectWhole();
}

TEST_F(RetentionTest, RulesOfTheCallStandInPlaceOfThePolicy) {
  Commit("main", 6);
  SetPolicy("main", KeepLast(2));
  EXPECT_EQ(Must(database_.Gc("main", KeepLast(5))).snapshots, 1);
  EXPECT_EQ(CyclesOf("main"), (Cycles{2, 3, 4, 5, 6}));
  EXPECT_EQ(context("main").options().retention, KeepLast(2)) << "the policy stays";
}

TEST_F(RetentionTest, WithoutRulesAndPolicyNothingGoes) {
  Commit("main", 3);
  EXPECT_EQ(ErrorText(database_.Gc({.context = "main", .rules = std::nullopt})),
            "E_REQUEST_INVALID: say what stays: keep_last, older_than or both; context 'main' has "
            "no retention policy");
  EXPECT_EQ(ErrorText(database_.Gc({.context = std::nullopt, .rules = std::nullopt})),
            "E_REQUEST_INVALID: say what stays: keep_last, older_than or both; no context has a "
            "retention policy");
  SetPolicy("main", KeepLast(1));
  SetPolicy("main", std::nullopt);
  EXPECT_EQ(CodeOf(database_.Gc({.context = "main", .rules = std::nullopt})), "E_REQUEST_INVALID");
  EXPECT_EQ(CyclesOf("main").size(), 3u);
}

TEST_F(RetentionTest, OfAllContextsEachGoesByItsOwn) {
  Commit("main", 5);
  Must(database_.Make("a"));
  Commit("a", 4);
  Must(database_.Make("b"));
  Commit("b", 3);
  SetPolicy("main", KeepLast(4));
  SetPolicy("a", KeepLast(1));
  const RetentionResult done = Must(database_.Gc({.context = std::nullopt, .rules = std::nullopt}));
  EXPECT_EQ(done.snapshots, 4);
  ASSERT_EQ(done.contexts.size(), 2u);
  EXPECT_EQ(done.contexts[0].context, "a");
  EXPECT_EQ(done.contexts[0].snapshots, 3);
  EXPECT_EQ(done.contexts[1].context, "main");
  EXPECT_EQ(done.contexts[1].snapshots, 1);
  EXPECT_EQ(CyclesOf("b").size(), 3u) << "it has no policy";
  EXPECT_EQ(Must(database_.Gc({.context = std::nullopt, .rules = KeepLast(1)})).snapshots, 5)
      << "three of main, two of b";
  ExpectWhole();
}

TEST_F(RetentionTest, AForkHasThePolicyOfItsOrigin) {
  Commit("main", 2);
  SetPolicy("main", KeepLast(7, false));
  Must(database_.Fork("main", "@t0", "fork"));
  SetPolicy("main", std::nullopt);
  Reopen();
  EXPECT_EQ(context("fork").options().retention, KeepLast(7, false));
  const std::vector<ContextInfo> contexts = Must(database_.List());
  EXPECT_EQ(contexts[0].retention, KeepLast(7, false));
  EXPECT_EQ(contexts[1].retention, std::nullopt);
}

TEST_F(RetentionTest, PoliciesAreListedOfContextsThatAreNotLoaded) {
  SetPolicy("main", KeepLast(7));
  Reopen();
  EXPECT_EQ(Must(database_.List())[0].retention, KeepLast(7));
}

TEST_F(RetentionTest, ACommitDoesNotEnforceAPolicy) {
  SetPolicy("main", KeepLast(1));
  Commit("main", 3);
  Reopen();
  EXPECT_EQ(CyclesOf("main"), (Cycles{1, 2, 3}));
}

TEST_F(RetentionTest, AJournalIsReadUnderAPolicy) {
  Commit("main", 1);
  Options options = context("main").options();
  options.journal = true;
  options.retention = KeepLast(3);
  Must(context("main").Configure(options));
  Must(context("main").Add(NodeSpec().Id("open").Text("x")));
  Reopen();
  EXPECT_TRUE(context("main").Get("open").has_value());
  EXPECT_EQ(context("main").options().retention, KeepLast(3));
}

// --- what deleted contexts left ---

enum class Backend { kMemory, kFile };

class Heritage : public RetentionTest, public ::testing::WithParamInterface<Backend> {
 protected:
  Heritage() : RetentionTest(GetParam() == Backend::kFile) {}

  // `origin` with cycles 1 to 6, forked at 4.
  void MakeFork(std::string_view fork, int own) {
    if (!database_.Find("origin")) {
      Must(database_.Make("origin", support::SteppedOptions()));
      Commit("origin", 6);
    }
    Must(database_.Fork("origin", "@c4", fork));
    Commit(fork, own);
  }

  void ReopenFile() {
    if (GetParam() == Backend::kFile) Reopen();
  }

  // Whether everything that can be asked of the line is as it was of the snapshots that are left.
  void ExpectLine(std::string_view name, const Cycles& cycles) {
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(CyclesOf(name), cycles);
      for (std::size_t back = 0; back < cycles.size(); ++back) {
        const std::int64_t cycle = cycles[cycles.size() - 1 - back];
        EXPECT_EQ(Must(context(name).At("@t-" + std::to_string(back))).cycle(), cycle);
        EXPECT_EQ(Must(context(name).Serialize("@c" + std::to_string(cycle))),
                  before_.at(static_cast<std::size_t>(cycle)));
      }
      EXPECT_EQ(CodeOf(context(name).At("@t-" + std::to_string(cycles.size()))),
                "E_SNAPSHOT_NOT_FOUND");
      ExpectWhole();
      ReopenFile();
    }
  }

  // What the snapshots say now, by cycle.
  void Note(std::string_view name) {
    before_.assign(32, "");
    for (const std::int64_t cycle : CyclesOf(name))
      before_[static_cast<std::size_t>(cycle)] =
          Must(context(name).Serialize("@c" + std::to_string(cycle)));
  }

  std::vector<std::string> before_;
};

TEST_P(Heritage, OfADeletedOriginGoesByTheRulesOfTheFork) {
  MakeFork("fork", 2);
  Must(database_.Delete("origin"));
  Note("fork");
  ExpectLine("fork", {1, 2, 3, 4, 5, 6});
  const RetentionResult planned = Must(database_.Gc("fork", KeepLast(3), /*dry_run=*/true));
  EXPECT_EQ(planned.snapshots, 3);
  const RetentionResult done = Must(database_.Gc("fork", KeepLast(3)));
  EXPECT_EQ(done.snapshots, 3);
  EXPECT_EQ(done.bytes, planned.bytes);
  EXPECT_GT(done.bytes, 1'000u) << "texts that expired";
  ExpectLine("fork", {4, 5, 6});
  // The point of the fork too: the fork has newer ones.
  EXPECT_EQ(Must(database_.Gc("fork", KeepLast(1))).snapshots, 2);
  ExpectLine("fork", {6});
  EXPECT_EQ(Must(database_.Gc("fork", KeepLast(1))).snapshots, 0);
  EXPECT_EQ(Must(database_.Gc("fork", KeepLast(1))).bytes, 0u) << "and nothing is left to take";
  Commit("fork", 1);
  EXPECT_EQ(CyclesOf("fork"), (Cycles{6, 7}));
  EXPECT_NE(Must(context("fork").Diff("@c6", "@c7")).find("block:7."), std::string::npos);
  Must(database_.Fork("fork", "@c6", "again"));
  Commit("again", 1);
  EXPECT_EQ(CyclesOf("again"), (Cycles{6, 7}));
  ExpectWhole();
}

TEST_P(Heritage, TheNewestStaysWhereverItIs) {
  MakeFork("fork", 0);
  Must(database_.Delete("origin"));
  Note("fork");
  EXPECT_EQ(Must(database_.Gc("fork", KeepLast(0))).snapshots, 3);
  ExpectLine("fork", {4});
  Commit("fork", 1);
  Note("fork");
  EXPECT_EQ(Must(database_.Gc("fork", KeepLast(0))).snapshots, 1);
  ExpectLine("fork", {5});
}

TEST_P(Heritage, OfALivingOriginIsTheOrigins) {
  MakeFork("fork", 2);
  EXPECT_EQ(Must(database_.Gc("fork", KeepLast(1))).snapshots, 1);
  EXPECT_EQ(CyclesOf("fork"), (Cycles{1, 2, 3, 4, 6}));
  EXPECT_EQ(CyclesOf("origin"), (Cycles{1, 2, 3, 4, 5, 6}));
}

TEST_P(Heritage, StaysWhileAnotherContextHasIt) {
  MakeFork("a", 2);
  Must(database_.Fork("origin", "@c2", "b"));
  Commit("b", 1);
  Must(database_.Delete("origin"));
  Note("a");
  EXPECT_EQ(Must(database_.Gc("a", KeepLast(1))).snapshots, 3) << "cycles 3, 4 and 5";
  EXPECT_EQ(CyclesOf("b"), (Cycles{1, 2, 3}));
  ExpectLine("a", {1, 2, 6});
  // Of both together it goes.
  const RetentionResult both = Must(database_.Gc({.context = std::nullopt, .rules = KeepLast(1)}));
  EXPECT_EQ(both.snapshots, 2) << "each counts once";
  ASSERT_EQ(both.contexts.size(), 3u);
  EXPECT_EQ(both.contexts[0].snapshots, 2);
  EXPECT_EQ(both.contexts[1].snapshots, 2);
  ExpectLine("a", {6});
  EXPECT_EQ(CyclesOf("b"), Cycles{3});
}

TEST_P(Heritage, WhatOneOfTwoKeepsStays) {
  MakeFork("a", 1);
  MakeFork("b", 1);
  Must(database_.Delete("origin"));
  SetPolicy("a", KeepLast(1));
  SetPolicy("b", KeepLast(3));
  const RetentionResult done = Must(database_.Gc({.context = std::nullopt, .rules = std::nullopt}));
  EXPECT_EQ(done.snapshots, 2) << "1 and 2; b keeps 3, 4 and 5";
  EXPECT_EQ(CyclesOf("a"), (Cycles{3, 4, 5}));
  EXPECT_EQ(CyclesOf("b"), (Cycles{3, 4, 5}));
  Must(database_.Delete("b"));
  EXPECT_EQ(Must(database_.Gc("a", KeepLast(1))).snapshots, 2) << "nobody else has them now";
  EXPECT_EQ(CyclesOf("a"), Cycles{5});
  ExpectWhole();
}

// A node is the same in both if it was made before they parted, whatever is left of that.
TEST_P(Heritage, OfTwoIsTheSameInBothWhateverIsLeftOfIt) {
  MakeFork("a", 1);
  MakeFork("b", 2);
  Must(context("a").Add(NodeSpec().Id("own").Text("of a")));
  Must(context("b").Add(NodeSpec().Id("own").Text("of b")));
  Commit("a", 1);
  Commit("b", 1);
  Must(context("a").Tag("kept", "@c2"));
  Must(database_.Delete("origin"));
  const auto diffs = [&] {
    std::vector<std::string> lines;
    for (const char* from : {"a", "b"}) {
      const std::string to = from == std::string("a") ? "b" : "a";
      lines.push_back(
          Must(context(from).Diff("@t0", context(to), "@t0", {.detail = true, .moves = true})));
      lines.push_back(Must(context(from).Diff("@t0", context(to), "@t0", {.selector = ".block"})));
      lines.push_back(Must(context(from).Diff("working", context(to), "@t0")));
    }
    return lines;
  };
  const std::vector<std::string> whole = diffs();
  EXPECT_NE(whole[1].find("\"own\""), std::string::npos) << whole[1];
  EXPECT_EQ(whole[1].find("block:1."), std::string::npos) << whole[1];
  for (const bool keep_tagged : {true, false}) {
    Must(database_.Gc({.context = std::nullopt, .rules = KeepLast(1, keep_tagged)}));
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(diffs(), whole) << keep_tagged;
      ReopenFile();
    }
  }
  EXPECT_EQ(CyclesOf("a").size(), 1u);
}

TEST_P(Heritage, WithATagStaysUnlessToldOtherwise) {
  MakeFork("fork", 2);
  Must(context("fork").Tag("mine", "@c2"));
  Must(database_.Delete("origin"));
  Note("fork");
  EXPECT_EQ(Must(database_.Gc("fork", KeepLast(1))).snapshots, 4);
  ExpectLine("fork", {2, 6});
  EXPECT_EQ(Must(context("fork").At("mine")).cycle(), 2);
  EXPECT_EQ(Must(database_.Gc("fork", KeepLast(1, false))).snapshots, 1);
  ExpectLine("fork", {6});
  EXPECT_EQ(CodeOf(context("fork").At("mine")), "E_SNAPSHOT_NOT_FOUND");
}

TEST_P(Heritage, OlderThanCountsFromTheCommitThere) {
  MakeFork("fork", 1);
  Must(database_.Delete("origin"));
  EXPECT_EQ(Must(database_.Gc("fork", {.keep_last = {}, .older_than = "1970-01-01"})).snapshots, 0);
  EXPECT_EQ(Must(database_.Gc("fork", {.keep_last = {}, .older_than = "1d"})).snapshots, 4);
  EXPECT_EQ(CyclesOf("fork"), Cycles{5});
}

TEST_P(Heritage, IsCountedThroughAncestorsThatLiveAndThatDoNot) {
  // origin, deleted, then middle, living, then fork.
  MakeFork("middle", 3);  // 1 2 3 4, 5 6 7
  Must(database_.Fork("middle", "@c6", "fork"));
  Commit("fork", 1);  // 1 2 3 4, 5 6, 7
  Must(database_.Delete("origin"));
  EXPECT_EQ(Must(database_.Gc("fork", KeepLast(1))).snapshots, 0) << "the middle has them too";
  EXPECT_EQ(Must(database_.Gc("middle", KeepLast(1))).snapshots, 1) << "its own 5";
  EXPECT_EQ(CyclesOf("middle"), (Cycles{1, 2, 3, 4, 6, 7}));
  SetPolicy("middle", KeepLast(4));  // 7 6 4 3 stay
  SetPolicy("fork", KeepLast(1));
  EXPECT_EQ(Must(database_.Gc({.context = std::nullopt, .rules = std::nullopt})).snapshots, 2);
  EXPECT_EQ(CyclesOf("middle"), (Cycles{3, 4, 6, 7}));
  EXPECT_EQ(CyclesOf("fork"), (Cycles{3, 4, 6, 7}));
  // Then the middle goes as well, and all is the fork's.
  Must(database_.Delete("middle"));
  Note("fork");
  EXPECT_EQ(Must(database_.Gc("fork", KeepLast(1))).snapshots, 3);
  ExpectLine("fork", {7});
}

TEST_P(Heritage, LeavesIdsTaken) {
  Must(database_.Make("origin", support::SteppedOptions()));
  Must(context("origin").Add(NodeSpec().Id("given").Ttl(1).Text("x")));
  Commit("origin", 3);
  Must(database_.Fork("origin", "@t0", "fork"));
  Commit("fork", 1);
  Must(database_.Delete("origin"));
  EXPECT_EQ(Must(database_.Gc("fork", KeepLast(1))).snapshots, 3);
  ReopenFile();
  EXPECT_EQ(CodeOf(context("fork").Add(NodeSpec().Id("given").Text("y"))), "E_ID_EXISTS");
}

// Documents need not say when their nodes were made: that the commit both forks come from is gone
// makes no node of one the other's. What it held stays common.
TEST_P(Heritage, WhatForksImportedApartStaysApart) {
  const auto document = [](std::string_view text) {
    std::string nodes;
    for (const std::string_view id : {"given", "m", "n"}) {
      nodes += nodes.empty() ? "" : ",";
      nodes += R"({"id":")" + std::string(id) + R"(","content":")" + std::string(text) + R"("})";
    }
    return R"({"root":{"children":[{"id":"sys","nodeType":"^sys","children":[)" + nodes + "]}]}}";
  };
  const auto diff = [this](std::string_view selector) {
    return Must(context("b").Diff("@t0", context("c"), "@t0",
                                  {.selector = std::optional(std::string(selector))}));
  };
  Must(database_.Make("oldest", support::SteppedOptions()));
  Must(context("oldest").Add(NodeSpec().Id("given").Text("x"), {.parent = "^sys"}));
  Must(context("oldest").Commit());
  Must(database_.Fork("oldest", "@t0", "origin"));
  Commit("origin", 1);
  for (const std::string_view name : {"b", "c"}) {
    Must(database_.Fork("origin", "@t0", name));
    Must(context(name).ImportSnapshot(document(name)));
  }
  Must(database_.Delete("oldest"));
  Must(database_.Delete("origin"));
  constexpr std::string_view kApart = R"({"added":["m","n"],"removed":["m","n"],)"
                                      R"("changed":[{"id":"given","fields":["content_hash"]}]})";
  EXPECT_EQ(diff("^sys .block"), kApart);
  Must(database_.Gc({.context = std::nullopt, .rules = KeepLast(1)}));
  EXPECT_EQ(CyclesOf("b"), Cycles{3});
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(diff("^sys .block"), kApart);
    const std::string whole = Must(context("b").Diff("@t0", context("c"), "@t0"));
    EXPECT_TRUE(whole.starts_with(R"({"added":["m","n"],"removed":["m","n"],"changed":[)"))
        << whole;
    ReopenFile();
  }
}

TEST_P(Heritage, GoesWithTheForkInTheEnd) {
  MakeFork("fork", 2);
  Must(database_.Delete("origin"));
  Must(database_.Gc("fork", KeepLast(1)));
  Must(database_.Delete("fork"));
  ExpectWhole();
  EXPECT_EQ(Must(database_.Stats()).commits, 0u);
}

INSTANTIATE_TEST_SUITE_P(Backends, Heritage, ::testing::Values(Backend::kMemory, Backend::kFile),
                         [](const auto& backend) {
                           return backend.param == Backend::kFile ? "file" : "memory";
                         });

TEST_F(RetentionTest, GivesTheSpaceOfADeletedOriginBack) {
  Must(database_.Make("origin", support::SteppedOptions()));
  for (int turn = 0; turn < 40; ++turn) {
    Must(context("origin").Add(NodeSpec().Role("user").Ttl(1).Offset(1).Text(
        std::string(900, static_cast<char>('a' + turn % 26)))));
    Must(context("origin").Commit());
  }
  Must(database_.Fork("origin", "@t0", "fork"));
  Commit("fork", 2);
  Must(database_.Delete("origin"));
  Reopen();
  const auto size = std::filesystem::file_size(path_);
  Must(database_.Gc("fork", KeepLast(1)));
  Reopen();
  EXPECT_LT(std::filesystem::file_size(path_) + 40'000, size);
  ExpectWhole();
}

TEST_F(RetentionTest, GivesNoMoreBackThanTheFileHas) {
  for (int turn = 0; turn < 10; ++turn) {
    Must(context("main").Add(
        NodeSpec().Ttl(1).Text(std::string(200'000, static_cast<char>('a' + turn)))));
    Must(context("main").Commit());
  }
  Must(context("main").Commit());
  Reopen();
  const auto size = std::filesystem::file_size(path_);
  const RetentionResult done = Must(database_.Gc("main", KeepLast(1)));
  EXPECT_GT(done.bytes, 0u);
  EXPECT_LT(done.bytes, size) << "contents are kept compressed";
}

TEST_F(RetentionTest, ARepairOfWhatADeletedOriginLeftFindsNothingLost) {
  Must(database_.Make("origin", support::SteppedOptions()));
  Commit("origin", 4);
  Must(database_.Fork("origin", "@t0", "fork"));
  Commit("fork", 2);
  Must(database_.Delete("origin"));
  Must(database_.Gc("fork", KeepLast(1)));
  const std::string newest = Must(context("fork").Serialize("@t0"));
  database_ = Database();
  const std::string repaired = folder_.path("b.pactdb");
  const RepairReport report = Must(RepairFile(path_, repaired));
  EXPECT_TRUE(report.whole());
  database_ = Must(Database::Open(repaired));
  EXPECT_EQ(CyclesOf("fork"), Cycles{6});
  EXPECT_EQ(Must(context("fork").Serialize("@t0")), newest);
  ExpectWhole();
}

// --- as requests ---

TEST_F(RetentionTest, RequestsNameThePoliciesTheyWentBy) {
  Exec exec(std::move(database_));
  const auto answer = [&exec](std::string_view request) { return exec.Answer(request); };
  for (int turn = 0; turn < 3; ++turn) answer(R"({"op":"commit"})");
  EXPECT_EQ(answer(R"({"op":"gc"})"),
            R"({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":"say what stays: )"
            R"(keep_last, older_than or both; context 'main' has no retention policy",)"
            R"("details":{}}})");
  answer(R"({"op":"configure","retention":{"keep_last":2}})");
  const std::string planned = answer(R"({"op":"gc","dry_run":true})");
  EXPECT_NE(planned.find(R"("snapshots":1,)"), std::string::npos) << planned;
  EXPECT_NE(planned.find(R"("contexts":[{"name":"main","snapshots":1,)"
                         R"("retention":{"keep_last":2,"keep_tagged":true}}])"),
            std::string::npos)
      << planned;
  EXPECT_EQ(answer(R"({"op":"gc","all":true,"dry_run":true})"), planned);
  const std::string told = answer(R"({"op":"gc","keep_last":3})");
  EXPECT_EQ(told, R"({"ok":true,"result":{"snapshots":0,"bytes":0}})");
  const std::string listed = answer(R"({"op":"contexts","action":"list"})");
  EXPECT_NE(listed.find(R"("retention":{"keep_last":2,"keep_tagged":true})"), std::string::npos)
      << listed;
}

}  // namespace
}  // namespace pactdb
