// What a request costs: OpenAI's published rule where it speaks, estimates where it does not.
#include "engine/request_tokens.h"

#include <gtest/gtest.h>
#include <pactdb/tokens.h>

#include <string>
#include <string_view>

#include "engine/token_cost.h"
#include "support/contexts.h"
#include "support/error_text.h"

namespace pactdb {
namespace {

using support::ErrorText;
using support::Must;

class RequestTokensTest : public ::testing::Test {
 protected:
  RequestTokens Count(std::string_view body) { return Must(CountRequest(body, tokenizer_)); }
  std::uint64_t Text(std::string_view text) { return tokenizer_.Count(text); }
  Tokenizer tokenizer_ = Must(Tokenizer::Find("o200k_base"));
};

TEST_F(RequestTokensTest, AMessageCostsThreeBesideItsValuesAndTheAnswerThree) {
  const RequestTokens list = Count(R"([{"role":"user","content":"Hello there"}])");
  EXPECT_EQ(list.total, 3 + Text("user") + Text("Hello there") + 3);
  EXPECT_EQ(list.tools, 0u);
  EXPECT_TRUE(list.is_exact);
  EXPECT_EQ(Count("[]").total, 3u);
  // A body says the same, wherever it keeps its messages.
  for (const std::string name : {"messages", "input", "contents"}) {
    const RequestTokens body =
        Count("{\"" + name + R"(":[{"role":"user","content":"Hello there"}]})");
    EXPECT_EQ(body.total, list.total) << name;
    EXPECT_TRUE(body.is_exact) << name;
  }
}

TEST_F(RequestTokensTest, WhatTheRuleDoesNotSpeakOfIsAnEstimate) {
  // A text alone, a part that is no text, a member beside role and content.
  EXPECT_FALSE(Count(R"({"input":"Hello"})").is_exact);
  EXPECT_EQ(Count(R"({"input":"Hello"})").total, 3 + Text("Hello") + 3);
  EXPECT_FALSE(Count(R"([{"role":"user","content":[]}])").is_exact);
  EXPECT_FALSE(Count(R"([{"role":"user","content":"x","name":"y"}])").is_exact);
  EXPECT_FALSE(Count(R"(["Hello"])").is_exact);
  EXPECT_EQ(Count(R"(["Hello"])").total, 3 + Text("Hello") + 3);
  EXPECT_FALSE(Count(R"([{"role":"user","content":"x"},7])").is_exact) << "nor one of two";
  EXPECT_FALSE(Count(R"([7,{"role":"user","content":"x"}])").is_exact);
  EXPECT_FALSE(Count(R"([{"role":1,"content":"x"}])").is_exact);
  for (const std::string name : {"system", "instructions", "systemInstruction"}) {
    const RequestTokens body = Count("{\"" + name + R"(":"Be brief."})");
    EXPECT_EQ(body.total, 3 + Text("Be brief.") + 3) << name;
    EXPECT_FALSE(body.is_exact) << name;
  }
  const RequestTokens tools = Count(R"({"tools":[{"name":"look"}],"messages":[]})");
  EXPECT_EQ(tools.tools, Text("look"));
  EXPECT_FALSE(tools.is_exact);
}

TEST_F(RequestTokensTest, NullCostsNothingAndNumbersWhatTheyAreWrittenAs) {
  const std::uint64_t bare = Count(R"([{"role":"tool"}])").total;
  EXPECT_EQ(Count(R"([{"role":"tool","content":null}])").total, bare);
  EXPECT_EQ(Count(R"([{"role":"tool","content":1234567}])").total, bare + Text("1234567"));
  EXPECT_EQ(Count(R"([{"role":"tool","content":true}])").total, bare + Text("true"));
  // What says how a part is read is not shown to a model.
  EXPECT_EQ(Count(R"([{"role":"tool","tool_call_id":"call_abcdefg"}])").total, bare);
}

TEST_F(RequestTokensTest, WhatIsNoRequestIsRefused) {
  EXPECT_EQ(ErrorText(CountRequest("7", tokenizer_)),
            "E_REQUEST_INVALID: a request is a list or an object");
  EXPECT_EQ(support::CodeOf(CountRequest("{", tokenizer_)), "E_REQUEST_INVALID");
}

// Bytes as text cost what a picture costs, not what their letters would.
TEST_F(RequestTokensTest, LongBase64IsCountedAsBytes) {
  const auto estimates = [this](const std::string& text) {
    return CountText(text, tokenizer_).estimates;
  };
  const std::string letters(255, 'x');
  EXPECT_EQ(estimates(letters), 0u) << "short enough to be words";
  for (const char last : {'a', 'Z', '0', '9', '+', '/', '-', '_', '='})
    EXPECT_EQ(estimates(letters + last), 1u) << last;
  for (const char last : {' ', '.', '@', '[', '{', ':', '\n', '\x7f', '!'})
    EXPECT_EQ(estimates(letters + last), 0u) << last;
  // Inside JSON, of each string; and a data URL however short.
  const Cost json =
      CountJson("[\"" + letters + "=\",\"data:image/png;base64,AAAA\",\"plain\"]", tokenizer_);
  EXPECT_EQ(json.estimates, 2u);
}

// Its letters as they are, and the marks that JSON needs.
TEST_F(RequestTokensTest, JsonIsCountedAsItIsReadable) {
  constexpr std::string_view kCanonical =
      R"({"\u00fcber":["Gr\u00fc\u00dfe, \"Welt\"",-1.5,true],"a\nb":"C:\\d \ud83d\ude00"})";
  constexpr std::string_view kReadable =
      "{\"\u00fcber\":[\"Gr\u00fc\u00dfe, \\\"Welt\\\"\",-1.5,true],\"a\\nb\":\"C:\\\\d "
      "\U0001F600\"}";
  const Cost cost = CountJson(kCanonical, tokenizer_);
  EXPECT_EQ(cost.units, Text(kReadable));
  EXPECT_EQ(cost.estimates, 0u);
  EXPECT_NE(cost.units, Text(kCanonical));
}

TEST_F(RequestTokensTest, AnEncodingThatIsNoneIsRefused) {
  const Lexicon lexicon;
  EXPECT_EQ(support::CodeOf(TokenCost::Make("latin1", lexicon)), "E_REQUEST_INVALID");
}

}  // namespace
}  // namespace pactdb
