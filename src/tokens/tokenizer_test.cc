#include <gtest/gtest.h>
#include <pactdb/tokens.h>

#include <string>
#include <vector>

#include "tokens/estimate.h"
#include "tokens/model.h"

namespace pactdb::tokens {
namespace {

TEST(Model, HasTheEncodingItsProviderSays) {
  struct Case {
    std::string_view model;
    std::string_view encoding;
  };
  const std::vector<Case> cases = {
      {"gpt-4o", "o200k_base"},
      {"gpt-4o-mini-2024-07-18", "o200k_base"},
      {"chatgpt-4o-latest", "o200k_base"},
      {"ft:gpt-4o:acme::id", "o200k_base"},
      {"openai/gpt-4.1-mini", "o200k_base"},
      {"gpt-5", "o200k_base"},
      {"gpt-5.1-codex", "o200k_base"},
      {"o1", "o200k_base"},
      {"o3-mini", "o200k_base"},
      {"o4-mini", "o200k_base"},
      {"gpt-4", "cl100k_base"},
      {"gpt-4-turbo", "cl100k_base"},
      {"gpt-3.5-turbo-0125", "cl100k_base"},
      {"ft:gpt-3.5-turbo", "cl100k_base"},
      {"claude-sonnet-4-5", "estimate"},
      {"gemini-2.5-pro", "estimate"},
      {"gpt-4.2", "estimate"},
      {"gpt-50", "estimate"},
      {"o1x", "estimate"},
      {"", "estimate"},
      {"gpt-4o/", "estimate"},
  };
  for (const Case& c : cases) EXPECT_EQ(EncodingOfModel(c.model), c.encoding) << c.model;
}

TEST(Estimate, WeighsWhatATextIsMadeOf) {
  EXPECT_EQ(EstimateTokens(""), 0);
  EXPECT_EQ(EstimateTokens(" "), 1);                     // never nothing for something
  EXPECT_EQ(EstimateTokens("one two three"), 4);         // 3 * 1.06
  EXPECT_EQ(EstimateTokens("internationalization"), 6);  // 1.06 + 14 * 0.34
  EXPECT_EQ(EstimateTokens("2026"), 6);                  // 4 * 1.37
  EXPECT_EQ(EstimateTokens("a();\n\tb();\r\n"), 9);      // 2 words, 6 marks, 2 breaks, 1 indent
  EXPECT_EQ(EstimateTokens("\u4f60\u597d"), 3);          // 2 * 1.07
  EXPECT_EQ(EstimateTokens("\xFF\xFE\x80"), 4);          // no UTF-8, and no harm
}

TEST(Estimate, GrowsWithTheText) {
  std::string text;
  std::uint64_t before = 0;
  for (int i = 0; i < 300; ++i) {
    text.push_back(static_cast<char>(i * 37 % 128));
    const std::uint64_t now = EstimateTokens(text);
    EXPECT_GE(now, before);
    before = now;
  }
}

TEST(Tokenizer, SaysWhetherItIsExact) {
  const auto estimate = Tokenizer::ForModel("claude-opus-4-5");
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->name(), "estimate");
  EXPECT_FALSE(estimate->is_exact());
  EXPECT_EQ(estimate->Count("one two three"), 4);
  EXPECT_EQ(Tokenizer::Find("estimate"), *estimate);

  const auto exact = Tokenizer::ForModel("gpt-4o");
  if (!exact) GTEST_SKIP() << exact.error().message();
  EXPECT_EQ(exact->name(), "o200k_base");
  EXPECT_TRUE(exact->is_exact());
  EXPECT_EQ(exact->Count("hello world"), 2);
}

}  // namespace
}  // namespace pactdb::tokens
