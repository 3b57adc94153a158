// How many tokens a rendered request has, tools included: what a provider is asked to read.
//
// Of plain messages OpenAI publishes the rule, and with its encodings the count is exact. How
// calls, tools and media become tokens no provider says in full; then this is an estimate, and says
// so.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>
#include <pactdb/tokens.h>

#include <cstdint>
#include <string_view>

namespace pactdb {

struct RequestTokens {
  std::uint64_t total = 0;
  std::uint64_t tools = 0;  // of the total, the definitions of tools
  bool is_exact = true;
};

// `body`: as rendered. Errors: kRequestInvalid for a body that is no request.
Result<RequestTokens> CountRequest(std::string_view body, const Tokenizer& tokenizer);

}  // namespace pactdb
