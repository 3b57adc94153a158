// Provider formats through the library: turns, links, all or nothing, losses, legality. That every
// format comes out as it went in is shown by test/providers/.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <string>
#include <vector>

#include "support/contexts.h"

namespace pactdb {
namespace {

using support::CodeOf;
using support::Must;
using support::NewContext;

constexpr std::string_view kChat = R"([
  {"role":"system","content":"Be brief."},
  {"role":"user","content":"Weather?"},
  {"role":"assistant","content":"Let me see.","tool_calls":[
    {"id":"c1","type":"function","function":{"name":"look","arguments":"{\"at\":\"Oslo\"}"}}]},
  {"role":"tool","tool_call_id":"c1","content":"rain"},
  {"role":"assistant","content":"Rain."},
  {"role":"user","content":"Thanks"}])";

Context Imported(std::string_view document = kChat, std::string_view format = "openai-chat") {
  Context context = NewContext();
  Must(context.ImportThread(document, {.format = std::string(format)}));
  return context;
}

TEST(ImportThread, MakesACommitOfEveryTurnAndLeavesTheLastOpen) {
  Context context = NewContext();
  const ImportResult result = Must(context.ImportThread(kChat, {.format = "openai-chat"}));
  EXPECT_EQ(result.cycle, 2);
  EXPECT_EQ(result.nodes, 7);
  EXPECT_TRUE(result.warnings.empty());
  EXPECT_EQ(support::Outline(Must(context.At("@t0"))),
            "root(sys(block:1.0) seq(seg:1(cont:1.1(block:1.2 block:1.3 block:1.4 block:1.5 "
            "block:1.6))) ah)");
  EXPECT_EQ(Must(context.Select("[data_call_id='c1']")),
            (std::vector<std::string>{"block:1.4", "block:1.5"}));
  EXPECT_EQ(context.Verify(), support::VerifyOk());
}

TEST(ImportThread, KeepsNothingOfABadDocument) {
  Context context = Imported();
  const std::string before = Must(context.Tree()) + Must(context.Log());
  for (const std::string_view bad :
       {R"([{"role":"user","content":"x"},{"role":"assistant","content":"y"},
            {"role":"user","content":"z"},{"role":"critic","content":"x"}])",
        "{}", "7", "[", "\"text\""}) {
    EXPECT_EQ(CodeOf(context.ImportThread(bad, {.format = "openai-chat"})), "E_IMPORT_INVALID")
        << bad;
    EXPECT_EQ(Must(context.Tree()) + Must(context.Log()), before) << bad;
  }
  EXPECT_EQ(CodeOf(context.ImportThread(kChat, {.format = "html"})), "E_REQUEST_INVALID");
}

TEST(ImportThread, TakesJsonLines) {
  const std::string lines =
      "{\"role\":\"user\",\"content\":\"a\"}\n\n{\"role\":\"assistant\",\"content\":\"b\"}\r\n";
  for (const std::string_view format : {"openai-chat", "log"}) {
    const Context context = Imported(lines, format);
    EXPECT_EQ(Must(context.Select("^ah .block")).size(), 2u) << format;
  }
}

TEST(RenderFormat, OfTheWorkingStateIsWhatCommittingGives) {
  Context context = Imported();
  const std::string preview = Must(context.Render({.format = "anthropic"})).body;
  Must(context.Commit());
  EXPECT_EQ(Must(context.Render({.at = "@t0", .format = "anthropic"})).body, preview);
}

TEST(RenderFormat, NamesWhatItCannotSay) {
  Context context = NewContext();
  Must(context.Add(NodeSpec().Id("a").Role("user").Text("Hello")));
  Must(context.Add(NodeSpec().Id("b").Role("assistant").Kind("thinking").Text("Hm")));
  const auto strict = context.Render({.format = "openai-chat"});
  ASSERT_FALSE(strict);
  EXPECT_EQ(strict.error().code(), ErrorCode::kRenderIllegal);
  EXPECT_EQ(strict.error().message(),
            "'b' cannot be said in openai-chat: there is no place for thinking");
  const RenderResult lossy = Must(context.Render({.format = "openai-chat", .lossy = true}));
  ASSERT_EQ(lossy.lost.size(), 1u);
  EXPECT_EQ(lossy.lost[0], (RenderLoss{"b", "content", "there is no place for thinking"}));
}

TEST(Fix, TakesAnOrphanOutOfASealedTurn) {
  Context context = NewContext();
  Must(context.Add(NodeSpec().Id("q").Role("user").Text("Hello")));
  Must(context.Add(NodeSpec()
                       .Id("lost")
                       .Kind("tool_result")
                       .Text("rain")
                       .Set("data_call_id", Must(Json::String("c9")))));
  Must(context.Commit());
  EXPECT_NE(Must(context.Check()).find("orphan_result"), std::string::npos);
  EXPECT_EQ(Must(context.Fix()), R"({"cycle":2,"removed":["lost"],"findings":[]})");
  EXPECT_EQ(Must(context.Check()), R"({"ok":true,"findings":[]})");
  EXPECT_EQ(Must(context.Fix()), R"({"cycle":2,"removed":[],"findings":[]})");
  EXPECT_EQ(context.Verify(), support::VerifyOk());
}

TEST(Fix, LeavesAloneWhatIsPinned) {
  Context context = NewContext();
  Must(context.Add(NodeSpec()
                       .Id("c")
                       .Kind("tool_call")
                       .Pinned(true)
                       .Set("data_call_id", Must(Json::String("c1")))
                       .Set("data_name", Must(Json::String("f")))));
  EXPECT_NE(Must(context.Fix()).find("\"removed\":[]"), std::string::npos);
  EXPECT_EQ(context.open_cycle(), 1);
}

}  // namespace
}  // namespace pactdb
