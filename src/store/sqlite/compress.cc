#include "store/sqlite/compress.h"

#include <zstd.h>

#include "base/limits.h"

namespace pactdb::sqlite {
namespace {

constexpr int kLevel = 3;
// Nothing this short gets shorter by an eighth of a page.
constexpr std::size_t kBytesMin = 128;

}  // namespace

std::optional<std::string> Compress(std::string_view bytes) {
  if (bytes.size() < kBytesMin) return std::nullopt;
  // With less room than that the compressor gives up, which is the answer.
  std::string smaller(bytes.size() - bytes.size() / 8, '\0');
  const std::size_t size =
      ZSTD_compress(smaller.data(), smaller.size(), bytes.data(), bytes.size(), kLevel);
  if (ZSTD_isError(size) != 0) return std::nullopt;
  smaller.resize(size);
  return smaller;
}

std::optional<std::string> Expand(std::int64_t size, std::int64_t codec, std::string_view data) {
  if (codec == static_cast<std::int64_t>(Codec::kPlain)) {
    if (size != static_cast<std::int64_t>(data.size())) return std::nullopt;
    return std::string(data);
  }
  if (codec != static_cast<std::int64_t>(Codec::kZstd)) return std::nullopt;
  // Both sizes come from the file; they must agree, and be one that a content can have, before that
  // much memory is taken: a few thousand bytes can say that they are a thousand million.
  const auto wanted = static_cast<std::uint64_t>(size);
  if (wanted > limits::kContentBytesMax ||
      ZSTD_getFrameContentSize(data.data(), data.size()) != wanted) {
    return std::nullopt;
  }
  std::string bytes(wanted, '\0');
  const std::size_t got = ZSTD_decompress(bytes.data(), bytes.size(), data.data(), data.size());
  if (ZSTD_isError(got) != 0 || got != wanted) return std::nullopt;
  return bytes;
}

}  // namespace pactdb::sqlite
