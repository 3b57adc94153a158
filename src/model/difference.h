// In which fields two versions of a node differ. One notion for the log's counts and for diffs.
//
// Compared is what is shown: stored headers and attributes, the parent, the content by its hash,
// and of the ttl what is left at each tree's time. A header that is not there differs from one that
// is, whatever its value; an attribute that is not there equals one that is null.
//
// Thread safety: pure functions of immutable nodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/tree_view.h"

namespace pactdb {

// True if any field differs. REQUIRES: `before` is of `from`, `after` of `to`.
bool Differs(const TreeView& from, const Node& before, const TreeView& to, const Node& after);

// The names of the fields that differ: nodeType, offset, ttl, priority, cycle, created_at_ns,
// created_at_iso, creation_index, role, kind, parent (the node moved), content_hash (which stands
// for the content too), then the others by name. REQUIRES: as Differs.
std::vector<std::string> DifferentFields(const TreeView& from, const Node& before,
                                         const TreeView& to, const Node& after);

// The name of an attribute among those fields, and back. It is its own, but for one that a document
// calls `parent`, which would pass for a move: that is attribute:parent. No two attributes have one
// field.
std::string FieldOfAttribute(std::string_view name);
std::string_view AttributeOfField(std::string_view field);

}  // namespace pactdb
