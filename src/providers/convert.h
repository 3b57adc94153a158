// Conversations of providers, both ways: a document becomes nodes, a tree becomes a request.
//
// Each format is a reader and a writer of its own; this is the table of them. Both are pure: what
// makes commits of a conversation, and which tree is rendered, is for the engine to say.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <pactdb/error.h>
#include <pactdb/stream.h>

#include "model/tree_view.h"
#include "providers/entry.h"
#include "providers/format.h"
#include "providers/losses.h"
#include "text/json_doc.h"

namespace pactdb::providers {

// Hands the nodes of the conversation to the sink, in order. Errors: kImportInvalid with index and
// field, and what the sink gives.
Status ReadConversation(Format format, const JsonRef& document, Faults& faults, EntrySink& sink);

// Writes a request of the losses' format, one that can be rendered. `marks`: of Anthropic, with
// breakpoints of the prompt cache (providers/breakpoints.h). Errors: kRenderIllegal with node and
// field; kStoreIo if the sink wants no more.
Status WriteRequest(const TreeView& view, Losses& losses, ByteSink& sink, bool marks = false);

}  // namespace pactdb::providers
