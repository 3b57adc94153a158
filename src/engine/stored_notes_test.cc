// What a store keeps beside the trees is read back as it was, or refused as damage: attempts, the
// configuration, answers of commits, the line of forks.
#include <gtest/gtest.h>
#include <pactdb/database.h>
#include <pactdb/ext/store.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/commit_json.h"
#include "engine/config_json.h"
#include "engine/lineage.h"
#include "support/contexts.h"
#include "support/error_text.h"
#include "support/folder.h"

namespace pactdb {
namespace {

using support::ErrorText;
using support::MainOf;
using support::Must;

// --- attempts ---

TEST(StoredAttempts, ComeBackWithAllTheirFieldsOrWithNone) {
  const support::Folder folder;
  const std::string path = folder.path("a.pactdb");
  std::string before;
  {
    Database database = Must(Database::Open(path, Access::kCreate));
    Context& main = MainOf(database);
    Must(main.Configure(support::SteppedOptions()));
    Must(main.StartAttempt({}));
    Must(main.StartAttempt({.provider = "acme",
                            .model = "m-1",
                            .params = Must(Json::Parse(R"({"t":1})")),
                            .params_hash = std::nullopt}));
    Must(main.Commit());
    Must(main.StartAttempt(
        {.provider = std::nullopt, .model = "m-2", .params = std::nullopt, .params_hash = "abc"}));
    Must(main.FinishAttempt({.attempt_id = "attempt:1.2",
                             .status = "completed",
                             .token_in = 12,
                             .token_out = 3,
                             .error = std::nullopt}));
    Must(main.FinishAttempt({.attempt_id = "attempt:2.3",
                             .status = "error",
                             .token_in = std::nullopt,
                             .token_out = std::nullopt,
                             .error = Must(Json::Parse(R"({"status":529,"why":["busy"]})"))}));
    before = main.ListAttempts();
  }
  Database database = Must(Database::Open(path, Access::kWrite));
  Context& main = MainOf(database);
  EXPECT_EQ(main.ListAttempts(), before);
  // A running one can end after the file was opened again, one that ended cannot; the next has the
  // next number.
  EXPECT_EQ(ErrorText(main.FinishAttempt({.attempt_id = "attempt:2.3", .status = "canceled"})),
            "E_REQUEST_INVALID: attempt 'attempt:2.3' ended already as error "
            "{attempt_id=attempt:2.3}");
  Must(main.FinishAttempt({.attempt_id = "attempt:1.1", .status = "canceled"}));
  EXPECT_EQ(Must(main.StartAttempt({})).substr(0, 29), R"({"attempt_id":"attempt:2.4",")");
}

TEST(StoredAttempts, AnAttemptEndsInOneOfThreeWays) {
  Context context = support::NewContext();
  Must(context.StartAttempt({}));
  EXPECT_EQ(ErrorText(context.FinishAttempt({.attempt_id = "attempt:1.1", .status = "running"})),
            "E_REQUEST_INVALID: an attempt ends as completed, canceled or error {status=running}");
  EXPECT_EQ(ErrorText(context.FinishAttempt({.attempt_id = "attempt:1.9", .status = "error"})),
            "E_NODE_NOT_FOUND: there is no attempt 'attempt:1.9' {attempt_id=attempt:1.9}");
}

TEST(StoredAttempts, OneOfAnotherShapeIsDamage) {
  const std::string good = R"({"attempt_id":"a","cycle_id":1,"status":"running","started_at":"t"})";
  const std::string damaged = "E_STORE_CORRUPT: a stored attempt is damaged";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {good, "ok"},
      {"[]", damaged},
      {"7", damaged},
      {R"({"cycle_id":1,"status":"running","started_at":"t"})", damaged},
      {R"({"attempt_id":1,"cycle_id":1,"status":"running","started_at":"t"})", damaged},
      {R"({"attempt_id":"a","status":"running","started_at":"t"})", damaged},
      {R"({"attempt_id":"a","cycle_id":"1","status":"running","started_at":"t"})", damaged},
      {R"({"attempt_id":"a","cycle_id":1,"started_at":"t"})", damaged},
      {R"({"attempt_id":"a","cycle_id":1,"status":null,"started_at":"t"})", damaged},
      {R"({"attempt_id":"a","cycle_id":1,"status":"running"})", damaged},
      {R"({"attempt_id":"a","cycle_id":1,"status":"running","started_at":0})", damaged},
  };
  for (const auto& [json, wanted] : cases) {
    auto store = MakeMemoryStore();
    const StoredContext main = Must(store->CreateContext("main", {}, ""));
    Must(store->PutAttempt(main.number, "a", json));
    Database database = Must(Database::Over(std::move(store)));
    EXPECT_EQ(ErrorText(database.Find("main")), wanted) << json;
  }
  auto store = MakeMemoryStore();
  const StoredContext main = Must(store->CreateContext("main", {}, ""));
  Must(store->PutAttempt(main.number, "a", "{"));
  Database database = Must(Database::Over(std::move(store)));
  EXPECT_EQ(support::CodeOf(database.Find("main")), "E_STORE_CORRUPT");
}

// --- the configuration ---

TEST(StoredConfig, ComesBackWithEveryOption) {
  StoredConfig config;
  config.clock_since_cycle = 7;
  Options& options = config.options;
  options.dialect = Dialect::kDepth;
  options.clock = SteppedClockOptions{.start_ns = 5, .step_ns = 3};
  options.ids = IdScheme::kUuid;
  options.authorize_sys = false;
  options.odi = OdiRule::kReject;
  options.durability = Durability::kRelaxed;
  options.journal = true;
  options.encoding = "cl100k_base";
  Policy policy;
  policy.max_nodes = 1;
  policy.max_turns = 2;
  policy.max_tokens = 3;
  policy.protect_recent_turns = 4;
  policy.prune_regions = {Region::kSys, Region::kAh};
  policy.sys = Policy::RegionLimits{.max_nodes = 5, .max_tokens = 6};
  policy.seq = Policy::RegionLimits{.max_nodes = std::nullopt, .max_tokens = 7};
  policy.ah = Policy::RegionLimits{.max_nodes = 8, .max_tokens = std::nullopt};
  policy.strict = true;
  policy.prune = PruneRule::kCacheAware;
  options.policy = policy;
  const StoredConfig again = Must(ParseConfig(ConfigJson(config)));
  EXPECT_EQ(again.clock_since_cycle, 7);
  EXPECT_EQ(again.options, options);
  // A context made by an older version has none.
  EXPECT_EQ(Must(ParseConfig("")).options, Options());
}

TEST(StoredConfig, OneOfAnotherShapeIsDamage) {
  const std::string start = "E_STORE_CORRUPT: a stored configuration cannot be read: ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[]", "a member is missing"},
      {R"({"options":{}})", "a member is missing"},
      {R"({"clock_since_cycle":"1","options":{}})", "a member is missing"},
      {R"({"clock_since_cycle":1})", "a member is missing"},
      {R"({"clock_since_cycle":1,"options":[]})", "a member is missing"},
      {R"({"clock_since_cycle":1,"options":{"colour":"red"}})", "unknown argument 'colour'"},
      {R"({"clock_since_cycle":1,"options":{"dialect":"latin"}})",
       "dialect must be one of classic, depth, canonical"},
  };
  for (const auto& [json, wanted] : cases)
    EXPECT_EQ(ErrorText(ParseConfig(json)), start + wanted) << json;
  EXPECT_EQ(support::CodeOf(ParseConfig("{")), "E_STORE_CORRUPT");
}

// --- answers ---

CommitResult FullAnswer() {
  CommitResult commit;
  commit.cycle = 3;
  commit.sealed = "seg:3";
  commit.durable = true;
  commit.expired = {"a"};
  commit.cascaded = {"b", "c"};
  commit.pruned = {"d"};
  commit.deferred = {"e"};
  commit.materialized = {"f"};
  commit.thread_sha256 = "0123";
  commit.tree_sha256 = "4567";
  commit.over_limit = {{"max_nodes", 2, 5}, {"max_turns", 1, 3}};
  return commit;
}

TEST(StoredAnswer, ComesBackAsItWas) {
  const std::string full = CommitJson(FullAnswer());
  EXPECT_EQ(CommitJson(Must(ParseCommitJson(full))), full);
  CommitResult bare;
  bare.cycle = 1;
  EXPECT_EQ(CommitJson(Must(ParseCommitJson(CommitJson(bare)))), CommitJson(bare));
}

std::string FullAnswerWith(std::string_view from, std::string_view to) {
  std::string text = CommitJson(FullAnswer());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(StoredAnswer, OneOfAnotherShapeIsDamage) {
  const std::vector<std::pair<std::string_view, std::string_view>> changes = {
      {R"("cycle":3,)", ""},
      {R"("cycle":3,)", R"("cycle":"3",)"},
      {R"("sealed":"seg:3",)", ""},
      {R"("sealed":"seg:3",)", R"("sealed":3,)"},
      {R"("durable":true,)", ""},
      {R"("durable":true,)", R"("durable":1,)"},
      {R"("tree_sha256":"4567",)", ""},
      {R"("tree_sha256":"4567",)", R"("tree_sha256":4567,)"},
      {R"("expired":["a"],)", ""},
      {R"("cascaded":["b","c"])", R"("cascaded":"b")"},
      {R"("pruned":["d"])", R"("pruned":[4])"},
      {R"("over_limit":[)", R"("over_limit":7,"x":[)"},
      {R"("over_limit":[)", R"("over_limit":[7,)"},
      {R"("limit":"max_nodes",)", ""},
      {R"("limit":"max_nodes",)", R"("limit":1,)"},
      {R"("max":2,)", ""},
      {R"("actual":5)", R"("actual":"5")"},
  };
  const std::string damaged = "E_STORE_CORRUPT: the stored answer of a commit is damaged";
  for (const auto& [from, to] : changes)
    EXPECT_EQ(ErrorText(ParseCommitJson(FullAnswerWith(from, to))), damaged) << from << to;
  EXPECT_EQ(ErrorText(ParseCommitJson("[]")), damaged);
  EXPECT_EQ(support::CodeOf(ParseCommitJson("{")), "E_STORE_CORRUPT");
}

TEST(StoredAnswer, ACommitSentTwiceSaysTheSameOfLimitsItBroke) {
  const support::Folder folder;
  const std::string path = folder.path("a.pactdb");
  std::string first;
  {
    Database database = Must(Database::Open(path, Access::kCreate));
    Options options = support::SteppedOptions();
    options.policy = Policy();
    options.policy->max_nodes = 0;
    Must(MainOf(database).Configure(options));
    Must(MainOf(database).Add(NodeSpec().Text("x").Pinned(true)));
    first = CommitJson(Must(MainOf(database).Commit({.idempotency_key = "k"})));
    EXPECT_NE(first.find(R"("over_limit":[{"limit":"max_nodes","max":0,"actual":)"),
              std::string::npos)
        << first;
  }
  Database database = Must(Database::Open(path, Access::kWrite));
  EXPECT_EQ(CommitJson(Must(MainOf(database).Commit({.idempotency_key = "k"}))), first);
}

// --- the line of forks ---

TEST(StoredLineage, AContextForkedFromALaterOneIsDamage) {
  auto store = MakeMemoryStore();
  const StoredContext context{.number = 2, .name = "x", .origin = {2, 1}, .head = 0};
  EXPECT_EQ(ErrorText(Lineage::Read(*store, context)),
            "E_STORE_CORRUPT: context 'x' was forked from a later one {context=x}");
}

}  // namespace
}  // namespace pactdb
