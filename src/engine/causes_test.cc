// Why a node left: every limit is named the same by life, by the cache report and by an exported
// history, and who kept a node that was due is named too.
#include <gtest/gtest.h>
#include <pactdb/context.h>
#include <pactdb/exec.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/contexts.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

using support::Must;

constexpr std::string_view kBegin = R"({"op":"configure","clock":{"start_ns":1000,"step_ns":1})";

struct Limit {
  std::string_view name;
  std::string_view parent;  // where the nodes go
  std::string_view policy;
};

constexpr Limit kLimits[] = {
    {"sys.max_nodes", "^sys", R"("prune_regions":["sys"],"regions":{"sys":{"max_nodes":1}})"},
    {"sys.max_tokens", "^sys", R"("prune_regions":["sys"],"regions":{"sys":{"max_tokens":8}})"},
    {"seq.max_nodes", "^ah", R"("prune_regions":["seq"],"regions":{"seq":{"max_nodes":3}})"},
    {"seq.max_tokens", "^ah", R"("prune_regions":["seq"],"regions":{"seq":{"max_tokens":8}})"},
    {"max_nodes", "^sys", R"("prune_regions":["sys"],"max_nodes":3)"},
    {"max_tokens", "^sys", R"("prune_regions":["sys"],"max_tokens":8)"},
    {"max_turns", "^ah", R"("prune_regions":["seq"],"max_turns":1)"},
};

// A node a commit, three times; the limit takes the first.
std::string Session(Exec& exec, const Limit& limit) {
  exec.Answer(std::string(kBegin) + R"(,"policy":{)" + std::string(limit.policy) + "}}");
  for (const std::string id : {"a", "b", "c"}) {
    exec.Answer(R"({"op":"add","parent":")" + std::string(limit.parent) +
                R"(","node":{"role":"system","id":")" + id + R"(","content":"x"}})");
    exec.Answer(R"({"op":"commit"})");
  }
  return exec.Answer(R"({"op":"life","id":"a"})");
}

TEST(Causes, LifeAndCacheNameTheLimitThatTookANode) {
  for (const Limit& limit : kLimits) {
    Exec exec;
    const std::string life = Session(exec, limit);
    EXPECT_NE(life.find(R"("event":"pruned","fields":[],"why":")" + std::string(limit.name)),
              std::string::npos)
        << limit.name << " " << life;
    const std::string cache = exec.Answer(R"({"op":"cache","from":"@c1","to":"@c3"})");
    EXPECT_NE(cache.find(R"("id":"a","reason":"pruned","why":")" + std::string(limit.name)),
              std::string::npos)
        << limit.name << " " << cache;
  }
}

TEST(Causes, AnExportedHistoryKeepsThem) {
  for (const Limit& limit : kLimits) {
    Exec exec;
    const std::string life = Session(exec, limit);
    const std::string exported = exec.Answer(R"({"op":"export","history":true})");
    const std::string document = exported.substr(20, exported.size() - 21);
    Exec other;
    other.Answer(R"({"op":"import","snapshot":)" + document + "}");
    EXPECT_EQ(other.Answer(R"({"op":"life","id":"a"})"), life) << limit.name;
  }
}

TEST(Causes, ANodeOfTheHeadIsPrunedBeforeItIsSealed) {
  Exec exec;
  exec.Answer(std::string(kBegin) +
              R"(,"policy":{"prune_regions":["ah"],"regions":{"ah":{"max_nodes":2}}}})");
  exec.Answer(R"({"op":"add","node":{"id":"a","content":"x"}})");
  exec.Answer(R"({"op":"add","node":{"id":"b","content":"x"}})");
  exec.Answer(R"({"op":"commit"})");
  EXPECT_EQ(exec.Answer(R"({"op":"life","id":"a"})"),
            R"({"ok":true,"result":[{"cycle":1,"event":"born","fields":[],"why":"added"},)"
            R"({"cycle":1,"event":"pruned","fields":[],"why":"ah.max_nodes"}]})");
}

// --- a head that came with a document ---

constexpr std::string_view kFilledHead =
    R"({"op":"import","snapshot":{"root":{"children":[{"id":"ah","nodeType":"^ah",)"
    R"("children":[{"id":"x","content":"Hi"},{"id":"y","offset":1}]}]}}})";

// "cycle event: why" of each.
std::string LifeAfter(std::string_view id, const std::vector<std::string_view>& requests) {
  Exec exec;
  exec.Answer(std::string(kBegin) + "}");
  for (const std::string_view request : requests) exec.Answer(request);
  const std::string answer = exec.Answer(R"({"op":"life","id":")" + std::string(id) + R"("})");
  const JsonDoc doc = Must(JsonDoc::Parse(answer, 8));
  const auto result = doc.root().Find("result");
  if (!result) return answer;
  std::string life;
  for (auto it = result->begin(); it != result->end(); ++it) {
    const JsonRef event = (*it).value;
    life.append(life.empty() ? "" : "; ").append(event.Find("cycle")->ToJson().text());
    life.append(" ").append(event.Find("event")->string());
    life.append(": ").append(event.Find("why")->string());
  }
  return life;
}

TEST(LateSealing, IsThatOfTheCommitAfterTheImport) {
  const std::string_view commit = R"({"op":"commit"})";
  EXPECT_EQ(LifeAfter("x", {kFilledHead}), "1 born: in an imported document");
  EXPECT_EQ(LifeAfter("x", {kFilledHead, commit}),
            "1 born: in an imported document; 2 sealed: in seg:2");
  EXPECT_EQ(LifeAfter("y", {kFilledHead, commit, commit}),
            "1 born: in an imported document; 2 sealed: in seg:2");
}

TEST(LateSealing, IsNoneOfWhatWasTakenOutBefore) {
  EXPECT_EQ(LifeAfter("x", {kFilledHead, R"({"op":"remove","id":"x"})", R"({"op":"commit"})"}),
            "1 born: in an imported document; 2 removed: by hand");
}

TEST(LateSealing, IsNoneByAnotherImport) {
  EXPECT_EQ(LifeAfter("x", {kFilledHead, kFilledHead}), "1 born: in an imported document");
  EXPECT_EQ(LifeAfter("x", {kFilledHead, kFilledHead, R"({"op":"commit"})"}),
            "1 born: in an imported document; 3 sealed: in seg:3");
  EXPECT_EQ(LifeAfter("x", {kFilledHead, R"({"op":"import","snapshot":{"root":{}}})"}),
            "1 born: in an imported document; 2 removed: not in an imported document");
}

// --- who keeps a node that is due ---

std::string WhyDeferred(const std::vector<std::string>& requests) {
  Exec exec;
  exec.Answer(std::string(kBegin) + "}");
  for (const std::string& request : requests) exec.Answer(request);
  for (int i = 0; i < 3; ++i) exec.Answer(R"({"op":"commit"})");
  std::string life = exec.Answer(R"({"op":"life","id":"due"})");
  constexpr std::string_view kStart = R"("event":"deferred","fields":[],"why":")";
  const std::size_t at = life.find(kStart);
  if (at == std::string::npos) return life;
  const std::size_t start = at + kStart.size();
  return life.substr(start, life.find('"', start) - start);
}

TEST(Causes, AGroupThatIsDueWaitsForWhatItHolds) {
  EXPECT_EQ(WhyDeferred({R"({"op":"add","node":{"id":"due","nodeType":"cont","offset":1,"ttl":1}})",
                         R"({"op":"add","parent":"due","node":{"id":"in","pinned":true}})"}),
            "its ttl ended, but in in it stays");
}

TEST(Causes, AResultThatIsDueWaitsForItsCall) {
  EXPECT_EQ(WhyDeferred({R"({"op":"add","node":{"id":"call","kind":"call","data_call_id":"c"}})",
                         R"({"op":"add","node":{"id":"due","kind":"result","ttl":1,)"
                         R"("data_call_id":"c"}})"}),
            "its ttl ended, but call of its call stays");
}

TEST(Causes, ANodeThatAProgramHoldsSaysSo) {
  Context context = support::NewContext();
  Must(context.Add(support::Block("due", "x").Ttl(1)));
  const NodeRef held = Must(context.Hold("due"));
  Must(context.Commit());
  Must(context.Commit());
  EXPECT_NE(
      Must(context.Life("due"))
          .find(R"("event":"deferred","fields":[],"why":"its ttl ended, but a program holds it")"),
      std::string::npos)
      << Must(context.Life("due"));
}

}  // namespace
}  // namespace pactdb
