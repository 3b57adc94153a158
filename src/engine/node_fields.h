// The fields a caller gives for a node, checked and typed.
//
// One set of checks serves add, replace, update and import; what differs (which names may be set,
// how null reads, which code answers a fault) is said by the caller.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/context.h>
#include <pactdb/error.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/body.h"

namespace pactdb {

using Field = NodeSpec::Field;

// Typed values. An empty optional is "not given" (null counts as not given). Content and attributes
// are views: into the spec they were read from, or into the body of a node.
struct NodeFields {
  std::optional<std::string> id;
  std::optional<std::string> node_type;
  std::optional<std::int64_t> offset;
  std::optional<std::int64_t> ttl;
  std::optional<std::int64_t> priority;
  std::optional<std::int64_t> created_at_ns;
  std::optional<std::int64_t> creation_index;
  std::optional<std::string> role;
  std::optional<std::string> kind;
  std::optional<bool> removable;
  bool pinned = false;
  std::optional<std::string_view> content;  // canonical JSON; null is a content
  // key, tags, refs, mime, encoding, provenance, cad and custom ones, sorted by name.
  std::vector<Attribute> attributes;
};

// Which names of attributes are taken: those that callers may give, or any, as of imported entries.
enum class AttributeNames : std::uint8_t { kOwn, kAny };

// Refuses names the engine sets itself (kAttributeReserved), then names that are no field
// (kRequestInvalid).
Status CheckFieldNames(std::span<const Field> fields, AttributeNames names = AttributeNames::kOwn);

// The type of one value. Errors: kTtlInvalid, kCadenceInvalid, kLimitExceeded, kRequestInvalid. A
// null header is legal: it means absent.
Status CheckFieldValue(std::string_view name, const Json& value);

// All values. Of several faults wrong types come first, then limits, then ttl, then cad.
Status CheckFieldValues(std::span<const Field> fields);

// All checks above in the order of the contract, then the typed values.
Result<NodeFields> ParseNodeFields(std::span<const Field> fields,
                                   AttributeNames names = AttributeNames::kOwn);

// Takes one checked field into `fields`. Null headers are left out; null content and custom
// attributes are values.
void TakeField(const Field& field, NodeFields& fields);

}  // namespace pactdb
