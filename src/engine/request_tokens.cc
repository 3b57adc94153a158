#include "engine/request_tokens.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/try.h"
#include "engine/token_cost.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

// OpenAI's rule for its chat models: each message costs three tokens beside its values, and three
// more open the answer.
constexpr std::uint64_t kFrameTokens = 3;
constexpr std::uint64_t kAnswerTokens = 3;

// Members that say how a part is to be read; a model is not shown them.
constexpr auto kUnseen = std::to_array<std::string_view>(
    {"type", "id", "call_id", "tool_call_id", "tool_use_id", "signature", "thoughtSignature",
     "cache_control", "mimeType", "mime_type", "media_type", "status"});

// Where the formats keep what is said, and tools.
constexpr auto kInstructions =
    std::to_array<std::string_view>({"system", "instructions", "systemInstruction"});
constexpr auto kLists = std::to_array<std::string_view>({"messages", "input", "contents"});

bool IsUnseen(std::string_view member) {
  return std::ranges::find(kUnseen, member) != kUnseen.end();
}

class RequestCounter {
 public:
  explicit RequestCounter(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  Result<RequestTokens> Count(const JsonRef& body) {
    if (body.is_array()) {
      Messages(body);
    } else if (!body.is_object()) {
      return std::unexpected(Error(ErrorCode::kRequestInvalid, "a request is a list or an object"));
    } else {
      Body(body);
    }
    result_.total += kAnswerTokens;
    return result_;
  }

 private:
  void Body(const JsonRef& body) {
    for (const std::string_view name : kInstructions) {
      if (const auto said = body.Find(name)) Message(*said);
    }
    for (const std::string_view name : kLists) {
      const auto list = body.Find(name);
      if (!list) continue;
      list->is_array() ? Messages(*list) : Message(*list);
    }
    // A schema is sent too, in a form that is not told.
    if (body.Find("response_format") || body.Find("text")) result_.is_exact = false;
    if (const auto tools = body.Find("tools")) {
      const std::uint64_t before = result_.total;
      Values(*tools);
      result_.tools = result_.total - before;
      result_.is_exact = false;
    }
  }

  void Messages(const JsonRef& list) {
    for (auto it = list.begin(); it != list.end(); ++it) Message((*it).value);
  }

  void Message(const JsonRef& message) {
    result_.total += kFrameTokens;
    result_.is_exact = result_.is_exact && IsPlain(message);
    Values(message);
  }

  // Of a role and a text: what the published rule speaks of.
  static bool IsPlain(const JsonRef& message) {
    if (!message.is_object()) return false;
    for (auto it = message.begin(); it != message.end(); ++it) {
      const auto [name, value] = *it;
      if ((name != "role" && name != "content") || !value.is_string()) return false;
    }
    return true;
  }

  // Every text and number at or below the value.
  void Values(const JsonRef& top) {
    std::vector<JsonRef> open = {top};
    while (!open.empty()) {
      const JsonRef value = open.back();
      open.pop_back();
      if (value.is_array() || value.is_object()) {
        for (auto it = value.begin(); it != value.end(); ++it) {
          const auto [name, member] = *it;
          if (!value.is_object() || !IsUnseen(name)) open.push_back(member);
        }
        continue;
      }
      if (value.is_null()) continue;
      const Cost cost = value.is_string() ? CountText(value.string(), tokenizer_)
                                          : CountText(value.ToJson().text(), tokenizer_);
      result_.total += cost.units;
      result_.is_exact = result_.is_exact && cost.estimates == 0;
    }
  }

  const Tokenizer& tokenizer_;
  RequestTokens result_;
};

}  // namespace

Result<RequestTokens> CountRequest(std::string_view body, const Tokenizer& tokenizer) {
  PACTDB_TRY(const JsonDoc doc, JsonDoc::ParseView(body, limits::kDocumentJsonDepthMax));
  return RequestCounter(tokenizer).Count(doc.root());
}

}  // namespace pactdb
