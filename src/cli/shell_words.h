// A line of the shell: cut into words, and completed.
//
// Thread safety: one thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/line_editor.h"
#include "cli/session.h"

namespace pactdb::cli {

// Words at blanks; '...' takes everything as it stands, "..." and bare words take \" and \\.
Said<std::vector<std::string>> SplitWords(std::string_view line);

// What could end the line: verbs, options and their values, ids, keys (#), tags (+), snapshots (@),
// regions (^), types (.) and attributes of selectors, of the file as it is now.
Completion CompleteLine(std::string_view line, const Setting& here);

}  // namespace pactdb::cli
