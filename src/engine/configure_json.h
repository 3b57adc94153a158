// The configuration as JSON, both ways.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>
#include <pactdb/options.h>

#include <string>

#include "engine/request.h"

namespace pactdb {

// `current` with the request's arguments applied. Errors: kRequestInvalid.
Result<Options> ParseOptions(const Request& request, const Options& current);

// What `configure` takes.
inline constexpr Argument kConfigureArguments[] = {
    {"dialect", ArgumentType::kText},       {"clock", ArgumentType::kAny},
    {"ids", ArgumentType::kText},           {"policy", ArgumentType::kObject},
    {"authorize_sys", ArgumentType::kBool}, {"odi", ArgumentType::kText},
    {"durability", ArgumentType::kText},    {"journal", ArgumentType::kText},
    {"encoding", ArgumentType::kText},      {"retention", ArgumentType::kAny}};

// The `policy` of a request. Errors: kRequestInvalid.
Result<Policy> ParsePolicy(const JsonRef& json);

std::string OptionsJson(const Options& options);

}  // namespace pactdb
