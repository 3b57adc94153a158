// What a block of a context is to a provider: who speaks, in which form, and what message it is
// part of.
//
// Blocks carry no trace of a format unless one was imported and says more than the words here do.
// So a block made by hand and one that came from a provider are rendered by the same rules:
//
//   role       system, developer, user, assistant, tool
//   kind       text, image, audio, video, file, tool_call, tool_result, thinking,
//              redacted_thinking, refusal, tool_definition; any other kind is text
//   content    text; the bytes of media (encoding base64), their address (encoding url) or name
//              (encoding file_id); the arguments of a call, as JSON or as the text of it
//   mime, data_call_id, data_name (of a tool), data_call_type (custom: the arguments are free
//   text), data_filename, data_provider (whose the file is), data_is_error
//
// Content that only one format understands stands as it came, and data_format names the format.
//
// Thread safety: pure functions; a Block is a view into its tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/tree_view.h"

namespace pactdb::providers {

enum class Role : std::uint8_t { kSystem, kDeveloper, kUser, kAssistant, kTool, kOther };
enum class Form : std::uint8_t {
  kText,
  kImage,
  kAudio,
  kVideo,
  kFile,
  kCall,
  kThinking,
  kRedacted,
  kRefusal,
  kTool,        // the definition of a tool
  kRawPart,     // what only one format understands, verbatim
  kRawMessage,  // a whole message of that kind
};

Role RoleOf(std::string_view word);
// `mime` and `encoding` speak where the kind does not.
Form FormOf(std::string_view kind, std::string_view mime, std::string_view encoding);
inline bool IsMedia(Form form) {
  return form >= Form::kImage && form <= Form::kFile;
}

// What decides whether a block goes on with the message before it.
struct Traits {
  Role role = Role::kOther;
  Form form = Form::kText;
  std::string_view call_id;    // canonical JSON; empty: none
  bool starts_result = false;  // a result of its own, although of the same call as the one before
};

// kApart: every tool result is a message. kTogether: results of one step are one message, and the
// user speaks in the same role. kItems: as kApart, and calls and thinking stand alone.
enum class JoinRule : std::uint8_t { kApart, kTogether, kItems };

// Of two blocks of one turn, the second behind the first. A block says otherwise by the attribute
// msg:joins, if it may join at all.
bool JoinsByDefault(JoinRule rule, const Traits& before, const Traits& next);
bool MayJoin(JoinRule rule, const Traits& before, const Traits& next);
// Of two neighbours in a message: the second is another part of the result that the first is of.
bool GoesOnWithResult(const Traits& before, const Traits& next);

inline constexpr std::string_view kJoins = "msg:joins";
// Of signed thinking: the hash of the words that were signed.
inline constexpr std::string_view kThinkingDigest = "msg:thinking_sha256";

struct Block {
  const Node* node = nullptr;
  const TreeView* view = nullptr;
  std::string_view role_word;
  Traits traits;
  std::string_view content;  // canonical JSON; of a block without content, ""
  std::size_t turn = 0;      // blocks of one turn or region have the same
  std::size_t place = 0;     // in the thread, if a cursor gave the block

  static Block Read(const TreeView& view, const Node& node, bool is_in_sys, std::size_t turn);

  std::string id() const { return std::string(view->id(*node)); }
  bool is_text() const { return traits.form == Form::kText; }
  bool has_string() const { return content.starts_with('"'); }
  // The attribute as text; absent if it is none.
  std::optional<std::string> Text(std::string_view attribute) const;
  std::optional<std::string_view> Find(std::string_view attribute) const {
    return node->Find(attribute);
  }
  // The format whose words the content is in, if it is verbatim. A name that is none counts as one
  // that nobody renders.
  std::optional<std::string> VerbatimFormat() const { return Text("data_format"); }
  // Content that is text, decoded; other content as its JSON, null as nothing.
  std::string ContentText() const;
};

}  // namespace pactdb::providers
