// A tree diff as one line: "+id ... -id ... id(field,field) ...".
#pragma once

#include <string>

#include "diff/tree_diff.h"

namespace pactdb::support {

inline std::string DiffText(const TreeDiff& diff, const TreeView& from, const TreeView& to) {
  std::string text;
  for (const Node* node : diff.added) text += "+" + std::string(to.id(*node)) + " ";
  for (const Node* node : diff.removed) text += "-" + std::string(from.id(*node)) + " ";
  for (const NodeChange& change : diff.changed) {
    text += std::string(to.id(*change.after)) + "(";
    for (const std::string& field : ChangedFields(change, from, to)) text += field + ",";
    text.back() = ')';
    text += " ";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace pactdb::support
