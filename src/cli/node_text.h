// A node as one line for people: id, what it is, how it begins.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.h"
#include "text/json_doc.h"

namespace pactdb::cli {

// The parts of the line that are there. `node` is an answer of `get` or a node of `tree`.
std::vector<Table::Cell> DescribeNode(const JsonRef& node);

// Parts one after the other, two blanks between them, cut to the width; colours are not counted.
std::string JoinLine(const Terminal& terminal, const std::vector<Table::Cell>& parts);

}  // namespace pactdb::cli
