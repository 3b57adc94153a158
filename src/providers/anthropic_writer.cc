// Writing Anthropic Messages.
//
// Words of the system that come before all others are the system prompt; the format has no place
// for later ones. Neighbouring results, and what the user says in one message with them, are one
// message of the user.
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/try.h"
#include "providers/anthropic.h"
#include "providers/media.h"
#include "providers/request_writer.h"
#include "text/json_doc.h"

namespace pactdb::providers {
namespace {

constexpr std::string_view kPartExtras = "anthropic:part";

constexpr std::string_view kCacheControl = "cache_control";

class AnthropicWriter : RequestWriter {
 public:
  AnthropicWriter(const TreeView& view, Losses& losses, ByteSink& sink,
                  const AnthropicOptions& options)
      : RequestWriter(view, losses, sink, options.pieces), marks_(options.marks) {}

  Status Write();

 private:
  // The normal form has no marks and writes every content as a list.
  bool is_normal() const { return pieces_ != nullptr; }
  bool IsMarked(const Block& block) const {
    return marks_ != nullptr && !is_in_result_ && marks_->contains(block.node->number);
  }
  // A single text that can be written as a string.
  bool IsPlainText(const Block& block) const {
    return !is_normal() && block.is_text() && !IsMarked(block) &&
           ExtraFields(*block.node, kPartExtras).empty();
  }
  // The members that were kept, with the mark if the block is to have one.
  void WriteExtras(const Block& block, std::string_view attribute, Names written);
  void WriteExtras(const Block& block, std::initializer_list<std::string_view> written) {
    WriteExtras(block, kPartExtras, Names(written.begin(), written.size()));
  }
  Status WriteOwn(const Block& block);  // verbatim content
  Status WriteSystem(const std::vector<Block>& blocks);
  Status WriteMessage(const Message& message);
  Status WriteBlock(const Block& block, bool is_assistant);
  Status WriteTextBlock(const Block& block);
  Status WriteThinking(const Block& block);
  Status WriteMedia(const Block& block);
  void WriteSource(const Block& block, const Media& media, const ExtraFields& extras);
  Status WriteCall(const Block& block);
  // The blocks from `from` on that are one result; gives the index behind them.
  Result<std::size_t> WriteResult(const Message& message, std::size_t from);
  Status WriteTool(const Block& block);

  const std::unordered_set<NodeNumber>* marks_;
  bool is_in_result_ = false;  // parts of a result carry no mark of ours
  std::size_t parts_ = 0;      // of the message at hand
};

void AnthropicWriter::WriteExtras(const Block& block, std::string_view attribute, Names written) {
  const ExtraFields extras(*block.node, attribute);
  std::vector<std::string_view> done(written.begin(), written.end());
  if (is_normal()) done.push_back(kCacheControl);
  if (IsMarked(block) && !extras.Find(kCacheControl))
    out_.Key(kCacheControl).BeginObject().Key("type").String("ephemeral").EndObject();
  extras.Write(out_, done);
}

Status AnthropicWriter::WriteOwn(const Block& block) {
  const bool may_be_marked = block.content.find(kCacheControl) != std::string_view::npos;
  if (!is_normal() || !may_be_marked || block.VerbatimFormat() != Name(losses_.format())) {
    PACTDB_TRY_STATUS(WriteVerbatim(block));
    return {};
  }
  out_.BeginObject();
  ContentFields(*block.node).Write(out_, {kCacheControl});
  out_.EndObject();
  Say();
  return {};
}

Status AnthropicWriter::Write() {
  out_.BeginObject();
  MessageCursor cursor(view_, JoinRule::kTogether, first_turn());
  Message message;
  bool has_message = cursor.Next(message);
  PACTDB_TRY(const std::vector<Block> system, TakeSystem(cursor, message, has_message));
  if (!system.empty()) PACTDB_TRY_STATUS(WriteUnlessLost([&] { return WriteSystem(system); }));
  out_.Key("messages").BeginArray();
  for (; has_message; has_message = cursor.Next(message)) {
    BeginPiece();
    PACTDB_TRY_STATUS(WriteUnlessLost([&] { return WriteMessage(message); }));
    EndPiece(Section::kMessages, message, parts_);
    PACTDB_TRY_STATUS(Drain());
  }
  out_.EndArray();
  PACTDB_TRY_STATUS(
      WriteToolList(cursor.tools(), [this](const Block& tool) { return WriteTool(tool); }));
  PACTDB_TRY_STATUS(WriteRest({"messages", cursor.tools().empty() ? "messages" : "tools",
                               system.empty() ? "messages" : "system"}));
  out_.EndObject();
  return Drain();
}

Status AnthropicWriter::WriteSystem(const std::vector<Block>& blocks) {
  out_.Key("system");
  const Block& first = blocks.front();
  if (blocks.size() == 1 && first.Text("anthropic:content") != "list" && IsPlainText(first)) {
    WriteText(first);
    return {};
  }
  out_.BeginArray();
  for (const Block& block : blocks) {
    BeginPiece();
    if (block.is_text()) {
      PACTDB_TRY_STATUS(WriteTextBlock(block));
    } else if (block.traits.form == Form::kRawPart) {
      PACTDB_TRY_STATUS(WriteOwn(block));
    } else {
      PACTDB_TRY_STATUS(losses_.Note(block, "content", "the system prompt is text"));
    }
    EndPiece(Section::kSystem, {&block, 1});
  }
  out_.EndArray();
  return {};
}

Status AnthropicWriter::WriteMessage(const Message& message) {
  PACTDB_TRY_STATUS(NoteForeign(message));
  const Block& first = message.front();
  parts_ = 1;
  if (first.traits.form == Form::kRawMessage) {
    PACTDB_TRY_STATUS(WriteVerbatim(first));
    return {};
  }
  if (first.traits.role == Role::kOther || IsSystem(message)) {
    PACTDB_TRY_STATUS(losses_.Note(
        first, "role", "only user and assistant speak in the conversation; it is said as user"));
  }
  const bool is_assistant = first.traits.role == Role::kAssistant;
  const std::string mark = first.Text("anthropic:content").value_or("");
  out_.BeginObject().Key("role").String(is_assistant ? "assistant" : "user").Key("content");
  const bool is_plain = message.size() == 1 && first.traits.role != Role::kTool && mark != "list" &&
                        IsPlainText(first);
  if (message.size() == 1 && mark == "empty_list" && !first.node->content()) {
    out_.BeginArray().EndArray();
  } else if (is_plain) {
    WriteText(first);
  } else {
    out_.BeginArray();
    parts_ = 0;
    for (std::size_t i = 0; i < message.size(); ++parts_) {
      if (message[i].traits.role == Role::kTool) {
        PACTDB_TRY(i, WriteResult(message, i));
      } else {
        PACTDB_TRY_STATUS(WriteBlock(message[i++], is_assistant));
      }
    }
    out_.EndArray();
  }
  ExtraFields(*first.node, "anthropic:message").Write(out_, {"role", "content"});
  out_.EndObject();
  return {};
}

Status AnthropicWriter::WriteBlock(const Block& block, bool is_assistant) {
  switch (block.traits.form) {
    case Form::kRawPart:
    case Form::kRawMessage:
      return WriteOwn(block);
    case Form::kImage:
    case Form::kAudio:
    case Form::kVideo:
    case Form::kFile:
      if (!is_assistant || block.Find("anthropic:given") == "true") return WriteMedia(block);
      return losses_.Note(block, "content", "an assistant does not send media");
    case Form::kCall:
      if (is_assistant) return WriteCall(block);
      return losses_.Note(block, "role", "only an assistant calls tools");
    case Form::kThinking:
    case Form::kRedacted:
      if (is_assistant) return WriteThinking(block);
      return losses_.Note(block, "role", "only an assistant thinks");
    default:
      return WriteTextBlock(block);
  }
}

Status AnthropicWriter::WriteTextBlock(const Block& block) {
  out_.BeginObject().Key("type").String("text").Key("text");
  WriteText(block);
  WriteExtras(block, {"type", "text"});
  out_.EndObject();
  return {};
}

// Signatures are checked by the provider: what has none of its own cannot be sent.
Status AnthropicWriter::WriteThinking(const Block& block) {
  const bool is_redacted = block.traits.form == Form::kRedacted;
  const auto signature = block.Find("anthropic:signature");
  const ExtraFields extras(*block.node, kPartExtras);
  const bool is_ours = is_redacted || signature || block.Find("anthropic:unsigned") == "true";
  if (block.VerbatimFormat() || !is_ours)
    return losses_.Note(block, "content", "thinking goes back only to who signed it");
  Say();
  out_.BeginObject().Key("type").String(is_redacted ? "redacted_thinking" : "thinking");
  out_.Key(is_redacted ? "data" : "thinking");
  WriteText(block);
  if (signature) out_.Key("signature").Raw(*signature);
  WriteExtras(block, {"type", is_redacted ? "data" : "thinking", signature ? "signature" : "type"});
  out_.EndObject();
  return {};
}

// --- media ---

Status AnthropicWriter::WriteMedia(const Block& block) {
  const ExtraFields extras(*block.node, kPartExtras);
  const bool is_image = block.traits.form == Form::kImage;
  const bool is_document = block.traits.form == Form::kFile;
  if (is_document && block.Text("encoding") == "text" && block.has_string()) {
    Say();
    out_.BeginObject().Key("type").String("document").Key("source").BeginObject();
    out_.Key("type").String("text").Key("media_type");
    out_.String(block.Text("mime").value_or("text/plain")).Key("data").Raw(block.content);
    extras.WriteInside("source", out_, {"type", "media_type", "data"});
    out_.EndObject();
    WriteExtras(block, {"type", "source"});
    out_.EndObject();
    return {};
  }
  PACTDB_TRY(const auto media, TakeMedia(block));
  if (!media) return {};
  if (!is_image && !is_document)
    return losses_.Note(block, "mime", "there are only images and documents");
  if (block.Find("data_filename"))
    PACTDB_TRY_STATUS(losses_.Note(block, "data_filename", "documents have no file name"));
  Say();
  out_.BeginObject().Key("type").String(is_image ? "image" : "document").Key("source");
  WriteSource(block, *media, extras);
  WriteExtras(block, {"type", "source"});
  out_.EndObject();
  return {};
}

void AnthropicWriter::WriteSource(const Block& /*block*/, const Media& media,
                                  const ExtraFields& extras) {
  out_.BeginObject().Key("type");
  switch (media.source) {
    case Media::Source::kBase64:
      out_.String("base64").Key("media_type").String(media.mime);
      out_.Key("data").String(media.content);
      extras.WriteInside("source", out_, {"type", "media_type", "data"});
      break;
    case Media::Source::kUrl:
      out_.String("url").Key("url").String(media.content);
      extras.WriteInside("source", out_, {"type", "url"});
      break;
    case Media::Source::kFileId:
      out_.String("file").Key("file_id").String(media.content);
      extras.WriteInside("source", out_, {"type", "file_id"});
      break;
  }
  out_.EndObject();
}

// --- calls and results ---

Status AnthropicWriter::WriteCall(const Block& block) {
  if (block.VerbatimFormat()) return WriteOwn(block);
  const auto name = block.Text("data_name");
  if (block.traits.call_id.empty() || !name) {
    return losses_.Note(block, name ? "data_call_id" : "data_name",
                        "a call has an id and the name of its tool; it is left out");
  }
  if (block.Text("data_call_type") == "custom")
    PACTDB_TRY_STATUS(losses_.Note(block, "content", "a call's input is an object"));
  Say();
  out_.BeginObject().Key("type").String("tool_use").Key("id").Raw(block.traits.call_id);
  out_.Key("name").String(*name).Key("input");
  PACTDB_TRY_STATUS(WriteObject(block));
  WriteExtras(block, {"type", "id", "name", "input"});
  out_.EndObject();
  return {};
}

Result<std::size_t> AnthropicWriter::WriteResult(const Message& message, std::size_t from) {
  const Block& first = message[from];
  std::size_t end = from + 1;
  while (end < message.size() && GoesOnWithResult(message[end - 1].traits, message[end].traits))
    ++end;
  if (first.traits.call_id.empty()) {
    PACTDB_TRY_STATUS(
        losses_.Note(first, "data_call_id", "a tool result names its call; it is said as user"));
    for (std::size_t i = from; i < end; ++i) PACTDB_TRY_STATUS(WriteBlock(message[i], false));
    return end;
  }
  Say();  // its call is answered, by whatever is left
  out_.BeginObject().Key("type").String("tool_result");
  out_.Key("tool_use_id").Raw(first.traits.call_id);
  const std::string mark = first.Text("anthropic:result_content").value_or("");
  const bool is_empty = end == from + 1 && !first.node->content();
  if (is_empty && mark != "absent") {
    out_.Key("content").BeginArray().EndArray();
  } else if (!is_empty) {
    out_.Key("content");
    is_in_result_ = true;
    if (end == from + 1 && mark != "list" && IsPlainText(first)) {
      WriteText(first);
    } else {
      out_.BeginArray();
      for (std::size_t i = from; i < end; ++i) PACTDB_TRY_STATUS(WriteBlock(message[i], false));
      out_.EndArray();
    }
    is_in_result_ = false;
  }
  const auto error = first.Find("data_is_error");
  if (error == "true" || error == "false") out_.Key("is_error").Raw(*error);
  const std::array<std::string_view, 4> written = {"type", "tool_use_id", "content",
                                                   error ? "is_error" : "type"};
  WriteExtras(first, "anthropic:result", written);
  out_.EndObject();
  return end;
}

// --- tools ---

Status AnthropicWriter::WriteTool(const Block& block) {
  if (block.VerbatimFormat()) return WriteOwn(block);
  const ContentFields definition(*block.node);
  const auto name = definition.Find("name");
  if (!name || !name->is_string()) {
    return losses_.Note(block, "content", "the definition of a tool has a name; it is left out");
  }
  const auto parameters = definition.Find("parameters");
  out_.BeginObject().Key("name").String(name->string()).Key("input_schema");
  if (parameters && parameters->is_object()) {
    out_.Raw(parameters->ToJson().text());
  } else {
    out_.BeginObject().Key("type").String("object").EndObject();
  }
  std::vector<std::string_view> written = {"name", "input_schema"};
  for (const std::string_view field : {"description", "strict"}) {
    const auto value = definition.Find(field);
    if (!value || value->is_null()) continue;
    written.push_back(field);
    out_.Key(field).Raw(value->ToJson().text());
  }
  PACTDB_TRY_STATUS(
      NoteOtherFields(block, definition, {"name", "parameters", "description", "strict"}));
  WriteExtras(block, kPartExtras, written);
  out_.EndObject();
  return {};
}

}  // namespace

Status WriteAnthropic(const TreeView& view, Losses& losses, ByteSink& sink,
                      const AnthropicOptions& options) {
  return AnthropicWriter(view, losses, sink, options).Write();
}

}  // namespace pactdb::providers
