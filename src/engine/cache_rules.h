// What providers charge for a prompt that begins like an earlier one: their rules as data.
//
// Figures and sources: docs/design/0006-prompt-cache.md. Prices are in hundredths of the price of
// an input token.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/prompt_prefix.h"

namespace pactdb {

struct CacheRule {
  std::string_view provider;
  std::string_view family;  // how the names of its models begin; empty: all others
  std::int64_t tokens_min;  // shorter prefixes are not kept
  std::int64_t step;        // lengths that are kept, above the minimum; 0: only at breakpoints
  std::int64_t read;
  std::int64_t write;
};

// Content blocks before a breakpoint that are looked at for an entry.
inline constexpr std::int64_t kLookbackParts = 20;

// `model`: empty if not known. REQUIRES: a provider of the table.
const CacheRule& FindCacheRule(std::string_view provider, std::string_view model);

// What a request costs if the one before it was the only one the provider remembers.
struct CacheCost {
  const CacheRule* rule;
  std::int64_t read = 0;     // tokens from the cache
  std::int64_t written = 0;  // tokens that are kept for the next one, at a price
  std::int64_t plain = 0;    // all others
  // In input tokens, rounded up.
  std::int64_t cost() const {
    return (read * rule->read + written * rule->write + plain * 100 + 99) / 100;
  }
};

// `step` leads to `prefix`.
CacheCost CostOf(const CacheRule& rule, const PromptPrefix& prefix, const PrefixStep& step);

}  // namespace pactdb
