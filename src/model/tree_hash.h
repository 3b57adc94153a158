// tree_sha256: a hash of the logical tree, maintained along the structure of the child lists.
//
// The bytes are specified in docs/format/tree-hash.md and never change for a format version.
//
// Thread safety: pure functions over trees that do not change meanwhile.
#pragma once

#include <string>

#include "base/sha256.h"
#include "model/child_list.h"
#include "model/node.h"

namespace pactdb {

// The node's own encoding: id, headers with the expiry cycle in place of the shown ttl, attributes,
// content hash.
void AppendNodeEncoding(const Node& node, const Lexicon& lexicon, std::string& out);

// Encoding a block reads its body and its id, which lie elsewhere: asks for them ahead of
// HashChunk. REQUIRES: level 0.
void PrefetchBlocks(const Chunk& chunk, const Lexicon& lexicon);

// REQUIRES: everything below is up to date.
Digest HashChunk(const Chunk& chunk, const Lexicon& lexicon);
Digest HashContainer(const Container& container, const Lexicon& lexicon);

// The same from parts, where there is no tree: a container whose list has this hash (none: no
// list), and a chunk entry by entry.
Digest HashContainer(const Node& container, const Digest* list, const Lexicon& lexicon);
class ChunkHasher {
 public:
  explicit ChunkHasher(unsigned level);
  // The hash of a chunk or, at level 0, the digest of a container.
  void Add(const Digest& below);
  void AddBlock(const Node& block, const Lexicon& lexicon);
  // REQUIRES: it ends the hash.
  Digest Finish() { return hash_.Finish(); }

 private:
  bool is_leaf_;
  Sha256 hash_;
  std::string entry_;  // kept for its room
};

}  // namespace pactdb
