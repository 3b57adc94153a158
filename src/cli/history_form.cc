#include "cli/history_form.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "cli/json_text.h"
#include "text/json_doc.h"

namespace pactdb::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
// What the engine takes for a header.
constexpr std::size_t kHeaderBytesMax = 4096;
constexpr std::string_view kList = R"("commits")";

bool IsBlank(char byte) {
  return kBlanks.contains(byte);
}

bool IsHeader(std::string_view text) {
  const auto doc = JsonDoc::ParseView(text, limits::kDocumentJsonDepthMax);
  if (!doc || !doc->root().is_object() || doc->root().Find("commits")) return false;
  const auto kind = FollowPointer(doc->root(), "/pactdb/kind");
  return kind && kind->is_string() && kind->string() == "history";
}

struct Place {
  std::size_t comma;  // before the member with the list
  std::size_t list;   // its first byte inside
};

std::size_t PassBlanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

// Where the list begins that starts with this key, if it is one.
std::optional<std::size_t> ListBehind(std::string_view text, std::size_t key) {
  if (!text.substr(key).starts_with(kList)) return std::nullopt;
  const std::size_t colon = PassBlanks(text, key + kList.size());
  if (colon == text.size() || text[colon] != ':') return std::nullopt;
  const std::size_t bracket = PassBlanks(text, colon + 1);
  if (bracket == text.size() || text[bracket] != '[') return std::nullopt;
  return bracket + 1;
}

std::size_t PassString(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
  return at + 1;
}

// The list of commits in the beginning of a history.
std::optional<Place> FindList(std::string_view head) {
  std::size_t depth = 0;
  std::optional<std::size_t> comma;
  for (std::size_t at = PassBlanks(head, 0); at < head.size();) {
    const char byte = head[at];
    if (byte == '"') {
      const auto list = depth == 1 && comma ? ListBehind(head, at) : std::nullopt;
      if (list) return Place{*comma, *list};
      at = PassString(head, at);
      continue;
    }
    if (byte == '{' || byte == '[') ++depth;
    if (byte == '}' || byte == ']') --depth;
    if (depth == 0) return std::nullopt;
    if (byte == ',' && depth == 1) comma = at;
    ++at;
  }
  return std::nullopt;
}

}  // namespace

bool IsHistoryLines(std::string_view head) {
  head.remove_prefix(PassBlanks(head, 0));
  return head.starts_with('{') && IsHeader(head.substr(0, head.find('\n')));
}

bool IsHistoryDocument(std::string_view head) {
  if (!head.substr(PassBlanks(head, 0)).starts_with('{')) return false;
  const auto place = FindList(head);
  return place && place->list <= kHeaderBytesMax &&
         IsHeader(std::string(head.substr(0, place->comma)) + "}");
}

HistoryLines::HistoryLines(ByteSource source, std::string_view head) : source_(std::move(source)) {
  const Place place = FindList(head).value_or(Place{0, 0});
  header_end_ = place.comma;
  list_start_ = place.list;
}

// What makes a line of each commit: line breaks stand where the list has commas, and nowhere else
// but in strings, where they are wrong.
bool HistoryLines::TurnInList(char& byte) {
  if (is_string_) {
    is_string_ = byte != '"' || is_escaped_;
    is_escaped_ = byte == '\\' && !is_escaped_;
    return true;
  }
  if (depth_ == 0 && byte == ']') {
    if (!may_end_) return false;
    state_ = State::kClosed;
    byte = '\n';
    return true;
  }
  if (depth_ == 0 && byte == ',') {
    if (std::exchange(wants_value_, true)) return false;
    may_end_ = false;
    byte = '\n';
    return true;
  }
  if (IsBlank(byte)) {
    byte = depth_ == 0 ? '\n' : ' ';
    return true;
  }
  if (depth_ == 0) {
    // Commits are objects; whatever else stands here the engine could take for a line of its own.
    if (byte != '{' || !std::exchange(wants_value_, false)) return false;
    may_end_ = true;
  }
  is_string_ = byte == '"';
  if (byte == '{' || byte == '[') ++depth_;
  if (byte == '}' || byte == ']') --depth_;
  return true;
}

bool HistoryLines::Turn(char& byte) {
  switch (state_) {
    case State::kHeader:
      if (pos_ < header_end_) {
        if (IsBlank(byte)) byte = ' ';
        return true;
      }
      byte = pos_ == header_end_ ? '}' : ' ';
      if (pos_ + 1 < list_start_) return true;
      byte = '\n';
      state_ = State::kList;
      return true;
    case State::kList:
      return TurnInList(byte);
    case State::kClosed:
      if (byte == '}') {
        state_ = State::kEnd;
      } else if (!IsBlank(byte)) {
        return false;
      }
      byte = '\n';
      return true;
    case State::kEnd:
      if (!IsBlank(byte)) return false;
      byte = '\n';
      return true;
  }
  return false;
}

Result<std::size_t> HistoryLines::Read(char* buffer, std::size_t size) {
  const auto read = source_(buffer, size);
  if (!read) return read;
  const auto fault = [this](const char* message) {
    return std::unexpected(
        Error(ErrorCode::kImportInvalid, message).With("pos", static_cast<std::int64_t>(pos_)));
  };
  if (*read == 0 && state_ != State::kEnd) return fault("the text ends inside of the history");
  for (std::size_t i = 0; i < *read; ++i, ++pos_) {
    if (Turn(buffer[i])) continue;
    return fault(state_ == State::kList ? "the list of a history has commits and commas"
                                        : "a history ends with the list of its commits");
  }
  return read;
}

bool HistoryDocumentSink::WritePart(std::string_view bytes) {
  if (bytes.empty()) return true;
  if (std::exchange(is_line_start_, false) && !std::exchange(is_first_, false) && !sink_.Write(","))
    return false;
  return sink_.Write(bytes);
}

bool HistoryDocumentSink::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, bytes.find('\n'));
    const bool ends = part.size() < bytes.size();
    bytes.remove_prefix(part.size() + (ends ? 1 : 0));
    if (has_header_) {
      if (!WritePart(part)) return false;
      is_line_start_ = is_line_start_ || ends;
      continue;
    }
    header_ += part;
    if (!ends) continue;
    has_header_ = true;
    header_.pop_back();  // the brace
    if (!sink_.Write(header_ + R"(,"commits":[)")) return false;
  }
  return true;
}

bool HistoryDocumentSink::End() {
  return sink_.Write("]}");
}

}  // namespace pactdb::cli
