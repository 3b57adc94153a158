// The two forms of an exported history (docs/format/export.md), made of each other as the bytes go
// by: lines, of which the engine holds one at a time, and one document.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/stream.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pactdb::cli {

// Of the first bytes of a text: they are the header of a history, in either form.
bool IsHistoryLines(std::string_view head);
bool IsHistoryDocument(std::string_view head);

// The document's bytes as lines, one for one, so that positions stay what they are.
class HistoryLines {
 public:
  // REQUIRES: IsHistoryDocument of what the source gives first; `head`, those bytes.
  HistoryLines(ByteSource source, std::string_view head);
  // As a ByteSource. Errors: the source's, kImportInvalid for what is not the list of a history.
  Result<std::size_t> Read(char* buffer, std::size_t size);

 private:
  enum class State { kHeader, kList, kClosed, kEnd };
  bool Turn(char& byte);
  bool TurnInList(char& byte);

  ByteSource source_;
  std::size_t header_end_;  // where the member with the list begins
  std::size_t list_start_;
  std::size_t pos_ = 0;
  State state_ = State::kHeader;
  std::size_t depth_ = 0;  // inside of the list
  bool is_string_ = false;
  bool is_escaped_ = false;
  bool wants_value_ = true;
  bool may_end_ = true;
};

// The other way: passes on lines as one document. It ends with End.
class HistoryDocumentSink final : public ByteSink {
 public:
  explicit HistoryDocumentSink(ByteSink& sink) : sink_(sink) {}
  bool Write(std::string_view bytes) override;
  bool End();

 private:
  bool WritePart(std::string_view bytes);

  ByteSink& sink_;
  std::string header_;
  bool has_header_ = false;
  bool is_first_ = true;
  bool is_line_start_ = true;
};

}  // namespace pactdb::cli
