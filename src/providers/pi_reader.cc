#include <optional>
#include <string>

#include "base/sha256.h"
#include "base/try.h"
#include "providers/draft.h"
#include "providers/json_find.h"
#include "providers/pi.h"
#include "text/canonical.h"

namespace pactdb::providers {
namespace {

constexpr std::string_view kMeta = "pi:meta";

class PiReader {
 public:
  PiReader(Faults& faults, EntrySink& sink)
      : faults_(faults), sink_(sink), sender_(JoinRule::kApart, sink) {}

  Status Read(const JsonRef& document);

 private:
  Status ReadLine(const JsonRef& line, std::size_t index);
  Status SendEvent(const JsonRef& line, std::size_t index, bool is_in_sys);
  Status FillDraft(Draft& draft, const JsonRef& message, std::string_view role);
  Status ReadPart(Draft& draft, std::string_view role, const JsonRef& part,
                  const std::string& place);
  Status ReadCall(Draft& draft, const JsonRef& part, const std::string& place);
  void ReadThinking(Draft& draft, const JsonRef& text, const JsonRef& part);
  Status FinishResult(Draft& draft, const JsonRef& message);
  static void ReadCommand(Draft& draft, const JsonRef& message);

  Faults& faults_;
  EntrySink& sink_;
  DraftSender sender_;
};

Status PiReader::Read(const JsonRef& document) {
  if (!document.is_array()) {
    return std::unexpected(Error(ErrorCode::kImportInvalid, "pi is a list of lines")
                               .With("pos", static_cast<std::int64_t>(document.pos())));
  }
  std::size_t index = 0;
  for (auto it = document.begin(); it != document.end(); ++it, ++index) {
    Status read = ReadLine((*it).value, index);
    if (read) continue;
    if (read.error().code() != ErrorCode::kImportInvalid) return read;
    PACTDB_TRY_STATUS(faults_.Forgive(std::move(read).error()));
    PACTDB_TRY_STATUS(SendEvent((*it).value, index, false));
  }
  return {};
}

Status PiReader::SendEvent(const JsonRef& line, std::size_t index, bool is_in_sys) {
  Entry entry;
  entry.index = index;
  entry.pos = line.pos();
  entry.is_in_sys = is_in_sys;
  entry.SetWord("nodeType", "cont").SetWord("kind", "event").SetWord("data_format", "pi");
  // Beside the core; two groups at offset 0 would be two cores.
  if (!is_in_sys) entry.Set("offset", Json::Integer(1));
  entry.Set("content", line.ToJson());
  return sink_.Take(std::move(entry));
}

Status PiReader::ReadLine(const JsonRef& line, std::size_t index) {
  Draft draft(index, line);
  const auto type = FindString(line, "type");
  if (!type) return std::unexpected(draft.Fault("type", "is missing"));
  if (type->string() != "message") return SendEvent(line, index, type->string() == "session");
  const auto message = FindObject(line, "message");
  const auto role = message ? FindString(*message, "role") : std::nullopt;
  if (!role) return std::unexpected(draft.Fault("message.role", "is missing"));
  PACTDB_TRY_STATUS(FillDraft(draft, *message, role->string()));
  if (draft.empty()) return SendEvent(line, index, false);
  ExtrasBuilder meta;
  meta.Take(line, {"type", "message"});
  meta.TakeInside("message", *message,
                  {"role", "content", "toolCallId", "toolName", "isError", "output"});
  if (auto left = meta.Done()) draft.first().Set(kMeta, *std::move(left));
  const bool is_user = role->string() == "user" || role->string() == "bashExecution";
  return sender_.Send(draft, is_user ? Speaker::kUser : Speaker::kOther, false);
}

Status PiReader::FillDraft(Draft& draft, const JsonRef& message, std::string_view role) {
  if (role == "bashExecution") {
    ReadCommand(draft, message);
    return {};
  }
  const std::string_view ours = role == "toolResult" ? "tool" : role;
  if (ours != "tool" && ours != "user" && ours != "assistant") {
    return std::unexpected(
        draft.Fault("message.role", "must be user, assistant, toolResult or bashExecution"));
  }
  const auto content = message.Find("content");
  if (content && content->is_string()) {
    draft.Add(ours, ours == "tool" ? "tool_result" : "text").Set("content", content->ToJson());
  } else if (content && content->is_array()) {
    std::size_t index = 0;
    for (auto it = content->begin(); it != content->end(); ++it, ++index)
      PACTDB_TRY_STATUS(ReadPart(draft, ours, (*it).value, At("message.content", index)));
  } else {
    return std::unexpected(draft.Fault("message.content", "must be a text or a list of parts"));
  }
  return ours == "tool" ? FinishResult(draft, message) : Status();
}

Status PiReader::FinishResult(Draft& draft, const JsonRef& message) {
  const auto id = FindString(message, "toolCallId");
  if (!id) return std::unexpected(draft.Fault("message.toolCallId", "is missing"));
  if (draft.empty()) draft.Add("tool", "tool_result").SetWord("content", "");
  const auto name = FindString(message, "toolName");
  const auto error = message.Find("isError");
  for (Entry& entry : draft.entries()) {
    entry.Set("data_call_id", id->ToJson());
    if (name) entry.Set("data_name", name->ToJson());
  }
  const bool is_error = error && error->kind() == Json::Kind::kBool && error->boolean();
  if (is_error) draft.first().Set("data_is_error", Json::Bool(true));
  return {};
}

// A command that the user ran is told to the model as words of the user.
void PiReader::ReadCommand(Draft& draft, const JsonRef& message) {
  const auto command = FindString(message, "command");
  const auto output = FindString(message, "output");
  std::string text = "Ran `";
  text += command ? command->string() : "";
  text += "`\n```\n";
  text += output ? output->string() : "";
  text += "\n```";
  std::string canonical;
  AppendJsonString(text, canonical);
  draft.Add("user", "text").Set("content", Json::FromCanonical(std::move(canonical)));
}

Status PiReader::ReadPart(Draft& draft, std::string_view role, const JsonRef& part,
                          const std::string& place) {
  const auto type = FindString(part, "type");
  if (!type) return std::unexpected(draft.Fault(Dot(place, "type"), "is missing"));
  const std::string_view kind = type->string();
  if (kind == "toolCall") return ReadCall(draft, part, place);
  const auto data = FindString(part, "data");
  const auto mime = FindString(part, "mimeType");
  if (kind == "image" && data && mime) {
    Entry& entry = draft.Add(role, "image");
    entry.place = Dot(place, "data");
    entry.Set("content", data->ToJson()).Set("mime", mime->ToJson());
    entry.SetWord("encoding", "base64");
    return {};
  }
  const auto text = FindString(part, kind);
  if ((kind != "text" && kind != "thinking") || !text) {
    return std::unexpected(
        draft.Fault(place, "is no text, thinking, toolCall or image with what belongs to it"));
  }
  if (kind == "thinking") {
    ReadThinking(draft, *text, part);
    return {};
  }
  Entry& entry = draft.Add(role, role == "tool" ? "tool_result" : "text");
  entry.place = Dot(place, "text");
  entry.Set("content", text->ToJson());
  return {};
}

void PiReader::ReadThinking(Draft& draft, const JsonRef& text, const JsonRef& part) {
  Entry& entry = draft.Add("assistant", "thinking");
  Json content = text.ToJson();
  const std::string digest = ToHex(Sha256Of(content.text()));
  entry.Set("content", std::move(content));
  const auto signature = FindString(part, "thinkingSignature");
  if (!signature || signature->string().empty()) return;
  // Whose signature it is stands in the line.
  const auto message = FindObject(draft.message(), "message");
  const auto api = FindString(*message, "api");
  if (!api || api->string() != "anthropic-messages") {
    entry.Set("pi:signature", signature->ToJson());
    return;
  }
  entry.Set("anthropic:signature", signature->ToJson()).SetWord(kThinkingDigest, digest);
}

Status PiReader::ReadCall(Draft& draft, const JsonRef& part, const std::string& place) {
  const auto id = FindString(part, "id");
  const auto name = FindString(part, "name");
  const auto arguments = FindObject(part, "arguments");
  if (!id) return std::unexpected(draft.Fault(Dot(place, "id"), "is missing"));
  if (!name) return std::unexpected(draft.Fault(Dot(place, "name"), "is missing"));
  if (!arguments) return std::unexpected(draft.Fault(Dot(place, "arguments"), "must be an object"));
  Entry& entry = draft.Add("assistant", "tool_call");
  entry.place = Dot(place, "arguments");
  entry.Set("content", arguments->ToJson());
  entry.Set("data_call_id", id->ToJson()).Set("data_name", name->ToJson());
  return {};
}

}  // namespace

Status ReadPi(const JsonRef& document, Faults& faults, EntrySink& sink) {
  return PiReader(faults, sink).Read(document);
}

}  // namespace pactdb::providers
