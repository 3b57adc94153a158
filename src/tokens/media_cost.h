// What images, sounds and files cost in tokens: by each provider's published rules, from what is
// known of them. Their bytes, or base64 of their bytes, are never counted as text.
//
// Always an estimate: providers change the rules by model, and what is not known is assumed.
// docs/design/0005-tokens.md has the rules.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace pactdb::tokens {

enum class Provider : std::uint8_t { kOpenAi, kAnthropic, kGemini };

struct Media {
  std::string_view mime = {};  // decides what it is; unknown ones cost what a file costs
  // Zero where not known. `bytes` are of the media itself, not of its base64.
  std::uint64_t bytes = 0;
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::uint64_t duration_ms = 0;
  std::uint64_t pages = 0;
};

// At least 1.
std::uint64_t EstimateMediaTokens(Provider provider, const Media& media);

}  // namespace pactdb::tokens
