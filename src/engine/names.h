// Names of types, fields and ids: what may be written, and what is written out.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>
#include <pactdb/options.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/node.h"
#include "model/types.h"

namespace pactdb {

// A nodeType as a caller may give it.
struct GivenType {
  NodeClass node_class = NodeClass::kBlock;
  std::string stored;               // in the dialect's spelling
  std::optional<std::string> kind;  // block:summary has kind summary
};

// Errors: kNodeTypeInvalid for regions, turns, names without a namespace, empty parts.
Result<GivenType> ParseGivenType(std::string_view text, Dialect dialect);

// The class of an imported nodeType: what its first part says, else a block. Regions by their name.
NodeClass ImportedClass(std::string_view text);

// True for ids that the engine may hand out itself in `cycle` or later: block:12.3, seg:12 and
// their like.
bool HasDefaultIdShape(std::string_view id, std::int64_t cycle);

// The fields of the contract that a caller may set.
enum class Header : std::uint8_t {
  kId,
  kNodeType,
  kOffset,
  kTtl,
  kPriority,
  kCreatedAtNs,
  kCreationIndex,
  kRole,
  kKind,
  kKey,
  kTags,
  kRefs,
  kMime,
  kEncoding,
  kProvenance,
  kRemovable,
  kPinned,
  kCad,
  kContent,
};
std::optional<Header> FindHeader(std::string_view name);

// How `name` may be used as a field of a node.
enum class FieldKind : std::uint8_t {
  kSettable,  // a Header
  kCustom,    // data_*, content_* or ns:name
  kReserved,  // set by the engine alone
  kUnknown,
};
FieldKind ClassifyField(std::string_view name);

}  // namespace pactdb
