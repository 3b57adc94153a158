// Sessions of the coding agent pi: JSON lines, each an entry with a type. Import only.
//
// Messages become blocks as those of providers do. What else a line says (times, models, usage) is
// kept in pi:meta; lines that are no messages, and messages without content, become groups of kind
// event, which say nothing to a model.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <pactdb/error.h>

#include "providers/entry.h"
#include "text/json_doc.h"

namespace pactdb::providers {

// `document`: the lines, as a list. Errors: kImportInvalid with index (of the line) and field, and
// what the sink gives.
Status ReadPi(const JsonRef& document, Faults& faults, EntrySink& sink);

}  // namespace pactdb::providers
