// The provider formats by name.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pactdb::providers {

enum class Format : std::uint8_t { kOpenAiChat, kOpenAiResponses, kAnthropic, kGemini, kPi };

// As the operations name it, such as "openai-chat". Attributes that only this format understands
// start with it and a colon.
std::string_view Name(Format format);
std::optional<Format> ParseFormat(std::string_view name);
// Whose format it is, such as "openai", of which there are two; pi's is nobody's.
std::string_view Provider(Format format);

// False for those that are only read.
inline bool CanRender(Format format) {
  return format != Format::kPi;
}

// All names, for messages: "openai-chat, anthropic". `rendered`: of those that are written too.
std::string_view FormatNames(bool rendered);

// True if the attribute belongs to a format, whichever it is.
std::optional<Format> OwnerOf(std::string_view attribute);

}  // namespace pactdb::providers
