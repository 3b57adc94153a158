#include "providers/losses.h"

#include <algorithm>

#include "base/limits.h"
#include "base/try.h"
#include "text/json_doc.h"

namespace pactdb::providers {

Status Losses::Note(std::string id, std::string_view field, std::string_view reason) {
  if (!lossy_) {
    std::string message = "'";
    message += id;
    message += "' cannot be said in ";
    message += Name(format_);
    message += ": ";
    message += reason;
    return std::unexpected(Error(ErrorCode::kRenderIllegal, std::move(message))
                               .With("format", Name(format_))
                               .With("node", id)
                               .With("field", field));
  }
  lost_.push_back({std::move(id), std::string(field), std::string(reason)});
  return {};
}

Status Losses::NoteRequest(const TreeView& view, const Node& request,
                           std::span<const std::string_view> carried) {
  const auto content = request.content();
  if (!content) return {};
  PACTDB_TRY(const JsonDoc doc, JsonDoc::ParseView(*content, limits::kContentJsonDepthMax));
  if (!doc.root().is_object()) return {};
  for (auto it = doc.root().begin(); it != doc.root().end(); ++it) {
    if (std::ranges::find(carried, (*it).key) != carried.end()) continue;
    std::string field = "content.";
    field += (*it).key;
    PACTDB_TRY_STATUS(
        Note(std::string(view.id(request)), field, "it belongs to requests of another format"));
  }
  return {};
}

Status Losses::NoteForeign(const TreeView& view, const Node& node) {
  if (node.body == nullptr || node.body->attribute_count() == 0) return {};
  Status noted;
  node.body->ForEach([&](const Attribute& attribute) {
    if (!noted) return;
    const auto owner = OwnerOf(attribute.name);
    // Of what another format keeps, only these say something; the rest is how it is written.
    const bool says = attribute.name.ends_with(":message") || attribute.name.ends_with(":part") ||
                      attribute.name.ends_with(":result");
    if (!owner || *owner == format_ || !says) return;
    const auto extra = JsonDoc::ParseView(attribute.value, limits::kContentJsonDepthMax);
    if (!extra || !extra->root().is_object()) return;
    for (auto it = extra->root().begin(); it != extra->root().end() && noted; ++it) {
      if ((*it).value.is_null()) continue;
      std::string field(attribute.name);
      field += '.';
      field += (*it).key;
      noted = Note(std::string(view.id(node)), field, "no other format knows this field");
    }
  });
  return noted;
}

}  // namespace pactdb::providers
