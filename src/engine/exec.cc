#include <pactdb/exec.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "base/on_exit.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/database_impl.h"
#include "engine/operations.h"
#include "text/error_json.h"
#include "text/json_doc.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

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

const Context* Exec::Find(std::string_view name) const {
  const auto& contexts = database_.impl_->contexts;
  const auto context = contexts.find(name);
  return context == contexts.end() ? nullptr : &context->second;
}

Result<std::string> Exec::Run(const JsonRef& request) {
  if (!request.is_object())
    return std::unexpected(Error(ErrorCode::kRequestInvalid, "a request is a JSON object"));
  PACTDB_TRY(const std::string name, ContextName(request));
  PACTDB_TRY(const Operation* operation, OperationOf(request));
  PACTDB_TRY(Request checked, Request::Check(request, operation->arguments));
  const ContextFinder finder = [this](std::string_view other) -> Result<const ContextImpl*> {
    PACTDB_TRY(const Context* found, database_.Find(other));
    return found->impl_.get();
  };
  checked.set_finder(finder);
  checked.set_database(database_, name);
  if (operation->check != nullptr) PACTDB_TRY_STATUS(operation->check(checked));
  auto context = database_.Find(name);
  if (context) {
    const auto held = (*context)->impl_;  // the operation may delete the context
    return operation->run(*held, checked);
  }
  if (!operation->makes_context || context.error().code() != ErrorCode::kContextNotFound)
    return std::unexpected(std::move(context).error());
  return RunOnNew(name, *operation, checked);
}

// A context whose first operation fails was never made. In a file the two are one step, so that
// neither is one whose first operation was cut short.
Result<std::string> Exec::RunOnNew(const std::string& name, const Operation& operation,
                                   const Request& request) {
  Database::Impl& impl = *database_.impl_;
  std::optional<StoreSession::Batch> batch;
  if (impl.session) {
    PACTDB_TRY(StoreSession::Batch begun,
               StoreSession::Batch::Begin(*impl.session, Durability::kFull));
    batch.emplace(std::move(begun));
  }
  PACTDB_TRY(Context * made, database_.Make(name, new_context_options_));
  OnExit forget([&impl, &name] { impl.contexts.erase(name); });
  PACTDB_TRY(std::string result, operation.run(*made->impl_, request));
  if (batch) PACTDB_TRY_STATUS(batch->End());
  forget.Release();
  made->impl_->TryFlushJournal();
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
