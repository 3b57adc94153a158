// Why commits took nodes: names, and the form in which histories are exported.
//
// Thread safety: reading is the writer's, since it makes numbers for ids; the rest are pure
// functions.
#pragma once

#include <pactdb/error.h>

#include <optional>
#include <string_view>
#include <vector>

#include "model/history.h"
#include "text/json_doc.h"
#include "text/json_out.h"

namespace pactdb {

// "expired", "cascaded", or the name of the limit that pruned.
std::string_view NameOf(Departure::Cause cause);
std::optional<Departure::Cause> ParseCause(std::string_view name);

// [[id, cause], or [id, cause, with], ...] by id. REQUIRES: the record has departures.
void WriteDepartures(const CommitRecord& record, JsonOut& out);

// Errors: kImportInvalid.
Result<std::vector<Departure>> ReadDepartures(const JsonRef& list, Lexicon& lexicon,
                                              std::int64_t cycle);

}  // namespace pactdb
