// How a selector was read and how it will run.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/selector.h>

#include <string>

namespace pactdb::select {

// {"tokens","ast","canonical","plan","cost"}.
std::string ExplainJson(const Selector& selector);

}  // namespace pactdb::select
