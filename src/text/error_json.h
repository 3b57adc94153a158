// Errors as every surface shows them.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>

#include "text/json_out.h"

namespace pactdb {

// {"code","message","details"}. Bytes of a message or detail that are no UTF-8, as of a path,
// become U+FFFD.
void WriteError(const Error& error, JsonOut& out);
// The details alone, an object.
void WriteDetails(const Error& error, JsonOut& out);

}  // namespace pactdb
