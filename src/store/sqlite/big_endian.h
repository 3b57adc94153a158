// Numbers as SQLite's files have them.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace pactdb::sqlite {

// REQUIRES: four bytes from `at` on.
inline std::uint32_t BigEndian32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (const char byte : bytes.substr(at, 4)) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace pactdb::sqlite
