// What a node says: its content and its attributes, as canonical bytes.
//
// A body is immutable and shared by every version of its node, so pinning a node or running its ttl
// down copies no content. `key`, `tags`, `refs`, `mime`, `encoding`, `provenance`, `cad` and all
// custom attributes are attributes here; the nine required headers, role and kind are fields of
// Node.
//
// One allocation: the struct, the content, then the attributes sorted by name.
//
// Thread safety: immutable after Make, but for what is remembered of its cost.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/ref.h"
#include "base/sha256.h"

namespace pactdb {

// `value` is canonical JSON.
struct Attribute {
  std::string_view name;
  std::string_view value;
};

class Body {
 public:
  // `role` and `kind` are canonical JSON strings or empty for absent; they are not kept, but the
  // content hash covers them. REQUIRES: attributes sorted by name, without duplicates.
  static Ref<Body> Make(std::optional<std::string_view> content,
                        std::span<const Attribute> attributes, std::string_view role,
                        std::string_view kind);
  // As kept somewhere, with the hash that Make gave it then.
  static Ref<Body> Restore(std::optional<std::string_view> content,
                           std::span<const Attribute> attributes, const Digest& content_hash);
  static void Destroy(Body* body);

  std::optional<std::string_view> content() const;
  const Digest& content_hash() const { return content_hash_; }
  std::uint32_t attribute_count() const { return attribute_count_; }

  // Canonical JSON of the attribute, if stored.
  std::optional<std::string_view> Find(std::string_view name) const;

  // Calls visit(Attribute) in order of names.
  template <typename Visitor>
  void ForEach(Visitor&& visit) const {
    const char* at = attributes();
    for (std::uint32_t i = 0; i < attribute_count_; ++i) visit(ReadAttribute(at));
  }

  std::size_t allocated_bytes() const;

  mutable std::atomic<std::uint32_t> refs{1};
  // What the node of this body costs, once somebody asked (model/node_cost.h).
  mutable std::atomic<std::uint32_t> cost{0};

 private:
  Body() = default;
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }
  const char* attributes() const { return data() + content_size_; }
  // Reads the attribute at `at` and moves `at` past it.
  static Attribute ReadAttribute(const char*& at);

  std::uint32_t content_size_ = 0;
  std::uint16_t attribute_count_ = 0;
  bool has_content_ = false;
  Digest content_hash_;
};

// The hash of the reference function over {content, kind, role} and every content_* and data_*
// attribute. Absent values hash as the empty string. REQUIRES: as Body::Make.
Digest ContentHash(std::optional<std::string_view> content, std::span<const Attribute> attributes,
                   std::string_view role, std::string_view kind);

// The hash of a node that says nothing: no content, role, kind or attributes.
const Digest& EmptyContentHash();

// True for attributes that belong to the content: content_* and data_*.
bool IsContentAttribute(std::string_view name);

}  // namespace pactdb
