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

// --- a conversation that has grown ---

constexpr std::string_view kOne = R"({"role":"user","content":"one"})";
constexpr std::string_view kTwo = R"({"role":"assistant","content":"two"})";
constexpr std::string_view kThree = R"({"role":"user","content":"three"})";

// "nodes skipped warnings" of importing these messages into a context that has the others, and what
// is then said there.
std::string Continued(const std::vector<std::string_view>& has,
                      const std::vector<std::string_view>& comes) {
  const auto document = [](const std::vector<std::string_view>& messages) {
    std::string text = "[";
    for (const std::string_view message : messages)
      text.append(text.size() > 1 ? "," : "").append(message);
    return text + "]";
  };
  Context context = NewContext();
  Must(context.ImportThread(document(has), {.format = "openai-chat"}));
  const ImportResult result =
      Must(context.ImportThread(document(comes), {.format = "openai-chat", .continues = true}));
  std::string said;
  for (const std::string& id : Must(context.Select(".block @order=turn:asc,pre"))) {
    const std::string node = Must(context.Get(id));
    const std::size_t at = node.find(R"("content":")") + 11;
    said.append(" ").append(node.substr(at, node.find('"', at) - at));
  }
  return std::to_string(result.nodes) + " " + std::to_string(result.skipped) + " " +
         std::to_string(result.warnings.size()) + ":" + said;
}

TEST(ImportThread, ThatContinuesLeavesOutWhatIsThere) {
  EXPECT_EQ(Continued({}, {kOne, kTwo}), "2 0 0: one two");
  EXPECT_EQ(Continued({kOne}, {kOne, kTwo, kThree}), "2 1 0: one two three");
  EXPECT_EQ(Continued({kOne, kTwo}, {kOne, kTwo}), "0 2 0: one two");
  EXPECT_EQ(Continued({kOne, kTwo}, {kOne}), "0 1 0: one two");
}

TEST(ImportThread, ThatGoesOnInAnotherWayIsAddedWhole) {
  EXPECT_EQ(Continued({kOne, kTwo}, {kOne, kThree}), "2 0 1: one two one three");
  EXPECT_EQ(Continued({kOne}, {kThree}), "1 0 0: one three") << "nothing of it was there";
}

}  // namespace
}  // namespace pactdb
