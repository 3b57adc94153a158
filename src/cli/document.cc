#include "cli/document.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/limits.h"
#include "cli/json_text.h"
#include "cli/terminal.h"
#include "text/canonical.h"

namespace pactdb::cli {
namespace {

constexpr std::size_t kDepthMax = limits::kDocumentJsonDepthMax;
constexpr std::string_view kDatabaseSuffix = ".pactdb";
constexpr std::string_view kDatabaseMagic("SQLite format 3\0", 16);

constexpr std::string_view kUnknown =
    "neither a snapshot document (an object with \"root\"), nor an export, nor a flat log (an "
    "array), nor a script (lines with \"op\")";

std::unexpected<Fault> Invalid(const std::string& file, std::string message) {
  return Fail(Fault(Error(ErrorCode::kImportInvalid, std::move(message))).In(file));
}

// The fault of a text that could not be read as JSON.
Fault Malformed(const std::string& file, std::string_view text, const Error& error) {
  Fault fault = Fault(error).In(file);
  for (const Error::Detail& detail : error.details()) {
    if (detail.name == "pos" && detail.is_number)
      fault = std::move(fault).Hint(Place(text, static_cast<std::size_t>(detail.number)));
  }
  return fault;
}

std::string_view FirstLine(std::string_view text) {
  const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(start);
  return text.substr(0, text.find('\n'));
}

bool IsMessage(const JsonRef& value) {
  const auto role = value.is_object() ? value.Find("role") : std::nullopt;
  return role && role->is_string();
}

// What the first of several lines says they are.
enum class Lines { kNone, kScript, kOperationLog, kHistory, kMessages, kPiSession };

Lines LinesOf(std::string_view text, std::string_view pointer) {
  const std::string_view line = FirstLine(text);
  const auto doc = JsonDoc::Parse(line, kDepthMax);
  if (!doc || !doc->root().is_object()) return Lines::kNone;
  const JsonRef first = doc->root();
  if (!pointer.empty() || IsMessage(first)) {
    // A second line makes lines of it: a larger document may well begin with a whole object.
    const std::string_view rest =
        text.substr(std::min(static_cast<std::size_t>(line.end() - text.begin()) + 1, text.size()));
    const auto second = JsonDoc::Parse(FirstLine(rest), kDepthMax);
    const bool is_lines = second && second->root().is_object();
    return is_lines || (IsMessage(first) && pointer.empty()) ? Lines::kMessages : Lines::kNone;
  }
  if (first.Find("op")) return Lines::kScript;
  if (first.Find("pactdb_log")) return Lines::kOperationLog;
  if (TextOf(first, "type") == "session") return Lines::kPiSession;
  const auto kind = FollowPointer(first, "/pactdb/kind");
  const bool is_history = kind && kind->is_string() && kind->string() == "history";
  return is_history && !first.Find("commits") ? Lines::kHistory : Lines::kNone;
}

// The lines of a history as the document they are parts of: a header and the list of the others.
std::string HistoryDocument(std::string_view text) {
  std::string document;
  ForEachLine(text, [&document](std::string_view line, std::size_t /*number*/) {
    if (document.empty()) {
      document = line.substr(0, line.rfind('}'));
      document += ",\"commits\":[";
      return;
    }
    if (!document.ends_with('[')) document += ',';
    document += line;
  });
  return document + "]}";
}

bool HasMember(const JsonRef& object, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&object](std::string_view name) {
    const auto member = object.Find(name);
    return member && !member->is_null();
  });
}

// The format that messages have the marks of.
class FormatMarks {
 public:
  void Note(const JsonRef& message) {
    if (!format_.empty() || !message.is_object()) return;
    format_ = Clear(message);
    is_chat_ = is_chat_ || HasMember(message, {"name"}) || TextOf(message, "role") == "developer" ||
               HasPart(message, "text");
  }
  // Empty for messages that any could have written, and that say nothing but a role and a text.
  std::string_view format() const { return format_.empty() && is_chat_ ? "openai-chat" : format_; }

 private:
  // What only one of them writes.
  static std::string_view Clear(const JsonRef& message) {
    if (HasMember(message, {"tool_calls", "tool_call_id", "function_call"})) return "openai-chat";
    if (HasMember(message, {"call_id"})) return "openai-responses";
    if (HasMember(message, {"parts"})) return "gemini";
    for (const char* type : {"tool_use", "tool_result", "thinking", "image", "document"})
      if (HasPart(message, type)) return "anthropic";
    for (const char* type : {"input_text", "output_text"})
      if (HasPart(message, type)) return "openai-responses";
    for (const char* type : {"image_url", "input_audio"})
      if (HasPart(message, type)) return "openai-chat";
    return "";
  }
  static bool HasPart(const JsonRef& message, std::string_view type) {
    const auto content = message.Find("content");
    if (!content || !content->is_array()) return false;
    for (auto it = content->begin(); it != content->end(); ++it) {
      if ((*it).value.is_object() && TextOf((*it).value, "type") == type) return true;
    }
    return false;
  }

  std::string_view format_;
  bool is_chat_ = false;
};

std::string_view FormatOfMessages(const JsonRef& messages) {
  FormatMarks marks;
  for (auto it = messages.begin(); it != messages.end(); ++it) marks.Note((*it).value);
  return marks.format();
}

// Of a request to a provider; empty if it is none.
std::string_view FormatOfRequest(const JsonRef& value) {
  if (const auto input = value.Find("input"); input && input->is_array()) return "openai-responses";
  const auto contents = value.Find("contents");
  if (contents && contents->is_array()) return "gemini";
  const auto messages = value.Find("messages");
  if (!messages || !messages->is_array()) return "";
  if (value.Find("system")) return "anthropic";
  const std::string_view format = FormatOfMessages(*messages);
  return format.empty() ? "openai-chat" : format;
}

// Lines of messages as one log. What has nothing at the pointer is no message.
Said<Document> MessageLines(std::string_view text, const std::string& file,
                            std::string_view pointer) {
  Document document{.kind = Document::Kind::kLog, .text = "["};
  std::optional<Fault> fault;
  FormatMarks marks;
  ForEachLine(text, [&](std::string_view line, std::size_t number) {
    if (fault) return;
    const auto doc = JsonDoc::Parse(line, kDepthMax, ErrorCode::kImportInvalid);
    if (!doc) {
      fault = Fault(doc.error()).In(file, number);
      return;
    }
    const auto message = FollowPointer(doc->root(), pointer);
    if (!message) {
      ++document.lines_skipped;
      return;
    }
    marks.Note(*message);
    if (document.text.size() > 1) document.text += ',';
    document.text += pointer.empty() ? std::string(line) : message->ToJson().text();
  });
  if (fault) return Fail(*std::move(fault));
  if (document.text.size() == 1)
    return Invalid(file, "no line has anything at " + std::string(pointer));
  document.text += ']';
  document.format = marks.format();
  return document;
}

}  // namespace

bool IsDatabaseFile(const std::string& file) {
  // What is read of a pipe is gone, and one that says it is a database waits for ever.
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(file, ignored);
  if (std::filesystem::is_other(status)) return file.ends_with(kDatabaseSuffix);
  if (!std::filesystem::is_regular_file(status)) return false;
  // Whatever its first bytes have become.
  if (file.ends_with(kDatabaseSuffix)) return true;
  std::FILE* const in = file == "-" ? nullptr : std::fopen(file.c_str(), "rb");
  if (in == nullptr) return false;
  char head[kDatabaseMagic.size()];
  const std::size_t size = std::fread(head, 1, sizeof head, in);
  std::fclose(in);
  return std::string_view(head, size) == kDatabaseMagic;
}

Said<std::string> ReadAll(const std::string& file) {
  const bool is_input = file == "-";
  if (is_input && ::isatty(STDIN_FILENO) == 1)
    return Fail("standard input is a terminal: give a FILE, or a pipe");
  std::FILE* const in = is_input ? stdin : std::fopen(file.c_str(), "rb");
  if (in == nullptr) return Fail(Fault(Unreadable(errno)).In(file));
  std::string text;
  char block[1 << 16];
  std::size_t size = 0;
  while (text.size() <= kJsonTextBytesMax && (size = std::fread(block, 1, sizeof block, in)) > 0)
    text.append(block, size);
  const int fault = std::ferror(in) != 0 ? errno : 0;
  if (!is_input) std::fclose(in);
  if (fault != 0) return Fail(Fault(Unreadable(fault)).In(file));
  if (text.size() > kJsonTextBytesMax) {
    const std::string limit = std::to_string(kJsonTextBytesMax);
    return Fail(
        Fault(Error(ErrorCode::kLimitExceeded, "larger than " + limit + " bytes")).In(file));
  }
  // A mark of UTF-8, as some editors put it in front.
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

std::string Place(std::string_view text, std::size_t pos) {
  const std::string_view before = text.substr(0, pos);
  return " (byte " + std::to_string(pos) + ", line " +
         std::to_string(std::ranges::count(before, '\n') + 1) + ")";
}

Said<Document> TellDocument(std::string text, const std::string& file, std::string_view pointer) {
  using enum Document::Kind;
  switch (LinesOf(text, pointer)) {
    case Lines::kScript:
      return Document{.kind = kScript, .text = std::move(text), .is_whole_file = true};
    case Lines::kOperationLog:
      return Document{.kind = kOperationLog, .text = std::move(text), .is_whole_file = true};
    case Lines::kHistory:
      return Document{.kind = kSnapshot, .text = HistoryDocument(text)};
    case Lines::kMessages:
      return MessageLines(text, file, pointer);
    case Lines::kPiSession: {
      if (!IsValidUtf8(text)) return Invalid(file, "invalid UTF-8");
      // The format takes the lines as they stand, as one text.
      JsonOut out;
      out.String(text);
      return Document{.kind = kLog, .format = "pi", .text = out.Take()};
    }
    case Lines::kNone:
      break;
  }
  const auto doc = JsonDoc::Parse(text, kDepthMax, ErrorCode::kImportInvalid);
  if (!doc) return Fail(Malformed(file, text, doc.error()));
  const auto value = FollowPointer(doc->root(), pointer);
  if (!value) return Invalid(file, "nothing at " + std::string(pointer));
  Document document;
  if (value->is_array()) {
    document.kind = kLog;
    document.format = FormatOfMessages(*value);
  } else if (value->is_object() && (value->Find("root") || value->Find("pactdb"))) {
    document.kind = kSnapshot;
  } else {
    document.kind = kLog;
    if (value->is_object()) document.format = FormatOfRequest(*value);
    if (document.format.empty()) return Invalid(file, std::string(kUnknown));
  }
  // The document as it stands, so that positions in messages are those of the file.
  document.is_whole_file = pointer.empty();
  if (pointer.empty()) {
    document.text = std::move(text);
  } else {
    document.text = value->ToJson().text();
  }
  return document;
}

Said<Answer> ImportDocument(Session& session, const Document& document, const std::string& file,
                            const ImportManner& manner) {
  JsonOut head;
  head.BeginObject().Key("op").String("import").Key("context").String(session.context());
  const bool is_thread = !document.format.empty();
  if (is_thread) head.Key("format").String(document.format).Key("lenient").Bool(manner.lenient);
  const bool is_log = document.kind == Document::Kind::kLog;
  if (is_log && manner.continues) head.Key("continue").Bool(true);
  if (is_log && manner.seals) head.Key("seal").Bool(true);
  head.Key(!is_log ? "snapshot" : is_thread ? "thread" : "log");
  const std::string before = head.Take();
  std::string text = session.exec().Answer(before + document.text + "}");
  auto doc = JsonDoc::Parse(text, kDepthMax);
  if (!doc) return Fail(doc.error());
  if (const auto error = doc->root().Find("error")) {
    Fault fault = Fault(*error).In(file);
    const auto pos = FollowPointer(*error, "/details/pos");
    if (!pos) return Fail(std::move(fault));
    // It is that of the request; what was taken out of the file has none there.
    if (!document.is_whole_file) return Fail(std::move(fault).Without("pos"));
    const std::int64_t place = *pos->AsInt64() - static_cast<std::int64_t>(before.size());
    return Fail(std::move(fault)
                    .With("pos", place)
                    .Hint(Place(document.text, static_cast<std::size_t>(place))));
  }
  const JsonRef warnings = *FollowPointer(doc->root(), "/result/warnings");
  for (auto it = warnings.begin(); it != warnings.end(); ++it)
    Complain(file + ": warning: " + ReadableLine((*it).value));
  return Answer(std::move(text), *std::move(doc));
}

}  // namespace pactdb::cli
