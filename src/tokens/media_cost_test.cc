#include "tokens/media_cost.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace pactdb::tokens {
namespace {

constexpr std::array kProviders = {Provider::kOpenAi, Provider::kAnthropic, Provider::kGemini};

TEST(MediaCost, FollowsTheProvidersRules) {
  struct Case {
    Media media;
    std::array<std::uint64_t, 3> tokens;  // in the order of kProviders
  };
  const std::vector<Case> cases = {
      // Among them the examples on the pages of OpenAI and Anthropic.
      {{.mime = "image/png", .width = 1024, .height = 1024}, {765, 1399, 1032}},
      {{.mime = "image/png", .width = 2048, .height = 4096}, {1105, 1600, 4644}},
      {{.mime = "image/png", .width = 200, .height = 200}, {255, 54, 258}},
      {{.mime = "image/jpeg", .width = 1000, .height = 1000}, {765, 1334, 1032}},
      {{.mime = "image/png"}, {765, 1399, 1032}},
      {{.mime = "audio/wav", .duration_ms = 60'000}, {600, 1920, 1920}},
      {{.mime = "audio/wav", .bytes = 1'920'000}, {600, 1920, 1920}},
      {{.mime = "video/mp4", .duration_ms = 1'000}, {295, 295, 295}},
      {{.mime = "application/pdf", .pages = 2}, {3130, 4094, 516}},
      {{.mime = "application/pdf", .bytes = 50'001}, {3130, 4094, 516}},
      {{.mime = "text/plain", .bytes = 300}, {100, 100, 100}},
      {{}, {1, 1, 1}},
  };
  for (const Case& c : cases) {
    for (std::size_t i = 0; i < kProviders.size(); ++i) {
      EXPECT_EQ(EstimateMediaTokens(kProviders[i], c.media), c.tokens[i])
          << c.media.mime << " " << c.media.width << " " << i;
    }
  }
}

TEST(MediaCost, OfAnImageDoesNotFollowItsBytes) {
  for (const Provider provider : kProviders) {
    EXPECT_EQ(EstimateMediaTokens(provider, {.mime = "image/png", .bytes = 1}),
              EstimateMediaTokens(provider, {.mime = "image/png", .bytes = 30'000'000}));
  }
}

TEST(MediaCost, TakesAnyNumbers) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  for (const std::string_view mime :
       {"image/png", "audio/wav", "video/mp4", "application/pdf", "x"}) {
    for (const Provider provider : kProviders) {
      const Media media{.mime = mime,
                        .bytes = kMost,
                        .width = kMost,
                        .height = kMost,
                        .duration_ms = kMost,
                        .pages = kMost};
      EXPECT_LT(EstimateMediaTokens(provider, media), std::uint64_t{1} << 50) << mime;
    }
  }
}

}  // namespace
}  // namespace pactdb::tokens
