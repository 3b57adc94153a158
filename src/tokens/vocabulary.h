// A vocabulary: the byte strings that are tokens, each with its id, which is also its rank in
// merging. A view of bytes that lie in the library (src/tokens/vocabulary_format.h): opening one
// costs nothing.
//
// Thread safety: an immutable value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tokens/vocabulary_format.h"

namespace pactdb::tokens {

class Vocabulary {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // The one that is built in; nothing if it was not there when we were built, or the name is
  // unknown.
  static std::optional<Vocabulary> BuiltIn(std::string_view name);

  // REQUIRES: `bytes` is what tools/make_vocabulary.cc wrote, aligned to 4, and outlives the view.
  explicit Vocabulary(const char* bytes);

  // The token that is exactly these bytes, or kNone. REQUIRES: size >= 1.
  std::uint32_t Find(const char* at, std::size_t size) const {
    if (size > token_bytes_max_) return kNone;
    const std::uint64_t hash = TokenHash(at, size);
    const std::uint32_t mark = static_cast<std::uint32_t>(hash >> 32) << kSlotIdBits;
    for (std::uint64_t slot = hash & slot_mask_;; slot = (slot + 1) & slot_mask_) {
      const std::uint32_t found = slots_[slot];
      if (found == 0) return kNone;
      if ((found & ~kSlotIdMask) != mark) continue;
      const std::uint32_t id = (found & kSlotIdMask) - 1;
      if (IsToken(id, at, size)) return id;
    }
  }
  std::uint32_t Find(std::string_view bytes) const { return Find(bytes.data(), bytes.size()); }

  // REQUIRES: id < size().
  std::string_view Bytes(std::uint32_t id) const {
    return {bytes_ + ends_[id], ends_[id + 1] - ends_[id]};
  }

  std::uint32_t size() const { return tokens_; }
  std::size_t token_bytes_max() const { return token_bytes_max_; }

 private:
  bool IsToken(std::uint32_t id, const char* at, std::size_t size) const {
    const std::uint32_t from = ends_[id];
    if (ends_[id + 1] - from != size) return false;
    if (size <= 16) return LoadShort(bytes_ + from, size) == LoadShort(at, size);
    return std::memcmp(bytes_ + from, at, size) == 0;
  }

  const std::uint32_t* ends_;
  const std::uint32_t* slots_;
  const char* bytes_;
  std::uint64_t slot_mask_;
  std::uint32_t tokens_;
  std::uint32_t token_bytes_max_;
};

}  // namespace pactdb::tokens
