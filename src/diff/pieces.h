// Texts cut into what diffs compare.
//
// Thread safety: pure functions; pieces point into the text.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace pactdb::diff {

using Pieces = std::vector<std::string_view>;

// Lines with their line feed; the last may lack it. Put together they are the text. Nothing if
// there are more than kItemsMax.
std::optional<Pieces> SplitLines(std::string_view text);

// Words, each with the white space before it; white space at the end is a piece of its own. Put
// together they are the text. White space is ASCII's, whatever the locale. Nothing if there are
// more than kItemsMax.
std::optional<Pieces> SplitWords(std::string_view text);

}  // namespace pactdb::diff
