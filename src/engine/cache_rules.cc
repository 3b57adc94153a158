#include "engine/cache_rules.h"

#include <algorithm>
#include <array>
#include <vector>

#include "providers/breakpoints.h"

namespace pactdb {
namespace {

// As of November 2026. In order: the first whose family fits is the one.
constexpr auto kRules = std::to_array<CacheRule>({
    {"anthropic", "claude-opus-5", 512, 0, 10, 125},
    {"anthropic", "claude-fable-5", 512, 0, 10, 125},
    {"anthropic", "claude-mythos-5", 512, 0, 10, 125},
    {"anthropic", "claude-haiku-4-5", 4096, 0, 10, 125},
    {"anthropic", "claude-opus-4-5", 4096, 0, 10, 125},
    {"anthropic", "claude-opus-4-6", 4096, 0, 10, 125},
    {"anthropic", "claude-opus-4-7", 4096, 0, 10, 125},
    {"anthropic", "claude-3-5-haiku", 2048, 0, 10, 125},
    {"anthropic", "claude-3-haiku", 2048, 0, 10, 125},
    {"anthropic", "", 1024, 0, 10, 125},
    {"openai", "gpt-5.6", 1024, 0, 10, 125},
    {"openai", "gpt-4.1", 1024, 128, 25, 100},
    {"openai", "o3", 1024, 128, 25, 100},
    {"openai", "o4-mini", 1024, 128, 25, 100},
    {"openai", "gpt-4o", 1024, 128, 50, 100},
    {"openai", "o1", 1024, 128, 50, 100},
    {"openai", "", 1024, 128, 10, 100},
});

// Ends of the last messages that a request may end with, and of the instructions: where `render`
// with `cache` puts its marks (providers/breakpoints.h). `at(i)` is unit i of `size`; the last one
// is the end of the request, which stands behind all turns.
template <typename At>
std::vector<const PrefixUnit*> Breakpoints(std::size_t size, At&& at) {
  std::vector<const PrefixUnit*> marks;
  std::size_t head = 0;  // the first unit of a turn
  for (std::size_t end = size; head < end;) {
    const std::size_t middle = head + (end - head) / 2;
    if (at(middle).is_before_turns()) {
      head = middle + 1;
    } else {
      end = middle;
    }
  }
  if (head > 0) marks.push_back(&at(head - 1));
  const std::size_t full = marks.size() + providers::kMessageBreakpoints;
  for (std::size_t i = size; i > head && marks.size() < full; --i) {
    if (at(i - 1).is_ask) marks.push_back(&at(i - 1));
  }
  return marks;
}

CacheCost CostByBreakpoints(const CacheRule& rule, const PromptPrefix& prefix,
                            const PrefixStep& step) {
  const std::vector<PrefixUnit>& units = prefix.units();
  const auto marks =
      Breakpoints(units.size(), [&](std::size_t i) -> const PrefixUnit& { return units[i]; });
  const auto entries =
      Breakpoints(step.kept + step.gone.size(), [&](std::size_t i) -> const PrefixUnit& {
        return i < step.kept ? units[i] : step.gone[i - step.kept];
      });
  CacheCost cost{.rule = &rule};
  for (const PrefixUnit* entry : entries) {
    const bool is_kept = entry->end <= step.common && entry->tokens >= rule.tokens_min;
    const bool is_found = std::ranges::any_of(marks, [&](const PrefixUnit* mark) {
      return mark->parts >= entry->parts && mark->parts - entry->parts <= kLookbackParts;
    });
    if (is_kept && is_found) cost.read = std::max(cost.read, entry->tokens);
  }
  std::int64_t marked = 0;
  for (const PrefixUnit* mark : marks) marked = std::max(marked, mark->tokens);
  if (marked >= rule.tokens_min) cost.written = std::max<std::int64_t>(marked - cost.read, 0);
  cost.plain = prefix.tokens() - cost.read - cost.written;
  return cost;
}

}  // namespace

const CacheRule& FindCacheRule(std::string_view provider, std::string_view model) {
  return *std::ranges::find_if(kRules, [&](const CacheRule& rule) {
    return rule.provider == provider && model.starts_with(rule.family);
  });
}

CacheCost CostOf(const CacheRule& rule, const PromptPrefix& prefix, const PrefixStep& step) {
  if (rule.step == 0) return CostByBreakpoints(rule, prefix, step);
  CacheCost cost{.rule = &rule};
  if (step.common_tokens >= rule.tokens_min)
    cost.read = step.common_tokens - (step.common_tokens - rule.tokens_min) % rule.step;
  cost.plain = prefix.tokens() - cost.read;
  return cost;
}

}  // namespace pactdb
