#include "providers/media.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "text/canonical.h"

namespace pactdb::providers {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr auto kEndings = std::to_array<Pair>({
    {"png", "image/png"},
    {"jpg", "image/jpeg"},
    {"jpeg", "image/jpeg"},
    {"gif", "image/gif"},
    {"webp", "image/webp"},
    {"pdf", "application/pdf"},
    {"mp3", "audio/mpeg"},
    {"wav", "audio/wav"},
    {"mp4", "video/mp4"},
    {"txt", "text/plain"},
});

// The first of several formats of one mime is what it is written as.
constexpr auto kSounds = std::to_array<Pair>({
    {"wav", "audio/wav"},
    {"mp3", "audio/mpeg"},
    {"flac", "audio/flac"},
    {"opus", "audio/opus"},
    {"pcm16", "audio/pcm"},
    {"aac", "audio/aac"},
});

bool IsMime(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto is_legal = [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '/' ||
           byte == '.' || byte == '+' || byte == '-';
  };
  return slash != std::string_view::npos && slash > 0 && slash + 1 < text.size() &&
         std::ranges::all_of(text, is_legal);
}

}  // namespace

bool IsBase64(std::string_view text) {
  const auto is_letter = [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '+' || byte == '/' || byte == '=';
  };
  return !text.empty() && std::ranges::all_of(text, is_letter);
}

std::optional<DataUrl> ParseDataUrl(std::string_view url) {
  constexpr std::string_view kMark = ";base64,";
  if (!url.starts_with("data:")) return std::nullopt;
  url.remove_prefix(5);
  const std::size_t mark = url.find(kMark);
  if (mark == std::string_view::npos || !IsMime(url.substr(0, mark))) return std::nullopt;
  return DataUrl{url.substr(0, mark), url.substr(mark + kMark.size())};
}

std::string_view MimeOfUrl(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t dot = url.find_last_of("./");
  if (dot == std::string_view::npos || url[dot] != '.') return {};
  std::string ending(url.substr(dot + 1));
  for (char& byte : ending) {
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
  }
  const auto found = std::ranges::find(kEndings, ending, &Pair::first);
  return found == kEndings.end() ? std::string_view() : found->second;
}

std::string_view MimeOfAudio(std::string_view format) {
  const auto found = std::ranges::find(kSounds, format, &Pair::first);
  return found == kSounds.end() ? std::string_view() : found->second;
}

std::string_view AudioOfMime(std::string_view mime) {
  if (mime == "audio/mp3") return "mp3";
  if (mime == "audio/x-wav" || mime == "audio/wave") return "wav";
  const auto found = std::ranges::find(kSounds, mime, &Pair::second);
  return found == kSounds.end() ? std::string_view() : found->first;
}

std::optional<Media> ReadMedia(const Block& block) {
  if (!block.has_string()) return std::nullopt;
  Media media{.mime = block.Text("mime").value_or(""), .content = DecodeJsonString(block.content)};
  const std::string encoding = block.Text("encoding").value_or("");
  if (encoding == "base64") {
    media.source = Media::Source::kBase64;
    return media.mime.empty() ? std::nullopt : std::optional(media);
  }
  if (encoding == "file_id") {
    media.source = Media::Source::kFileId;
    return media;
  }
  media.source = Media::Source::kUrl;
  if (encoding == "url") return media;
  if (!encoding.empty()) return std::nullopt;
  // Made by hand and not said: an address shows itself.
  if (const auto data = ParseDataUrl(media.content)) {
    return Media{.source = Media::Source::kBase64,
                 .mime = std::string(data->mime),
                 .content = std::string(data->base64)};
  }
  for (const std::string_view scheme : {"https://", "http://", "gs://"}) {
    if (media.content.starts_with(scheme)) return media;
  }
  return std::nullopt;
}

std::string DataUrlOf(const Media& media) {
  std::string url = "data:";
  url.reserve(media.mime.size() + media.content.size() + 16);
  url += media.mime;
  url += ";base64,";
  url += media.content;
  return url;
}

}  // namespace pactdb::providers
