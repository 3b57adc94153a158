// OpenAI Responses: a request body {"instructions", "input", "tools", ...}, or its list of items.
//
// Attributes of this format: openai-responses:content, openai-responses:item,
// openai-responses:type, openai-responses:input, openai-responses:instructions and
// openai-responses:fields (how something was written, if not as made ones are),
// openai-responses:given (media that came from an assistant), openai-responses:message and
// openai-responses:part (members that our words do not cover).
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
Status ReadOpenAiResponses(const JsonRef& document, Faults& faults, EntrySink& sink);

// Always a request body. Errors: kRenderIllegal; kStoreIo if the sink wants no more.
Status WriteOpenAiResponses(const TreeView& view, Losses& losses, ByteSink& sink,
                            PieceSink* pieces = nullptr);

}  // namespace pactdb::providers
