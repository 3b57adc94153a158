#include "tokens/media_cost.h"

#include <algorithm>

namespace pactdb::tokens {
namespace {

constexpr std::uint64_t DivideUp(std::uint64_t number, std::uint64_t by) {
  return number / by + (number % by != 0 ? 1 : 0);
}

// Nobody sends more, and products of two stay far from 64 bits.
constexpr std::uint64_t kPixelsMax = 1'000'000;
constexpr std::uint64_t kCountMax = 1'000'000'000;

struct Size {
  std::uint64_t width;
  std::uint64_t height;

  // Shrinks it, in proportion, until `side` is at most `most`.
  void Shrink(std::uint64_t side, std::uint64_t most) {
    if (side <= most) return;
    width = std::max<std::uint64_t>(1, width * most / side);
    height = std::max<std::uint64_t>(1, height * most / side);
  }
};

// 85, and 170 for each tile of 512 x 512 of the image in a square of 2048 with its shorter side at
// most 768 (gpt-4o, high detail).
std::uint64_t OpenAiImage(Size size) {
  size.Shrink(std::max(size.width, size.height), 2048);
  size.Shrink(std::min(size.width, size.height), 768);
  return 85 + 170 * DivideUp(size.width, 512) * DivideUp(size.height, 512);
}

// A token for 750 pixels of the image with its longer side at most 1568; never over 1600.
std::uint64_t AnthropicImage(Size size) {
  size.Shrink(std::max(size.width, size.height), 1568);
  return std::clamp<std::uint64_t>(DivideUp(size.width * size.height, 750), 1, 1600);
}

// 258 for a small image; else for each tile. A tile's side is the shorter side by 1.5, 256 to 768.
std::uint64_t GeminiImage(Size size) {
  if (size.width <= 384 && size.height <= 384) return 258;
  const std::uint64_t tile =
      std::clamp<std::uint64_t>(std::min(size.width, size.height) * 2 / 3, 256, 768);
  return 258 * DivideUp(size.width, tile) * DivideUp(size.height, tile);
}

std::uint64_t ImageTokens(Provider provider, const Media& media) {
  // A screenful where nothing is known.
  const bool is_known = media.width > 0 && media.height > 0;
  const Size size =
      is_known ? Size{std::min(media.width, kPixelsMax), std::min(media.height, kPixelsMax)}
               : Size{1024, 1024};
  switch (provider) {
    case Provider::kOpenAi:
      return OpenAiImage(size);
    case Provider::kAnthropic:
      return AnthropicImage(size);
    case Provider::kGemini:
      return GeminiImage(size);
  }
  return 1;
}

// Bytes of a second, as such sounds usually are; for durations that nobody told.
std::uint64_t BytesPerSecond(std::string_view mime) {
  if (mime.starts_with("video/")) return 125'000;
  if (mime.contains("wav") || mime.contains("pcm") || mime.contains("L16")) return 32'000;
  return 16'000;
}

// Tokens of ten seconds: whole numbers for all. Anthropic takes neither; the dearest rule stands
// in.
std::uint64_t TokensPerTenSeconds(Provider provider, bool is_video) {
  if (is_video) return 2'950;  // a frame of 258 and 32 of sound each second, and marks between
  return provider == Provider::kOpenAi ? 100 : 320;
}

std::uint64_t SoundTokens(Provider provider, const Media& media) {
  const std::uint64_t duration_ms =
      media.duration_ms > 0 ? std::min(media.duration_ms, kCountMax)
                            : std::min(media.bytes, kCountMax) * 1000 / BytesPerSecond(media.mime);
  const bool is_video = media.mime.starts_with("video/");
  return DivideUp(duration_ms * TokensPerTenSeconds(provider, is_video), 10'000);
}

bool IsText(std::string_view mime) {
  return mime.starts_with("text/") || mime == "application/json" || mime.ends_with("+json") ||
         mime == "application/xml" || mime.ends_with("+xml");
}

// A page costs its image, and with OpenAI and Anthropic its text besides.
std::uint64_t FileTokens(Provider provider, const Media& media) {
  if (IsText(media.mime)) return DivideUp(std::min(media.bytes, kCountMax), 3);
  constexpr std::uint64_t kBytesPerPage = 50'000;
  const std::uint64_t pages = media.pages > 0
                                  ? std::min(media.pages, kCountMax)
                                  : DivideUp(std::min(media.bytes, kCountMax), kBytesPerPage);
  constexpr std::uint64_t kTextOfPage = 800;
  const Media page{.width = 850, .height = 1100};
  switch (provider) {
    case Provider::kOpenAi:
    case Provider::kAnthropic:
      return pages * (kTextOfPage + ImageTokens(provider, page));
    case Provider::kGemini:
      return pages * 258;
  }
  return 1;
}

}  // namespace

std::uint64_t EstimateMediaTokens(Provider provider, const Media& media) {
  std::uint64_t tokens = 0;
  if (media.mime.starts_with("image/")) {
    tokens = ImageTokens(provider, media);
  } else if (media.mime.starts_with("audio/") || media.mime.starts_with("video/")) {
    tokens = SoundTokens(provider, media);
  } else {
    tokens = FileTokens(provider, media);
  }
  return std::max<std::uint64_t>(1, tokens);
}

}  // namespace pactdb::tokens
