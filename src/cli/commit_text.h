// What a commit did, for people.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "text/json_doc.h"

namespace pactdb::cli {

// The answer of `commit`: the snapshot and the turn, then a line for each list of nodes that is not
// empty. Ends with a newline.
std::string CommitText(const Terminal& terminal, const JsonRef& commit);

}  // namespace pactdb::cli
