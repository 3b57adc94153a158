// Bounds on whatever comes from outside. Reaching one is E_LIMIT_EXCEEDED with the bound in the
// details.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pactdb::limits {

inline constexpr std::size_t kContentBytesMax = std::size_t{32}
                                                << 20;  // one node's content, as canonical bytes
inline constexpr std::size_t kAttributesMax = 256;      // attributes on one node
inline constexpr std::size_t kKeyBytesMax = 256;
inline constexpr std::size_t kIdBytesMax = 512;
inline constexpr std::size_t kNewNodesMax = 100'000;        // made in one cycle
inline constexpr std::size_t kImportNodesMax = 10'000'000;  // in one imported document
// Levels below the root of a tree whose head is sealed. Sealing puts ^seq and a turn where ^ah was,
// so that in the head there is one level less.
inline constexpr std::size_t kTreeDepthMax = 128;
inline constexpr std::size_t kHeadDepthMax = kTreeDepthMax - 1;
// No cycle is this or later, whether committed or imported: counting on cannot overflow, and what
// one context exports another can import.
inline constexpr std::int64_t kCycleMax = std::int64_t{1} << 62;
inline constexpr std::size_t kContentJsonDepthMax =
    64;  // nesting of one content or attribute value
inline constexpr std::size_t kDocumentJsonDepthMax = 2 * kTreeDepthMax + 80;
inline constexpr std::size_t kExecLineBytesMax = std::size_t{256} << 20;
inline constexpr std::size_t kContextNameBytesMax = 128;
inline constexpr std::size_t kTagNameBytesMax = 128;
inline constexpr std::int64_t kSimulatedCyclesMax = 10'000;
inline constexpr std::int64_t kSimulatedGrowthMax = 1'000'000;  // tokens a turn
inline constexpr std::size_t kForkDepthMax = 1024;  // forks of forks; a lookup asks each
inline constexpr std::size_t kIdempotencyKeyBytesMax = 256;
// One record or content of a store: SQLite takes a thousand million bytes a row.
inline constexpr std::size_t kRecordBytesMax = 999'000'000;
// Of one selector, all its groups together.
inline constexpr std::size_t kSelectorBytesMax = 4096;
inline constexpr std::size_t kSelectorStepsMax = 64;
inline constexpr std::size_t kSelectorGroupsMax = 16;
inline constexpr std::size_t kSelectorFiltersMax = 64;
inline constexpr std::size_t kSelectorDepthsMax = 1024;      // numbers and ranges in :depth(...)
inline constexpr std::size_t kSelectVisitsMax = 10'000'000;  // nodes looked at by one query

// Contents compared by one range, both sides counted. No error: what lies beyond is not compared
// and the result says so.
inline constexpr std::size_t kRangeContentBytesMax = std::size_t{256} << 20;

}  // namespace pactdb::limits
