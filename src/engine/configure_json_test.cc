// Options as requests give them and as answers show them.
#include "engine/configure_json.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/contexts.h"
#include "support/error_text.h"

namespace pactdb {
namespace {

using support::ErrorText;
using support::Must;

Result<Options> Parsed(std::string_view members, const Options& current = {}) {
  const JsonDoc doc = Must(JsonDoc::Parse("{" + std::string(members) + "}", 16));
  return ParseOptions(Must(Request::Check(doc.root(), kConfigureArguments)), current);
}

std::string PolicyError(std::string_view members) {
  return ErrorText(Parsed(R"("policy":{)" + std::string(members) + "}"));
}

std::string Bad(std::string_view argument, std::string_view message) {
  return "E_REQUEST_INVALID: " + std::string(message) + " {argument=" + std::string(argument) + "}";
}

Options Unusual() {
  Options options;
  options.dialect = Dialect::kClassic;
  options.clock = SteppedClockOptions{.start_ns = 5, .step_ns = 7};
  options.ids = IdScheme::kUuid;
  options.policy = Policy();
  options.policy->max_nodes = 1;
  options.policy->max_turns = 2;
  options.policy->max_tokens = 3;
  options.policy->protect_recent_turns = 4;
  options.policy->prune_regions = {Region::kAh, Region::kSys};
  options.policy->sys = Policy::RegionLimits{.max_nodes = 5, .max_tokens = {}};
  options.policy->seq = Policy::RegionLimits{.max_nodes = {}, .max_tokens = 6};
  options.policy->ah = Policy::RegionLimits{.max_nodes = 7, .max_tokens = 8};
  options.policy->strict = true;
  options.policy->prune = PruneRule::kCacheAware;
  options.authorize_sys = false;
  options.odi = OdiRule::kReject;
  options.durability = Durability::kRelaxed;
  options.journal = true;
  options.encoding = "estimate";
  options.retention = RetentionRules{.keep_last = 9, .older_than = "30d", .keep_tagged = false};
  return options;
}

constexpr std::string_view kUnusual =
    R"({"dialect":"classic","clock":{"start_ns":5,"step_ns":7},"ids":"uuid","policy":{)"
    R"("max_nodes":1,"max_turns":2,"max_tokens":3,"protect_recent_turns":4,)"
    R"("prune_regions":["ah","sys"],"regions":{"sys":{"max_nodes":5},"seq":{"max_tokens":6},)"
    R"("ah":{"max_nodes":7,"max_tokens":8}},"strict":true,"prune":"cache_aware"},)"
    R"("authorize_sys":false,"odi":"reject","durability":"relaxed","journal":"on",)"
    R"("encoding":"estimate","retention":{"keep_last":9,"older_than":"30d","keep_tagged":false}})";

TEST(Options, AreShownAndTakenBack) {
  EXPECT_EQ(OptionsJson(Unusual()), kUnusual);
  EXPECT_EQ(Must(Parsed(kUnusual.substr(1, kUnusual.size() - 2))), Unusual());
  EXPECT_EQ(OptionsJson(Options()),
            R"({"dialect":"canonical","clock":"system","ids":"counter","policy":null,)"
            R"("authorize_sys":true,"odi":"demote","durability":"full","journal":"off"})");
}

TEST(Options, StayAsTheyAreWhereNothingIsSaid) {
  EXPECT_EQ(Must(Parsed("", Unusual())), Unusual());
  Options changed = Unusual();
  changed.dialect = Dialect::kDepth;
  EXPECT_EQ(Must(Parsed(R"("dialect":"depth")", Unusual())), changed);
  changed.clock.reset();
  EXPECT_EQ(Must(Parsed(R"("dialect":"depth","clock":"system")", Unusual())), changed);
  changed.policy = Policy();
  EXPECT_EQ(Must(Parsed(R"("dialect":"depth","clock":"system","policy":{})", Unusual())), changed)
      << "a policy is given as a whole";
}

TEST(Options, ARetentionIsTakenAwayByNullAndByNothing) {
  Options without = Unusual();
  without.retention.reset();
  EXPECT_EQ(Must(Parsed(R"("retention":null)", Unusual())), without);
  EXPECT_EQ(Must(Parsed(R"("retention":{})", Unusual())), without);
  EXPECT_EQ(ErrorText(Parsed(R"("retention":{"keep_last":-1})")),
            Bad("retention", "retention: keep_last must be an integer, zero or more"));
}

TEST(Options, AreOfFewWords) {
  EXPECT_EQ(ErrorText(Parsed(R"("dialect":"x")")),
            Bad("dialect", "dialect must be one of classic, depth, canonical"));
  EXPECT_EQ(ErrorText(Parsed(R"("ids":"")")), Bad("ids", "ids must be one of counter, uuid"));
  EXPECT_EQ(ErrorText(Parsed(R"("odi":"x")")), Bad("odi", "odi must be one of demote, reject"));
  EXPECT_EQ(ErrorText(Parsed(R"("durability":"x")")),
            Bad("durability", "durability must be one of full, relaxed"));
  EXPECT_EQ(ErrorText(Parsed(R"("journal":"yes")")),
            Bad("journal", "journal must be one of off, on"));
}

TEST(Options, AClockHasAStartAndAStepAndNothingElse) {
  EXPECT_EQ(Must(Parsed(R"("clock":{"start_ns":0,"step_ns":1})")).clock,
            (SteppedClockOptions{.start_ns = 0, .step_ns = 1}));
  for (const std::string_view clock :
       {R"("other")", "5", "{}", R"({"start_ns":0})", R"({"step_ns":1})",
        R"({"start_ns":-1,"step_ns":1})", R"({"start_ns":0,"step_ns":0})",
        R"({"start_ns":"0","step_ns":1})", R"({"start_ns":0,"step_ns":1.5})",
        R"({"start_ns":0,"step_ns":1,"x":1})", R"([0,1])"}) {
    EXPECT_EQ(ErrorText(Parsed(R"("clock":)" + std::string(clock))),
              Bad("clock", "clock must be \"system\" or {start_ns: 0 or more, step_ns: 1 or more}"))
        << clock;
  }
}

TEST(PolicyJson, HasLimitsOfZeroOrMore) {
  for (const std::string name : {"max_nodes", "max_turns", "max_tokens", "protect_recent_turns"}) {
    EXPECT_EQ(PolicyError("\"" + name + "\":0"), "ok");
    EXPECT_EQ(PolicyError("\"" + name + "\":null"), "ok");
    for (const char* value : {"-1", "1.5", "\"1\"", "true", "{}"}) {
      EXPECT_EQ(PolicyError("\"" + name + "\":" + value),
                Bad("policy", "policy " + name + " must be an integer, zero or more, or null"))
          << value;
    }
  }
  Policy policy;
  policy.max_turns = 0;
  EXPECT_EQ(Must(Parsed(R"("policy":{"max_turns":0,"max_nodes":null})")).policy, policy);
}

TEST(PolicyJson, OfRegionsHasLimitsToo) {
  EXPECT_EQ(PolicyError(R"("regions":null)"), "ok");
  EXPECT_EQ(PolicyError(R"("regions":{})"), "ok");
  EXPECT_EQ(PolicyError(R"("regions":[])"), Bad("policy", "policy regions must be an object"));
  EXPECT_EQ(PolicyError(R"("regions":{"root":{}})"),
            Bad("policy", "policy regions are sys, seq and ah"));
  EXPECT_EQ(PolicyError(R"("regions":{"sys":null})"),
            Bad("policy", "a region's policy must be an object"));
  EXPECT_EQ(PolicyError(R"("regions":{"sys":{"max_turns":1}})"),
            Bad("policy", "unknown key 'max_turns' in a region's policy"));
  EXPECT_EQ(PolicyError(R"("regions":{"ah":{"max_nodes":-1}})"),
            Bad("policy", "policy max_nodes must be an integer, zero or more, or null"));
  EXPECT_EQ(PolicyError(R"("regions":{"ah":{"max_tokens":"1"}})"),
            Bad("policy", "policy max_tokens must be an integer, zero or more, or null"));
  Policy policy;
  policy.seq = Policy::RegionLimits{.max_nodes = 0, .max_tokens = {}};
  EXPECT_EQ(
      Must(Parsed(R"("policy":{"regions":{"seq":{"max_nodes":0,"max_tokens":null}}})")).policy,
      policy);
}

TEST(PolicyJson, NamesWhatMayBePruned) {
  Policy policy;
  EXPECT_EQ(Must(Parsed(R"("policy":{"prune_regions":null})")).policy, policy);
  policy.prune_regions = {};
  EXPECT_EQ(Must(Parsed(R"("policy":{"prune_regions":[]})")).policy, policy);
  policy.prune_regions = {Region::kSys, Region::kAh};
  EXPECT_EQ(Must(Parsed(R"("policy":{"prune_regions":["sys","ah"]})")).policy, policy);
  EXPECT_EQ(PolicyError(R"("prune_regions":"sys")"),
            Bad("policy", "policy prune_regions must be an array"));
  for (const char* bad : {R"(["root"])", "[1]", R"([""])", R"(["sys",null])"}) {
    EXPECT_EQ(PolicyError(R"("prune_regions":)" + std::string(bad)),
              Bad("policy", "policy prune_regions may name sys, seq and ah"))
        << bad;
  }
}

TEST(PolicyJson, IsStrictOrNot) {
  EXPECT_FALSE(Must(Parsed(R"("policy":{"strict":false})")).policy->strict);
  EXPECT_FALSE(Must(Parsed(R"("policy":{"strict":null})")).policy->strict);
  EXPECT_TRUE(Must(Parsed(R"("policy":{"strict":true})")).policy->strict);
  EXPECT_EQ(PolicyError(R"("strict":1)"), Bad("policy", "policy strict must be true or false"));
}

TEST(PolicyJson, HasARuleOfPruning) {
  EXPECT_EQ(Must(Parsed(R"("policy":{"prune":null})")).policy->prune, PruneRule::kCanonical);
  EXPECT_EQ(Must(Parsed(R"("policy":{"prune":"canonical"})")).policy->prune, PruneRule::kCanonical);
  EXPECT_EQ(Must(Parsed(R"("policy":{"prune":"cache_aware"})")).policy->prune,
            PruneRule::kCacheAware);
  for (const char* bad : {R"("x")", "1", R"("")"}) {
    EXPECT_EQ(PolicyError(R"("prune":)" + std::string(bad)),
              Bad("policy", "policy prune must be canonical or cache_aware"))
        << bad;
  }
  EXPECT_EQ(PolicyError(R"("other":1)"), Bad("policy", "unknown policy key 'other'"));
}

}  // namespace
}  // namespace pactdb
