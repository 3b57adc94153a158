// Writing Responses: a message, a call and the output of one are an item each.
#include <string>
#include <string_view>
#include <vector>

#include "base/try.h"
#include "providers/media.h"
#include "providers/openai_responses.h"
#include "providers/request_writer.h"
#include "text/json_doc.h"

namespace pactdb::providers {
namespace {

constexpr std::string_view kMessageExtras = "openai-responses:message";
constexpr std::string_view kPartExtras = "openai-responses:part";
constexpr std::string_view kContentMark = "openai-responses:content";

class ResponsesWriter : RequestWriter {
 public:
  using RequestWriter::RequestWriter;

  Status Write();

 private:
  Status WriteItem(const Message& message);
  Status WriteMessage(const Message& message);
  Status WriteContent(const Message& message, std::string_view name, bool is_assistant);
  Status WritePart(const Block& block, bool is_assistant);
  Status WriteMedia(const Block& block);
  Status WriteCall(const Block& block);
  Status WriteOutput(const Message& message);
  Status WriteTool(const Block& block);
};

Status ResponsesWriter::Write() {
  out_.BeginObject();
  MessageCursor cursor(view_, JoinRule::kItems, first_turn());
  Message message;
  bool has_message = cursor.Next(message);
  bool has_instructions = false;
  if (has_message && first_turn() == 0 &&
      message.front().Find("openai-responses:instructions") == "true") {
    has_instructions = true;
    out_.Key("instructions");
    BeginPiece();
    WriteText(message.front());
    EndPiece(Section::kSystem, message);
    has_message = cursor.Next(message);
  }
  out_.Key("input");
  if (has_message && pieces_ == nullptr &&
      message.front().Find("openai-responses:input") == "true" && cursor.is_at_end()) {
    PACTDB_TRY_STATUS(NoteForeign(message));
    WriteText(message.front());
  } else {
    out_.BeginArray();
    for (; has_message; has_message = cursor.Next(message)) {
      BeginPiece();
      PACTDB_TRY_STATUS(WriteUnlessLost([&] { return WriteItem(message); }));
      EndPiece(Section::kMessages, message);
      PACTDB_TRY_STATUS(Drain());
    }
    out_.EndArray();
  }
  PACTDB_TRY_STATUS(
      WriteToolList(cursor.tools(), [this](const Block& tool) { return WriteTool(tool); }));
  PACTDB_TRY_STATUS(WriteRest({"input", cursor.tools().empty() ? "input" : "tools",
                               has_instructions ? "instructions" : "input"}));
  out_.EndObject();
  return Drain();
}

Status ResponsesWriter::WriteItem(const Message& message) {
  PACTDB_TRY_STATUS(NoteForeign(message));
  const Block& first = message.front();
  if (first.traits.form == Form::kRawMessage) {
    PACTDB_TRY_STATUS(WriteVerbatim(first));
    return {};
  }
  if (first.traits.form == Form::kThinking || first.traits.form == Form::kRedacted) {
    if (first.VerbatimFormat()) {
      PACTDB_TRY_STATUS(WriteVerbatim(first));
      return {};
    }
    return losses_.Note(first, "content", "thinking goes back only to who signed it");
  }
  if (first.traits.form == Form::kCall) {
    if (first.traits.role == Role::kAssistant) return WriteCall(first);
    return losses_.Note(first, "role", "only an assistant calls tools");
  }
  if (first.traits.role == Role::kTool) return WriteOutput(message);
  return WriteMessage(message);
}

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kSystem:
      return "system";
    case Role::kDeveloper:
      return "developer";
    case Role::kAssistant:
      return "assistant";
    default:
      return "user";
  }
}

Status ResponsesWriter::WriteMessage(const Message& message) {
  const Block& first = message.front();
  if (first.traits.role == Role::kOther)
    PACTDB_TRY_STATUS(losses_.Note(first, "role", "there is no such role; it is said as user"));
  out_.BeginObject();
  const bool is_typed = first.Text("openai-responses:item") == "message";
  if (is_typed) out_.Key("type").String("message");
  out_.Key("role").String(RoleName(first.traits.role));
  PACTDB_TRY_STATUS(WriteContent(message, "content", first.traits.role == Role::kAssistant));
  ExtraFields(*first.node, kMessageExtras)
      .Write(out_, {"role", "content", is_typed ? "type" : "role"});
  out_.EndObject();
  return {};
}

Status ResponsesWriter::WriteContent(const Message& message, std::string_view name,
                                     bool is_assistant) {
  const Block& first = message.front();
  const std::string mark = first.Text(kContentMark).value_or("");
  out_.Key(name);
  if (message.size() == 1 && mark == "empty_list" && !first.node->content()) {
    out_.BeginArray().EndArray();
    return {};
  }
  if (message.size() == 1 && first.is_text() && mark != "list") {
    WriteText(first);
    return {};
  }
  const JsonOut before = out_;
  out_.BeginArray();
  const std::size_t begin = out_.text().size();
  for (const Block& block : message) PACTDB_TRY_STATUS(WritePart(block, is_assistant));
  if (out_.text().size() == begin) {
    out_ = before;
    out_.String("");
  } else {
    out_.EndArray();
  }
  return {};
}

Status ResponsesWriter::WritePart(const Block& block, bool is_assistant) {
  if (block.traits.form == Form::kRawPart) {
    PACTDB_TRY_STATUS(WriteVerbatim(block));
    return {};
  }
  if (IsMedia(block.traits.form)) {
    if (!is_assistant || block.Find("openai-responses:given") == "true") return WriteMedia(block);
    return losses_.Note(block, "content", "an assistant does not send media");
  }
  const bool is_refusal = block.traits.form == Form::kRefusal;
  const std::string type = is_refusal ? "refusal"
                                      : block.Text("openai-responses:type")
                                            .value_or(is_assistant ? "output_text" : "input_text");
  const std::string_view field = is_refusal ? "refusal" : "text";
  out_.BeginObject().Key("type").String(type).Key(field);
  WriteText(block);
  ExtraFields(*block.node, kPartExtras).Write(out_, {"type", field});
  out_.EndObject();
  return {};
}

Status ResponsesWriter::WriteMedia(const Block& block) {
  PACTDB_TRY(const auto media, TakeMedia(block));
  if (!media) return {};
  const bool is_image = block.traits.form == Form::kImage;
  if (!is_image && block.traits.form != Form::kFile)
    return losses_.Note(block, "mime", "there are only images and files");
  Say();
  const bool is_bytes = media->source == Media::Source::kBase64;
  std::string_view field = is_image ? "image_url" : "file_url";
  if (media->source == Media::Source::kFileId) field = "file_id";
  if (is_bytes && !is_image) field = "file_data";
  out_.BeginObject().Key("type").String(is_image ? "input_image" : "input_file");
  out_.Key(field).String(is_bytes ? DataUrlOf(*media) : media->content);
  // The vendor wants it said.
  const bool is_as_it_came = block.Text("openai-responses:fields") == "as_is";
  if (is_image && !is_as_it_came && !ExtraFields(*block.node, kPartExtras).Has("detail"))
    out_.Key("detail").String("auto");
  const auto filename = block.Text("data_filename");
  if (filename) out_.Key("filename").String(*filename);
  ExtraFields(*block.node, kPartExtras).Write(out_, {"type", field, filename ? "filename" : field});
  out_.EndObject();
  return {};
}

// --- calls ---

Status ResponsesWriter::WriteCall(const Block& block) {
  if (block.VerbatimFormat()) {
    PACTDB_TRY_STATUS(WriteVerbatim(block));
    return {};
  }
  const auto name = block.Text("data_name");
  if (block.traits.call_id.empty() || !name) {
    return losses_.Note(block, name ? "data_call_id" : "data_name",
                        "a call has an id and the name of its tool; it is left out");
  }
  Say();
  const bool is_custom = block.Text("data_call_type") == "custom";
  const std::string_view said = is_custom ? "input" : "arguments";
  out_.BeginObject().Key("type").String(is_custom ? "custom_tool_call" : "function_call");
  out_.Key("call_id").Raw(block.traits.call_id).Key("name").String(*name).Key(said);
  WriteText(block);
  ExtraFields(*block.node, kMessageExtras).Write(out_, {"type", "call_id", "name", said});
  out_.EndObject();
  return {};
}

Status ResponsesWriter::WriteOutput(const Message& message) {
  const Block& first = message.front();
  if (first.traits.call_id.empty()) {
    PACTDB_TRY_STATUS(
        losses_.Note(first, "data_call_id", "a tool result names its call; it is said as user"));
    return WriteMessage(message);
  }
  if (first.Find("data_is_error") == "true") {
    PACTDB_TRY_STATUS(
        losses_.Note(first, "data_is_error", "that a tool failed can only be said in the text"));
  }
  Say();  // its call is answered, by whatever is left
  // What a call is, its output is too, unless that says otherwise.
  auto type = first.Text("data_call_type");
  if (!type) type = FindInCall(first.traits.call_id, "data_call_type");
  const bool is_custom = type == "custom";
  out_.BeginObject();
  out_.Key("type").String(is_custom ? "custom_tool_call_output" : "function_call_output");
  out_.Key("call_id").Raw(first.traits.call_id);
  PACTDB_TRY_STATUS(WriteContent(message, "output", false));
  ExtraFields(*first.node, kMessageExtras).Write(out_, {"type", "call_id", "output"});
  out_.EndObject();
  return {};
}

// --- tools ---

Status ResponsesWriter::WriteTool(const Block& block) {
  if (block.VerbatimFormat()) {
    PACTDB_TRY_STATUS(WriteVerbatim(block));
    return {};
  }
  const ContentFields definition(*block.node);
  const auto name = definition.Find("name");
  if (!name || !name->is_string()) {
    return losses_.Note(block, "content", "the definition of a tool has a name; it is left out");
  }
  out_.BeginObject().Key("type").String("function");
  for (const std::string_view field : {"name", "description", "parameters", "strict"}) {
    if (const auto value = definition.Find(field)) out_.Key(field).Raw(value->ToJson().text());
  }
  // The vendor wants these said, even if there is nothing to say.
  const bool is_as_it_came = block.Text("openai-responses:fields") == "as_is";
  for (const std::string_view field : {"parameters", "strict"}) {
    if (!is_as_it_came && !definition.Find(field)) out_.Key(field).Null();
  }
  PACTDB_TRY_STATUS(
      NoteOtherFields(block, definition, {"name", "parameters", "description", "strict"}));
  ExtraFields(*block.node, kPartExtras)
      .Write(out_, {"type", "name", "description", "parameters", "strict"});
  out_.EndObject();
  return {};
}

}  // namespace

Status WriteOpenAiResponses(const TreeView& view, Losses& losses, ByteSink& sink,
                            PieceSink* pieces) {
  return ResponsesWriter(view, losses, sink, pieces).Write();
}

}  // namespace pactdb::providers
