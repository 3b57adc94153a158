// Reading Anthropic Messages. Tool results stand in messages of the user there; here they are the
// tool's, and a message that brings results opens no turn.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/sha256.h"
#include "base/try.h"
#include "providers/anthropic.h"
#include "providers/draft.h"
#include "providers/json_find.h"
#include "providers/media.h"

namespace pactdb::providers {
namespace {

constexpr Format kFormat = Format::kAnthropic;

class AnthropicReader {
 public:
  AnthropicReader(Faults& faults, EntrySink& sink)
      : faults_(faults), sender_(JoinRule::kTogether, sink) {}

  Status Read(const JsonRef& document);

 private:
  Status ReadSystem(const JsonRef& system);
  Status ReadTool(const JsonRef& tool, std::size_t index);
  Status ReadMessage(const JsonRef& message, std::size_t index);
  Status FillDraft(Draft& draft);
  Status ReadBlock(Draft& draft, std::string_view role, const JsonRef& block, std::string place);
  bool ReadMedia(Draft& draft, std::string_view role, const JsonRef& block,
                 const std::string& place);
  void ReadThinking(Draft& draft, const JsonRef& text, const JsonRef& block, std::string place);
  Status ReadCall(Draft& draft, const JsonRef& block, const std::string& place);
  Status ReadResult(Draft& draft, const JsonRef& block, const std::string& place);

  Faults& faults_;
  DraftSender sender_;
  bool has_result_ = false;  // the message at hand
};

void SetExtras(Entry& entry, std::string_view attribute, ExtrasBuilder& extras) {
  if (auto left = extras.Done()) entry.Set(attribute, *std::move(left));
}

void TakeExtras(Entry& entry, const JsonRef& block, std::initializer_list<std::string_view> known) {
  ExtrasBuilder extras;
  extras.Take(block, known);
  SetExtras(entry, "anthropic:part", extras);
}

Status AnthropicReader::Read(const JsonRef& document) {
  std::optional<JsonRef> messages = document;
  if (document.is_object()) {
    messages = document.Find("messages");
    const auto tools = FindList(document, "tools");
    const auto text = FindString(document, "system");
    const auto system = text ? text : FindList(document, "system");
    ExtrasBuilder rest;
    rest.Take(document, {"messages", tools ? "tools" : "messages", system ? "system" : "messages"});
    PACTDB_TRY_STATUS(sender_.SendRequest(kFormat, rest, document));
    if (tools) {
      PACTDB_TRY_STATUS(ForEachItem(*tools, [this](const JsonRef& tool, std::size_t index) {
        return ReadTool(tool, index);
      }));
    }
    if (system) PACTDB_TRY_STATUS(ReadSystem(*system));
  }
  return ForEachMainItem(
      document, messages, Name(kFormat), "messages", "messages",
      [this](const JsonRef& item, std::size_t index) { return ReadMessage(item, index); });
}

Status AnthropicReader::ReadSystem(const JsonRef& system) {
  if (system.is_string()) {
    Draft draft(0, system);
    draft.Add("system", "text").Set("content", system.ToJson()).place = "system";
    return sender_.Send(draft, Speaker::kNeutral, true);
  }
  std::size_t index = 0;
  for (auto it = system.begin(); it != system.end(); ++it, ++index) {
    const JsonRef part = (*it).value;
    Draft draft(0, part);
    const auto type = FindString(part, "type");
    const auto text = FindString(part, "text");
    if (type && type->string() == "text" && text) {
      Entry& entry = draft.Add("system", "text");
      entry.place = Dot(At("system", index), "text");
      entry.Set("content", text->ToJson());
      TakeExtras(entry, part, {"type", "text"});
      if (system.size() == 1) entry.SetWord("anthropic:content", "list");
    } else {
      PACTDB_TRY_STATUS(
          faults_.Forgive(Faults::At(0, At("system", index), "is no block of text", part)));
      Entry& entry = draft.Add("system", "raw_part");
      entry.Set("content", part.ToJson()).SetWord("data_format", Name(kFormat));
    }
    PACTDB_TRY_STATUS(sender_.Send(draft, Speaker::kNeutral, true));
  }
  return {};
}

Status AnthropicReader::ReadTool(const JsonRef& tool, std::size_t index) {
  Entry entry;
  entry.place = At("tools", index);
  entry.pos = tool.pos();
  entry.SetWord("role", "system").SetWord("kind", "tool_definition");
  const auto name = FindString(tool, "name");
  const auto schema = FindObject(tool, "input_schema");
  if (!name) {
    PACTDB_TRY_STATUS(
        faults_.Forgive(Error(ErrorCode::kImportInvalid, entry.place + " is no tool with a name")
                            .With("index", static_cast<std::int64_t>(index))
                            .With("field", Dot(entry.place, "name"))
                            .With("pos", static_cast<std::int64_t>(tool.pos()))));
  }
  if (!name || !schema) {
    entry.Set("content", tool.ToJson()).SetWord("data_format", Name(kFormat));
    if (name) entry.Set("data_name", name->ToJson());
    return sender_.SendTool(entry);
  }
  ExtrasBuilder definition;
  definition.Set("name", name->ToJson());
  definition.Set("parameters", schema->ToJson());
  const auto description = FindString(tool, "description");
  if (description) definition.Set("description", description->ToJson());
  const auto strict = tool.Find("strict");
  const bool has_strict = strict && strict->kind() == Json::Kind::kBool;
  if (has_strict) definition.Set("strict", strict->ToJson());
  entry.Set("content", *definition.Done()).Set("data_name", name->ToJson());
  TakeExtras(entry, tool,
             {"name", "input_schema", description ? "description" : "name",
              has_strict ? "strict" : "name"});
  return sender_.SendTool(entry);
}

Status AnthropicReader::ReadMessage(const JsonRef& message, std::size_t index) {
  Draft draft(index, message);
  has_result_ = false;
  Status filled = FillDraft(draft);
  if (!filled) {
    PACTDB_TRY_STATUS(faults_.Forgive(std::move(filled).error()));
    return sender_.SendRaw(kFormat, message, index);
  }
  ExtrasBuilder extras;
  extras.Take(message, {"role", "content"});
  SetExtras(draft.first(), "anthropic:message", extras);
  const bool is_user = message.Find("role")->string() == "user" && !has_result_;
  return sender_.Send(draft, is_user ? Speaker::kUser : Speaker::kOther, false);
}

Status AnthropicReader::FillDraft(Draft& draft) {
  const JsonRef& message = draft.message();
  const auto role = FindString(message, "role");
  if (!role) return std::unexpected(draft.Fault("role", "is missing"));
  if (role->string() != "user" && role->string() != "assistant")
    return std::unexpected(draft.Fault("role", "must be user or assistant"));
  const auto content = message.Find("content");
  if (!content) return std::unexpected(draft.Fault("content", "is missing"));
  if (content->is_string()) {
    draft.Add(role->string(), "text").Set("content", content->ToJson()).place = "content";
    return {};
  }
  if (!content->is_array())
    return std::unexpected(draft.Fault("content", "must be a text or a list of blocks"));
  std::size_t index = 0;
  for (auto it = content->begin(); it != content->end(); ++it, ++index)
    PACTDB_TRY_STATUS(ReadBlock(draft, role->string(), (*it).value, At("content", index)));
  if (draft.empty()) {
    draft.Add(role->string(), "text").SetWord("anthropic:content", "empty_list");
  } else if (content->size() == 1) {
    draft.first().SetWord("anthropic:content", "list");
  }
  return {};
}

Status AnthropicReader::ReadBlock(Draft& draft, std::string_view role, const JsonRef& block,
                                  std::string place) {
  const auto type = FindString(block, "type");
  if (!type) return std::unexpected(draft.Fault(Dot(place, "type"), "is missing"));
  const std::string_view kind = type->string();
  if (kind == "text") {
    const auto text = FindString(block, "text");
    if (!text) return std::unexpected(draft.Fault(Dot(place, "text"), "must be a text"));
    Entry& entry = draft.Add(role, role == "tool" ? "tool_result" : "text");
    entry.place = Dot(place, "text");
    entry.Set("content", text->ToJson());
    TakeExtras(entry, block, {"type", "text"});
    return {};
  }
  if (kind == "tool_use" && role == "assistant") return ReadCall(draft, block, place);
  if (kind == "tool_result" && role == "user") return ReadResult(draft, block, place);
  const auto thinking = FindString(block, kind == "thinking" ? "thinking" : "data");
  if ((kind == "thinking" || kind == "redacted_thinking") && role == "assistant") {
    if (thinking) {
      ReadThinking(draft, *thinking, block, std::move(place));
      return {};
    }
    return std::unexpected(
        draft.Fault(Dot(place, kind == "thinking" ? "thinking" : "data"), "must be a text"));
  }
  if (ReadMedia(draft, role, block, place)) return {};
  Entry& entry = draft.Add(role, "raw_part");
  entry.place = std::move(place);
  entry.Set("content", block.ToJson()).SetWord("data_format", Name(kFormat));
  return {};
}

void AnthropicReader::ReadThinking(Draft& draft, const JsonRef& text, const JsonRef& block,
                                   std::string place) {
  const bool is_redacted = FindString(block, "type")->string() == "redacted_thinking";
  Entry& entry = draft.Add("assistant", is_redacted ? "redacted_thinking" : "thinking");
  entry.place = std::move(place);
  Json content = text.ToJson();
  const std::string digest = ToHex(Sha256Of(content.text()));
  entry.Set("content", std::move(content));
  const auto signature = is_redacted ? std::nullopt : FindString(block, "signature");
  if (signature) entry.Set("anthropic:signature", signature->ToJson());
  if (signature) entry.SetWord(kThinkingDigest, digest);
  if (!signature && !is_redacted) entry.Set("anthropic:unsigned", Json::Bool(true));
  TakeExtras(entry, block,
             {"type", is_redacted ? "data" : "thinking", signature ? "signature" : "type"});
}

// False if the block is none that we understand; it is kept as it is then.
bool AnthropicReader::ReadMedia(Draft& draft, std::string_view role, const JsonRef& block,
                                const std::string& place) {
  const std::string_view type = FindString(block, "type")->string();
  const auto source = FindObject(block, "source");
  const auto how = source ? FindString(*source, "type") : std::nullopt;
  if ((type != "image" && type != "document") || !how) return false;
  // Where each kind of source has its content, and what we call the kind.
  struct Kind {
    std::string_view type;
    std::string_view field;
    std::string_view encoding;
  };
  constexpr auto kKinds = std::to_array<Kind>({{"base64", "data", "base64"},
                                               {"url", "url", "url"},
                                               {"file", "file_id", "file_id"},
                                               {"text", "data", "text"}});
  const auto known = std::ranges::find(kKinds, how->string(), &Kind::type);
  const auto value = known == kKinds.end() ? std::nullopt : FindString(*source, known->field);
  const auto mime = FindString(*source, "media_type");
  if (!value || (known->field == "data" && !mime)) return false;
  Entry& entry = draft.Add(role, type == "image" ? "image" : "file");
  if (role == "assistant") entry.Set("anthropic:given", Json::Bool(true));
  entry.place = Dot(Dot(place, "source"), known->field);
  entry.Set("content", value->ToJson()).SetWord("encoding", known->encoding);
  if (known->field == "file_id") entry.SetWord(kFileOwner, Provider(kFormat));
  if (known->field == "data") {
    entry.Set("mime", mime->ToJson());
  } else if (const std::string_view told = MimeOfUrl(value->string());
             known->field == "url" && !told.empty()) {
    entry.SetWord("mime", told);
  }
  ExtrasBuilder extras;
  extras.Take(block, {"type", "source"});
  extras.TakeInside("source", *source,
                    {"type", known->field, known->field == "data" ? "media_type" : "type"});
  SetExtras(entry, "anthropic:part", extras);
  return true;
}

Status AnthropicReader::ReadCall(Draft& draft, const JsonRef& block, const std::string& place) {
  const auto id = FindString(block, "id");
  const auto name = FindString(block, "name");
  const auto input = FindObject(block, "input");
  if (!id) return std::unexpected(draft.Fault(Dot(place, "id"), "is missing"));
  if (!name) return std::unexpected(draft.Fault(Dot(place, "name"), "is missing"));
  if (!input) return std::unexpected(draft.Fault(Dot(place, "input"), "must be an object"));
  Entry& entry = draft.Add("assistant", "tool_call");
  entry.place = Dot(place, "input");
  entry.Set("content", input->ToJson());
  entry.Set("data_call_id", id->ToJson()).Set("data_name", name->ToJson());
  TakeExtras(entry, block, {"type", "id", "name", "input"});
  return {};
}

Status AnthropicReader::ReadResult(Draft& draft, const JsonRef& block, const std::string& place) {
  has_result_ = true;
  const auto id = FindString(block, "tool_use_id");
  if (!id) return std::unexpected(draft.Fault(Dot(place, "tool_use_id"), "is missing"));
  const auto content = block.Find("content");
  const std::size_t start = draft.entries().size();
  std::string_view mark;
  const std::string inside = Dot(place, "content");
  if (content && content->is_array()) {
    std::size_t index = 0;
    for (auto it = content->begin(); it != content->end(); ++it, ++index)
      PACTDB_TRY_STATUS(ReadBlock(draft, "tool", (*it).value, At(inside, index)));
    mark = content->size() == 1 ? "list" : "";
  } else if (content && content->is_string()) {
    draft.Add("tool", "tool_result").Set("content", content->ToJson()).place = inside;
  } else if (content) {
    return std::unexpected(draft.Fault(inside, "must be a text or a list of blocks"));
  }
  if (draft.entries().size() == start) {
    draft.Add("tool", "tool_result").place = inside;
    mark = content ? "empty_list" : "absent";
  }
  Entry& first = draft.entries()[start];
  if (!mark.empty()) first.SetWord("anthropic:result_content", mark);
  const auto error = block.Find("is_error");
  const bool says_error = error && error->kind() == Json::Kind::kBool;
  if (says_error) first.Set("data_is_error", error->ToJson());
  ExtrasBuilder extras;
  extras.Take(block, {"type", "tool_use_id", "content", says_error ? "is_error" : "type"});
  SetExtras(first, "anthropic:result", extras);
  for (std::size_t i = start; i < draft.entries().size(); ++i) {
    draft.entries()[i].Set("data_call_id", id->ToJson());
    // Parts of one call next to each other are one result, unless this says otherwise.
    if (i == start && i > 0 && CallOf(draft.entries()[i - 1]) == id->ToJson().text())
      draft.entries()[i].Set("anthropic:in_result", Json::Bool(false));
  }
  return {};
}

}  // namespace

Status ReadAnthropic(const JsonRef& document, Faults& faults, EntrySink& sink) {
  return AnthropicReader(faults, sink).Read(document);
}

}  // namespace pactdb::providers
