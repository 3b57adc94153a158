// The providers' rules are those that docs/design/0006-prompt-cache.md tells, with its sources.
#include "engine/cache_rules.h"

#include <gtest/gtest.h>

namespace pactdb {
namespace {

struct Told {
  std::string_view provider;
  std::string_view model;
  std::int64_t tokens_min;
  std::int64_t step;
  std::int64_t read;
  std::int64_t write;
};

TEST(CacheRules, AreThoseOfEachFamily) {
  const Told all[] = {
      {"anthropic", "claude-opus-5-20260801", 512, 0, 10, 125},
      {"anthropic", "claude-fable-5", 512, 0, 10, 125},
      {"anthropic", "claude-mythos-5", 512, 0, 10, 125},
      {"anthropic", "claude-haiku-4-5-20251001", 4096, 0, 10, 125},
      {"anthropic", "claude-opus-4-5", 4096, 0, 10, 125},
      {"anthropic", "claude-opus-4-6", 4096, 0, 10, 125},
      {"anthropic", "claude-opus-4-7", 4096, 0, 10, 125},
      {"anthropic", "claude-3-5-haiku-latest", 2048, 0, 10, 125},
      {"anthropic", "claude-3-haiku-20240307", 2048, 0, 10, 125},
      {"anthropic", "claude-sonnet-4-5", 1024, 0, 10, 125},
      {"anthropic", "", 1024, 0, 10, 125},
      {"openai", "gpt-5.6-mini", 1024, 0, 10, 125},
      {"openai", "gpt-4.1-mini", 1024, 128, 25, 100},
      {"openai", "o3", 1024, 128, 25, 100},
      {"openai", "o4-mini", 1024, 128, 25, 100},
      {"openai", "gpt-4o-2024-08-06", 1024, 128, 50, 100},
      {"openai", "o1", 1024, 128, 50, 100},
      {"openai", "gpt-5", 1024, 128, 10, 100},
      {"openai", "", 1024, 128, 10, 100},
  };
  for (const Told& told : all) {
    const CacheRule& rule = FindCacheRule(told.provider, told.model);
    EXPECT_EQ(rule.tokens_min, told.tokens_min) << told.model;
    EXPECT_EQ(rule.step, told.step) << told.model;
    EXPECT_EQ(rule.read, told.read) << told.model;
    EXPECT_EQ(rule.write, told.write) << told.model;
  }
}

}  // namespace
}  // namespace pactdb
