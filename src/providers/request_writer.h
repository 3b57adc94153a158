// What the writers of all formats do alike.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>
#include <pactdb/stream.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/try.h"
#include "providers/block.h"
#include "providers/extras.h"
#include "providers/losses.h"
#include "providers/media.h"
#include "providers/messages.h"
#include "providers/pieces.h"
#include "text/json_out.h"

namespace pactdb::providers {

class RequestWriter {
 public:
  // `pieces`: takes the pieces; the bytes of the whole then mean nothing.
  RequestWriter(const TreeView& view, Losses& losses, ByteSink& sink, PieceSink* pieces = nullptr)
      : view_(view), losses_(losses), sink_(sink), pieces_(pieces) {}

 protected:
  ~RequestWriter() = default;

  // Content as a JSON string.
  void WriteText(const Block& block);
  // The media of the block. None, and a loss, if it cannot be told what they are, or if they are a
  // file that only another provider has.
  Result<std::optional<Media>> TakeMedia(const Block& block);
  // Content as a JSON object: what is an object already, or the text of one.
  Status WriteObject(const Block& block);
  // Writes content that stands verbatim in our format. False, and a loss, if it is in another's.
  Result<bool> WriteVerbatim(const Block& block);
  // The blocks of the system messages that the request begins with, for formats that say them apart
  // from the others. Leaves the cursor at the first other one, if `has_message` stays true.
  Result<std::vector<Block>> TakeSystem(MessageCursor& cursor, Message& message, bool& has_message);
  // What write() writes, unless all that it had to say was lost: nobody takes an empty message.
  template <typename Writer>
  Status WriteUnlessLost(Writer&& write) {
    const JsonOut before = out_;  // short: messages are drained one by one
    const std::size_t lost = losses_.count();
    says_something_ = false;
    PACTDB_TRY_STATUS(write());
    if (losses_.count() > lost && !says_something_) out_ = before;
    return {};
  }
  // Media, a call, a result, ...: what is written says something. Text says so itself.
  void Say() { says_something_ = true; }
  // What the message carries for other formats, and hands what was written to the sink.
  Status NoteForeign(const Message& message);
  Status Drain();
  // Members of a tool's definition that the format has no place for.
  Status NoteOtherFields(const Block& block, const ContentFields& definition,
                         std::initializer_list<std::string_view> known);
  // An attribute of the call with this canonical id, as text.
  std::optional<std::string> FindInCall(std::string_view call_id, std::string_view attribute) const;
  // The member `tools`, each by write(const Block&); none if there are none.
  template <typename Writer>
  Status WriteToolList(const std::vector<Block>& tools, Writer&& write) {
    if (tools.empty()) return {};
    out_.Key("tools").BeginArray();
    for (const Block& tool : tools) {
      PACTDB_TRY_STATUS(losses_.NoteForeign(view_, *tool.node));
      BeginPiece();
      PACTDB_TRY_STATUS(write(tool));
      EndPiece(Section::kTools, {&tool, 1});
    }
    out_.EndArray();
    return {};
  }
  // The rest of the request, apart from members written already.
  Status WriteRest(std::initializer_list<std::string_view> written);

  // Around what is one piece, if pieces are wanted. What was left out is none.
  void BeginPiece() { piece_begin_ = out_.text().size(); }
  void EndPiece(Section section, std::span<const Block> blocks, std::size_t parts = 1);
  std::size_t first_turn() const { return pieces_ == nullptr ? 0 : pieces_->first_turn(); }

  const TreeView& view_;
  Losses& losses_;
  ByteSink& sink_;
  PieceSink* pieces_;
  JsonOut out_;

 private:
  std::size_t piece_begin_ = 0;
  bool says_something_ = false;  // what WriteUnlessLost writes
};

}  // namespace pactdb::providers
