// Attributes of nodes as filters see them, and the comparison rules.
//
// Reserved numeric headers compare as numbers, string headers by code point, everything else by the
// JSON type it is stored as. A missing attribute is null: `=` and `!=` may test it, order operators
// never match it, and `!=` is always the negation of `=`.
//
// Thread safety: pure functions of the tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/tree_view.h"
#include "select/ast.h"
#include "select/match.h"

namespace pactdb::select {

// Where and how filters are read.
struct Scope {
  const TreeView* view;
  Dialect dialect;
  // Set while a walk is inside one turn or region: the depth of all it meets.
  bool knows_depth = false;
  std::optional<std::int64_t> known_depth{};

  // As the dialect addresses depths: classic knows none for ^ah and ^sys.
  std::optional<std::int64_t> DepthOf(Match match) const;
};

// The kind that selectors see: that of `cb:x` is x unless another is given. Empty if there is none.
std::string_view EffectiveKind(const Lexicon& lexicon, const Node& node);

// True if two nodeTypes are the same but for the spelling of their first part: cb:x and block:x.
bool IsSameType(std::string_view a, std::string_view b);

bool Holds(const Filter& filter, Match match, const Scope& scope);

// Any part but a pick.
bool Holds(const Part& part, Match match, const Scope& scope);

}  // namespace pactdb::select
