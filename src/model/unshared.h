// What two trees of one context do not share.
//
// Snapshots share every node and every piece of a child list that no edit touched, and sharing is
// visible: it is the same object. This walk visits what is not shared and skips the rest, so its
// cost follows the edits and not the trees. It knows nothing of what a difference means: a
// container on the path to an edit is visited though nothing about itself changed.
//
// Thread safety: as the trees.
#pragma once

#include <vector>

#include "model/node.h"

namespace pactdb {

struct Unshared {
  std::vector<const Node*> older;  // of the older tree alone, in its preorder
  std::vector<const Node*> newer;  // of the newer tree alone, in its preorder
};

// A node that stands elsewhere comes on both sides; so does everything below it, shared or not.
// REQUIRES: both trees refreshed.
Unshared FindUnshared(const Container& older, const Container& newer, const Lexicon& lexicon);

// True if the two versions of a node say the same and stand under the same parent, whatever lies
// below them.
bool SameVersion(const Node& a, const Node& b, const Lexicon& lexicon);

}  // namespace pactdb
