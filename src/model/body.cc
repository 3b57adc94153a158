#include "model/body.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>

#include "base/check.h"
#include "base/slab.h"
#include "text/canonical.h"

namespace pactdb {
namespace {

// An attribute is stored as these sizes, then the name, then the value.
struct AttributeSizes {
  std::uint32_t name;
  std::uint32_t value;
};

}  // namespace

bool IsContentAttribute(std::string_view name) {
  return name.starts_with("content_") || name.starts_with("data_");
}

Digest ContentHash(std::optional<std::string_view> content, std::span<const Attribute> attributes,
                   std::string_view role, std::string_view kind) {
  constexpr std::string_view kMissing = "\"\"";
  const std::string_view said = content.value_or(kMissing);
  if (role.empty()) role = kMissing;
  if (kind.empty()) kind = kMissing;
  std::size_t room = 64 + said.size() + kind.size() + role.size();
  for (const Attribute& attribute : attributes)
    room += 2 + JsonStringBytesMax(attribute.name.size()) + attribute.value.size();
  // Hashing a short node must not cost an allocation.
  std::array<char, 4096> small;
  std::unique_ptr<char[]> large;
  if (room > small.size()) large = std::make_unique_for_overwrite<char[]>(room);
  char* const start = large ? large.get() : small.data();
  char* to = start;
  const auto put = [&to](std::string_view text) { to = std::copy(text.begin(), text.end(), to); };
  // Names sort as content < content_* < data_* < kind < role, and `attributes` is sorted, so this
  // is key order.
  put("{\"content\":");
  put(said);
  for (const Attribute& attribute : attributes) {
    if (!IsContentAttribute(attribute.name)) continue;
    *to++ = ',';
    to = WriteJsonString(attribute.name, to);
    *to++ = ':';
    put(attribute.value);
  }
  put(",\"kind\":");
  put(kind);
  put(",\"role\":");
  put(role);
  *to++ = '}';
  return Sha256Of({start, static_cast<std::size_t>(to - start)});
}

const Digest& EmptyContentHash() {
  static const Digest digest = ContentHash(std::nullopt, {}, {}, {});
  return digest;
}

Ref<Body> Body::Make(std::optional<std::string_view> content, std::span<const Attribute> attributes,
                     std::string_view role, std::string_view kind) {
  return Restore(content, attributes, ContentHash(content, attributes, role, kind));
}

Ref<Body> Body::Restore(std::optional<std::string_view> content,
                        std::span<const Attribute> attributes, const Digest& content_hash) {
  std::size_t attributes_size = 0;
  for (const Attribute& attribute : attributes) {
    attributes_size += sizeof(AttributeSizes) + attribute.name.size() + attribute.value.size();
  }
  const std::size_t content_size = content ? content->size() : 0;
  void* memory = SharedSlabs().Allocate(sizeof(Body) + content_size + attributes_size);
  Body* body = new (memory) Body();
  body->content_size_ = static_cast<std::uint32_t>(content_size);
  body->attribute_count_ = static_cast<std::uint16_t>(attributes.size());
  body->has_content_ = content.has_value();
  body->content_hash_ = content_hash;
  char* at = reinterpret_cast<char*>(body + 1);
  const auto put = [&at](const void* bytes, std::size_t size) {
    if (size > 0) std::memcpy(at, bytes, size);
    at += size;
  };
  if (content) put(content->data(), content->size());
  for (const Attribute& attribute : attributes) {
    const AttributeSizes sizes{static_cast<std::uint32_t>(attribute.name.size()),
                               static_cast<std::uint32_t>(attribute.value.size())};
    put(&sizes, sizeof sizes);
    put(attribute.name.data(), attribute.name.size());
    put(attribute.value.data(), attribute.value.size());
  }
  return Ref<Body>::Adopt(body);
}

void Body::Destroy(Body* body) {
  SharedSlabs().Free(body, body->allocated_bytes());
}

std::optional<std::string_view> Body::content() const {
  if (!has_content_) return std::nullopt;
  return std::string_view(data(), content_size_);
}

Attribute Body::ReadAttribute(const char*& at) {
  AttributeSizes sizes;
  std::memcpy(&sizes, at, sizeof sizes);
  at += sizeof sizes;
  const Attribute attribute{{at, sizes.name}, {at + sizes.name, sizes.value}};
  at += std::size_t{sizes.name} + sizes.value;
  return attribute;
}

std::optional<std::string_view> Body::Find(std::string_view name) const {
  const char* at = attributes();
  for (std::uint32_t i = 0; i < attribute_count_; ++i) {
    const Attribute attribute = ReadAttribute(at);
    if (attribute.name == name) return attribute.value;
    if (attribute.name > name) break;
  }
  return std::nullopt;
}

std::size_t Body::allocated_bytes() const {
  const char* end = attributes();
  for (std::uint32_t i = 0; i < attribute_count_; ++i) ReadAttribute(end);
  return static_cast<std::size_t>(end - reinterpret_cast<const char*>(this));
}

}  // namespace pactdb
