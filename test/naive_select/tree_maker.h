// Random trees for selectors, as request lines: documents and edits, several snapshots each.
//
// Values come from small pools, so that the selectors of text_maker.h find something.
//
// Thread safety: pure functions of the seed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pactdb::naive {

std::vector<std::string> MakeTree(std::uint64_t seed);

}  // namespace pactdb::naive
