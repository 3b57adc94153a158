// Writing Gemini contents: what the assistant says is the model's, all else the user's.
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/try.h"
#include "providers/gemini.h"
#include "providers/media.h"
#include "providers/request_writer.h"
#include "text/json_doc.h"

namespace pactdb::providers {
namespace {

constexpr std::string_view kPartExtras = "gemini:part";

class GeminiWriter : RequestWriter {
 public:
  using RequestWriter::RequestWriter;

  Status Write();

 private:
  Status WriteSystem(const std::vector<Block>& blocks);
  Status WriteContent(const Message& message);
  Status WriteParts(const Message& message, bool is_assistant);
  Status WritePart(const Block& block, bool is_assistant);
  Status WriteText(const Block& block, bool is_thought);
  Status WriteThinking(const Block& block);
  Status WriteMedia(const Block& block);
  Status WriteCall(const Block& block);
  Status WriteResponse(const Block& block);
  void WriteResponseBody(const Block& block);
  Status WriteTools(const std::vector<Block>& tools);
  Status WriteDeclaration(const Block& block);

  std::string_view system_name_ = "systemInstruction";
};

Status GeminiWriter::Write() {
  out_.BeginObject();
  MessageCursor cursor(view_, JoinRule::kTogether, first_turn());
  Message message;
  bool has_message = cursor.Next(message);
  PACTDB_TRY(const std::vector<Block> system, TakeSystem(cursor, message, has_message));
  if (!system.empty()) PACTDB_TRY_STATUS(WriteUnlessLost([&] { return WriteSystem(system); }));
  out_.Key("contents").BeginArray();
  for (; has_message; has_message = cursor.Next(message)) {
    BeginPiece();
    PACTDB_TRY_STATUS(WriteUnlessLost([&] { return WriteContent(message); }));
    EndPiece(Section::kMessages, message, message.size());
    PACTDB_TRY_STATUS(Drain());
  }
  out_.EndArray();
  PACTDB_TRY_STATUS(WriteTools(cursor.tools()));
  PACTDB_TRY_STATUS(WriteRest({"contents", cursor.tools().empty() ? "contents" : "tools",
                               system.empty() ? "contents" : system_name_}));
  out_.EndObject();
  return Drain();
}

Status GeminiWriter::WriteSystem(const std::vector<Block>& blocks) {
  if (blocks.front().Text("gemini:system") == "system_instruction")
    system_name_ = "system_instruction";
  out_.Key(system_name_).BeginObject().Key("parts").BeginArray();
  for (const Block& block : blocks) {
    BeginPiece();
    if (block.traits.form == Form::kRawPart) {
      PACTDB_TRY_STATUS(WriteVerbatim(block));
    } else if (IsMedia(block.traits.form)) {
      PACTDB_TRY_STATUS(WriteMedia(block));
    } else {
      PACTDB_TRY_STATUS(WriteText(block, false));
    }
    EndPiece(Section::kSystem, {&block, 1});
  }
  out_.EndArray();
  ExtraFields(*blocks.front().node, "gemini:message").Write(out_, {"parts"});
  out_.EndObject();
  return {};
}

Status GeminiWriter::WriteContent(const Message& message) {
  PACTDB_TRY_STATUS(NoteForeign(message));
  const Block& first = message.front();
  if (first.traits.form == Form::kRawMessage) {
    PACTDB_TRY_STATUS(WriteVerbatim(first));
    return {};
  }
  if (first.traits.role == Role::kOther || IsSystem(message)) {
    PACTDB_TRY_STATUS(losses_.Note(
        first, "role", "only user and model speak in the conversation; it is said as user"));
  }
  const bool is_assistant = first.traits.role == Role::kAssistant;
  const std::string mark = first.Text("gemini:role").value_or("");
  out_.BeginObject();
  if (mark != "absent") {
    out_.Key("role").String(is_assistant ? "model" : mark == "function" ? "function" : "user");
  }
  out_.Key("parts").BeginArray();
  const bool is_empty =
      message.size() == 1 && first.Find("gemini:empty") == "true" && !first.node->content();
  if (!is_empty) PACTDB_TRY_STATUS(WriteParts(message, is_assistant));
  out_.EndArray();
  ExtraFields(*first.node, "gemini:message").Write(out_, {"role", "parts"});
  out_.EndObject();
  return {};
}

Status GeminiWriter::WriteParts(const Message& message, bool is_assistant) {
  for (std::size_t i = 0; i < message.size(); ++i) {
    const Block& block = message[i];
    // Only the first part of a result is one; what else it brought is said beside it.
    const bool goes_on = i > 0 && GoesOnWithResult(message[i - 1].traits, block.traits);
    if (block.traits.role == Role::kTool && !goes_on) {
      PACTDB_TRY_STATUS(WriteResponse(block));
      if (block.is_text()) continue;
    }
    if (block.traits.role == Role::kTool) {
      PACTDB_TRY_STATUS(losses_.Note(block, "data_call_id",
                                     "a result is one object; the rest is said beside it"));
    }
    PACTDB_TRY_STATUS(WritePart(block, is_assistant));
  }
  return {};
}

Status GeminiWriter::WritePart(const Block& block, bool is_assistant) {
  switch (block.traits.form) {
    case Form::kRawPart:
    case Form::kRawMessage: {
      PACTDB_TRY_STATUS(WriteVerbatim(block));
      return {};
    }
    case Form::kImage:
    case Form::kAudio:
    case Form::kVideo:
    case Form::kFile:
      return WriteMedia(block);
    case Form::kCall:
      if (is_assistant) return WriteCall(block);
      return losses_.Note(block, "role", "only the model calls tools");
    case Form::kThinking:
    case Form::kRedacted:
      return WriteThinking(block);
    default:
      return WriteText(block, false);
  }
}

Status GeminiWriter::WriteText(const Block& block, bool is_thought) {
  const auto signature = is_thought ? block.Find("gemini:signature") : std::nullopt;
  const ExtraFields extras(*block.node, kPartExtras);
  if (signature || !extras.empty()) Say();
  out_.BeginObject().Key("text");
  RequestWriter::WriteText(block);
  if (is_thought) out_.Key("thought").Bool(true);
  if (signature) out_.Key("thoughtSignature").Raw(*signature);
  extras.Write(out_,
               {"text", is_thought ? "thought" : "text", signature ? "thoughtSignature" : "text"});
  out_.EndObject();
  return {};
}

Status GeminiWriter::WriteThinking(const Block& block) {
  if (block.traits.form == Form::kThinking && block.Find("gemini:thought") == "true")
    return WriteText(block, true);
  return losses_.Note(block, "content", "thinking goes back only to who signed it");
}

Status GeminiWriter::WriteMedia(const Block& block) {
  PACTDB_TRY(const auto media, TakeMedia(block));
  if (!media) return {};
  if (media->mime.empty() || media->source == Media::Source::kFileId) {
    return losses_.Note(block, media->mime.empty() ? "mime" : "content",
                        "media are base64 or an address, with a mime");
  }
  if (block.Find("data_filename"))
    PACTDB_TRY_STATUS(losses_.Note(block, "data_filename", "media have no file name"));
  Say();
  const bool is_inline = media->source == Media::Source::kBase64;
  const std::string_view name = is_inline ? "inlineData" : "fileData";
  const std::string_view field = is_inline ? "data" : "fileUri";
  const ExtraFields extras(*block.node, kPartExtras);
  out_.BeginObject().Key(name).BeginObject();
  out_.Key("mimeType").String(media->mime).Key(field).String(media->content);
  extras.WriteInside(name, out_, {"mimeType", field});
  out_.EndObject();
  extras.Write(out_, {name});
  out_.EndObject();
  return {};
}

// --- calls ---

Status GeminiWriter::WriteCall(const Block& block) {
  if (block.VerbatimFormat()) {
    PACTDB_TRY_STATUS(WriteVerbatim(block));
    return {};
  }
  const auto name = block.Text("data_name");
  if (!name) return losses_.Note(block, "data_name", "a call names its tool; it is left out");
  if (block.Text("data_call_type") == "custom")
    PACTDB_TRY_STATUS(losses_.Note(block, "content", "a call's arguments are an object"));
  Say();
  const bool has_id = !block.traits.call_id.empty() && block.Text("gemini:id") != "made";
  const ExtraFields extras(*block.node, kPartExtras);
  out_.BeginObject().Key("functionCall").BeginObject();
  if (has_id) out_.Key("id").Raw(block.traits.call_id);
  out_.Key("name").String(*name);
  if (block.Text("gemini:args") != "absent" || block.content != "{}") {
    out_.Key("args");
    PACTDB_TRY_STATUS(WriteObject(block));
  }
  extras.WriteInside("functionCall", out_, {"name", "args", has_id ? "id" : "name"});
  out_.EndObject();
  extras.Write(out_, {"functionCall"});
  out_.EndObject();
  return {};
}

// An object as it is; anything else, and what failed, under the names that the vendor proposes.
void GeminiWriter::WriteResponseBody(const Block& block) {
  const bool is_error = block.Find("data_is_error") == "true";
  const bool is_object = block.is_text() && block.content.starts_with('{');
  if (is_object && (!is_error || ContentFields(*block.node).Has("error"))) {
    out_.Raw(block.content);
    return;
  }
  // Media are said beside it.
  const std::string_view content = block.is_text() ? block.content : "\"\"";
  out_.BeginObject().Key(is_error ? "error" : "output").Raw(content).EndObject();
}

Status GeminiWriter::WriteResponse(const Block& block) {
  // The name of the tool stands on its call, if not here.
  auto name = block.Text("data_name");
  if (!name && !block.traits.call_id.empty()) name = FindInCall(block.traits.call_id, "data_name");
  if (!name) {
    PACTDB_TRY_STATUS(
        losses_.Note(block, "data_name", "a result names its tool; it is said as user"));
    return block.is_text() ? WriteText(block, false) : Status();
  }
  Say();  // its call is answered, by whatever is left
  const bool has_id = !block.traits.call_id.empty() && block.Text("gemini:id") != "made";
  out_.BeginObject().Key("functionResponse").BeginObject();
  if (has_id) out_.Key("id").Raw(block.traits.call_id);
  out_.Key("name").String(*name).Key("response");
  WriteResponseBody(block);
  if (block.is_text()) {
    const ExtraFields extras(*block.node, kPartExtras);
    extras.WriteInside("functionResponse", out_, {"name", "response", has_id ? "id" : "name"});
    out_.EndObject();
    extras.Write(out_, {"functionResponse"});
  } else {
    out_.EndObject();
  }
  out_.EndObject();
  return {};
}

// --- tools ---

// Declarations that came in one list go into one list again; made ones are one list.
Status GeminiWriter::WriteTools(const std::vector<Block>& tools) {
  if (tools.empty()) return {};
  out_.Key("tools").BeginArray();
  BeginPiece();
  bool is_open = false;
  std::string_view list;
  for (const Block& tool : tools) {
    PACTDB_TRY_STATUS(losses_.NoteForeign(view_, *tool.node));
    const std::string_view next = tool.Find("gemini:tool").value_or("");
    if (is_open && (tool.VerbatimFormat() || next != list)) {
      out_.EndArray().EndObject();
      is_open = false;
    }
    if (tool.VerbatimFormat()) {
      PACTDB_TRY_STATUS(WriteVerbatim(tool));
      continue;
    }
    list = next;
    if (!is_open) out_.BeginObject().Key("functionDeclarations").BeginArray();
    is_open = true;
    PACTDB_TRY_STATUS(WriteDeclaration(tool));
  }
  if (is_open) out_.EndArray().EndObject();
  EndPiece(Section::kTools, tools, tools.size());
  out_.EndArray();
  return {};
}

Status GeminiWriter::WriteDeclaration(const Block& block) {
  const ContentFields definition(*block.node);
  const auto name = definition.Find("name");
  if (!name || !name->is_string()) {
    return losses_.Note(block, "content", "the definition of a tool has a name; it is left out");
  }
  const bool is_own_schema = block.Text("gemini:schema") == "parameters";
  const std::string_view schema = is_own_schema ? "parameters" : "parametersJsonSchema";
  std::vector<std::string_view> written = {"name"};
  out_.BeginObject().Key("name").String(name->string());
  for (const std::string_view field : {"description", "parameters"}) {
    const auto value = definition.Find(field);
    if (!value || value->is_null()) continue;
    const std::string_view key = field == "parameters" ? schema : field;
    out_.Key(key).Raw(value->ToJson().text());
    written.push_back(key);
  }
  PACTDB_TRY_STATUS(NoteOtherFields(block, definition, {"name", "description", "parameters"}));
  ExtraFields(*block.node, kPartExtras).Write(out_, written);
  out_.EndObject();
  return {};
}

}  // namespace

Status WriteGemini(const TreeView& view, Losses& losses, ByteSink& sink, PieceSink* pieces) {
  return GeminiWriter(view, losses, sink, pieces).Write();
}

}  // namespace pactdb::providers
