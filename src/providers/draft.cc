#include "providers/draft.h"

#include <algorithm>

#include "providers/messages.h"
#include "text/canonical.h"

namespace pactdb::providers {
namespace {

std::string_view CanonicalOf(const Entry& entry, std::string_view name) {
  const auto found = std::ranges::find(entry.fields, name, &Entry::Field::first);
  return found == entry.fields.end() ? std::string_view() : found->second.text();
}

std::string TextOf(const Entry& entry, std::string_view name) {
  const std::string_view canonical = CanonicalOf(entry, name);
  return canonical.starts_with('"') ? DecodeJsonString(canonical) : std::string();
}

Traits TraitsOf(const Entry& entry) {
  const std::string kind = TextOf(entry, "kind");
  Traits traits{.role = RoleOf(TextOf(entry, "role")),
                .form = FormOf(kind, {}, {}),
                .call_id = CanonicalOf(entry, "data_call_id")};
  if (traits.form == Form::kRawMessage) traits.role = Role::kOther;
  return traits;
}

}  // namespace

std::string_view CallOf(const Entry& entry) {
  return CanonicalOf(entry, "data_call_id");
}

Entry& Draft::Add(std::string_view role, std::string_view kind) {
  Entry& entry = entries_.emplace_back();
  entry.index = index_;
  entry.pos = message_.pos();
  entry.fields.reserve(6);
  entry.SetWord("role", role).SetWord("kind", kind);
  return entry;
}

Status DraftSender::Send(Draft& draft, Speaker speaker, bool is_system) {
  const bool is_in_sys = is_system && !somebody_spoke_;
  somebody_spoke_ = somebody_spoke_ || !is_system;
  bool is_first = true;
  for (Entry& entry : draft.entries()) {
    entry.is_in_sys = is_in_sys;
    entry.speaker = speaker;
    const Traits traits = TraitsOf(entry);
    const bool may = has_before_ && MayJoin(rule_, before_, traits);
    const bool is_marked = may && JoinsByDefault(rule_, before_, traits) == is_first;
    before_ = traits;
    before_call_ = traits.call_id;
    before_.call_id = before_call_;
    has_before_ = true;
    // Only now: the traits look at the fields, which may move when one is added.
    if (is_marked) entry.Set(kJoins, Json::Bool(!is_first));
    is_first = false;
    PACTDB_TRY_STATUS(sink_.Take(std::move(entry)));
  }
  return {};
}

Status DraftSender::SendRaw(Format format, const JsonRef& message, std::size_t index) {
  Draft draft(index, message);
  const auto role = message.is_object() ? message.Find("role") : std::nullopt;
  const bool is_user = role && role->is_string() && role->string() == "user";
  Entry& entry = draft.Add("user", "raw_message");
  if (role && role->is_string()) entry.fields.front().second = role->ToJson();
  entry.Set("content", message.ToJson()).SetWord("data_format", Name(format));
  return Send(draft, is_user ? Speaker::kUser : Speaker::kOther, false);
}

Status DraftSender::SendRequest(Format format, ExtrasBuilder& rest, const JsonRef& document) {
  auto fields = rest.Done();
  if (!fields) return {};
  Entry entry;
  entry.is_in_sys = true;
  entry.pos = document.pos();
  entry.SetWord("nodeType", "cont").SetWord("kind", kRequestKind);
  entry.Set("content", *std::move(fields)).SetWord("data_format", Name(format));
  return sink_.Take(std::move(entry));
}

Status DraftSender::SendTool(Entry& entry) {
  entry.is_in_sys = true;
  return sink_.Take(std::move(entry));
}

std::string At(std::string_view list, std::size_t index) {
  std::string place(list);
  place += '[';
  place += std::to_string(index);
  place += ']';
  return place;
}

std::string Dot(std::string_view place, std::string_view name) {
  std::string whole(place);
  whole += '.';
  whole += name;
  return whole;
}

}  // namespace pactdb::providers
