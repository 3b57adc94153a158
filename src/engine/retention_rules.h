// The rules of retention as requests give them, as files keep them, and whether they can be.
//
// `gc` takes them as arguments and `configure` as one object, the policy of a context; types and
// checks are the same.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>
#include <pactdb/options.h>

#include <optional>

#include "engine/request.h"
#include "text/json_out.h"

namespace pactdb {

inline constexpr Argument kRetentionArguments[] = {{"keep_last", ArgumentType::kCount},
                                                   {"keep_tagged", ArgumentType::kBool},
                                                   {"older_than", ArgumentType::kText}};

// Errors: kRequestInvalid if they do not say what stays, or not in a way that can be.
Status CheckRules(const RetentionRules& rules);

// The arguments of `gc`; nothing if none is there.
std::optional<RetentionRules> RulesOf(const Request& request);

// The value of `retention`; nothing for an object that says nothing. Errors: kRequestInvalid.
Result<std::optional<RetentionRules>> ParseRetention(const JsonRef& json);

// `keep_tagged` is always said, what is absent is not.
void WriteRetention(const RetentionRules& rules, JsonOut& out);

}  // namespace pactdb
