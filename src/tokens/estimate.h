// Estimates, where a tokenizer is not public.
//
// Weights of what a text is made of (words, long words, digits, ...), fitted to what Anthropic
// reported for recorded sessions of Claude 4.5. The error was measured there and nowhere else:
// docs/design/0005-tokens.md. Whole numbers and no vocabulary, so that every build on every machine
// gives the same figure.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace pactdb::tokens {

// 0 only for an empty text. Linear; any bytes are taken.
std::uint64_t EstimateTokens(std::string_view text);

}  // namespace pactdb::tokens
