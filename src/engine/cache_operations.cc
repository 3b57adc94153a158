#include "engine/cache_operations.h"

namespace pactdb {

namespace {

CacheOptions CacheOptionsOf(const Request& request) {
  return {.from = request.Text("from"),
          .to = request.Text("to"),
          .format = request.Text("format").value_or("thread"),
          .lossy = request.Bool("lossy", false),
          .limit = request.Integer("limit")};
}

}  // namespace

Status CheckCacheOptions(const CacheOptions& options) {
  if (options.from.has_value() != options.to.has_value())
    return std::unexpected(InvalidArgument("to", "'from' and 'to' come together"));
  if (!options.from || !options.limit) return {};
  return std::unexpected(InvalidArgument("limit", "a limit is for the pairs of the history"));
}

Status CheckCache(const Request& request) {
  return CheckCacheOptions(CacheOptionsOf(request));
}

Result<std::string> RunCache(ContextImpl& context, const Request& request) {
  return context.Cache(CacheOptionsOf(request));
}

Result<std::string> RunLint(ContextImpl& context, const Request& request) {
  const LintOptions otherwise;
  return context.Lint({.at = request.Text("at"),
                       .commits = request.Integer("commits").value_or(otherwise.commits)});
}

}  // namespace pactdb
