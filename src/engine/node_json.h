// Nodes as JSON answers: what `get` and `tree` show.
//
// Thread safety: pure functions of the view.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/tree_view.h"
#include "text/json_out.h"

namespace pactdb {

enum class NodeJson : std::uint8_t { kWithParent, kWithoutParent };

// The members of a node's object: every header with its default, optional ones where stored.
void WriteNodeFields(const TreeView& view, const Node& node, NodeJson form, JsonOut& out);

// The value of one field, by its name in a diff: `parent` is the parent's id, `content` what the
// node says. Null where the node has none.
void WriteFieldValue(const TreeView& view, const Node& node, std::string_view field, JsonOut& out);

// The nested tree from the root; `depth` levels below it if given.
void WriteTree(const TreeView& view, std::optional<std::int64_t> depth, JsonOut& out);

}  // namespace pactdb
