// The C interface over Exec and Database. No exception leaves it: out of memory is a status of its
// own, and nothing else throws.
#include <pactdb/database.h>
#include <pactdb/exec.h>
#include <pactdb/pactdb.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/try.h"
#include "text/error_json.h"
#include "text/json_doc.h"
#include "text/json_out.h"

struct pactdb_t {
  explicit pactdb_t(pactdb::Database database) : exec(std::move(database)) {}
  pactdb::Exec exec;
};

namespace pactdb {
namespace {

char* CopyText(std::string_view text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

void Give(std::string_view text, pactdb_bytes* bytes) {
  if (bytes == nullptr) return;
  bytes->data = CopyText(text);
  bytes->size = text.size();
}

std::string DetailsJson(const Error& error) {
  JsonOut out;
  WriteDetails(error, out);
  return out.Take();
}

struct FreeError {
  void operator()(pactdb_error* error) const { pactdb_error_free(error); }
};

void Give(const Error& fault, pactdb_error** error) {
  if (error == nullptr) return;
  std::unique_ptr<pactdb_error, FreeError> made(
      static_cast<pactdb_error*>(std::calloc(1, sizeof(pactdb_error))));
  if (made == nullptr) throw std::bad_alloc();
  made->code = CopyText(WireName(fault.code()));
  made->message = CopyText(fault.message());
  made->details = CopyText(DetailsJson(fault));
  *error = made.release();
}

// Runs `work`, which gives a Status, behind the rim.
template <typename Work>
pactdb_status Guard(pactdb_error** error, Work&& work) {
  if (error != nullptr) *error = nullptr;
  try {
    const Status done = std::forward<Work>(work)();
    if (done) return PACTDB_OK;
    Give(done.error(), error);
    return PACTDB_FAILED;
  } catch (const std::bad_alloc&) {
    return PACTDB_NO_MEMORY;
  }
}

std::string_view NameOf(const char* context) {
  return context == nullptr ? "main" : context;
}

ErrorCode CodeNamed(std::string_view wire) {
#define PACTDB_ERROR_CODE(name, its_wire, meaning) \
  if (wire == its_wire) return ErrorCode::name;
#include <pactdb/error_codes.def>
#undef PACTDB_ERROR_CODE
  return ErrorCode::kRequestInvalid;
}

// Of the `error` member of an answer.
Error ErrorOf(const JsonRef& json) {
  Error error(CodeNamed(json.Find("code")->string()), std::string(json.Find("message")->string()));
  const JsonRef details = *json.Find("details");
  for (auto it = details.begin(); it != details.end(); ++it) {
    const auto& [name, value] = *it;
    const auto number = value.AsInt64();
    error = number              ? std::move(error).With(name, *number)
            : value.is_string() ? std::move(error).With(name, value.string())
                                : std::move(error).With(name, value.ToJson().text());
  }
  return error;
}

// Into a context that is not there yet: the operation makes it, in one step with the node.
Result<std::string> AddToNew(Exec& exec, std::string_view context, const NodeSpec& node) {
  if (node.fault()) return std::unexpected(*node.fault());
  JsonOut request;
  request.BeginObject().Key("op").String("add").Key("context").String(context);
  request.Key("node").BeginObject();
  for (const auto& [name, value] : node.fields()) request.AnyKey(name).Raw(value.text());
  request.EndObject().EndObject();
  PACTDB_TRY(const JsonDoc answer,
             JsonDoc::Parse(exec.Answer(request.text()), limits::kDocumentJsonDepthMax));
  if (const auto error = answer.root().Find("error")) return std::unexpected(ErrorOf(*error));
  return std::string(answer.root().Find("result")->Find("id")->string());
}

Result<Database> OpenDatabase(const char* path, int access) {
  if (path == nullptr) return Database();
  switch (access) {
    case PACTDB_READ:
      return Database::Open(path, Access::kRead);
    case PACTDB_WRITE:
      return Database::Open(path, Access::kWrite);
    case PACTDB_CREATE:
      return Database::Open(path, Access::kCreate);
    default:
      return std::unexpected(Error(ErrorCode::kRequestInvalid,
                                   "access must be PACTDB_READ, "
                                   "PACTDB_WRITE or PACTDB_CREATE")
                                 .With("argument", "access"));
  }
}

}  // namespace
}  // namespace pactdb

using pactdb::Context;
using pactdb::Status;

const char* pactdb_version(void) {
  return PACTDB_VERSION;
}

pactdb_status pactdb_open(const char* path, int access, pactdb_t** db, pactdb_error** error) {
  *db = nullptr;
  return pactdb::Guard(error, [&]() -> Status {
    PACTDB_TRY(pactdb::Database database, pactdb::OpenDatabase(path, access));
    *db = new pactdb_t(std::move(database));
    return {};
  });
}

void pactdb_close(pactdb_t* db) {
  delete db;
}

pactdb_status pactdb_call(pactdb_t* db, const char* request, size_t size, pactdb_bytes* answer) {
  *answer = {nullptr, 0};
  return pactdb::Guard(nullptr, [&]() -> Status {
    pactdb::Give(db->exec.Answer({request, size}), answer);
    return {};
  });
}

pactdb_status pactdb_add_text(pactdb_t* db, const char* context, const char* role, const char* text,
                              size_t size, pactdb_bytes* id, pactdb_error** error) {
  if (id != nullptr) *id = {nullptr, 0};
  return pactdb::Guard(error, [&]() -> Status {
    pactdb::NodeSpec node;
    if (role != nullptr) node.Role(role);
    node.Text({text, size});
    const auto found = db->exec.database().Find(pactdb::NameOf(context));
    if (!found && found.error().code() == pactdb::ErrorCode::kContextNotFound) {
      PACTDB_TRY(const std::string made, pactdb::AddToNew(db->exec, pactdb::NameOf(context), node));
      pactdb::Give(made, id);
      return {};
    }
    if (!found) return std::unexpected(found.error());
    PACTDB_TRY(const pactdb::AddResult added, (*found)->Add(node));
    pactdb::Give(added.id, id);
    return {};
  });
}

pactdb_status pactdb_commit(pactdb_t* db, const char* context, int64_t* cycle,
                            pactdb_error** error) {
  return pactdb::Guard(error, [&]() -> Status {
    PACTDB_TRY(Context * found, db->exec.database().Find(pactdb::NameOf(context)));
    PACTDB_TRY(const pactdb::CommitResult committed, found->Commit());
    if (cycle != nullptr) *cycle = committed.cycle;
    return {};
  });
}

pactdb_status pactdb_render(pactdb_t* db, const char* context, const char* at, pactdb_bytes* thread,
                            pactdb_error** error) {
  *thread = {nullptr, 0};
  return pactdb::Guard(error, [&]() -> Status {
    PACTDB_TRY(Context * found, db->exec.database().Find(pactdb::NameOf(context)));
    pactdb::RenderOptions options;
    if (at != nullptr) options.at = at;
    PACTDB_TRY(const pactdb::RenderResult rendered, found->Render(options));
    pactdb::Give(rendered.body, thread);
    return {};
  });
}

pactdb_status pactdb_select(pactdb_t* db, const char* context, const char* selector,
                            pactdb_bytes* ids, pactdb_error** error) {
  *ids = {nullptr, 0};
  return pactdb::Guard(error, [&]() -> Status {
    PACTDB_TRY(Context * found, db->exec.database().Find(pactdb::NameOf(context)));
    PACTDB_TRY(const std::vector<std::string> selected, found->Select(selector));
    std::string lines;
    for (const std::string& id : selected) {
      lines += id;
      lines += '\n';
    }
    pactdb::Give(lines, ids);
    return {};
  });
}

void pactdb_free(pactdb_bytes* bytes) {
  if (bytes == nullptr) return;
  std::free(bytes->data);
  *bytes = {nullptr, 0};
}

void pactdb_error_free(pactdb_error* error) {
  if (error == nullptr) return;
  std::free(error->code);
  std::free(error->message);
  std::free(error->details);
  std::free(error);
}
