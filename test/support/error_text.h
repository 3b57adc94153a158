// A failure as one line, so that a test compares code, message and details at once.
#pragma once

#include <pactdb/error.h>

#include <string>

namespace pactdb::support {

// "E_CODE: message {name=value name=value}"; no braces without details.
inline std::string ErrorText(const Error& error) {
  std::string text(WireName(error.code()));
  text += ": ";
  text += error.message();
  if (error.details().empty()) return text;
  text += " {";
  for (const Error::Detail& detail : error.details()) {
    if (text.back() != '{') text += ' ';
    text += detail.name;
    text += '=';
    text += detail.is_number ? std::to_string(detail.number) : detail.text;
  }
  return text + "}";
}

// The same of a result, or "ok".
template <typename T>
std::string ErrorText(const Result<T>& result) {
  return result ? "ok" : ErrorText(result.error());
}

}  // namespace pactdb::support
