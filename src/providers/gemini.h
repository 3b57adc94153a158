// Gemini generateContent: a request body {"systemInstruction", "contents", "tools", ...}, or its
// list of contents.
//
// Attributes of this format: gemini:role, gemini:id and gemini:system (how something was written,
// if not as made ones are), gemini:signature (of thinking, verbatim), gemini:empty, gemini:message,
// gemini:part and gemini:tools (members that our words do not cover).
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <pactdb/error.h>
#include <pactdb/stream.h>

#include "model/tree_view.h"
#include "providers/entry.h"
#include "providers/losses.h"
#include "providers/pieces.h"
#include "text/json_doc.h"

namespace pactdb::providers {

// Errors: kImportInvalid with index and field, and what the sink gives.
Status ReadGemini(const JsonRef& document, Faults& faults, EntrySink& sink);

// Always a request body. Errors: kRenderIllegal; kStoreIo if the sink wants no more.
Status WriteGemini(const TreeView& view, Losses& losses, ByteSink& sink,
                   PieceSink* pieces = nullptr);

}  // namespace pactdb::providers
