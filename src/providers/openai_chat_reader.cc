// Reading Chat Completions. A message becomes a block for every part of its content and one for
// every call. What a made message would be written as is not noted; what differs is.
#include <array>
#include <optional>
#include <string>

#include "base/limits.h"
#include "base/try.h"
#include "providers/draft.h"
#include "providers/json_find.h"
#include "providers/media.h"
#include "providers/openai_chat.h"

namespace pactdb::providers {
namespace {

constexpr Format kFormat = Format::kOpenAiChat;
constexpr std::string_view kContentMark = "openai-chat:content";
constexpr std::string_view kCallMark = "openai-chat:call";
constexpr std::string_view kRefusalMark = "openai-chat:refusal";
constexpr std::string_view kRoleMark = "openai-chat:role";
constexpr std::string_view kFileMark = "openai-chat:file_data";
constexpr std::string_view kGiven = "openai-chat:given";
constexpr std::string_view kMessageExtras = "openai-chat:message";
constexpr std::string_view kPartExtras = "openai-chat:part";

class ChatReader {
 public:
  ChatReader(Faults& faults, EntrySink& sink) : faults_(faults), sender_(JoinRule::kApart, sink) {}

  Status Read(const JsonRef& document);

 private:
  Status ReadTools(const JsonRef& tools);
  Status ReadTool(const JsonRef& tool, std::size_t index);
  Status ReadMessage(const JsonRef& message, std::size_t index);
  Status FillDraft(Draft& draft, std::string_view role);
  // Parts of a content that is a list.
  Status ReadParts(Draft& draft, std::string_view role, const JsonRef& parts);
  Status ReadPart(Draft& draft, std::string_view role, const JsonRef& part, std::string place);
  bool ReadMedia(Draft& draft, std::string_view role, std::string_view type, const JsonRef& part,
                 const std::string& place);
  Status ReadContent(Draft& draft, std::string_view role);
  void ReadRefusal(Draft& draft);
  Status ReadCalls(Draft& draft);
  Status ReadCall(Draft& draft, const JsonRef& call, std::string place);
  Status ReadFunctionCall(Draft& draft);
  Status CheckArguments(const Draft& draft, const JsonRef& text, std::string_view place);
  Status Finish(Draft& draft, std::string_view role);

  Faults& faults_;
  DraftSender sender_;
  std::string function_call_id_;  // of the last call in the old style, which has no id
};

Status ChatReader::Read(const JsonRef& document) {
  std::optional<JsonRef> messages = document;
  if (document.is_object()) {
    messages = document.Find("messages");
    const auto tools = FindList(document, "tools");
    ExtrasBuilder rest;
    rest.Take(document, {"messages", tools ? "tools" : "messages"});
    PACTDB_TRY_STATUS(sender_.SendRequest(kFormat, rest, document));
    if (tools) PACTDB_TRY_STATUS(ReadTools(*tools));
  }
  return ForEachMainItem(
      document, messages, Name(kFormat), "messages", "messages",
      [this](const JsonRef& item, std::size_t index) { return ReadMessage(item, index); });
}

Status ChatReader::ReadTools(const JsonRef& tools) {
  return ForEachItem(
      tools, [this](const JsonRef& tool, std::size_t index) { return ReadTool(tool, index); });
}

Status ChatReader::ReadTool(const JsonRef& tool, std::size_t index) {
  Entry entry;
  entry.place = At("tools", index);
  entry.pos = tool.pos();
  entry.SetWord("role", "system").SetWord("kind", "tool_definition");
  const auto type = tool.is_object() ? FindString(tool, "type") : std::nullopt;
  const auto function = tool.is_object() ? FindObject(tool, "function") : std::nullopt;
  const auto name = function ? FindString(*function, "name") : std::nullopt;
  if (type && type->string() == "function" && name) {
    entry.Set("content", function->ToJson()).Set("data_name", name->ToJson());
    ExtrasBuilder extras;
    extras.Take(tool, {"type", "function"});
    if (auto left = extras.Done()) entry.Set(kPartExtras, *std::move(left));
    return sender_.SendTool(entry);
  }
  if (!type || type->string() == "function") {
    PACTDB_TRY_STATUS(faults_.Forgive(
        Error(ErrorCode::kImportInvalid, entry.place + " is no tool with a type and a name")
            .With("index", static_cast<std::int64_t>(index))
            .With("field", entry.place)
            .With("pos", static_cast<std::int64_t>(tool.pos()))));
  }
  entry.Set("content", tool.ToJson()).SetWord("data_format", Name(kFormat));
  return sender_.SendTool(entry);
}

Status ChatReader::ReadMessage(const JsonRef& message, std::size_t index) {
  Draft draft(index, message);
  const auto role = message.is_object() ? FindString(message, "role") : std::nullopt;
  Status filled;
  if (!role) {
    filled = std::unexpected(draft.Fault("role", "is missing"));
  } else {
    filled = FillDraft(draft, role->string());
  }
  if (filled) return Finish(draft, role->string());
  PACTDB_TRY_STATUS(faults_.Forgive(std::move(filled).error()));
  return sender_.SendRaw(kFormat, message, index);
}

Status ChatReader::FillDraft(Draft& draft, std::string_view role) {
  constexpr std::array<std::string_view, 6> kRoles = {"system",    "developer", "user",
                                                      "assistant", "tool",      "function"};
  if (std::ranges::find(kRoles, role) == kRoles.end()) {
    return std::unexpected(
        draft.Fault("role", "must be system, developer, user, assistant, tool or function"));
  }
  const JsonRef& message = draft.message();
  if (role == "tool" && !FindString(message, "tool_call_id"))
    return std::unexpected(draft.Fault("tool_call_id", "is missing"));
  if (role == "function" && !FindString(message, "name"))
    return std::unexpected(draft.Fault("name", "is missing"));
  PACTDB_TRY_STATUS(ReadContent(draft, role));
  if (role == "assistant") {
    ReadRefusal(draft);
    PACTDB_TRY_STATUS(ReadCalls(draft));
    PACTDB_TRY_STATUS(ReadFunctionCall(draft));
  }
  if (draft.empty()) draft.Add(role, "text").place = "content";
  return {};
}

// A refusal that is a member of the message, beside its content.
std::optional<JsonRef> FindRefusal(const JsonRef& message) {
  const auto text = FindString(message, "refusal");
  return text && !text->string().empty() ? text : std::nullopt;
}

Status ChatReader::ReadContent(Draft& draft, std::string_view role) {
  const auto content = draft.message().Find("content");
  const bool may_be_null = role == "assistant" || role == "function";
  if (content && content->is_array()) return ReadParts(draft, role, *content);
  if (content && content->is_string()) {
    // An empty text beside something else is no part of its own: other providers refuse one.
    const bool is_alone = !FindList(draft.message(), "tool_calls") &&
                          !FindObject(draft.message(), "function_call") &&
                          !FindRefusal(draft.message());
    if (content->string().empty() && !is_alone && role == "assistant") return {};
    Entry& entry = draft.Add(role, role == "tool" ? "tool_result" : "text");
    entry.place = "content";
    entry.Set("content", content->ToJson());
    return {};
  }
  if (may_be_null && (!content || content->is_null())) return {};
  if (!content) return std::unexpected(draft.Fault("content", "is missing"));
  return std::unexpected(draft.Fault("content", "must be a text or a list of parts"));
}

void ChatReader::ReadRefusal(Draft& draft) {
  const auto text = FindRefusal(draft.message());
  if (!text) return;
  Entry& entry = draft.Add("assistant", "refusal");
  entry.place = "refusal";
  entry.Set("content", text->ToJson()).SetWord(kRefusalMark, "member");
}

Status ChatReader::ReadParts(Draft& draft, std::string_view role, const JsonRef& parts) {
  std::size_t index = 0;
  for (auto it = parts.begin(); it != parts.end(); ++it, ++index)
    PACTDB_TRY_STATUS(ReadPart(draft, role, (*it).value, At("content", index)));
  return {};
}

Status ChatReader::ReadPart(Draft& draft, std::string_view role, const JsonRef& part,
                            std::string place) {
  const auto type = part.is_object() ? FindString(part, "type") : std::nullopt;
  if (!type) return std::unexpected(draft.Fault(Dot(place, "type"), "is missing"));
  const bool is_text = type->string() == "text";
  // Only an assistant refuses; said by others, it is a part that nobody else knows.
  if (is_text || (type->string() == "refusal" && role == "assistant")) {
    const auto text = FindString(part, type->string());
    if (!text) return std::unexpected(draft.Fault(Dot(place, type->string()), "must be a text"));
    const std::string_view text_kind = role == "tool" ? "tool_result" : "text";
    Entry& entry = draft.Add(role, is_text ? text_kind : "refusal");
    entry.place = Dot(place, type->string());
    entry.Set("content", text->ToJson());
    ExtrasBuilder extras;
    extras.Take(part, {"type", type->string()});
    if (auto left = extras.Done()) entry.Set(kPartExtras, *std::move(left));
    return {};
  }
  if (ReadMedia(draft, role, type->string(), part, place)) return {};
  Entry& entry = draft.Add(role, "raw_part");
  entry.place = std::move(place);
  entry.Set("content", part.ToJson()).SetWord("data_format", Name(kFormat));
  return {};
}

// Where the media of a part stand.
struct MediaField {
  std::string_view type;
  std::string_view field;
  std::string_view kind;
};
constexpr auto kMediaFields = std::to_array<MediaField>({{"image_url", "url", "image"},
                                                         {"input_audio", "data", "audio"},
                                                         {"file", "file_data", "file"}});

// False if the part is none that we understand; it is kept as it is then.
bool ChatReader::ReadMedia(Draft& draft, std::string_view role, std::string_view type,
                           const JsonRef& part, const std::string& place) {
  const auto known = std::ranges::find(kMediaFields, type, &MediaField::type);
  const auto body = known == kMediaFields.end() ? std::nullopt : FindObject(part, type);
  if (!body) return false;
  const auto value = FindString(*body, known->field);
  const auto file_id = type == "file" && !value ? FindString(*body, "file_id") : std::nullopt;
  if (!value && !file_id) return false;
  const auto format = FindString(*body, "format");
  const auto filename = FindString(*body, "filename");
  const std::string_view sound = format ? MimeOfAudio(format->string()) : std::string_view();
  if (type == "input_audio" && sound.empty()) return false;
  const auto data = value ? ParseDataUrl(value->string()) : std::nullopt;
  // Bytes as they are do not say what they are; the name of the file may.
  const bool is_bare = type == "file" && value && !data;
  const std::string_view told = filename ? MimeOfUrl(filename->string()) : std::string_view();
  if (is_bare && (told.empty() || !IsBase64(value->string()))) return false;

  Entry& entry = draft.Add(role, known->kind);
  if (role != "user") entry.Set(kGiven, Json::Bool(true));
  entry.place = Dot(Dot(place, type), value ? known->field : "file_id");
  ExtrasBuilder extras;
  extras.Take(part, {"type", type});
  if (file_id) {
    entry.Set("content", file_id->ToJson()).SetWord("encoding", "file_id");
    entry.SetWord(kFileOwner, Provider(kFormat));
    extras.TakeInside(type, *body, {"file_id", filename ? "filename" : "file_id"});
  } else if (type == "input_audio") {
    entry.Set("content", value->ToJson()).SetWord("mime", sound).SetWord("encoding", "base64");
    extras.TakeInside(type, *body, {"data", "format"});
  } else {
    const std::string_view mime = data ? data->mime : is_bare ? told : MimeOfUrl(value->string());
    entry.Set("content", data ? Json::String(data->base64).value() : value->ToJson());
    if (!mime.empty()) entry.SetWord("mime", mime);
    entry.SetWord("encoding", data || is_bare ? "base64" : "url");
    if (is_bare) entry.SetWord(kFileMark, "bare");
    const bool has_name = type == "file" && filename;
    extras.TakeInside(type, *body, {known->field, has_name ? "filename" : known->field});
  }
  if (type == "file" && filename) entry.Set("data_filename", filename->ToJson());
  if (auto left = extras.Done()) entry.Set(kPartExtras, *std::move(left));
  return true;
}

// --- calls ---

Status ChatReader::CheckArguments(const Draft& draft, const JsonRef& text, std::string_view place) {
  // Models without anything to say say nothing; all providers take that as no arguments.
  if (text.string().empty()) return {};
  const auto parsed = JsonDoc::ParseView(text.string(), limits::kContentJsonDepthMax);
  if (parsed) return {};
  return faults_.Forgive(draft.Fault(place, "is not JSON: " + parsed.error().message()));
}

Status ChatReader::ReadCalls(Draft& draft) {
  const auto calls = draft.message().Find("tool_calls");
  if (!calls || calls->is_null()) return {};
  if (!calls->is_array()) return std::unexpected(draft.Fault("tool_calls", "must be a list"));
  std::size_t index = 0;
  for (auto it = calls->begin(); it != calls->end(); ++it, ++index)
    PACTDB_TRY_STATUS(ReadCall(draft, (*it).value, At("tool_calls", index)));
  return {};
}

Status ChatReader::ReadCall(Draft& draft, const JsonRef& call, std::string place) {
  if (!call.is_object()) return std::unexpected(draft.Fault(place, "must be an object"));
  const auto id = FindString(call, "id");
  if (!id) return std::unexpected(draft.Fault(Dot(place, "id"), "is missing"));
  const bool is_typed = call.Find("type").has_value();
  const auto type = FindString(call, "type");
  if (is_typed && !type) return std::unexpected(draft.Fault(Dot(place, "type"), "must be a text"));
  const std::string_view kind = type ? type->string() : "function";
  Entry& entry = draft.Add("assistant", "tool_call");
  entry.Set("data_call_id", id->ToJson());
  if (kind != "function" && kind != "custom") {
    entry.Set("content", call.ToJson()).SetWord("data_format", Name(kFormat));
    entry.place = std::move(place);
    return {};
  }
  const bool is_custom = kind == "custom";
  const std::string inside = Dot(place, kind);
  const std::string_view said = is_custom ? "input" : "arguments";
  const auto body = FindObject(call, kind);
  const auto name = body ? FindString(*body, "name") : std::nullopt;
  const auto arguments = body ? FindString(*body, said) : std::nullopt;
  if (!name) return std::unexpected(draft.Fault(Dot(inside, "name"), "is missing"));
  if (!arguments) return std::unexpected(draft.Fault(Dot(inside, said), "must be a text"));
  entry.place = Dot(inside, said);
  if (!is_custom) PACTDB_TRY_STATUS(CheckArguments(draft, *arguments, entry.place));
  entry.Set("content", arguments->ToJson()).Set("data_name", name->ToJson());
  if (is_custom) entry.SetWord("data_call_type", "custom");
  if (!is_typed) entry.SetWord(kCallMark, "untyped");
  ExtrasBuilder extras;
  extras.Take(call, {"id", "type", kind});
  extras.TakeInside(kind, *body, {"name", said});
  if (auto left = extras.Done()) entry.Set(kPartExtras, *std::move(left));
  return {};
}

Status ChatReader::ReadFunctionCall(Draft& draft) {
  const auto call = draft.message().Find("function_call");
  if (!call || call->is_null()) return {};
  const auto name = call->is_object() ? FindString(*call, "name") : std::nullopt;
  const auto arguments = call->is_object() ? FindString(*call, "arguments") : std::nullopt;
  if (!name) return std::unexpected(draft.Fault("function_call.name", "is missing"));
  if (!arguments) return std::unexpected(draft.Fault("function_call.arguments", "must be a text"));
  PACTDB_TRY_STATUS(CheckArguments(draft, *arguments, "function_call.arguments"));
  function_call_id_ = "fn_" + std::to_string(draft.index());
  Entry& entry = draft.Add("assistant", "tool_call");
  entry.place = "function_call.arguments";
  entry.Set("content", arguments->ToJson()).Set("data_name", name->ToJson());
  entry.SetWord("data_call_id", function_call_id_).SetWord(kCallMark, "function_call");
  ExtrasBuilder extras;
  extras.Take(*call, {"name", "arguments"});
  if (auto left = extras.Done()) entry.Set(kPartExtras, *std::move(left));
  return {};
}

// --- a message as a whole ---

// How the content was written, if a made message of these blocks would not be written so.
std::optional<std::string_view> ContentMark(const JsonRef& message, bool has_others,
                                            std::size_t parts) {
  const auto content = message.Find("content");
  if (!content) return "absent";
  if (content->is_null()) return has_others ? std::nullopt : std::optional("null");
  if (content->is_string())
    return has_others && content->string().empty() ? std::optional("empty") : std::nullopt;
  if (parts == 0) return "empty_list";
  return parts == 1 ? std::optional("list") : std::nullopt;
}

Status ChatReader::Finish(Draft& draft, std::string_view role) {
  const JsonRef& message = draft.message();
  ExtrasBuilder extras;
  bool has_others = false;  // beside the content
  std::size_t parts = 0;
  for (const Entry& entry : draft.entries()) {
    has_others = has_others || !entry.place.starts_with("content");
    parts += entry.place.starts_with("content[") ? 1 : 0;
  }
  Entry& first = draft.first();
  if (const auto mark = ContentMark(message, has_others, parts)) first.SetWord(kContentMark, *mark);
  const auto calls = message.Find("tool_calls");
  const bool keeps_calls = role == "assistant" && calls && calls->is_array() && calls->size() > 0;
  const auto old_call = message.Find("function_call");
  const bool keeps_refusal = role == "assistant" && FindRefusal(message);
  const bool keeps_old_call = role == "assistant" && old_call && !old_call->is_null();
  for (auto it = message.begin(); it != message.end(); ++it) {
    const std::string_view key = (*it).key;
    const bool is_known =
        key == "role" || key == "content" || (key == "tool_calls" && keeps_calls) ||
        (key == "function_call" && keeps_old_call) || (key == "refusal" && keeps_refusal) ||
        (key == "tool_call_id" && role == "tool") || (key == "name" && role == "function");
    if (!is_known) extras.Set(key, (*it).value.ToJson());
  }
  if (auto left = extras.Done()) first.Set(kMessageExtras, *std::move(left));
  const auto name = FindString(message, "name");
  for (Entry& entry : draft.entries()) {
    if (role != "tool" && role != "function") break;
    if (name) entry.Set("data_name", name->ToJson());
    if (role == "tool") {
      entry.Set("data_call_id", message.Find("tool_call_id")->ToJson());
      continue;
    }
    entry.fields.front().second = Json::FromCanonical("\"tool\"");
    entry.SetWord(kRoleMark, "function");
    if (!function_call_id_.empty()) entry.SetWord("data_call_id", function_call_id_);
  }
  const bool is_system = role == "system" || role == "developer";
  const Speaker speaker = role == "user" ? Speaker::kUser
                          : is_system    ? Speaker::kNeutral
                                         : Speaker::kOther;
  return sender_.Send(draft, speaker, is_system);
}

}  // namespace

Status ReadOpenAiChat(const JsonRef& document, Faults& faults, EntrySink& sink) {
  return ChatReader(faults, sink).Read(document);
}

}  // namespace pactdb::providers
