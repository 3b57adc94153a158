#include "providers/format.h"

#include <algorithm>
#include <array>

namespace pactdb::providers {
namespace {

struct Named {
  Format format;
  std::string_view name;
  std::string_view provider;
};
constexpr auto kFormats =
    std::to_array<Named>({{Format::kOpenAiChat, "openai-chat", "openai"},
                          {Format::kOpenAiResponses, "openai-responses", "openai"},
                          {Format::kAnthropic, "anthropic", "anthropic"},
                          {Format::kGemini, "gemini", "google"},
                          {Format::kPi, "pi", ""}});

}  // namespace

std::string_view Name(Format format) {
  return std::ranges::find(kFormats, format, &Named::format)->name;
}

std::string_view Provider(Format format) {
  return std::ranges::find(kFormats, format, &Named::format)->provider;
}

std::optional<Format> ParseFormat(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &Named::name);
  return found == kFormats.end() ? std::nullopt : std::optional(found->format);
}

std::string_view FormatNames(bool rendered) {
  constexpr std::string_view kAll = "openai-chat, openai-responses, anthropic, gemini, pi";
  return rendered ? kAll.substr(0, kAll.rfind(',')) : kAll;
}

std::optional<Format> OwnerOf(std::string_view attribute) {
  return ParseFormat(attribute.substr(0, attribute.find(':')));
}

}  // namespace pactdb::providers
