// Differences of two texts in the unified format, as GNU patch applies them.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pactdb::diff {

struct NamedText {
  std::string_view name;
  std::string_view text;
};

// From the older to the newer text, with `context` lines around each change; empty if they are
// equal. Lines end at line feeds only. A name with control characters, quotes or backslashes is
// quoted as GNU diff quotes it. A text of more than kItemsMax lines is replaced as a whole.
std::string UnifiedDiff(const NamedText& older, const NamedText& newer, std::size_t context);

}  // namespace pactdb::diff
