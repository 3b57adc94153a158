#include "model/body.h"

#include <cstring>
#include <new>
#include <string>

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
  // Names sort as content < content_* < data_* < kind < role, and `attributes` is sorted, so this
  // is key order. The buffer is reused: hashing a short node must not cost an allocation.
  thread_local std::string bytes;
  bytes.assign("{\"content\":");
  bytes += content.value_or("\"\"");
  for (const Attribute& attribute : attributes) {
    if (!IsContentAttribute(attribute.name)) continue;
    bytes += ',';
    AppendJsonString(attribute.name, bytes);
    bytes += ':';
    bytes += attribute.value;
  }
  bytes += ",\"kind\":";
  bytes += kind.empty() ? std::string_view("\"\"") : kind;
  bytes += ",\"role\":";
  bytes += role.empty() ? std::string_view("\"\"") : role;
  bytes += '}';
  const Digest digest = Sha256Of(bytes);
  constexpr std::size_t kKeptBytesMax = std::size_t{1} << 20;
  if (bytes.capacity() > kKeptBytesMax) std::string().swap(bytes);
  return digest;
}

const Digest& EmptyContentHash() {
  static const Digest digest = ContentHash(std::nullopt, {}, {}, {});
  return digest;
}

Ref<Body> Body::Make(std::optional<std::string_view> content, std::span<const Attribute> attributes,
                     std::string_view role, std::string_view kind) {
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
  body->content_hash_ = ContentHash(content, attributes, role, kind);
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
