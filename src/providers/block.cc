#include "providers/block.h"

#include <algorithm>
#include <array>
#include <utility>

#include "text/canonical.h"

namespace pactdb::providers {
namespace {

constexpr auto kRoles = std::to_array<std::pair<std::string_view, Role>>({
    {"system", Role::kSystem},
    {"developer", Role::kDeveloper},
    {"user", Role::kUser},
    {"assistant", Role::kAssistant},
    {"tool", Role::kTool},
});

constexpr auto kForms = std::to_array<std::pair<std::string_view, Form>>({
    {"text", Form::kText},
    {"image", Form::kImage},
    {"audio", Form::kAudio},
    {"video", Form::kVideo},
    {"file", Form::kFile},
    {"tool_call", Form::kCall},
    {"thinking", Form::kThinking},
    {"redacted_thinking", Form::kRedacted},
    {"refusal", Form::kRefusal},
    {"tool_definition", Form::kTool},
    {"raw_part", Form::kRawPart},
    {"raw_message", Form::kRawMessage},
});

template <typename Value, std::size_t N>
std::optional<Value> Find(const std::array<std::pair<std::string_view, Value>, N>& table,
                          std::string_view word) {
  for (const auto& [name, value] : table) {
    if (name == word) return value;
  }
  return std::nullopt;
}

}  // namespace

Role RoleOf(std::string_view word) {
  return Find(kRoles, word).value_or(Role::kOther);
}

Form FormOf(std::string_view kind, std::string_view mime, std::string_view encoding) {
  if (const auto form = Find(kForms, kind)) return *form;
  if (encoding != "base64" && encoding != "url" && encoding != "file_id") return Form::kText;
  if (mime.starts_with("image/")) return Form::kImage;
  if (mime.starts_with("audio/")) return Form::kAudio;
  if (mime.starts_with("video/")) return Form::kVideo;
  return Form::kFile;
}

bool GoesOnWithResult(const Traits& before, const Traits& next) {
  return before.role == Role::kTool && next.role == Role::kTool && before.call_id == next.call_id &&
         !next.starts_result;
}

bool MayJoin(JoinRule rule, const Traits& before, const Traits& next) {
  const auto is_item = [](Form form) {
    return form == Form::kCall || form == Form::kThinking || form == Form::kRedacted;
  };
  if (rule == JoinRule::kItems && (is_item(before.form) || is_item(next.form))) return false;
  if (before.role == Role::kTool && next.role == Role::kTool)
    return rule == JoinRule::kTogether || GoesOnWithResult(before, next);
  if (before.role == next.role) return next.role != Role::kOther;
  const auto is_user = [](Role role) { return role == Role::kTool || role == Role::kUser; };
  return rule == JoinRule::kTogether && is_user(before.role) && is_user(next.role);
}

bool JoinsByDefault(JoinRule rule, const Traits& before, const Traits& next) {
  if (before.role != next.role || !MayJoin(rule, before, next)) return false;
  if (next.role == Role::kTool) return true;
  if (next.role != Role::kUser && next.role != Role::kAssistant) return false;
  // Texts of one speaker were said one after the other; media and calls belong to what is said.
  return before.form != Form::kText || next.form != Form::kText;
}

Block Block::Read(const TreeView& view, const Node& node, bool is_in_sys, std::size_t turn) {
  const Lexicon& lexicon = *view.lexicon;
  Block block{.node = &node, .view = &view, .turn = turn};
  const std::string_view kind = node.kind == kNoWord ? std::string_view() : lexicon.word(node.kind);
  block.traits.form =
      FormOf(kind, block.Text("mime").value_or(""), block.Text("encoding").value_or(""));
  block.role_word = is_in_sys ? "system" : "user";
  if (node.role != kNoWord) {
    block.role_word = lexicon.word(node.role);
  } else if (kind == "tool_result") {
    block.role_word = "tool";
  } else if (block.traits.form == Form::kCall || block.traits.form == Form::kThinking ||
             block.traits.form == Form::kRedacted) {
    block.role_word = "assistant";
  }
  block.traits.role = kind == "tool_result" ? Role::kTool : RoleOf(block.role_word);
  if (block.traits.form == Form::kRawMessage) block.traits.role = Role::kOther;
  const auto call_id = node.Find("data_call_id");
  if (call_id && call_id->starts_with('"')) block.traits.call_id = *call_id;
  if (block.traits.role == Role::kTool) {
    // How two formats say that results of one call stand side by side.
    block.traits.starts_result =
        node.Find("anthropic:in_result") == "false" || node.Find("gemini:id");
  }
  block.content = node.content().value_or("\"\"");
  return block;
}

std::optional<std::string> Block::Text(std::string_view attribute) const {
  const auto value = node->Find(attribute);
  if (!value || !value->starts_with('"')) return std::nullopt;
  return DecodeJsonString(*value);
}

std::string Block::ContentText() const {
  if (has_string()) return DecodeJsonString(content);
  return content == "null" ? std::string() : std::string(content);
}

}  // namespace pactdb::providers
