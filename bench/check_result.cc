#include "check_result.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace pactdb::bench {

void Check(bool holds, std::string_view claim) {
  if (holds) return;
  fmt::print(stderr, "bench: wrong result: expected that {}\n", claim);
  std::exit(1);
}

void Fail(std::string_view what, const Error& error) {
  fmt::print(stderr, "bench: cannot {}: {} {}\n", what, WireName(error.code()), error.message());
  std::exit(1);
}

}  // namespace pactdb::bench
