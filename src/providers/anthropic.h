// Anthropic Messages: a request body {"system", "messages", "tools", ...}, or its list of messages.
//
// Attributes of this format: anthropic:content and anthropic:result_content (how a content was
// written, if not as a made one would be), anthropic:in_result (a part of the result before it),
// anthropic:given (media that came from an assistant), anthropic:signature (of thinking, verbatim),
// anthropic:message, anthropic:part and anthropic:result (members that our words do not cover,
// cache_control among them).
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <pactdb/error.h>
#include <pactdb/stream.h>

#include <unordered_set>

#include "model/tree_view.h"
#include "providers/entry.h"
#include "providers/losses.h"
#include "providers/pieces.h"
#include "text/json_doc.h"

namespace pactdb::providers {

// Errors: kImportInvalid with index and field, and what the sink gives.
Status ReadAnthropic(const JsonRef& document, Faults& faults, EntrySink& sink);

struct AnthropicOptions {
  // Takes the pieces, in their normal form; the bytes of the whole then mean nothing.
  PieceSink* pieces = nullptr;
  // Nodes whose blocks get a cache_control, unless they carry one (providers/breakpoints.h).
  const std::unordered_set<NodeNumber>* marks = nullptr;
};

// Always a request body. Errors: kRenderIllegal; kStoreIo if the sink wants no more.
Status WriteAnthropic(const TreeView& view, Losses& losses, ByteSink& sink,
                      const AnthropicOptions& options = {});

}  // namespace pactdb::providers
