#include "cli/json_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/terminal.h"
#include "text/canonical.h"

namespace pactdb::cli {
namespace {

// One reference token: the text up to the next slash, decoded; `pointer` moves past it.
std::string TakePart(std::string_view& pointer) {
  pointer.remove_prefix(1);
  const std::size_t slash = std::min(pointer.find('/'), pointer.size());
  std::string part(pointer.substr(0, slash));
  pointer.remove_prefix(slash);
  for (const auto& [code, byte] : {std::pair("~1", "/"), std::pair("~0", "~")}) {
    for (std::size_t at = 0; (at = part.find(code, at)) != std::string::npos; ++at)
      part.replace(at, 2, byte);
  }
  return part;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char byte : Clean(text, /*one_line=*/true)) {
    if (byte == '"' || byte == '\\') quoted += '\\';
    quoted += byte;
  }
  return quoted + '"';
}

struct Style {
  std::string (*quoted)(std::string_view text);
  std::string_view comma;
  std::string_view colon;
};

std::string Write(const JsonRef& value, const Style& style) {
  struct Level {
    JsonRef::Iterator next;
    JsonRef::Iterator end;
    char close;
    bool is_first = true;
  };
  std::string text;
  std::vector<Level> levels;
  const auto write = [&](const JsonRef& one) {
    if (one.is_object() || one.is_array()) {
      text += one.is_object() ? '{' : '[';
      levels.push_back({one.begin(), one.end(), one.is_object() ? '}' : ']'});
    } else {
      text += one.is_string() ? style.quoted(one.string()) : one.ToJson().text();
    }
  };
  write(value);
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next == level.end) {
      text += level.close;
      levels.pop_back();
      continue;
    }
    const JsonRef::Member member = *level.next;
    ++level.next;
    if (!std::exchange(level.is_first, false)) text += style.comma;
    if (level.close == '}') text.append(style.quoted(member.key)).append(style.colon);
    write(member.value);
  }
  return text;
}

}  // namespace

std::optional<JsonRef> FollowPointer(JsonRef value, std::string_view pointer) {
  while (!pointer.empty()) {
    if (pointer[0] != '/') return std::nullopt;
    const std::string part = TakePart(pointer);
    std::optional<JsonRef> next;
    if (value.is_object()) {
      next = value.Find(part);
    } else if (value.is_array()) {
      std::size_t index = 0;
      for (auto it = value.begin(); it != value.end() && !next; ++it) {
        if (std::to_string(index++) == part) next = (*it).value;
      }
    }
    if (!next) return std::nullopt;
    value = *next;
  }
  return value;
}

std::string ReadableLine(const JsonRef& value) {
  if (value.is_string()) return Clean(value.string(), /*one_line=*/true);
  return Write(value, {.quoted = Quoted, .comma = ", ", .colon = ": "});
}

std::string JsonInOrder(const JsonRef& value) {
  const auto quoted = [](std::string_view text) {
    std::string json;
    AppendJsonString(text, json);
    return json;
  };
  return Write(value, {.quoted = quoted, .comma = ",", .colon = ":"});
}

std::string_view TextOf(const JsonRef& object, std::string_view name) {
  const auto member = object.Find(name);
  return member && member->is_string() ? member->string() : std::string_view();
}

std::string LineOf(const JsonRef& object, std::string_view name) {
  const auto member = object.Find(name);
  return member && !member->is_null() ? ReadableLine(*member) : std::string();
}

}  // namespace pactdb::cli
