// What went wrong with a verb, for people and for programs. Verbs give it back; program.cc tells
// it.
//
// Thread safety: values.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/json_doc.h"

namespace pactdb::cli {

// An error with the file it is about. For people it is one text, "file:line: E_CODE: message", and
// what would help; for programs an error as every surface has it, with `path` and `line` among the
// details.
class Fault {
 public:
  // Of how the command was called, or of what stands around it: a text that needs no code for
  // people, E_REQUEST_INVALID for programs.
  Fault(std::string message);  // NOLINT(*-explicit-*): a text is a fault, as it is an error
  Fault(const char* message);  // NOLINT(*-explicit-*)
  Fault(const Error& error);   // NOLINT(*-explicit-*)
  // Of the `error` member of an answer.
  explicit Fault(const JsonRef& error);

  // Before the text, and in the details unless they have one. `line` 0: none.
  Fault In(std::string_view file, std::size_t line = 0) &&;
  // Behind the text, for people alone.
  Fault Hint(std::string_view text) &&;
  // A detail, in the place of one of the same name.
  Fault With(std::string_view name, std::int64_t number) &&;
  Fault Without(std::string_view name) &&;

  std::string_view code() const { return code_; }
  std::string_view message() const { return message_; }
  // As people are told it.
  std::string Text() const;
  // {"error":{"code","message","details"}}
  std::string Json() const;

 private:
  struct Detail {
    std::string name;
    std::string json;
  };
  void Add(std::string_view name, std::string json);

  std::string code_;
  std::string message_;
  std::vector<Detail> details_;
  std::string where_;  // file and line
  std::string hint_;
  bool shows_code_ = true;
};

// A value, or what went wrong.
template <typename T>
using Said = std::expected<T, Fault>;

// The fault of a call, so that it can be returned where a Said is asked for.
template <typename T>
std::unexpected<Fault> Fail(T&& fault) {
  return std::unexpected<Fault>(Fault(std::forward<T>(fault)));
}

}  // namespace pactdb::cli
