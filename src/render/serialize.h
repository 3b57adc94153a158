// The reference snapshot serialization, to the byte: id, nodeType, offset, ttl, priority, cycle,
// created_at_ns, created_at_iso, content, role, kind where present, children in the order of the
// literal comparator, keys sorted, no blanks, ASCII. Nothing else is in it; the lossless form is
// the export document.
//
// Thread safety: a pure function of the view.
#pragma once

#include <pactdb/stream.h>

#include <string>

#include "model/tree_view.h"

namespace pactdb {

// A sink that stops ends it early.
void SerializeSnapshot(const TreeView& view, ByteSink& sink);
void SerializeSnapshot(const TreeView& view, std::string& out);

}  // namespace pactdb
