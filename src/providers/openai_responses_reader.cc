// Reading Responses. An item is a message, a call, the output of one, or something that only this
// format knows, which is kept verbatim.
#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/limits.h"
#include "base/try.h"
#include "providers/draft.h"
#include "providers/json_find.h"
#include "providers/media.h"
#include "providers/openai_responses.h"

namespace pactdb::providers {
namespace {

constexpr Format kFormat = Format::kOpenAiResponses;
constexpr std::string_view kMessageExtras = "openai-responses:message";
constexpr std::string_view kPartExtras = "openai-responses:part";
constexpr std::string_view kContentMark = "openai-responses:content";
constexpr std::string_view kTypeMark = "openai-responses:type";

class ResponsesReader {
 public:
  ResponsesReader(Faults& faults, EntrySink& sink)
      : faults_(faults), sender_(JoinRule::kItems, sink) {}

  Status Read(const JsonRef& document);

 private:
  Status ReadBody(const JsonRef& document, const std::optional<JsonRef>& input);
  Status ReadTool(const JsonRef& tool, std::size_t index);
  Status ReadText(const JsonRef& text, std::string_view role, std::string_view mark);
  Status ReadItem(const JsonRef& item, std::size_t index);
  Status FillDraft(Draft& draft);
  Status ReadMessage(Draft& draft);
  // Parts of a content or an output that is a list.
  Status ReadParts(Draft& draft, std::string_view role, const JsonRef& parts,
                   std::string_view list);
  Status ReadPart(Draft& draft, std::string_view role, const JsonRef& part, std::string place);
  bool ReadMedia(Draft& draft, std::string_view role, const JsonRef& part,
                 const std::string& place);
  Status ReadCall(Draft& draft, bool is_custom);
  Status ReadOutput(Draft& draft, bool is_custom);

  Faults& faults_;
  DraftSender sender_;
  std::set<std::string, std::less<>> custom_calls_;  // their canonical ids
};

void TakeExtras(Entry& entry, std::string_view attribute, const JsonRef& object,
                std::initializer_list<std::string_view> known) {
  ExtrasBuilder extras;
  extras.Take(object, known);
  if (auto left = extras.Done()) entry.Set(attribute, *std::move(left));
}

Status ResponsesReader::Read(const JsonRef& document) {
  std::optional<JsonRef> input = document;
  if (document.is_object()) {
    input = document.Find("input");
    PACTDB_TRY_STATUS(ReadBody(document, input));
    if (input && input->is_string()) return ReadText(*input, "user", "openai-responses:input");
  }
  return ForEachMainItem(
      document, input, Name(kFormat), "input", "items",
      [this](const JsonRef& item, std::size_t index) { return ReadItem(item, index); });
}

Status ResponsesReader::ReadBody(const JsonRef& document, const std::optional<JsonRef>& input) {
  const auto tools = FindList(document, "tools");
  const auto instructions = FindString(document, "instructions");
  ExtrasBuilder rest;
  rest.Take(document, {input ? "input" : "", tools ? "tools" : "input",
                       instructions ? "instructions" : "input"});
  PACTDB_TRY_STATUS(sender_.SendRequest(kFormat, rest, document));
  std::size_t index = 0;
  if (tools) {
    for (auto it = tools->begin(); it != tools->end(); ++it, ++index)
      PACTDB_TRY_STATUS(ReadTool((*it).value, index));
  }
  if (!instructions) return {};
  return ReadText(*instructions, "system", "openai-responses:instructions");
}

Status ResponsesReader::ReadText(const JsonRef& text, std::string_view role,
                                 std::string_view mark) {
  Draft draft(0, text);
  draft.Add(role, "text").Set("content", text.ToJson()).Set(mark, Json::Bool(true));
  const bool is_system = role == "system";
  return sender_.Send(draft, is_system ? Speaker::kNeutral : Speaker::kUser, is_system);
}

Status ResponsesReader::ReadTool(const JsonRef& tool, std::size_t index) {
  Entry entry;
  entry.place = At("tools", index);
  entry.pos = tool.pos();
  entry.SetWord("role", "system").SetWord("kind", "tool_definition");
  const auto type = FindString(tool, "type");
  const auto name = FindString(tool, "name");
  const bool is_function = type && type->string() == "function";
  if (!type || (is_function && !name)) {
    PACTDB_TRY_STATUS(faults_.Forgive(
        Error(ErrorCode::kImportInvalid, entry.place + " is no tool with a type and a name")
            .With("index", static_cast<std::int64_t>(index))
            .With("field", entry.place)
            .With("pos", static_cast<std::int64_t>(tool.pos()))));
  }
  if (!is_function || !name) {
    entry.Set("content", tool.ToJson()).SetWord("data_format", Name(kFormat));
    return sender_.SendTool(entry);
  }
  ExtrasBuilder definition;
  ExtrasBuilder extras;
  for (auto it = tool.begin(); it != tool.end(); ++it) {
    const std::string_view key = (*it).key;
    const bool is_ours =
        key == "name" || key == "description" || key == "parameters" || key == "strict";
    if (key != "type") (is_ours ? definition : extras).Set(key, (*it).value.ToJson());
  }
  entry.Set("content", *definition.Done()).Set("data_name", name->ToJson());
  if (!tool.Find("strict") || !tool.Find("parameters"))
    entry.SetWord("openai-responses:fields", "as_is");
  if (auto left = extras.Done()) entry.Set(kPartExtras, *std::move(left));
  return sender_.SendTool(entry);
}

Status ResponsesReader::ReadItem(const JsonRef& item, std::size_t index) {
  Draft draft(index, item);
  Status filled = FillDraft(draft);
  if (!filled) {
    PACTDB_TRY_STATUS(faults_.Forgive(std::move(filled).error()));
    return sender_.SendRaw(kFormat, item, index);
  }
  const auto role = FindString(item, "role");
  const std::string_view word = role ? role->string() : "";
  const bool is_system = word == "system" || word == "developer";
  const Speaker speaker = word == "user" ? Speaker::kUser
                          : is_system    ? Speaker::kNeutral
                                         : Speaker::kOther;
  return sender_.Send(draft, speaker, is_system);
}

Status ResponsesReader::FillDraft(Draft& draft) {
  const JsonRef& item = draft.message();
  const auto type = FindString(item, "type");
  const auto role = FindString(item, "role");
  if (!type && !role) return std::unexpected(draft.Fault("type", "is missing"));
  const std::string_view kind = type ? type->string() : "message";
  if (kind == "message") return ReadMessage(draft);
  if (kind == "function_call" || kind == "custom_tool_call")
    return ReadCall(draft, kind == "custom_tool_call");
  if (kind == "function_call_output" || kind == "custom_tool_call_output")
    return ReadOutput(draft, kind == "custom_tool_call_output");
  Entry& entry = draft.Add("assistant", kind == "reasoning" ? "thinking" : "raw_message");
  entry.Set("content", item.ToJson()).SetWord("data_format", Name(kFormat));
  return {};
}

// --- messages ---

Status ResponsesReader::ReadMessage(Draft& draft) {
  constexpr std::array<std::string_view, 4> kRoles = {"user", "assistant", "system", "developer"};
  const JsonRef& item = draft.message();
  const auto role = FindString(item, "role");
  if (!role) return std::unexpected(draft.Fault("role", "is missing"));
  if (std::ranges::find(kRoles, role->string()) == kRoles.end())
    return std::unexpected(draft.Fault("role", "must be user, assistant, system or developer"));
  const auto content = item.Find("content");
  if (!content) return std::unexpected(draft.Fault("content", "is missing"));
  if (content->is_string()) {
    draft.Add(role->string(), "text").Set("content", content->ToJson()).place = "content";
  } else if (content->is_array()) {
    PACTDB_TRY_STATUS(ReadParts(draft, role->string(), *content, "content"));
  } else {
    return std::unexpected(draft.Fault("content", "must be a text or a list of parts"));
  }
  if (draft.empty()) {
    draft.Add(role->string(), "text").SetWord(kContentMark, "empty_list");
  } else if (content->is_array() && content->size() == 1) {
    draft.first().SetWord(kContentMark, "list");
  }
  const bool is_typed = FindString(item, "type").has_value();
  if (is_typed) draft.first().SetWord("openai-responses:item", "message");
  TakeExtras(draft.first(), kMessageExtras, item, {"role", "content", is_typed ? "type" : "role"});
  return {};
}

Status ResponsesReader::ReadParts(Draft& draft, std::string_view role, const JsonRef& parts,
                                  std::string_view list) {
  std::size_t index = 0;
  for (auto it = parts.begin(); it != parts.end(); ++it, ++index)
    PACTDB_TRY_STATUS(ReadPart(draft, role, (*it).value, At(list, index)));
  return {};
}

Status ResponsesReader::ReadPart(Draft& draft, std::string_view role, const JsonRef& part,
                                 std::string place) {
  const auto type = FindString(part, "type");
  if (!type) return std::unexpected(draft.Fault(Dot(place, "type"), "is missing"));
  const bool is_refusal = type->string() == "refusal";
  if (is_refusal || type->string() == "input_text" || type->string() == "output_text") {
    const std::string_view field = is_refusal ? "refusal" : "text";
    const auto text = FindString(part, field);
    if (!text) return std::unexpected(draft.Fault(Dot(place, field), "must be a text"));
    const std::string_view kind = role == "tool" ? "tool_result" : "text";
    Entry& entry = draft.Add(role, is_refusal ? "refusal" : kind);
    entry.place = Dot(place, field);
    entry.Set("content", text->ToJson());
    const std::string_view usual = role == "assistant" ? "output_text" : "input_text";
    if (!is_refusal && type->string() != usual) entry.SetWord(kTypeMark, type->string());
    TakeExtras(entry, kPartExtras, part, {"type", field});
    return {};
  }
  if (ReadMedia(draft, role, part, place)) return {};
  Entry& entry = draft.Add(role, "raw_part");
  entry.place = std::move(place);
  entry.Set("content", part.ToJson()).SetWord("data_format", Name(kFormat));
  return {};
}

// False if the part is none that we understand; it is kept as it is then.
bool ResponsesReader::ReadMedia(Draft& draft, std::string_view role, const JsonRef& part,
                                const std::string& place) {
  struct Field {
    std::string_view type;
    std::string_view name;
    std::string_view encoding;
  };
  constexpr auto kFields = std::to_array<Field>({{"input_image", "image_url", "url"},
                                                 {"input_image", "file_id", "file_id"},
                                                 {"input_file", "file_data", "url"},
                                                 {"input_file", "file_url", "url"},
                                                 {"input_file", "file_id", "file_id"}});
  const std::string_view type = FindString(part, "type")->string();
  const auto is_there = [&](const Field& field) {
    return field.type == type && FindString(part, field.name);
  };
  const auto known = std::ranges::find_if(kFields, is_there);
  if (known == kFields.end()) return false;
  const JsonRef value = *FindString(part, known->name);
  const auto data = known->name == "file_url" ? std::nullopt : ParseDataUrl(value.string());
  if (known->name == "file_data" && !data) return false;
  const auto filename = type == "input_file" ? FindString(part, "filename") : std::nullopt;
  Entry& entry = draft.Add(role, type == "input_image" ? "image" : "file");
  if (role == "assistant") entry.Set("openai-responses:given", Json::Bool(true));
  entry.place = Dot(place, known->name);
  entry.Set("content", data ? Json::String(data->base64).value() : value.ToJson());
  const std::string_view mime = data ? data->mime : MimeOfUrl(value.string());
  if (!mime.empty() && known->encoding != "file_id") entry.SetWord("mime", mime);
  entry.SetWord("encoding", data ? "base64" : known->encoding);
  if (known->encoding == "file_id") entry.SetWord(kFileOwner, Provider(kFormat));
  if (filename) entry.Set("data_filename", filename->ToJson());
  if (type == "input_image" && !part.Find("detail"))
    entry.SetWord("openai-responses:fields", "as_is");
  TakeExtras(entry, kPartExtras, part, {"type", known->name, filename ? "filename" : "type"});
  return true;
}

// --- calls ---

Status ResponsesReader::ReadCall(Draft& draft, bool is_custom) {
  const JsonRef& item = draft.message();
  const std::string_view said = is_custom ? "input" : "arguments";
  const auto id = FindString(item, "call_id");
  const auto name = FindString(item, "name");
  const auto arguments = FindString(item, said);
  if (!id) return std::unexpected(draft.Fault("call_id", "is missing"));
  if (!name) return std::unexpected(draft.Fault("name", "is missing"));
  if (!arguments) return std::unexpected(draft.Fault(said, "must be a text"));
  if (!is_custom && !arguments->string().empty()) {
    const auto parsed = JsonDoc::ParseView(arguments->string(), limits::kContentJsonDepthMax);
    if (!parsed) {
      PACTDB_TRY_STATUS(
          faults_.Forgive(draft.Fault(said, "is not JSON: " + parsed.error().message())));
    }
  }
  Entry& entry = draft.Add("assistant", "tool_call");
  entry.place = said;
  entry.Set("content", arguments->ToJson());
  entry.Set("data_call_id", id->ToJson()).Set("data_name", name->ToJson());
  if (is_custom) entry.SetWord("data_call_type", "custom");
  if (is_custom) custom_calls_.emplace(id->ToJson().text());
  TakeExtras(entry, kMessageExtras, item, {"type", "call_id", "name", said});
  return {};
}

Status ResponsesReader::ReadOutput(Draft& draft, bool is_custom) {
  const JsonRef& item = draft.message();
  const auto id = FindString(item, "call_id");
  const auto output = item.Find("output");
  if (!id) return std::unexpected(draft.Fault("call_id", "is missing"));
  if (!output) return std::unexpected(draft.Fault("output", "is missing"));
  if (output->is_string()) {
    draft.Add("tool", "tool_result").Set("content", output->ToJson()).place = "output";
  } else if (output->is_array()) {
    PACTDB_TRY_STATUS(ReadParts(draft, "tool", *output, "output"));
  } else {
    return std::unexpected(draft.Fault("output", "must be a text or a list of parts"));
  }
  if (draft.empty()) {
    draft.Add("tool", "tool_result").SetWord(kContentMark, "empty_list");
  } else if (output->is_array() && output->size() == 1) {
    draft.first().SetWord(kContentMark, "list");
  }
  for (Entry& entry : draft.entries()) {
    entry.Set("data_call_id", id->ToJson());
    if (is_custom != custom_calls_.contains(id->ToJson().text()))
      entry.SetWord("data_call_type", is_custom ? "custom" : "function");
  }
  TakeExtras(draft.first(), kMessageExtras, item, {"type", "call_id", "output"});
  return {};
}

}  // namespace

Status ReadOpenAiResponses(const JsonRef& document, Faults& faults, EntrySink& sink) {
  return ResponsesReader(faults, sink).Read(document);
}

}  // namespace pactdb::providers
