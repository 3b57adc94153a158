// Errors and results.
//
// Every call that may fail returns Result<T>. An Error is a value: a stable code, one line for
// people, and a few details for machines. The same code and details reach C++, C, the command, HTTP
// and the packages unchanged.
//
// Thread safety: values; no shared state.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pactdb {

enum class ErrorCode : std::uint8_t {
#define PACTDB_ERROR_CODE(name, wire, meaning) name,
#include <pactdb/error_codes.def>
#undef PACTDB_ERROR_CODE
};

// The name on the wire, such as "E_SEALED".
std::string_view WireName(ErrorCode code);

// One line that says what the code means, as printed in docs/errors.md.
std::string_view Meaning(ErrorCode code);

class [[nodiscard]] Error {
 public:
  // A detail's value is either text or a whole number.
  struct Detail {
    std::string name;
    std::string text;
    std::int64_t number = 0;
    bool is_number = false;
    bool operator==(const Detail&) const = default;
  };

  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  // Adds a detail and returns the error, so that a failure can be written in one expression.
  Error With(std::string_view name, std::string_view text) &&;
  Error With(std::string_view name, std::int64_t number) &&;

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::vector<Detail>& details() const { return details_; }

  bool operator==(const Error&) const = default;

 private:
  ErrorCode code_;
  std::string message_;
  std::vector<Detail> details_;
};

template <typename T>
using Result = std::expected<T, Error>;

using Status = std::expected<void, Error>;

}  // namespace pactdb
