#include "base/hash64.h"

#include <cstring>
#include <random>

namespace pactdb {
namespace {

__extension__ using Uint128 = unsigned __int128;

// Multiplies to 128 bits and folds: each input bit reaches the whole word.
std::uint64_t Fold(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<Uint128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t Load(const char* bytes, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

}  // namespace

std::uint64_t TableHash(std::string_view bytes, std::uint64_t seed) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15ULL;
  std::uint64_t hash = seed ^ Fold(bytes.size() + 1, kMultiplier);
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) hash = Fold(hash ^ Load(at, 8), seed | kMultiplier);
  if (left > 0) hash = Fold(hash ^ Load(at, left), seed | kMultiplier);
  return Fold(hash, kMultiplier);
}

std::uint64_t MakeTableSeed() {
  // Kept, because making one asks the processor what it can do, which a hypervisor answers slowly:
  // 11 us where a seed takes 0.6 us, several times a context.
  thread_local std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

std::uint64_t ShapeHash(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001B3ULL;
  }
  hash ^= hash >> 33;
  hash *= 0xFF51AFD7ED558CCDULL;
  hash ^= hash >> 33;
  hash *= 0xC4CEB9FE1A85EC53ULL;
  hash ^= hash >> 33;
  return hash;
}

}  // namespace pactdb
