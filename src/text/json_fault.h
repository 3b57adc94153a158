// Where a refused text fails, for the error that names the place.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace pactdb {

struct JsonFault {
  const char* message;
  std::size_t pos;
};

constexpr bool IsJsonBlank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// What is wrong with a refused text as a sequence of bytes and strings, if anything is. simdjson's
// first stage finds the same faults, but does not say where, and which it names first depends on
// the CPU.
std::optional<JsonFault> FindLexicalFault(std::string_view text);

// Where a text fails that begins with a bracket and does not end with its partner: after the value,
// or, if the bracket is never closed, at it.
JsonFault FindRootFault(std::string_view text);

}  // namespace pactdb
