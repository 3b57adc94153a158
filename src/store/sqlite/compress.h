// Contents as they are kept: compressed where that pays.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pactdb::sqlite {

// On disk. Add at the end; never renumber.
enum class Codec : std::uint8_t { kPlain = 0, kZstd = 1 };

// None if that would not save an eighth.
std::optional<std::string> Compress(std::string_view bytes);

// The bytes that were given, `size` of them; none if that is not what `data` holds.
std::optional<std::string> Expand(std::int64_t size, std::int64_t codec, std::string_view data);

}  // namespace pactdb::sqlite
