// Images, sounds and files: how they stand in a block, how in a provider's part.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "providers/block.h"

namespace pactdb::providers {

// data:MIME;base64,BYTES without other parameters; anything else is none.
struct DataUrl {
  std::string_view mime;
  std::string_view base64;
};
std::optional<DataUrl> ParseDataUrl(std::string_view url);

// Told from the ending of the path; empty if it cannot be told.
std::string_view MimeOfUrl(std::string_view url);

// wav <-> audio/wav, mp3 <-> audio/mpeg, ... Empty if unknown.
std::string_view MimeOfAudio(std::string_view format);
std::string_view AudioOfMime(std::string_view mime);

struct Media {
  enum class Source : std::uint8_t { kBase64, kUrl, kFileId };
  Source source = Source::kBase64;
  std::string mime;     // empty: unknown
  std::string content;  // bytes in base64, the address, or the provider's name for the file
};

// The media of a block; none if its content is no text, or it cannot be told what it is.
std::optional<Media> ReadMedia(const Block& block);

// Letters of base64 alone, and at least one.
bool IsBase64(std::string_view text);

// Of a provider's name or address for a file: whose it is. Nobody else has the file; without it,
// whoever made the block knows.
inline constexpr std::string_view kFileOwner = "data_provider";

// data:MIME;base64,BYTES
std::string DataUrlOf(const Media& media);

}  // namespace pactdb::providers
