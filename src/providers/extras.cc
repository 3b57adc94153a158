#include "providers/extras.h"

#include <algorithm>

#include "base/limits.h"
#include "text/canonical.h"

namespace pactdb::providers {
namespace {

void WriteMembers(const JsonRef& object, JsonOut& out, Names written) {
  for (auto it = object.begin(); it != object.end(); ++it) {
    if (std::ranges::find(written, (*it).key) == written.end())
      out.AnyKey((*it).key).Raw((*it).value.ToJson().text());
  }
}

}  // namespace

void ExtrasBuilder::Take(const JsonRef& object, std::initializer_list<std::string_view> known) {
  for (auto it = object.begin(); it != object.end(); ++it) {
    if (std::ranges::find(known, (*it).key) == known.end()) Set((*it).key, (*it).value.ToJson());
  }
}

void ExtrasBuilder::TakeInside(std::string_view name, const JsonRef& object,
                               std::initializer_list<std::string_view> known) {
  ExtrasBuilder inside;
  inside.Take(object, known);
  if (auto left = inside.Done()) Set(name, *std::move(left));
}

void ExtrasBuilder::Set(std::string_view name, Json value) {
  members_.emplace_back(name, std::move(value));
}

std::optional<Json> ExtrasBuilder::Done() {
  if (members_.empty()) return std::nullopt;
  std::ranges::sort(members_, CodePointLess, &std::pair<std::string, Json>::first);
  JsonOut out;
  out.BeginObject();
  for (const auto& [name, value] : members_) out.AnyKey(name).Raw(value.text());
  out.EndObject();
  members_.clear();
  return Json::FromCanonical(out.Take());
}

void ExtraFields::Parse(std::optional<std::string_view> value) {
  if (!value || !value->starts_with('{')) return;
  auto doc = JsonDoc::ParseView(*value, limits::kContentJsonDepthMax);
  if (doc) doc_ = *std::move(doc);
}

void ExtraFields::Write(JsonOut& out, Names written) const {
  if (doc_) WriteMembers(doc_->root(), out, written);
}

void ExtraFields::WriteInside(std::string_view name, JsonOut& out,
                              std::initializer_list<std::string_view> written) const {
  const auto inside = Find(name);
  if (inside && inside->is_object())
    WriteMembers(*inside, out, Names(written.begin(), written.size()));
}

std::optional<JsonRef> ExtraFields::Find(std::string_view name) const& {
  return doc_ ? doc_->root().Find(name) : std::nullopt;
}

}  // namespace pactdb::providers
