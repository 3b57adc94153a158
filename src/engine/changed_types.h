// Attributes whose values changed their JSON type from one tree to another.
//
// A selector compares by type: [shop:score>5] finds 6 and passes "6" over, so a node that says the
// one and then the other is found at some times only.
//
// Thread safety: pure function of the trees.
#pragma once

#include <string_view>
#include <vector>

#include "model/tree_view.h"

namespace pactdb {

struct TypeChange {
  const Node* node;       // as `newer` has it
  std::string_view name;  // of the attribute
  std::string_view was;   // "a number"
  std::string_view is;
};

// In preorder of `newer`, then by name. An attribute that came, went, or is null has no type.
// REQUIRES: both trees of one context and summarized.
std::vector<TypeChange> FindTypeChanges(const TreeView& older, const TreeView& newer);

}  // namespace pactdb
