// Differences of two JSON values as a patch of RFC 6902.
//
// Objects are compared by key, arrays by a longest common subsequence of their elements; what
// stands against each other in a changed place of an array is compared in turn. Where replacing a
// value takes no more bytes than the operations inside it, it is replaced; so a patch is never
// longer than one that replaces everything.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace pactdb::diff {

// A JSON array of `add`, `remove` and `replace` operations that lead, in this order, from the older
// to the newer value; `[]` if they are equal. REQUIRES: both are canonical JSON.
std::string JsonPatch(std::string_view older, std::string_view newer);

}  // namespace pactdb::diff
