// Requests that are refused: the whole answer, and a context that is as it was.
#include <gtest/gtest.h>
#include <pactdb/context.h>
#include <pactdb/exec.h>

#include <string>
#include <string_view>
#include <utility>

#include "support/contexts.h"
#include "support/error_text.h"

namespace pactdb {
namespace {

using support::ErrorText;
using support::Must;

struct Case {
  std::string_view request;  // what follows {"op":
  std::string_view code;
  std::string_view message;
  std::string_view details;
};

constexpr Case kConfigure[] = {
    {R"("configure","journal":"maybe")", "E_REQUEST_INVALID", "journal must be one of off, on",
     R"({"argument":"journal"})"},
    {R"("configure","journal":7)", "E_REQUEST_INVALID", "journal must be a string",
     R"({"argument":"journal"})"},
    {R"("configure","clock":7)", "E_REQUEST_INVALID",
     R"(clock must be "system" or {start_ns: 0 or more, step_ns: 1 or more})",
     R"({"argument":"clock"})"},
    {R"("configure","policy":{"regions":7})", "E_REQUEST_INVALID",
     "policy regions must be an object", R"({"argument":"policy"})"},
    {R"("configure","policy":{"regions":{"sys":7}})", "E_REQUEST_INVALID",
     "a region's policy must be an object", R"({"argument":"policy"})"},
    {R"("configure","policy":{"regions":{"mid":{}}})", "E_REQUEST_INVALID",
     "policy regions are sys, seq and ah", R"({"argument":"policy"})"},
    {R"("configure","policy":{"regions":{"sys":{"max_tokens":-1}}})", "E_REQUEST_INVALID",
     "policy max_tokens must be an integer, zero or more, or null", R"({"argument":"policy"})"},
    {R"("configure","policy":{"regions":{"sys":{"max_nodes":"1"}}})", "E_REQUEST_INVALID",
     "policy max_nodes must be an integer, zero or more, or null", R"({"argument":"policy"})"},
    {R"("configure","policy":{"regions":{"sys":{"max_turns":1}}})", "E_REQUEST_INVALID",
     "unknown key 'max_turns' in a region's policy", R"({"argument":"policy"})"},
    {R"("configure","policy":{"prune_regions":7})", "E_REQUEST_INVALID",
     "policy prune_regions must be an array", R"({"argument":"policy"})"},
    {R"("configure","policy":{"prune_regions":[7]})", "E_REQUEST_INVALID",
     "policy prune_regions may name sys, seq and ah", R"({"argument":"policy"})"},
    {R"("configure","policy":{"prune_regions":["mid"]})", "E_REQUEST_INVALID",
     "policy prune_regions may name sys, seq and ah", R"({"argument":"policy"})"},
    {R"("configure","policy":{"prune":7})", "E_REQUEST_INVALID",
     "policy prune must be canonical or cache_aware", R"({"argument":"policy"})"},
    {R"("configure","policy":{"prune":"never"})", "E_REQUEST_INVALID",
     "policy prune must be canonical or cache_aware", R"({"argument":"policy"})"},
    {R"("configure","policy":{"strict":7})", "E_REQUEST_INVALID",
     "policy strict must be true or false", R"({"argument":"policy"})"},
    {R"("simulate","policy":{"prune":"never"})", "E_REQUEST_INVALID",
     "policy prune must be canonical or cache_aware", R"({"argument":"policy"})"},
    {R"("simulate","cycles":10001)", "E_LIMIT_EXCEEDED", "cycles must be at most 10000",
     R"({"limit":"simulated_cycles","max":10000})"},
    {R"("simulate","growth":1000001)", "E_LIMIT_EXCEEDED", "growth must be at most 1000000",
     R"({"limit":"simulated_growth","max":1000000})"},
};

constexpr Case kReads[] = {
    {R"("cache","from":"@c1")", "E_REQUEST_INVALID", "'from' and 'to' come together",
     R"({"argument":"to"})"},
    {R"("cache","to":"@c1")", "E_REQUEST_INVALID", "'from' and 'to' come together",
     R"({"argument":"to"})"},
    {R"("cache","from":"@c1","to":"@c1","limit":1)", "E_REQUEST_INVALID",
     "a limit is for the pairs of the history", R"({"argument":"limit"})"},
    {R"("cache","from":"@c9","to":"@c1")", "E_SNAPSHOT_NOT_FOUND", "there is no snapshot @c9",
     R"({"snapshot":"@c9"})"},
    {R"("cache","from":"@c1","to":"@c9")", "E_SNAPSHOT_NOT_FOUND", "there is no snapshot @c9",
     R"({"snapshot":"@c9"})"},
    {R"("cache","format":"xml")", "E_REQUEST_INVALID",
     "unknown format 'xml'; there are thread, openai-chat, openai-responses, anthropic, gemini",
     R"({"argument":"format","format":"xml"})"},
    {R"("cache","format":"auto")", "E_REQUEST_INVALID",
     "unknown format 'auto'; there are thread, openai-chat, openai-responses, anthropic, gemini",
     R"({"argument":"format","format":"auto"})"},
    {R"("cache","limit":-1)", "E_REQUEST_INVALID", "limit must be an integer, zero or more",
     R"({"argument":"limit"})"},
    {R"("lint","at":"@c9")", "E_SNAPSHOT_NOT_FOUND", "there is no snapshot @c9",
     R"({"snapshot":"@c9"})"},
    {R"("lint","commits":-1)", "E_REQUEST_INVALID", "commits must be an integer, zero or more",
     R"({"argument":"commits"})"},
    {R"("check","format":"xml")", "E_REQUEST_INVALID",
     "unknown format 'xml'; there are openai-chat, openai-responses, anthropic, gemini",
     R"({"argument":"format","format":"xml"})"},
    {R"("check","at":"@c9")", "E_SNAPSHOT_NOT_FOUND", "there is no snapshot @c9",
     R"({"snapshot":"@c9"})"},
    {R"("fix","format":"xml")", "E_REQUEST_INVALID",
     "unknown format 'xml'; there are openai-chat, openai-responses, anthropic, gemini",
     R"({"argument":"format","format":"xml"})"},
    {R"("tokens","encoding":"cl100k_base","model":"gpt-4o")", "E_REQUEST_INVALID",
     "give an encoding or a model, not both", R"({"argument":"model"})"},
    {R"("tokens","encoding":"latin1")", "E_REQUEST_INVALID",
     "there is no such encoding; there are o200k_base, cl100k_base and estimate",
     R"({"encoding":"latin1","known":"o200k_base, cl100k_base, estimate"})"},
    {R"("tokens","selector":"[")", "E_SELECTOR_INVALID", "expected an attribute name\n  [\n   ^",
     R"({"pos":1,"token":""})"},
    {R"("tokens","selector":"@t0 seg")", "E_REQUEST_INVALID", "name the snapshot by `at`",
     R"({"argument":"selector"})"},
    {R"("tokens","at":"@c9")", "E_SNAPSHOT_NOT_FOUND", "there is no snapshot @c9",
     R"({"snapshot":"@c9"})"},
    {R"("tokens","format":"xml")", "E_REQUEST_INVALID",
     "unknown format 'xml'; there are thread, text, openai-chat, openai-responses, anthropic, "
     "gemini",
     R"({"argument":"format","format":"xml"})"},
    {R"("log","cursor":"x")", "E_REQUEST_INVALID", "cursor must be a 64-bit integer",
     R"({"argument":"cursor"})"},
    {R"("render","format":"xml")", "E_REQUEST_INVALID",
     "unknown format 'xml'; there are thread, text, openai-chat, openai-responses, anthropic, "
     "gemini",
     R"({"argument":"format","format":"xml"})"},
    {R"("gc","keep_last":1)", "E_REQUEST_INVALID",
     "retention needs a file; this database is in memory", R"({})"},
    {R"("backup","to":"x")", "E_REQUEST_INVALID",
     "a backup needs a file; this database is in memory", R"({})"},
};

constexpr Case kWrites[] = {
    {R"("import","thread":{})", "E_REQUEST_INVALID", "a thread comes with its format",
     R"({"argument":"format"})"},
    {R"("import","log":[],"format":"anthropic")", "E_REQUEST_INVALID",
     "a thread comes with its format", R"({"argument":"format"})"},
    {R"("import","log":[],"lenient":true)", "E_REQUEST_INVALID", "only a thread is read leniently",
     R"({"argument":"lenient"})"},
    {R"("import","snapshot":{},"log":[])", "E_REQUEST_INVALID",
     "import takes one of a snapshot, a log or a thread", R"({"argument":"snapshot"})"},
    {R"("attempt","action":"finish","provider":"x")", "E_REQUEST_INVALID",
     "attempt finish takes no 'provider'", R"({"argument":"provider"})"},
    {R"("attempt","action":"finish","status":"error")", "E_REQUEST_INVALID",
     "missing argument 'attempt_id'", R"({"argument":"attempt_id"})"},
    {R"("attempt","action":"finish","attempt_id":"a")", "E_REQUEST_INVALID",
     "missing argument 'status'", R"({"argument":"status"})"},
    {R"("attempt","action":"finish","attempt_id":"a","status":"running")", "E_REQUEST_INVALID",
     "status must be completed, canceled or error", R"({"argument":"status"})"},
    {R"("attempt","action":"start","status":"error")", "E_REQUEST_INVALID",
     "attempt start takes no 'status'", R"({"argument":"status"})"},
    {R"("attempt","action":"start","params":1,"params_hash":"x")", "E_REQUEST_INVALID",
     "give params or params_hash, not both", R"({"argument":"params_hash"})"},
    {R"("attempt","action":"list","model":"m")", "E_REQUEST_INVALID",
     "attempt list takes no 'model'", R"({"argument":"model"})"},
    {R"("attempt","action":"stop")", "E_REQUEST_INVALID", "action must be start, finish or list",
     R"({"argument":"action"})"},
    {R"("contexts","action":"rename","name":"main","to":"a b")", "E_REQUEST_INVALID",
     "a context's name is 1 to 128 of A-Z a-z 0-9 . _ -", R"({"argument":"to"})"},
    {R"("contexts","action":"delete","name":"nobody")", "E_CONTEXT_NOT_FOUND",
     "there is no context 'nobody'", R"({"context":"nobody"})"},
    {R"("fork","at":"@c1","name":"a b")", "E_REQUEST_INVALID",
     "a context's name is 1 to 128 of A-Z a-z 0-9 . _ -", R"({"argument":"name"})"},
    {R"("tag","at":"@c9","name":"n")", "E_SNAPSHOT_NOT_FOUND", "there is no snapshot @c9",
     R"({"snapshot":"@c9"})"},
    {R"("move","id":"q")", "E_REQUEST_INVALID", "move needs a parent, an offset or a place",
     R"({"argument":"parent"})"},
    {R"x("move","id":"q","at":"(d0, end)","parent":"^ah")x", "E_REQUEST_INVALID",
     "'at' names the parent: give one or the other", R"({})"},
    {R"x("add","node":{},"at":"(d0, end)","parent":"^ah")x", "E_REQUEST_INVALID",
     "'at' names the parent: give one or the other", R"({})"},
    {R"("remove","id":"q","selector":"seg")", "E_REQUEST_INVALID",
     "remove takes either an id or a selector", R"({"argument":"id"})"},
};

class RefusalsTest : public ::testing::Test {
 protected:
  RefusalsTest() {
    Ask(R"({"op":"configure","clock":{"start_ns":1000,"step_ns":1}})");
    Ask(R"({"op":"add","node":{"id":"q","role":"user","content":"Hi"}})");
    Ask(R"({"op":"commit"})");
    Ask(R"({"op":"add","node":{"id":"open","role":"user","content":"And?"}})");
  }
  std::string Ask(const std::string& request) { return exec_.Answer(request); }
  std::string State() { return Ask(R"({"op":"tree"})") + Ask(R"({"op":"configure"})"); }
  template <std::size_t kSize>
  void Check(const Case (&cases)[kSize]) {
    const std::string before = State();
    for (const Case& each : cases) {
      const Json message = Must(Json::String(each.message));
      const std::string wanted = R"({"ok":false,"error":{"code":")" + std::string(each.code) +
                                 R"(","message":)" + std::string(message.text()) +
                                 R"(,"details":)" + std::string(each.details) + "}}";
      EXPECT_EQ(Ask(R"({"op":)" + std::string(each.request) + "}"), wanted) << each.request;
      ASSERT_EQ(State(), before) << each.request;
    }
  }
  Exec exec_;
};

TEST_F(RefusalsTest, OfAConfiguration) {
  Check(kConfigure);
}

TEST_F(RefusalsTest, OfReads) {
  Check(kReads);
}

TEST_F(RefusalsTest, OfWrites) {
  Check(kWrites);
}

TEST_F(RefusalsTest, NullInAPolicyIsALimitThatIsNotThere) {
  const std::string bare = Ask(R"({"op":"configure","policy":{}})");
  for (const std::string name : {"max_nodes", "max_turns", "max_tokens", "protect_recent_turns",
                                 "prune_regions", "regions", "strict", "prune"})
    EXPECT_EQ(Ask(R"({"op":"configure","policy":{")" + name + R"(":null}})"), bare) << name;
}

TEST_F(RefusalsTest, WorkingIsWhatLeavingTheStateOutMeans) {
  for (const std::string op : {"tree", "check", "lint", "export", "render", "serialize", "tokens"})
    EXPECT_EQ(Ask(R"({"op":")" + op + R"(","at":"working"})"), Ask(R"({"op":")" + op + "\"}"))
        << op;
}

TEST_F(RefusalsTest, AContextWithoutACommitHasNoCacheToReport) {
  Exec fresh;
  EXPECT_EQ(fresh.Answer(R"({"op":"cache"})"),
            R"({"ok":false,"error":{"code":"E_SNAPSHOT_NOT_FOUND","message":"nothing is committed)"
            R"( yet","details":{}}})");
}

// From C++ the two states of a pair are two fields.
TEST(Cache, OneStateOfAPairIsRefused) {
  Context context = support::NewContext();
  Must(context.Commit());
  const std::string wanted = "E_REQUEST_INVALID: 'from' and 'to' come together {argument=to}";
  CacheOptions options;
  options.from = "@c1";
  EXPECT_EQ(ErrorText(context.Cache(options)), wanted);
  options.to = std::exchange(options.from, std::nullopt);
  EXPECT_EQ(ErrorText(context.Cache(options)), wanted);
  options.from = "@c1";
  options.limit = 1;
  EXPECT_EQ(ErrorText(context.Cache(options)),
            "E_REQUEST_INVALID: a limit is for the pairs of the history {argument=limit}");
}

}  // namespace
}  // namespace pactdb
