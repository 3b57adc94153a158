// Requests to one context, asked through Exec as every surface asks, and their answers.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/database.h>
#include <pactdb/exec.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cli/fault.h"
#include "text/json_doc.h"
#include "text/json_out.h"

namespace pactdb::cli {

// A request, built member by member.
class Ask {
 public:
  explicit Ask(std::string_view op);
  Ask& Text(std::string_view name, std::string_view value);
  // Left out if empty.
  Ask& Optional(std::string_view name, std::string_view value);
  Ask& Integer(std::string_view name, std::int64_t value);
  Ask& Bool(std::string_view name, bool value);
  Ask& Raw(std::string_view name, std::string_view json);
  // The request's line, to the context of that name.
  std::string Line(std::string_view context) const;

 private:
  JsonOut out_;
};

// An answer's result; keeps its document.
class Answer {
 public:
  // REQUIRES: the document is a view of the text.
  Answer(std::unique_ptr<const std::string> text, JsonDoc doc)
      : text_(std::move(text)), doc_(std::move(doc)) {}
  JsonRef result() const { return *doc_.root().Find("result"); }
  // The result's bytes as they were answered.
  std::string_view json() const;

 private:
  std::unique_ptr<const std::string> text_;  // stays where it is
  JsonDoc doc_;
};

// Of a database file that was open already, with what helps where it is damaged.
Fault InDatabase(Fault fault, std::string_view file);
// Of a file that could not be opened: also `if_missing` where there is none.
Fault FaultOfOpening(std::string_view file, const Error& error, std::string_view if_missing);
// What the system said of a file that was to be read, in the words that the store has for it.
Error Unreadable(int system_error);

// "1 node", "2 nodes".
std::string Count(std::int64_t number, std::string_view noun);

// True if there is something of that name, of whatever kind.
bool IsThere(const std::string& file);

class Session {
 public:
  // In memory; else on the database `file`, for what is told of it.
  Session(std::unique_ptr<Exec> exec, std::string context, std::string file = "")
      : exec_(std::move(exec)), context_(std::move(context)), file_(std::move(file)) {}
  // On a database file. `if_missing`: what is told besides if there is none.
  static Said<Session> Open(const std::string& file, Access access, std::string context,
                            std::string_view if_missing = "");

  // What takes longer than a second shows that it goes on, unless the session is quiet.
  Said<Answer> Run(const Ask& ask);
  // What went wrong, with the file if it is about the file, and with what would help.
  Fault FaultOf(Fault fault) const;
  // Whether the context is there; a fault for a name that none can have.
  Said<bool> HasContext();

  Exec& exec() { return *exec_; }
  const std::string& context() const { return context_; }
  void set_context(std::string context) { context_ = std::move(context); }
  void set_quiet() { is_quiet_ = true; }

 private:
  std::unique_ptr<Exec> exec_;
  std::string context_;
  std::string file_;  // empty: none
  bool is_quiet_ = false;
};

}  // namespace pactdb::cli
