// Attributes whose values change their JSON type from one tree to another.
//
// A selector compares by type: [data_score>5] finds 6 and passes "6" over, so a node that says the
// one and then the other is found at some times only.
//
// Thread safety: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "model/tree_view.h"

namespace pactdb {

// "a number", of canonical JSON; empty for null, which is of no type.
std::string_view TypeOfValue(std::string_view value);

// A value that is of another type, or of none, in the newer tree.
struct LostType {
  const Node* node;       // as `older` has it
  std::string_view name;  // of the attribute
  std::string_view type;
};

// Of nodes that both trees have. REQUIRES: both of one context and summarized.
std::vector<LostType> FindLostTypes(const TreeView& older, const TreeView& newer);

}  // namespace pactdb
