// The operations on a file as a whole: gc, backup, and what verify and stats add for one.
//
// Thread safety: the writer's.
#pragma once

#include <pactdb/database.h>
#include <pactdb/error.h>

#include <string>

#include "engine/context_impl.h"
#include "engine/request.h"

namespace pactdb {

inline constexpr Argument kGcArguments[] = {{"keep_last", ArgumentType::kCount},
                                            {"keep_tagged", ArgumentType::kBool},
                                            {"older_than", ArgumentType::kText},
                                            {"all", ArgumentType::kBool},
                                            {"dry_run", ArgumentType::kBool}};
// What went, as `gc` answers it.
std::string RetentionJson(const RetentionRequest& request, const RetentionResult& result);
Result<std::string> RunGc(ContextImpl& context, const Request& request);

inline constexpr Argument kBackupArguments[] = {{"to", ArgumentType::kText, true}};
Result<std::string> RunBackup(ContextImpl& context, const Request& request);

Result<std::string> RunVerify(ContextImpl& context, const Request& request);
Result<std::string> RunStats(ContextImpl& context, const Request& request);

}  // namespace pactdb
