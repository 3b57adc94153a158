// The thread as one text, for people and for models that take no messages.
//
// Each block is a line with its role, and its kind unless that is text, then its content as it
// stands; content that is no text is its canonical JSON. A blank line stands between two. Order and
// defaults are the thread's. It says less than the thread: it cannot be read back.
//
// REQUIRES: the view's lists are summarized.
//
// Thread safety: a pure function.
#pragma once

#include <pactdb/stream.h>

#include "model/tree_view.h"

namespace pactdb {

void RenderText(const TreeView& view, ByteSink& sink);

}  // namespace pactdb
