// What the targets that read selectors have in common.
#pragma once

#include <pactdb/selector.h>

#include <string>

#include "base/check.h"

namespace pactdb {

// The selector's canonical text, parsed: it prints as itself. An error only if it passes a limit,
// being longer than what was written.
inline Result<Selector> ParseCanonical(const Selector& selector) {
  const std::string canonical = selector.canonical();
  Result<Selector> again = Selector::Parse(canonical, selector.dialect());
  PACTDB_CHECK(again || again.error().code() == ErrorCode::kLimitExceeded);
  if (again) PACTDB_CHECK(again->canonical() == canonical);
  return again;
}

}  // namespace pactdb
