// The scriptable surface: one JSON request in, one JSON answer out.
//
//   Exec exec;
//   exec.Answer(R"({"op":"add","node":{"role":"user","content":"Hello"}})");
//   // {"ok":true,"result":{"id":"block:1.1","cycle":1}}
//
// Every surface that speaks JSON (the command, the C ABI, HTTP) goes through here, so all have the
// same operations, argument checks and error codes. It runs on a Database: in memory, or a file.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/context.h>
#include <pactdb/database.h>
#include <pactdb/host.h>

#include <memory>
#include <string>
#include <string_view>

namespace pactdb {

class Exec {
 public:
  // In memory. Contexts read the time and take chance from the host.
  explicit Exec(std::shared_ptr<Host> host = SystemHost()) : Exec(Database(std::move(host))) {}
  explicit Exec(Database database) : database_(std::move(database)) {}
  // Never fails: whatever is wrong with the line is in the answer. No newline at the end.
  std::string Answer(std::string_view line);

  // The context of that name, if it is in use; null if not.
  const Context* Find(std::string_view name) const;
  Database& database() { return database_; }
  // Of contexts that requests make from now on.
  void set_new_context_options(Options options) { new_context_options_ = std::move(options); }

 private:
  Result<std::string> Run(const class JsonRef& request);
  Result<std::string> RunOnNew(const std::string& name, const struct Operation& operation,
                               const class Request& request);

  Database database_;
  Options new_context_options_;
};

}  // namespace pactdb
