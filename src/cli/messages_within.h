// Where in a document that is no conversation there is one, for people who give a file of several.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "text/json_doc.h"

namespace pactdb::cli {

// An object with a role.
bool IsMessage(const JsonRef& value);

// The first reference token of a JSON pointer, as it stands; empty if it has none.
std::string_view FirstPart(std::string_view pointer);

// What helps, on a line of its own; empty where there is nothing to be found.
// Of a value, which `pointer` led to, that is to be a conversation.
std::string HintOfDocument(const JsonRef& value, std::string_view pointer);
// Of lines that are no messages.
std::string HintOfLines(std::string_view text);
// Of lines that have lists at the pointer.
std::string HintOfLists(std::string_view pointer);

}  // namespace pactdb::cli
