// The operations on the prompt cache of providers: cache, lint. Entries of the table in
// operations.cc.
//
// Thread safety: the writer's.
#pragma once

#include <pactdb/error.h>

#include <string>

#include "engine/context_impl.h"
#include "engine/request.h"

namespace pactdb {

inline constexpr Argument kCacheArguments[] = {{"from", ArgumentType::kSnapshot},
                                               {"to", ArgumentType::kSnapshot},
                                               {"format", ArgumentType::kText},
                                               {"lossy", ArgumentType::kBool},
                                               {"limit", ArgumentType::kCount}};
// Two states or none, and a limit only without them. Errors: kRequestInvalid.
Status CheckCacheOptions(const CacheOptions& options);
Status CheckCache(const Request& request);
Result<std::string> RunCache(ContextImpl& context, const Request& request);

inline constexpr Argument kLintArguments[] = {{"at", ArgumentType::kSnapshot},
                                              {"commits", ArgumentType::kCount}};
Result<std::string> RunLint(ContextImpl& context, const Request& request);

}  // namespace pactdb
