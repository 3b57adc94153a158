// Errors as every surface shows them.
//
// Thread safety: a pure function.
#pragma once

#include <pactdb/error.h>

#include "text/json_out.h"

namespace pactdb {

// {"code","message","details"}
void WriteError(const Error& error, JsonOut& out);

}  // namespace pactdb
