#include "providers/request_writer.h"

#include <algorithm>
#include <string>

#include "base/limits.h"
#include "base/try.h"
#include "model/indexed.h"
#include "text/canonical.h"
#include "text/json_doc.h"

namespace pactdb::providers {

void RequestWriter::WriteText(const Block& block) {
  if (block.content != "\"\"" && block.content != "null") Say();
  if (block.has_string()) {
    out_.Raw(block.content);
  } else {
    out_.String(block.ContentText());
  }
}

Result<std::optional<Media>> RequestWriter::TakeMedia(const Block& block) {
  auto media = ReadMedia(block);
  if (!media) {
    PACTDB_TRY_STATUS(losses_.Note(block, "content",
                                   "media are base64 with a mime, an address or a file's name"));
    return std::nullopt;
  }
  const auto owner = block.Text(kFileOwner);
  const bool is_foreign =
      media->source != Media::Source::kBase64 && owner && *owner != Provider(losses_.format());
  if (!is_foreign) return media;
  PACTDB_TRY_STATUS(losses_.Note(block, "content", "only another provider has this file"));
  return std::nullopt;
}

Status RequestWriter::WriteObject(const Block& block) {
  if (block.content.starts_with('{')) {
    out_.Raw(block.content);
    return {};
  }
  const std::string text = block.ContentText();
  if (text.empty()) {
    out_.BeginObject().EndObject();
    return {};
  }
  const auto parsed = JsonDoc::ParseView(text, limits::kContentJsonDepthMax);
  if (parsed && parsed->root().is_object()) {
    out_.Raw(parsed->root().ToJson().text());
    return {};
  }
  PACTDB_TRY_STATUS(
      losses_.Note(block, "content", "the arguments are no JSON object; they are said as a text"));
  out_.BeginObject().Key("text").String(text).EndObject();
  return {};
}

Result<bool> RequestWriter::WriteVerbatim(const Block& block) {
  if (block.VerbatimFormat() == Name(losses_.format())) {
    out_.Raw(block.content);
    Say();
    return true;
  }
  PACTDB_TRY_STATUS(
      losses_.Note(block, "content", "only the format it came from knows this content"));
  return false;
}

Result<std::vector<Block>> RequestWriter::TakeSystem(MessageCursor& cursor, Message& message,
                                                     bool& has_message) {
  std::vector<Block> system;
  for (; has_message && first_turn() == 0 && IsSystem(message);
       has_message = cursor.Next(message)) {
    PACTDB_TRY_STATUS(NoteForeign(message));
    system.insert(system.end(), message.begin(), message.end());
  }
  return system;
}

Status RequestWriter::NoteForeign(const Message& message) {
  for (const Block& block : message) PACTDB_TRY_STATUS(losses_.NoteForeign(view_, *block.node));
  return {};
}

Status RequestWriter::Drain() {
  if (out_.Drain(sink_)) return {};
  return std::unexpected(Error(ErrorCode::kStoreIo, "the sink refused the bytes"));
}

Status RequestWriter::NoteOtherFields(const Block& block, const ContentFields& definition,
                                      std::initializer_list<std::string_view> known) {
  Status noted;
  definition.ForEach([&](std::string_view name, const JsonRef& value) {
    if (!noted || value.is_null() || std::ranges::find(known, name) != known.end()) return;
    std::string field = "content.";
    field += name;
    noted = losses_.Note(block, field, "the definition of a tool has no such field");
  });
  return noted;
}

void RequestWriter::EndPiece(Section section, std::span<const Block> blocks, std::size_t parts) {
  if (pieces_ == nullptr) return;
  std::string_view bytes = std::string_view(out_.text()).substr(piece_begin_);
  if (bytes.starts_with(',')) bytes.remove_prefix(1);
  if (!bytes.empty()) pieces_->Take(section, bytes, blocks, parts);
}

std::optional<std::string> RequestWriter::FindInCall(std::string_view call_id,
                                                     std::string_view attribute) const {
  const std::string id = DecodeJsonString(call_id);
  for (const Node* node : FindIndexed(view_, IndexKind::kCall, id)) {
    const Block block = Block::Read(view_, *node, false, 0);
    if (block.traits.form == Form::kCall) return block.Text(attribute);
  }
  return std::nullopt;
}

Status RequestWriter::WriteRest(std::initializer_list<std::string_view> written) {
  const RequestNodes requests = FindRequestNodes(view_, losses_.format());
  for (const Node* foreign : requests.foreign)
    PACTDB_TRY_STATUS(losses_.NoteRequest(view_, *foreign, {}));
  if (requests.own != nullptr) ContentFields(*requests.own).Write(out_, written);
  return {};
}

}  // namespace pactdb::providers
