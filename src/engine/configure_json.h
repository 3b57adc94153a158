// The configuration as JSON, both ways.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>
#include <pactdb/options.h>

#include <string>

#include "engine/request.h"

namespace pactdb {

// `current` with the request's arguments applied. Errors: kRequestInvalid.
Result<Options> ParseOptions(const Request& request, const Options& current);

std::string OptionsJson(const Options& options);

}  // namespace pactdb
