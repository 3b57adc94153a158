// Hashes of short byte strings.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace pactdb {

// For hash tables. Seeded, so that a crafted set of ids cannot make a table slow; never stored,
// never in any bytes.
std::uint64_t TableHash(std::string_view bytes, std::uint64_t seed);

// A fresh seed for TableHash.
std::uint64_t MakeTableSeed();

// For the shape of child lists (docs/format/tree-hash.md): 64-bit FNV-1a, then the MurmurHash3
// finalizer. Part of what tree_sha256 means: never change it.
std::uint64_t ShapeHash(std::string_view bytes);

}  // namespace pactdb
