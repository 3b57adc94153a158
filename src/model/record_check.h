// Which nodes of a damaged record are damaged.
//
// A record that does not match its checksum is mostly whole but for a few bytes. So far as it can
// be taken apart, what it says of each node is hashed again, and compared with the hashes that it
// has: a content with the content hash, headers with the hash of the list that the node stands in,
// a container with its digest. What does not match, or cannot be read, is named. Nothing in the
// record is believed: it may be any bytes.
//
// Thread safety: pure function.
#pragma once

#include <string>
#include <vector>

#include "model/record.h"
#include "model/tree_loader.h"

namespace pactdb {

struct RecordDamage {
  // What is found, as parts of a sentence: "block:3.1 has other content than its hash says". None:
  // it cannot be told to be in any node.
  std::vector<std::string> parts;
  // All nodes that the record has and that can be read, regions apart.
  std::vector<std::string> nodes;
};

// `source` has the other records; what it cannot give is not compared.
RecordDamage FindDamage(const StoredRecord& record, RecordSource& source);

// As it is shown.
std::string IdOf(const StoredNode& node);
// So many ids are named in a list.
inline constexpr std::size_t kListedIds = 10;
// "block:3.1, block:3.2": the first ten, and how many more. REQUIRES: there is one.
std::string ListOfIds(const std::vector<std::string>& ids);
// The same of `count` ids, of which the first ten are at hand.
std::string ListOfIds(const std::vector<std::string>& first, std::size_t count);

}  // namespace pactdb
