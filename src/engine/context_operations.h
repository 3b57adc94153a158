// The operations on contexts as wholes: fork, contexts, tag.
//
// Thread safety: the writer's.
#pragma once

#include <pactdb/error.h>

#include <string>

#include "engine/context_impl.h"
#include "engine/request.h"

namespace pactdb {

inline constexpr Argument kForkArguments[] = {{"at", ArgumentType::kSnapshot, true},
                                              {"name", ArgumentType::kText, true}};
Status CheckFork(const Request& request);
Result<std::string> RunFork(ContextImpl& context, const Request& request);

inline constexpr Argument kContextsArguments[] = {{"action", ArgumentType::kText, true},
                                                  {"name", ArgumentType::kText},
                                                  {"to", ArgumentType::kText}};
Status CheckContexts(const Request& request);
Result<std::string> RunContexts(ContextImpl& context, const Request& request);

inline constexpr Argument kTagArguments[] = {{"at", ArgumentType::kSnapshot},
                                             {"name", ArgumentType::kText, true},
                                             {"delete", ArgumentType::kBool}};
Status CheckTag(const Request& request);
Result<std::string> RunTag(ContextImpl& context, const Request& request);

}  // namespace pactdb
