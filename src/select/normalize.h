// One form for all spellings of a selector, and its text.
//
// Groups in parentheses become brackets, `#x` the filter it stands for, depth sets intervals, a
// position `(position) +tags { attributes } [ behavior ]`, a time its longer name. Nothing is
// reordered across a pick, so the meaning stays. Print(Normalize(ast)) parses to Normalize(ast).
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "select/ast.h"

namespace pactdb::select {

Ast Normalize(Ast ast);

// REQUIRES: normalized.
std::string Print(const Ast& ast);

// 'it''s' with backslashes where needed.
std::string Quote(std::string_view text);
std::string ToText(const Filter& filter);
std::string ToText(const TimePoint& point);
std::string ToText(const Time& time);
// Each control with a blank before it.
std::string ToText(const Controls& controls);

}  // namespace pactdb::select
