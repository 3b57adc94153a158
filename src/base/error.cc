#include <pactdb/error.h>

namespace pactdb {

std::string_view WireName(ErrorCode code) {
  switch (code) {
#define PACTDB_ERROR_CODE(name, wire, meaning) \
  case ErrorCode::name:                        \
    return wire;
#include <pactdb/error_codes.def>
#undef PACTDB_ERROR_CODE
  }
  return "";
}

std::string_view Meaning(ErrorCode code) {
  switch (code) {
#define PACTDB_ERROR_CODE(name, wire, meaning) \
  case ErrorCode::name:                        \
    return meaning;
#include <pactdb/error_codes.def>
#undef PACTDB_ERROR_CODE
  }
  return "";
}

Error Error::With(std::string_view name, std::string_view text) && {
  details_.push_back({.name = std::string(name), .text = std::string(text)});
  return std::move(*this);
}

Error Error::With(std::string_view name, std::int64_t number) && {
  details_.push_back({.name = std::string(name), .text = {}, .number = number, .is_number = true});
  return std::move(*this);
}

}  // namespace pactdb
