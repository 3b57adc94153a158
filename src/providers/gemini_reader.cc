// Reading Gemini contents. Calls mostly have no id there and results are matched by name; here both
// get one, so that they stay together, and the mark that they had none.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "base/sha256.h"
#include "base/try.h"
#include "providers/draft.h"
#include "providers/gemini.h"
#include "providers/json_find.h"
#include "providers/media.h"

namespace pactdb::providers {
namespace {

constexpr Format kFormat = Format::kGemini;
constexpr std::string_view kPartExtras = "gemini:part";
constexpr std::string_view kIdMark = "gemini:id";

class GeminiReader {
 public:
  GeminiReader(Faults& faults, EntrySink& sink)
      : faults_(faults), sender_(JoinRule::kTogether, sink) {}

  Status Read(const JsonRef& document);

 private:
  Status ReadBody(const JsonRef& document);
  Status ReadSystem(const JsonRef& system, std::string_view name);
  Status ReadTools(const JsonRef& tools);
  Status ReadDeclaration(const JsonRef& declaration, std::size_t tool, std::string place);
  Status SendRawTool(const JsonRef& tool, std::string place);
  Status ReadContent(const JsonRef& content, std::size_t index);
  Status FillDraft(Draft& draft);
  Status ReadPart(Draft& draft, std::string_view role, const JsonRef& part,
                  const std::string& place);
  bool ReadMedia(Draft& draft, std::string_view role, const JsonRef& part,
                 const std::string& place);
  Status ReadText(Draft& draft, std::string_view role, const JsonRef& text, const JsonRef& part);
  Status ReadCall(Draft& draft, const JsonRef& call, const JsonRef& part, const std::string& place);
  Status ReadResponse(Draft& draft, const JsonRef& response, const JsonRef& part,
                      const std::string& place);

  Faults& faults_;
  DraftSender sender_;
  bool has_response_ = false;  // the content at hand
  std::size_t made_ids_ = 0;
  std::map<std::string, std::deque<std::string>> waiting_;  // made ids without a response, by name
};

void SetExtras(Entry& entry, std::string_view attribute, ExtrasBuilder& extras) {
  if (auto left = extras.Done()) entry.Set(attribute, *std::move(left));
}

void AddRawPart(Draft& draft, std::string_view role, const JsonRef& part,
                const std::string& place) {
  Entry& entry = draft.Add(role, "raw_part");
  entry.place = place;
  entry.Set("content", part.ToJson()).SetWord("data_format", Name(kFormat));
}

Status GeminiReader::Read(const JsonRef& document) {
  std::optional<JsonRef> contents = document;
  if (document.is_object()) {
    contents = document.Find("contents");
    PACTDB_TRY_STATUS(ReadBody(document));
  }
  return ForEachMainItem(
      document, contents, Name(kFormat), "contents", "contents",
      [this](const JsonRef& item, std::size_t index) { return ReadContent(item, index); });
}

// Both spellings of the system instruction are in use.
Status GeminiReader::ReadBody(const JsonRef& document) {
  const std::string_view name =
      document.Find("system_instruction") ? "system_instruction" : "systemInstruction";
  const auto system = FindObject(document, name);
  const bool has_system = system && FindList(*system, "parts");
  const auto tools = FindList(document, "tools");
  ExtrasBuilder rest;
  rest.Take(document, {"contents", has_system ? name : "contents", tools ? "tools" : "contents"});
  PACTDB_TRY_STATUS(sender_.SendRequest(kFormat, rest, document));
  if (tools) PACTDB_TRY_STATUS(ReadTools(*tools));
  return has_system ? ReadSystem(*system, name) : Status();
}

Status GeminiReader::ReadSystem(const JsonRef& system, std::string_view name) {
  Draft draft(0, system);
  const JsonRef parts = *FindList(system, "parts");
  std::size_t index = 0;
  for (auto it = parts.begin(); it != parts.end(); ++it, ++index) {
    const std::string place = At(Dot(name, "parts"), index);
    Status read = ReadPart(draft, "system", (*it).value, place);
    if (read) continue;
    PACTDB_TRY_STATUS(faults_.Forgive(std::move(read).error()));
    AddRawPart(draft, "system", (*it).value, place);
  }
  draft.first().SetWord("gemini:system", name);
  ExtrasBuilder extras;
  extras.Take(system, {"parts"});
  SetExtras(draft.first(), "gemini:message", extras);
  return sender_.Send(draft, Speaker::kNeutral, true);
}

// --- tools: a list of lists of declarations, beside others ---

// That each has a name.
Status CheckDeclarations(const JsonRef& declarations, std::size_t tool, std::string_view list) {
  return ForEachItem(declarations, [&](const JsonRef& each, std::size_t number) -> Status {
    if (FindString(each, "name")) return {};
    const std::string field = Dot(At(list, number), "name");
    return std::unexpected(Error(ErrorCode::kImportInvalid, field + " is missing")
                               .With("index", static_cast<std::int64_t>(tool))
                               .With("field", field)
                               .With("pos", static_cast<std::int64_t>(each.pos())));
  });
}

Status GeminiReader::ReadTools(const JsonRef& tools) {
  std::size_t index = 0;
  for (auto it = tools.begin(); it != tools.end(); ++it, ++index) {
    const JsonRef tool = (*it).value;
    const auto declarations = FindList(tool, "functionDeclarations");
    // A tool that is declarations alone can be said by others; anything else only here.
    if (!declarations || tool.size() != 1) {
      PACTDB_TRY_STATUS(SendRawTool(tool, At("tools", index)));
      continue;
    }
    const std::string list = Dot(At("tools", index), "functionDeclarations");
    Status named = CheckDeclarations(*declarations, index, list);
    if (!named) {
      PACTDB_TRY_STATUS(faults_.Forgive(std::move(named).error()));
      PACTDB_TRY_STATUS(SendRawTool(tool, At("tools", index)));
      continue;
    }
    std::size_t number = 0;
    for (auto each = declarations->begin(); each != declarations->end(); ++each, ++number)
      PACTDB_TRY_STATUS(ReadDeclaration((*each).value, index, At(list, number)));
  }
  return {};
}

Status GeminiReader::SendRawTool(const JsonRef& tool, std::string place) {
  Entry entry;
  entry.pos = tool.pos();
  entry.place = std::move(place);
  entry.SetWord("role", "system").SetWord("kind", "tool_definition");
  entry.Set("content", tool.ToJson()).SetWord("data_format", Name(kFormat));
  return sender_.SendTool(entry);
}

Status GeminiReader::ReadDeclaration(const JsonRef& declaration, std::size_t tool,
                                     std::string place) {
  Entry entry;
  entry.pos = declaration.pos();
  entry.SetWord("role", "system").SetWord("kind", "tool_definition");
  const auto name = FindString(declaration, "name");
  entry.place = std::move(place);
  const auto schema = FindObject(declaration, "parametersJsonSchema");
  const auto own_schema = schema ? std::nullopt : FindObject(declaration, "parameters");
  const auto description = FindString(declaration, "description");
  ExtrasBuilder definition;
  definition.Set("name", name->ToJson());
  if (description) definition.Set("description", description->ToJson());
  if (schema) definition.Set("parameters", schema->ToJson());
  if (own_schema) definition.Set("parameters", own_schema->ToJson());
  entry.Set("content", *definition.Done()).Set("data_name", name->ToJson());
  entry.Set("gemini:tool", Json::Integer(static_cast<std::int64_t>(tool)));
  if (own_schema) entry.SetWord("gemini:schema", "parameters");
  ExtrasBuilder extras;
  extras.Take(declaration,
              {"name", description ? "description" : "name",
               schema ? "parametersJsonSchema" : "name", own_schema ? "parameters" : "name"});
  SetExtras(entry, kPartExtras, extras);
  return sender_.SendTool(entry);
}

// --- contents ---

Status GeminiReader::ReadContent(const JsonRef& content, std::size_t index) {
  Draft draft(index, content);
  has_response_ = false;
  Status filled = FillDraft(draft);
  if (!filled) {
    PACTDB_TRY_STATUS(faults_.Forgive(std::move(filled).error()));
    return sender_.SendRaw(kFormat, content, index);
  }
  const auto role = FindString(content, "role");
  const bool is_user = !role || role->string() == "user";
  const Speaker speaker = is_user && !has_response_ ? Speaker::kUser : Speaker::kOther;
  return sender_.Send(draft, speaker, false);
}

Status GeminiReader::FillDraft(Draft& draft) {
  const JsonRef& content = draft.message();
  if (!content.is_object()) return std::unexpected(draft.Fault("parts", "is missing"));
  const auto role = content.Find("role");
  const auto word = FindString(content, "role");
  const bool is_known = word && (word->string() == "user" || word->string() == "model" ||
                                 word->string() == "function");
  if (role && !is_known) return std::unexpected(draft.Fault("role", "must be user or model"));
  const auto parts = content.Find("parts");
  if (!parts) return std::unexpected(draft.Fault("parts", "is missing"));
  if (!parts->is_array()) return std::unexpected(draft.Fault("parts", "must be a list"));
  const std::string_view ours = word && word->string() == "model" ? "assistant" : "user";
  std::size_t index = 0;
  for (auto it = parts->begin(); it != parts->end(); ++it, ++index)
    PACTDB_TRY_STATUS(ReadPart(draft, ours, (*it).value, At("parts", index)));
  if (draft.empty()) draft.Add(ours, "text").Set("gemini:empty", Json::Bool(true));
  if (!role) draft.first().SetWord("gemini:role", "absent");
  if (word && word->string() == "function") draft.first().SetWord("gemini:role", "function");
  ExtrasBuilder extras;
  extras.Take(content, {"role", "parts"});
  SetExtras(draft.first(), "gemini:message", extras);
  return {};
}

Status GeminiReader::ReadPart(Draft& draft, std::string_view role, const JsonRef& part,
                              const std::string& place) {
  if (!part.is_object()) return std::unexpected(draft.Fault(place, "must be an object"));
  const auto call = part.Find("functionCall");
  const auto response = part.Find("functionResponse");
  const auto text = part.Find("text");
  if (call && role == "assistant") return ReadCall(draft, *call, part, place);
  if (response && role == "user") return ReadResponse(draft, *response, part, place);
  if (text && !text->is_string())
    return std::unexpected(draft.Fault(Dot(place, "text"), "must be a text"));
  if (text) return ReadText(draft, role, *text, part);
  if (!ReadMedia(draft, role, part, place)) AddRawPart(draft, role, part, place);
  return {};
}

Status GeminiReader::ReadText(Draft& draft, std::string_view role, const JsonRef& text,
                              const JsonRef& part) {
  const auto thought = part.Find("thought");
  const bool is_thought =
      role == "assistant" && thought && thought->kind() == Json::Kind::kBool && thought->boolean();
  Entry& entry = draft.Add(role, is_thought ? "thinking" : "text");
  Json content = text.ToJson();
  const std::string digest = ToHex(Sha256Of(content.text()));
  entry.Set("content", std::move(content));
  const auto signature = is_thought ? FindString(part, "thoughtSignature") : std::nullopt;
  if (is_thought) entry.Set("gemini:thought", Json::Bool(true));
  if (signature) {
    entry.Set("gemini:signature", signature->ToJson()).SetWord(kThinkingDigest, digest);
  }
  ExtrasBuilder extras;
  extras.Take(part,
              {"text", is_thought ? "thought" : "text", signature ? "thoughtSignature" : "text"});
  SetExtras(entry, kPartExtras, extras);
  return {};
}

// Addresses that only Google can follow.
bool IsOwnFile(std::string_view uri) {
  return uri.starts_with("gs://") || uri.starts_with("https://generativelanguage.googleapis.com/");
}

// False if the part is none that we understand; it is kept as it is then.
bool GeminiReader::ReadMedia(Draft& draft, std::string_view role, const JsonRef& part,
                             const std::string& place) {
  const bool is_inline = part.Find("inlineData").has_value();
  const std::string_view name = is_inline ? "inlineData" : "fileData";
  const std::string_view field = is_inline ? "data" : "fileUri";
  const auto body = FindObject(part, name);
  const auto value = body ? FindString(*body, field) : std::nullopt;
  const auto mime = body ? FindString(*body, "mimeType") : std::nullopt;
  if (!value || !mime) return false;
  Form form = FormOf("", mime->string(), "base64");
  constexpr auto kKinds = std::to_array<std::string_view>({"image", "audio", "video", "file"});
  const auto kind = kKinds[static_cast<std::size_t>(form) - static_cast<std::size_t>(Form::kImage)];
  Entry& entry = draft.Add(role, kind);
  entry.place = Dot(Dot(place, name), field);
  if (!is_inline && IsOwnFile(value->string())) entry.SetWord(kFileOwner, Provider(kFormat));
  entry.Set("content", value->ToJson()).Set("mime", mime->ToJson());
  entry.SetWord("encoding", is_inline ? "base64" : "url");
  ExtrasBuilder extras;
  extras.Take(part, {name});
  extras.TakeInside(name, *body, {field, "mimeType"});
  SetExtras(entry, kPartExtras, extras);
  return true;
}

// --- calls ---

Status GeminiReader::ReadCall(Draft& draft, const JsonRef& call, const JsonRef& part,
                              const std::string& place) {
  const std::string inside = Dot(place, "functionCall");
  const auto name = FindString(call, "name");
  const auto id = FindString(call, "id");
  const auto given = call.is_object() ? call.Find("args") : std::nullopt;
  if (!name) return std::unexpected(draft.Fault(Dot(inside, "name"), "is missing"));
  if (given && !given->is_object())
    return std::unexpected(draft.Fault(Dot(inside, "args"), "must be an object"));
  Entry& entry = draft.Add("assistant", "tool_call");
  entry.place = Dot(inside, "args");
  entry.Set("content", given ? given->ToJson() : Json::FromCanonical("{}"));
  entry.Set("data_name", name->ToJson());
  if (!given) entry.SetWord("gemini:args", "absent");
  if (id) {
    entry.Set("data_call_id", id->ToJson());
  } else {
    std::string made = "fc_" + std::to_string(draft.index()) + "_" + std::to_string(made_ids_++);
    entry.SetWord("data_call_id", made).SetWord(kIdMark, "made");
    waiting_[std::string(name->string())].push_back(std::move(made));
  }
  ExtrasBuilder extras;
  extras.Take(part, {"functionCall"});
  extras.TakeInside("functionCall", call, {"name", "args", id ? "id" : "name"});
  SetExtras(entry, kPartExtras, extras);
  return {};
}

Status GeminiReader::ReadResponse(Draft& draft, const JsonRef& response, const JsonRef& part,
                                  const std::string& place) {
  has_response_ = true;
  const std::string inside = Dot(place, "functionResponse");
  const auto name = FindString(response, "name");
  const auto id = FindString(response, "id");
  const auto given = FindObject(response, "response");
  if (!name) return std::unexpected(draft.Fault(Dot(inside, "name"), "is missing"));
  if (!given) return std::unexpected(draft.Fault(Dot(inside, "response"), "must be an object"));
  const bool is_second =
      id && !draft.empty() && CallOf(draft.entries().back()) == id->ToJson().text();
  Entry& entry = draft.Add("tool", "tool_result");
  if (is_second) entry.SetWord(kIdMark, "given");
  entry.place = Dot(inside, "response");
  entry.Set("content", given->ToJson()).Set("data_name", name->ToJson());
  if (id) {
    entry.Set("data_call_id", id->ToJson());
  } else {
    entry.SetWord(kIdMark, "made");
    auto& calls = waiting_[std::string(name->string())];
    if (!calls.empty()) {
      entry.SetWord("data_call_id", calls.front());
      calls.pop_front();
    }
  }
  ExtrasBuilder extras;
  extras.Take(part, {"functionResponse"});
  extras.TakeInside("functionResponse", response, {"name", "response", id ? "id" : "name"});
  SetExtras(entry, kPartExtras, extras);
  return {};
}

}  // namespace

Status ReadGemini(const JsonRef& document, Faults& faults, EntrySink& sink) {
  return GeminiReader(faults, sink).Read(document);
}

}  // namespace pactdb::providers
