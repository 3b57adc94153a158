// The provider thread: what the model sees.
//
// A JSON array of {"id","role","kind","content"} in that key order, without blanks, ASCII: ^sys,
// then turns from the oldest to the newest, then ^ah. Only blocks speak. A missing role is system
// under ^sys and user elsewhere, a missing kind is left out, missing content is ""; nothing of that
// is written into the tree.
//
// Thread safety: a pure function of the view.
#pragma once

#include <string>

#include "model/tree_view.h"

namespace pactdb {

// Appends the thread's bytes. Content is copied, never formatted again.
void RenderThread(const TreeView& view, std::string& out);

}  // namespace pactdb
