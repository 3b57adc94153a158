// Whether a provider would take what a tree says, as it is now.
//
// Formats say what can be written down; these are the rules about order and completeness that their
// types do not show: results directly after their calls, none of either without the other, somebody
// who begins, something in every message, ids that are let in, thinking as it was signed.
//
// Thread safety: pure functions of the view.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/tree_view.h"
#include "providers/format.h"

namespace pactdb::providers {

struct Finding {
  std::string_view rule;  // one of those in docs/formats.md
  std::string id;         // of the node
  std::string problem;
  std::string fix;                // what a person would do
  std::vector<NodeNumber> takes;  // what has to go; empty if taking nodes away does not help
  std::size_t place = 0;          // of the block in the thread
};

// In the order of the thread. Without a format: what all providers ask for.
std::vector<Finding> FindIllegal(const TreeView& view, std::optional<Format> format);

}  // namespace pactdb::providers
