// Whether a file holds what was acknowledged.
#pragma once

#include <string>
#include <vector>

#include "crash/script.h"

namespace pactdb::crash {

// "ok STATE" if the file at `path` opens within a second, verifies, and holds the state after a
// number of whole steps: at least `durable`, at most one more than `acked`. "bad WHY" if not.
// `expected` is script.Expected().
std::string CheckFile(const Script& script, const std::vector<Digest>& expected,
                      const std::string& path, int durable, int acked);

// "E_STORE_IO disk I/O error"
std::string ErrorText(const Error& error);

}  // namespace pactdb::crash
