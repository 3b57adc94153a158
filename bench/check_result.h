// Checks of a benchmark's own results: a benchmark that computes something wrong must not report
// how fast it did. A failed check prints what was expected and ends the program.
#pragma once

#include <pactdb/error.h>

#include <string_view>
#include <utility>

namespace pactdb::bench {

// Ends the program unless `holds`.
void Check(bool holds, std::string_view claim);

[[noreturn]] void Fail(std::string_view what, const Error& error);

template <typename T>
T ValueOf(Result<T> result, std::string_view what) {
  if (!result) Fail(what, result.error());
  return *std::move(result);
}

}  // namespace pactdb::bench
