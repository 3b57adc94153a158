// Names of node types and dialects: one table of aliases for whoever reads or writes them.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/options.h>

#include <optional>
#include <string_view>

#include "model/node.h"

namespace pactdb {

// seg/mt, cont/mc, block/cb by dialect; ^root, ^sys, ^seq, ^ah in all.
std::string_view TypeName(NodeClass node_class, Dialect dialect);

// The class that seg, mt, turn, cont, mc, block or cb name, in any dialect.
std::optional<NodeClass> FindTypeAlias(std::string_view name);

// ^sys, ^seq, ^ah, ^root.
std::optional<NodeClass> ParseRegionName(std::string_view text);

}  // namespace pactdb
