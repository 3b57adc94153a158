#include "engine/cache_operations.h"

namespace pactdb {

Status CheckCache(const Request& request) {
  if (request.Has("from") != request.Has("to"))
    return std::unexpected(InvalidArgument("to", "'from' and 'to' come together"));
  if (!request.Has("from") || !request.Has("limit")) return {};
  return std::unexpected(InvalidArgument("limit", "a limit is for the pairs of the history"));
}

Result<std::string> RunCache(ContextImpl& context, const Request& request) {
  return context.Cache({.from = request.Text("from"),
                        .to = request.Text("to"),
                        .format = request.Text("format").value_or("thread"),
                        .lossy = request.Bool("lossy", false),
                        .limit = request.Integer("limit")});
}

Result<std::string> RunLint(ContextImpl& context, const Request& request) {
  const LintOptions otherwise;
  return context.Lint({.at = request.Text("at"),
                       .commits = request.Integer("commits").value_or(otherwise.commits)});
}

}  // namespace pactdb
