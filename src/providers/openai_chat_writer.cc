// Writing Chat Completions.
//
// Members of an object always come in the same order: ours, then what else was imported, by name.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/try.h"
#include "providers/extras.h"
#include "providers/media.h"
#include "providers/messages.h"
#include "providers/openai_chat.h"
#include "providers/request_writer.h"
#include "text/json_out.h"

namespace pactdb::providers {
namespace {

constexpr std::string_view kContentMark = "openai-chat:content";
constexpr std::string_view kRefusalMark = "openai-chat:refusal";
constexpr std::string_view kCallMark = "openai-chat:call";
constexpr std::string_view kFileMark = "openai-chat:file_data";
constexpr std::string_view kGiven = "openai-chat:given";
constexpr std::string_view kMessageExtras = "openai-chat:message";
constexpr std::string_view kPartExtras = "openai-chat:part";

class ChatWriter : RequestWriter {
 public:
  using RequestWriter::RequestWriter;

  Status Write();

 private:
  Status WriteMessage(const Message& message);
  Status WriteContent(const Message& message, std::string_view role);
  void WriteRefusal(const Message& message);
  Status WriteParts(const std::vector<const Block*>& parts, std::string_view role);
  // False if the part was left out.
  Result<bool> WritePart(const Block& block, std::string_view role);
  Result<bool> WriteMedia(const Block& block);
  Status WriteCalls(const Message& message);
  Status WriteCall(const Block& block, std::string_view type);
  Status WriteFunctionCall(const Block& block);
  Status WriteTool(const Block& block);

  std::vector<std::string_view> written_;  // members of the message at hand
};

Status ChatWriter::Write() {
  out_.BeginObject().Key("messages").BeginArray();
  MessageCursor cursor(view_, JoinRule::kApart, first_turn());
  Message message;
  while (cursor.Next(message)) {
    BeginPiece();
    PACTDB_TRY_STATUS(WriteUnlessLost([&] { return WriteMessage(message); }));
    EndPiece(Section::kMessages, message);
    PACTDB_TRY_STATUS(Drain());
  }
  out_.EndArray();
  PACTDB_TRY_STATUS(
      WriteToolList(cursor.tools(), [this](const Block& tool) { return WriteTool(tool); }));
  PACTDB_TRY_STATUS(WriteRest({"messages", cursor.tools().empty() ? "messages" : "tools"}));
  out_.EndObject();
  return Drain();
}

// --- messages ---

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kSystem:
      return "system";
    case Role::kDeveloper:
      return "developer";
    case Role::kAssistant:
      return "assistant";
    case Role::kTool:
      return "tool";
    case Role::kUser:
    case Role::kOther:
      return "user";
  }
  return "user";
}

Status ChatWriter::WriteMessage(const Message& message) {
  PACTDB_TRY_STATUS(NoteForeign(message));
  const Block& first = message.front();
  if (first.traits.form == Form::kRawMessage) {
    PACTDB_TRY_STATUS(WriteVerbatim(first));
    return {};
  }
  if (first.traits.role == Role::kOther)
    PACTDB_TRY_STATUS(losses_.Note(first, "role", "there is no such role; it is said as user"));
  std::string_view role = RoleName(first.traits.role);
  if (role == "tool" && first.Text("openai-chat:role") == "function") {
    role = "function";
  } else if (role == "tool" && first.traits.call_id.empty()) {
    PACTDB_TRY_STATUS(
        losses_.Note(first, "data_call_id", "a tool result names its call; it is said as user"));
    role = "user";
  }
  out_.BeginObject().Key("role").String(role);
  if (role == "tool") out_.Key("tool_call_id").Raw(first.traits.call_id);
  if (role == "tool" && first.Find("data_is_error") == "true") {
    PACTDB_TRY_STATUS(
        losses_.Note(first, "data_is_error", "that a tool failed can only be said in the text"));
  }
  if (role == "tool" || role == "function") Say();  // its call is answered, by whatever is left
  if (role == "function") out_.Key("name").String(first.Text("data_name").value_or(""));
  written_ = {"role", "content", role == "function" ? "name" : "role",
              role == "tool" ? "tool_call_id" : "role"};
  PACTDB_TRY_STATUS(WriteContent(message, role));
  WriteRefusal(message);
  PACTDB_TRY_STATUS(WriteCalls(message));
  ExtraFields(*first.node, kMessageExtras).Write(out_, written_);
  out_.EndObject();
  return {};
}

// One that stood beside the content; others are parts of it.
const Block* FindRefusal(const Message& message) {
  if (message.front().traits.role != Role::kAssistant) return nullptr;
  const auto is_member = [](const Block& block) {
    return block.traits.form == Form::kRefusal && block.Text(kRefusalMark) == "member";
  };
  const auto found = std::ranges::find_if(message, is_member);
  return found == message.end() ? nullptr : &*found;
}

void ChatWriter::WriteRefusal(const Message& message) {
  const Block* refusal = FindRefusal(message);
  if (refusal == nullptr) return;
  out_.Key("refusal");
  WriteText(*refusal);
  written_.push_back("refusal");
}

Status ChatWriter::WriteContent(const Message& message, std::string_view role) {
  std::vector<const Block*> parts;
  bool has_calls = false;
  const Block* refusal = FindRefusal(message);
  for (const Block& block : message) {
    if (&block == refusal) continue;
    if (block.traits.form == Form::kCall && role != "assistant") {
      PACTDB_TRY_STATUS(losses_.Note(block, "role", "only an assistant calls tools"));
      continue;
    }
    if (block.traits.form == Form::kCall) {
      has_calls = true;
      continue;
    }
    if (has_calls) {
      PACTDB_TRY_STATUS(
          losses_.Note(block, "content", "what is said after a call is written before it"));
    }
    parts.push_back(&block);
  }
  const std::string mark = message.front().Text(kContentMark).value_or("");
  const bool says_nothing =
      parts.empty() || (parts.size() == 1 && !parts.front()->node->content().has_value());
  if (says_nothing) {
    if (mark == "absent") return {};
    out_.Key("content");
    if (mark == "empty_list") {
      out_.BeginArray().EndArray();
    } else if (mark == "empty" || (mark != "null" && !parts.empty())) {
      out_.String("");
    } else {
      out_.Null();
    }
    return {};
  }
  out_.Key("content");
  if (parts.size() == 1 && parts.front()->is_text() && mark != "list") {
    WriteText(*parts.front());
    return {};
  }
  return WriteParts(parts, role);
}

Status ChatWriter::WriteParts(const std::vector<const Block*>& parts, std::string_view role) {
  const JsonOut before = out_;
  out_.BeginArray();
  bool has_any = false;
  for (const Block* part : parts) {
    PACTDB_TRY(const bool is_written, WritePart(*part, role));
    has_any = has_any || is_written;
  }
  out_.EndArray();
  if (has_any) return {};
  out_ = before;
  if (role == "assistant") {
    out_.Null();
  } else {
    out_.String("");
  }
  return {};
}

Result<bool> ChatWriter::WritePart(const Block& block, std::string_view role) {
  switch (block.traits.form) {
    case Form::kRawPart:
      return WriteVerbatim(block);
    case Form::kThinking:
    case Form::kRedacted:
      PACTDB_TRY_STATUS(losses_.Note(block, "content", "there is no place for thinking"));
      return false;
    case Form::kImage:
    case Form::kAudio:
    case Form::kVideo:
    case Form::kFile:
      if (role == "user" || block.Find(kGiven) == "true") return WriteMedia(block);
      PACTDB_TRY_STATUS(losses_.Note(block, "content", "only a user can send this"));
      return false;
    default:
      break;
  }
  const bool is_refusal = block.traits.form == Form::kRefusal && role == "assistant";
  const std::string_view type = is_refusal ? "refusal" : "text";
  out_.BeginObject().Key("type").String(type).Key(type);
  WriteText(block);
  ExtraFields(*block.node, kPartExtras).Write(out_, {"type", type});
  out_.EndObject();
  return true;
}

Result<bool> ChatWriter::WriteMedia(const Block& block) {
  PACTDB_TRY(const auto media, TakeMedia(block));
  if (!media) return false;
  const bool is_bytes = media->source == Media::Source::kBase64;
  const bool is_file_id = media->source == Media::Source::kFileId;
  const ExtraFields extras(*block.node, kPartExtras);
  const std::string_view sound =
      block.traits.form == Form::kAudio && is_bytes ? AudioOfMime(media->mime) : "";
  if (block.traits.form == Form::kImage && !is_file_id) {
    out_.BeginObject().Key("type").String("image_url").Key("image_url").BeginObject();
    out_.Key("url").String(is_bytes ? DataUrlOf(*media) : media->content);
    extras.WriteInside("image_url", out_, {"url"});
    out_.EndObject();
    extras.Write(out_, {"type", "image_url"});
  } else if (!sound.empty()) {
    out_.BeginObject().Key("type").String("input_audio").Key("input_audio").BeginObject();
    out_.Key("data").String(media->content).Key("format").String(sound);
    extras.WriteInside("input_audio", out_, {"data", "format"});
    out_.EndObject();
    extras.Write(out_, {"type", "input_audio"});
  } else if (block.traits.form == Form::kFile && (is_bytes || is_file_id)) {
    out_.BeginObject().Key("type").String("file").Key("file").BeginObject();
    if (is_file_id) {
      out_.Key("file_id").String(media->content);
    } else {
      const bool is_bare = block.Text(kFileMark) == "bare";
      out_.Key("file_data").String(is_bare ? media->content : DataUrlOf(*media));
    }
    const auto name = block.Text("data_filename");
    const std::string_view written = is_file_id ? "file_id" : "file_data";
    if (name) out_.Key("filename").String(*name);
    extras.WriteInside("file", out_, {written, name ? "filename" : written});
    out_.EndObject();
    extras.Write(out_, {"type", "file"});
  } else {
    const bool is_known = block.traits.form == Form::kFile || block.traits.form == Form::kImage;
    PACTDB_TRY_STATUS(losses_.Note(
        block, is_known ? "content" : "mime",
        is_known ? "an image is bytes or an address, a file is bytes or a provider's name for it"
                 : "there is no part for such media"));
    return false;
  }
  out_.EndObject();
  Say();
  return true;
}

// --- calls ---

Status ChatWriter::WriteCalls(const Message& message) {
  if (message.front().traits.role != Role::kAssistant) return {};
  const Block* old_call = nullptr;
  bool is_open = false;
  for (const Block& block : message) {
    if (block.traits.form != Form::kCall) continue;
    const std::string type =
        block.Text(kCallMark).value_or(block.Text("data_call_type").value_or("function"));
    if (type == "function_call") {
      old_call = &block;
      continue;
    }
    if (!is_open) out_.Key("tool_calls").BeginArray();
    is_open = true;
    PACTDB_TRY_STATUS(WriteCall(block, type));
  }
  if (is_open) out_.EndArray();
  if (is_open) written_.push_back("tool_calls");
  return old_call == nullptr ? Status() : WriteFunctionCall(*old_call);
}

Status ChatWriter::WriteCall(const Block& block, std::string_view type) {
  if (block.VerbatimFormat()) {
    PACTDB_TRY_STATUS(WriteVerbatim(block));
    return {};
  }
  if (block.traits.call_id.empty()) {
    PACTDB_TRY_STATUS(losses_.Note(block, "data_call_id", "a call has an id; it is left out"));
    return {};
  }
  const auto name = block.Text("data_name");
  if (!name) {
    PACTDB_TRY_STATUS(losses_.Note(block, "data_name", "a call names its tool; it is left out"));
    return {};
  }
  Say();
  const ExtraFields extras(*block.node, kPartExtras);
  const std::string_view kind = type == "custom" ? "custom" : "function";
  const std::string_view said = type == "custom" ? "input" : "arguments";
  out_.BeginObject().Key("id").Raw(block.traits.call_id);
  if (type != "untyped") out_.Key("type").String(kind);
  out_.Key(kind).BeginObject().Key("name").String(*name).Key(said);
  WriteText(block);
  extras.WriteInside(kind, out_, {"name", said});
  out_.EndObject();
  extras.Write(out_, {"id", "type", kind});
  out_.EndObject();
  return {};
}

Status ChatWriter::WriteFunctionCall(const Block& block) {
  Say();
  written_.push_back("function_call");
  out_.Key("function_call").BeginObject();
  out_.Key("name").String(block.Text("data_name").value_or("")).Key("arguments");
  WriteText(block);
  ExtraFields(*block.node, kPartExtras).Write(out_, {"name", "arguments"});
  out_.EndObject();
  return {};
}

// --- tools ---

Status ChatWriter::WriteTool(const Block& block) {
  if (block.VerbatimFormat()) {
    PACTDB_TRY_STATUS(WriteVerbatim(block));
    return {};
  }
  if (!block.content.starts_with('{')) {
    return losses_.Note(block, "content", "the definition of a tool is an object; it is left out");
  }
  out_.BeginObject().Key("type").String("function").Key("function").Raw(block.content);
  ExtraFields(*block.node, kPartExtras).Write(out_, {"type", "function"});
  out_.EndObject();
  return {};
}

}  // namespace

Status WriteOpenAiChat(const TreeView& view, Losses& losses, ByteSink& sink, PieceSink* pieces) {
  return ChatWriter(view, losses, sink, pieces).Write();
}

}  // namespace pactdb::providers
