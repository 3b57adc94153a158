// What most tests ask of a node, in 32 bits.
//
// A chunk keeps one code an entry beside its slots, so that a scan of the whole tree reads the
// codes and leaves the nodes alone. Three bits of class, one that says whether the node or anything
// below it has a ttl, ten each of role and kind, eight of priority. A field that cannot say its
// value says so (kOther, or a priority at the end of its range), and then the node itself must be
// asked.
//
// In memory only; never stored.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/node.h"

namespace pactdb::node_code {

inline constexpr std::uint32_t kClassMask = 7;
inline constexpr std::uint32_t kTtl = 1u << 3;
inline constexpr unsigned kRoleShift = 4;
inline constexpr std::uint32_t kRoleMask = 1023u << kRoleShift;
inline constexpr unsigned kKindShift = 14;
inline constexpr unsigned kPriorityShift = 24;

inline constexpr std::uint32_t kAbsent = 0;
inline constexpr std::uint32_t kOther = 1023;
inline constexpr std::int64_t kPriorityEnd = 127;

// The field that a word number would have; kOther if it has none of its own.
inline std::uint32_t WordField(WordNumber word) {
  if (word == kNoWord) return kAbsent;
  return word < kOther - 1 ? word + 1 : kOther;
}

// REQUIRES: within the ends.
inline std::uint32_t PriorityField(std::int64_t priority) {
  return static_cast<std::uint32_t>(priority + 128);
}

// `has_ttl`: it, or a node below it.
inline std::uint32_t Of(const Node& node, bool has_ttl) {
  const std::int64_t priority = std::clamp(node.priority, -kPriorityEnd, kPriorityEnd);
  return static_cast<std::uint32_t>(node.node_class()) | (has_ttl ? kTtl : 0) |
         WordField(node.role) << kRoleShift | WordField(node.kind) << kKindShift |
         PriorityField(priority) << kPriorityShift;
}

inline NodeClass Class(std::uint32_t code) {
  return static_cast<NodeClass>(code & kClassMask);
}
inline bool HasTtl(std::uint32_t code) {
  return (code & kTtl) != 0;
}
inline std::uint32_t Role(std::uint32_t code) {
  return code >> kRoleShift & 1023;
}
inline std::uint32_t Kind(std::uint32_t code) {
  return code >> kKindShift & 1023;
}
// Exact unless it is kPriorityEnd or -kPriorityEnd.
inline std::int64_t Priority(std::uint32_t code) {
  return static_cast<std::int64_t>(code >> kPriorityShift) - 128;
}

}  // namespace pactdb::node_code
