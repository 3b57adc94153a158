// Whether a node passes a part of a step, by the letter of docs/selector.md.
//
// Thread safety: pure functions.
#pragma once

#include <compare>
#include <optional>
#include <string_view>

#include "naive_select/plain_tree.h"
#include "select/ast.h"

namespace pactdb::naive {

// Both as numbers, [+-]digits[.digits][e[+-]digits], compared exactly; nothing if one is none.
std::optional<std::strong_ordering> CompareNumbers(std::string_view a, std::string_view b);

// Any part but a pick; `step` is the one it belongs to.
bool Passes(const View& view, const Seen& seen, const select::Step& step, const select::Part& part);

}  // namespace pactdb::naive
