// The provider formats by name.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pactdb::providers {

enum class Format : std::uint8_t { kOpenAiChat, kOpenAiResponses, kAnthropic };

// As the operations name it, such as "openai-chat". Attributes that only this format understands
// start with it and a colon.
std::string_view Name(Format format);
std::optional<Format> ParseFormat(std::string_view name);

// All names, for messages: "openai-chat, anthropic".
std::string_view FormatNames();

// True if the attribute belongs to a format, whichever it is.
std::optional<Format> OwnerOf(std::string_view attribute);

}  // namespace pactdb::providers
