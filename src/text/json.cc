#include "base/check.h"
#include "base/limits.h"
#include "base/try.h"
#include "text/canonical.h"
#include "text/json_doc.h"

#include <pactdb/json.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace pactdb {
namespace {

// The index after the canonical value that starts at `at`.
std::size_t SkipValue(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        for (++at; text[at] != '"'; ++at) {
          if (text[at] == '\\') ++at;
        }
        break;
      case '[':
      case '{':
        ++depth;
        break;
      case ']':
      case '}':
        if (depth == 0) return at;
        --depth;
        break;
      case ',':
        if (depth == 0) return at;
        break;
      default:
        break;
    }
  }
  return at;
}

}  // namespace

Result<Json> Json::Parse(std::string_view text) {
  return Parse(text, limits::kContentJsonDepthMax);
}

Result<Json> Json::Parse(std::string_view text, std::size_t depth_max) {
  PACTDB_TRY(const JsonDoc doc, JsonDoc::ParseView(text, depth_max));
  return doc.root().ToJson();
}

Result<Json> Json::String(std::string_view utf8) {
  if (!IsValidUtf8(utf8))
    return std::unexpected(Error(ErrorCode::kRequestInvalid, "invalid UTF-8"));
  std::string canonical;
  canonical.reserve(utf8.size() + 2);
  AppendJsonString(utf8, canonical);
  return FromCanonical(std::move(canonical));
}

Json Json::Integer(std::int64_t value) {
  std::string canonical;
  AppendJsonInteger(value, canonical);
  return FromCanonical(std::move(canonical));
}

Json Json::Bool(bool value) {
  return FromCanonical(value ? "true" : "false");
}

Result<Json> Json::Double(double value) {
  if (!std::isfinite(value))
    return std::unexpected(Error(ErrorCode::kRequestInvalid, "the number is not finite"));
  std::string canonical;
  AppendJsonDouble(value, canonical);
  return FromCanonical(std::move(canonical));
}

Json Json::Array(const std::vector<Json>& items) {
  std::string canonical = "[";
  for (const Json& item : items) {
    if (canonical.size() > 1) canonical.push_back(',');
    canonical.append(item.text());
  }
  canonical.push_back(']');
  return FromCanonical(std::move(canonical));
}

Json Json::FromCanonical(std::string canonical) {
  PACTDB_CHECK(!canonical.empty());
  Json json;
  json.text_ = std::move(canonical);
  return json;
}

Json::Kind Json::kind() const {
  switch (text_.front()) {
    case 'n':
      return Kind::kNull;
    case 't':
    case 'f':
      return Kind::kBool;
    case '"':
      return Kind::kString;
    case '[':
      return Kind::kArray;
    case '{':
      return Kind::kObject;
    default:
      return text_.find_first_of(".e") == std::string::npos ? Kind::kInteger : Kind::kDouble;
  }
}

std::optional<std::int64_t> Json::AsInt64() const {
  if (kind() != Kind::kInteger) return std::nullopt;
  std::int64_t value = 0;
  if (std::from_chars(text_.data(), text_.data() + text_.size(), value).ec != std::errc())
    return std::nullopt;
  return value;
}

std::optional<bool> Json::AsBool() const {
  if (kind() != Kind::kBool) return std::nullopt;
  return text_.front() == 't';
}

std::optional<std::string> Json::AsString() const {
  if (kind() != Kind::kString) return std::nullopt;
  return DecodeJsonString(text_);
}

std::optional<std::vector<Json>> Json::AsArray() const {
  if (kind() != Kind::kArray) return std::nullopt;
  std::vector<Json> items;
  const std::string_view text = text_;
  std::size_t at = 1;
  while (text[at] != ']') {
    const std::size_t end = SkipValue(text, at);
    items.push_back(FromCanonical(std::string(text.substr(at, end - at))));
    at = text[end] == ',' ? end + 1 : end;
  }
  return items;
}

}  // namespace pactdb
