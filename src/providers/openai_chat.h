// OpenAI Chat Completions: a request body {"messages", "tools", ...}, or its array of messages.
//
// Attributes of this format: openai-chat:content (how the content of the message was written, if
// not as a made one would be), openai-chat:call (likewise of a call), openai-chat:refusal
// (a member of the message, no part of its content), openai-chat:file_data (bytes without a data:
// before them), openai-chat:given (media that came from somebody who should not send any),
// openai-chat:role, openai-chat:message and openai-chat:part (members that our words do not cover).
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
Status ReadOpenAiChat(const JsonRef& document, Faults& faults, EntrySink& sink);

// Always a request body. Errors: kRenderIllegal; kStoreIo if the sink wants no more.
Status WriteOpenAiChat(const TreeView& view, Losses& losses, ByteSink& sink,
                       PieceSink* pieces = nullptr);

}  // namespace pactdb::providers
