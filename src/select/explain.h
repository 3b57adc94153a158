// How a selector was read and how it will run.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/selector.h>

#include <string>

#include "model/tree_view.h"

namespace pactdb::select {

// {"tokens","ast","canonical","plan","cost"}. With a tree the cost is in nodes of that tree.
// REQUIRES: the view's lists are summarized.
std::string ExplainJson(const Selector& selector, const TreeView* view);

// The same for people, without the tokens.
std::string ExplainText(const Selector& selector);

}  // namespace pactdb::select
