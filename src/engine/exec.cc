#include <pactdb/exec.h>

#include <algorithm>

#include "base/limits.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/operations.h"
#include "text/error_json.h"
#include "text/json_doc.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

bool IsContextName(std::string_view name) {
  const auto is_legal = [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '.' || byte == '_' || byte == '-';
  };
  return !name.empty() && name.size() <= limits::kContextNameBytesMax &&
         std::ranges::all_of(name, is_legal);
}

Result<std::string> ContextName(const JsonRef& request) {
  const auto name = request.Find("context");
  if (!name || name->is_null()) return "main";
  if (name->is_string() && IsContextName(name->string())) return std::string(name->string());
  return std::unexpected(
      InvalidArgument("context", "a context's name is 1 to 128 of A-Z a-z 0-9 . _ -"));
}

Result<const Operation*> OperationOf(const JsonRef& request) {
  const auto op = request.Find("op");
  if (!op || !op->is_string())
    return std::unexpected(InvalidArgument("op", "a request names its operation in 'op'"));
  if (const Operation* operation = FindOperation(op->string())) return operation;
  return std::unexpected(
      InvalidArgument("op", "unknown operation '" + std::string(op->string()) + "'"));
}

}  // namespace

Exec::Exec(std::shared_ptr<Host> host) : host_(std::move(host)) {
  contexts_.emplace("main", Context(std::make_shared<ContextImpl>(Options(), host_)));
}

const Context* Exec::Find(std::string_view name) const {
  const auto context = contexts_.find(name);
  return context == contexts_.end() ? nullptr : &context->second;
}

Result<std::string> Exec::Run(const JsonRef& request) {
  if (!request.is_object())
    return std::unexpected(Error(ErrorCode::kRequestInvalid, "a request is a JSON object"));
  PACTDB_TRY(const std::string name, ContextName(request));
  PACTDB_TRY(const Operation* operation, OperationOf(request));
  PACTDB_TRY(Request checked, Request::Check(request, operation->arguments));
  const ContextFinder finder = [this](std::string_view other) -> const ContextImpl* {
    const auto found = contexts_.find(other);
    return found == contexts_.end() ? nullptr : found->second.impl_.get();
  };
  checked.set_finder(finder);
  if (operation->check != nullptr) PACTDB_TRY_STATUS(operation->check(checked));
  const auto context = contexts_.find(name);
  if (context != contexts_.end()) return operation->run(*context->second.impl_, checked);
  if (!operation->makes_context) {
    return std::unexpected(Error(ErrorCode::kContextNotFound, "there is no context '" + name + "'")
                               .With("context", name));
  }
  // A context whose first operation fails was never made.
  auto made = std::make_shared<ContextImpl>(Options(), host_);
  PACTDB_TRY(std::string result, operation->run(*made, checked));
  contexts_.emplace(name, Context(std::move(made)));
  return result;
}

std::string Exec::Answer(std::string_view line) {
  const auto doc = JsonDoc::ParseView(line, limits::kDocumentJsonDepthMax);
  const Result<std::string> result = doc ? Run(doc->root()) : std::unexpected(doc.error());
  JsonOut out;
  out.BeginObject();
  out.Key("ok").Bool(result.has_value());
  if (result) {
    out.Key("result").Raw(*result);
  } else {
    out.Key("error");
    WriteError(result.error(), out);
  }
  const auto tag = doc && doc->root().is_object() ? doc->root().Find("tag") : std::nullopt;
  if (tag) out.Key("tag").Raw(tag->ToJson().text());
  out.EndObject();
  return out.Take();
}

}  // namespace pactdb
