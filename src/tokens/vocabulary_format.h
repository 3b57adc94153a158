// The bytes of a vocabulary as they lie in the library.
//
// tools/make_vocabulary.cc writes them while we are built, src/tokens/vocabulary.cc reads them
// where they lie; both are built together, so the form may change with any commit. In this order,
// 4-byte numbers in the machine's own order:
//
//   VocabularyHeader
//   ends[tokens + 1]        where the bytes of token i end is ends[i + 1]; ends[0] is 0
//   slots[1 << slot_bits]   a hash table by linear probing: 0, or SlotOf(id, hash)
//   bytes[ends[tokens]]     of all tokens, one after the other
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pactdb::tokens {

inline constexpr std::uint32_t kVocabularyMagic = 0x31'56'54'50;  // "PTV1" where bytes are swapped
// An id and one in the low bits of a slot, what is left of the hash above them.
inline constexpr unsigned kSlotIdBits = 18;
inline constexpr std::uint32_t kSlotIdMask = (std::uint32_t{1} << kSlotIdBits) - 1;

struct VocabularyHeader {
  std::uint32_t magic;
  std::uint32_t tokens;
  std::uint32_t slot_bits;
  std::uint32_t token_bytes_max;
};

template <typename Number>
Number LoadAs(const char* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

// Up to 16 bytes as two numbers, which tell texts of one length apart.
struct ShortBytes {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool operator==(const ShortBytes&) const = default;
};

// REQUIRES: 1 <= size <= 16.
inline ShortBytes LoadShort(const char* at, std::size_t size) {
  if (size >= 8) return {LoadAs<std::uint64_t>(at), LoadAs<std::uint64_t>(at + size - 8)};
  if (size >= 4) return {LoadAs<std::uint32_t>(at), LoadAs<std::uint32_t>(at + size - 4)};
  const auto byte = [at](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(at[i])};
  };
  return {byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16, 0};
}

inline std::uint64_t MixBytes(ShortBytes bytes, std::uint64_t seed) {
  std::uint64_t hash = (bytes.first ^ seed) * 0x9E37'79B9'7F4A'7C15;
  hash ^= hash >> 32;
  hash = (hash ^ bytes.last) * 0xD6E8'FEB8'6659'FD93;
  return hash ^ hash >> 32;
}

// The table never changes and its longest probe is known, so no choice of text can make it slow.
// REQUIRES: size >= 1.
inline std::uint64_t TokenHash(const char* at, std::size_t size) {
  std::uint64_t hash = size;
  while (size > 16) {
    hash = MixBytes(LoadShort(at, 16), hash);
    at += 16;
    size -= 16;
  }
  return MixBytes(LoadShort(at, size), hash);
}

inline std::uint32_t SlotOf(std::uint32_t id, std::uint64_t hash) {
  return (id + 1) | static_cast<std::uint32_t>(hash >> 32) << kSlotIdBits;
}

}  // namespace pactdb::tokens
