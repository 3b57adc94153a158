// Times as people write them in options.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>

#include <cstdint>
#include <string_view>

namespace pactdb {

// A time, 2026-01-31, 2026-01-31T12:00:00Z or with a fraction of up to nine digits, in UTC; or an
// age before `now_ns`: a whole number and d, h, m or s. Nanoseconds since the epoch. Errors:
// kRequestInvalid.
Result<std::int64_t> ParseTimeOrAge(std::string_view text, std::int64_t now_ns);

}  // namespace pactdb
