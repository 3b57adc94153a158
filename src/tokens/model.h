// Which encoding a model's tokens are of.
//
// Thread safety: pure functions.
#pragma once

#include <string_view>

namespace pactdb::tokens {

inline constexpr std::string_view kEstimate = "estimate";

// "o200k_base", "cl100k_base", or "estimate" where there is no public tokenizer or the name is not
// known. Takes the names of OpenAI's API, of fine-tuned models ("ft:gpt-4o:...") and with a
// provider before a slash ("openai/gpt-4o").
std::string_view EncodingOfModel(std::string_view model);

}  // namespace pactdb::tokens
