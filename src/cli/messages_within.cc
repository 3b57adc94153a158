#include "cli/messages_within.h"

#include <deque>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "cli/document.h"

namespace pactdb::cli {
namespace {

// Looked into that deep, and so many members and lines; files have their shape at their beginning.
constexpr std::size_t kDepthMax = 4;
constexpr std::size_t kValuesMax = 1000;
constexpr std::size_t kLinesMax = 20;

bool IsConversation(const JsonRef& value) {
  return value.is_array() && value.size() > 0 && IsMessage((*value.begin()).value);
}

std::string Escaped(std::string_view key) {
  std::string part;
  for (const char byte : key) {
    if (byte == '~') {
      part += "~0";
    } else if (byte == '/') {
      part += "~1";
    } else {
      part += byte;
    }
  }
  return part;
}

// The pointer to the first value below this one that is what is looked for, the nearest levels
// first. Of lists the first element alone is looked at.
std::optional<std::string> Find(const JsonRef& root, bool (*is_it)(const JsonRef&)) {
  struct Step {
    JsonRef value;
    std::string pointer;
    std::size_t depth;
  };
  std::deque<Step> open = {{root, "", 0}};
  for (std::size_t seen = 0; !open.empty() && seen < kValuesMax; ++seen) {
    const Step step = std::move(open.front());
    open.pop_front();
    if (step.depth > 0 && is_it(step.value)) return step.pointer;
    if (step.depth == kDepthMax || !(step.value.is_object() || step.value.is_array())) continue;
    for (auto it = step.value.begin(); it != step.value.end(); ++it) {
      const std::string part = step.value.is_array() ? "0" : Escaped((*it).key);
      open.push_back({(*it).value, step.pointer + "/" + part, step.depth + 1});
      if (step.value.is_array()) break;
    }
  }
  return std::nullopt;
}

std::string Advice(std::string_view found, std::string_view pointer, std::string_view takes) {
  std::string hint = "\n  ";
  hint.append(found).append(": '--pointer ").append(pointer).append("' takes ").append(takes);
  return hint;
}

}  // namespace

bool IsMessage(const JsonRef& value) {
  const auto role = value.is_object() ? value.Find("role") : std::nullopt;
  return role && role->is_string();
}

std::string_view FirstPart(std::string_view pointer) {
  if (pointer.empty()) return "";
  pointer.remove_prefix(1);
  return pointer.substr(0, pointer.find('/'));
}

std::string HintOfDocument(const JsonRef& value, std::string_view pointer) {
  if (IsConversation(value)) return "";
  const auto found = Find(value, IsConversation);
  if (!found) return "";
  const std::string whole = std::string(pointer) + *found;
  if (!value.is_array()) return Advice("there is a conversation inside", whole, "it");
  return Advice("a list of " + Count(static_cast<std::int64_t>(value.size()), "conversation"),
                whole, "the first");
}

std::string HintOfLines(std::string_view text) {
  std::string hint;
  std::size_t seen = 0;
  ForEachLine(text, [&](std::string_view line, std::size_t number) {
    if (!hint.empty() || ++seen > kLinesMax) return;
    const auto doc = JsonDoc::ParseView(line, limits::kDocumentJsonDepthMax);
    if (!doc || !doc->root().is_object()) {
      seen = kLinesMax;
    } else if (const auto list = Find(doc->root(), IsConversation)) {
      hint = Advice("lines with a conversation each", "/" + std::to_string(seen - 1) + *list,
                    "that of line " + std::to_string(number));
    } else if (const auto message = Find(doc->root(), IsMessage)) {
      hint = Advice("lines with a message each, inside of something", *message, "them");
    }
  });
  return hint;
}

std::string HintOfLists(std::string_view pointer) {
  return Advice("lines with a conversation each", "/0" + std::string(pointer),
                "that of the first line");
}

}  // namespace pactdb::cli
