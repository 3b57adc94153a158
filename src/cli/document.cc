#include "cli/document.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/limits.h"
#include "cli/history_form.h"
#include "cli/json_text.h"
#include "cli/messages_within.h"
#include "cli/progress_bar.h"
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

std::unexpected<Fault> NothingAt(const std::string& file, std::string_view pointer) {
  const std::string_view hint =
      pointer.starts_with('/') ? "" : "; a pointer begins with /, as in /0/traj";
  return Invalid(file, "nothing at " + std::string(pointer) + std::string(hint));
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

// What the first of several lines says they are.
enum class Lines { kNone, kScript, kOperationLog, kHistory, kMessages, kNumbered, kPiSession };

// The pointer's first part is the number of an element, which an object has only by that name.
bool IsNumber(std::string_view part, const JsonRef& object) {
  return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos &&
         !object.Find(part);
}

Lines LinesOf(std::string_view text, std::string_view pointer) {
  const std::string_view line = FirstLine(text);
  if (!line.starts_with('{')) return Lines::kNone;
  const auto doc = JsonDoc::ParseView(line, kDepthMax);
  if (!doc || !doc->root().is_object()) return Lines::kNone;
  const JsonRef first = doc->root();
  if (!pointer.empty() || IsMessage(first)) {
    // A second line makes lines of it: a larger document may well begin with a whole object.
    const std::string_view rest =
        text.substr(std::min(static_cast<std::size_t>(line.end() - text.begin()) + 1, text.size()));
    const auto second = JsonDoc::ParseView(FirstLine(rest), kDepthMax);
    const bool is_lines = second && second->root().is_object();
    if (is_lines && IsNumber(FirstPart(pointer), first)) return Lines::kNumbered;
    return is_lines || (IsMessage(first) && pointer.empty()) ? Lines::kMessages : Lines::kNone;
  }
  if (first.Find("op")) return Lines::kScript;
  if (first.Find("pactdb_log")) return Lines::kOperationLog;
  if (TextOf(first, "type") == "session") return Lines::kPiSession;
  const auto kind = FollowPointer(first, "/pactdb/kind");
  const bool is_history = kind && kind->is_string() && kind->string() == "history";
  return is_history && !first.Find("commits") ? Lines::kHistory : Lines::kNone;
}

// The line of that number, from 0; empty if there are not so many.
std::string_view LineAt(std::string_view text, std::string_view number) {
  std::string_view found;
  std::size_t next = 0;
  ForEachLine(text, [&](std::string_view line, std::size_t /*number*/) {
    if (std::to_string(next++) == number) found = line;
  });
  return found;
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
  Document document{.kind = Document::Kind::kLog, .text = {}};
  document.text.reserve(text.size() + 2);
  document.text = '[';
  std::optional<Fault> fault;
  FormatMarks marks;
  ForEachLine(text, [&](std::string_view line, std::size_t number) {
    if (fault) return;
    const auto doc = JsonDoc::ParseView(line, kDepthMax, ErrorCode::kImportInvalid);
    if (!doc) {
      fault = Fault(doc.error()).In(file, number);
      return;
    }
    const auto message = FollowPointer(doc->root(), pointer);
    if (!message) {
      ++document.lines_skipped;
      return;
    }
    if (message->is_array() && document.text.size() == 1) {
      fault = Fault(
          Error(ErrorCode::kImportInvalid, "a list, not a message, at " + std::string(pointer)));
      fault = (*std::move(fault)).In(file, number).Hint(HintOfLists(pointer));
      return;
    }
    marks.Note(*message);
    if (document.text.size() > 1) document.text += ',';
    if (pointer.empty()) {
      document.text += line;
    } else {
      message->AppendCanonical(document.text);
    }
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
      return Document{.kind = kHistory, .text = std::move(text)};
    case Lines::kMessages:
      return MessageLines(text, file, pointer);
    case Lines::kNumbered: {
      const std::string_view number = FirstPart(pointer);
      const std::string_view line = LineAt(text, number);
      if (line.empty()) return NothingAt(file, pointer);
      // Its positions are those in the line, not in the file.
      auto document = TellDocument(std::string(line), file, pointer.substr(number.size() + 1));
      if (document) document->is_whole_file = false;
      return document;
    }
    case Lines::kPiSession:
      // The format takes the lines as they stand, as one text.
      if (!IsValidUtf8(text)) return Invalid(file, "invalid UTF-8");
      return Document{.kind = kLog, .format = "pi", .text = std::move(text)};
    case Lines::kNone:
      break;
  }
  const auto doc = JsonDoc::ParseView(text, kDepthMax, ErrorCode::kImportInvalid);
  if (!doc) return Fail(Malformed(file, text, doc.error()).Hint(HintOfLines(text)));
  const auto value = FollowPointer(doc->root(), pointer);
  if (!value) return NothingAt(file, pointer);
  Document document;
  if (value->is_array()) {
    document.kind = kLog;
    document.format = FormatOfMessages(*value);
    document.hint = HintOfDocument(*value, pointer);
  } else if (value->is_object() && (value->Find("root") || value->Find("pactdb"))) {
    document.kind = kSnapshot;
  } else {
    document.kind = kLog;
    if (value->is_object()) document.format = FormatOfRequest(*value);
    if (document.format.empty()) {
      Fault fault = Fault(Error(ErrorCode::kImportInvalid, std::string(kUnknown))).In(file);
      return Fail(std::move(fault).Hint(HintOfDocument(*value, pointer)));
    }
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

namespace {

ThreadOptions OptionsOf(const Document& document, const ImportManner& manner) {
  return {.format = document.format.empty() ? "log" : document.format,
          .lenient = !document.format.empty() && manner.lenient,
          .continues = manner.continues,
          .seals = manner.seals};
}

ByteSource SourceOf(std::string_view text) {
  return [text](char* buffer, std::size_t size) mutable -> Result<std::size_t> {
    const std::size_t taken = text.copy(buffer, size);
    text.remove_prefix(taken);
    return taken;
  };
}

Result<ImportResult> ImportInto(Context& context, const Document& document,
                                const ImportManner& manner) {
  switch (document.kind) {
    case Document::Kind::kSnapshot:
      return context.ImportSnapshot(document.text);
    case Document::Kind::kHistory:
      return context.ImportFrom(SourceOf(document.text));
    default:
      return context.ImportThread(document.text, OptionsOf(document, manner));
  }
}

// A request makes the context in one step with what comes into it; but for that it would be a
// second copy of the document. What stands in it before the document:
std::string HeadOf(const std::string& context, const Document& document,
                   const ImportManner& manner) {
  JsonOut out;
  out.BeginObject().Key("op").String("import").Key("context").String(context);
  if (document.kind != Document::Kind::kLog) return out.Key("snapshot").Take();
  const ThreadOptions options = OptionsOf(document, manner);
  out.Key("format").String(options.format).Key("lenient").Bool(options.lenient);
  if (options.continues) out.Key("continue").Bool(true);
  if (options.seals) out.Key("seal").Bool(true);
  return out.Key("thread").Take();
}

std::string RequestFor(const std::string& head, const Document& document) {
  std::string request;
  request.reserve(head.size() + document.text.size() + 2);
  request = head;
  if (document.format == "pi") {
    AppendJsonString(document.text, request);
  } else if (document.kind == Document::Kind::kHistory) {
    request += HistoryDocument(document.text);
  } else {
    request += document.text;
  }
  return request += '}';
}

// Of an import that failed: about the file it came from, unless the database could not take it.
// `pos`: in the document's text.
Fault FaultOfImport(const Session& session, const Document& document, const std::string& file,
                    Fault fault, std::optional<std::int64_t> pos) {
  if (fault.code().starts_with("E_STORE_")) return session.FaultOf(std::move(fault));
  fault = std::move(fault).In(file);
  // What was taken out of the file has no place in it.
  if (pos && !document.is_whole_file) {
    fault = std::move(fault).Without("pos");
  } else if (pos) {
    const auto place = static_cast<std::size_t>(*pos);
    fault = std::move(fault).With("pos", *pos).Hint(Place(document.text, place));
  }
  if (fault.code() == WireName(ErrorCode::kImportInvalid))
    fault = std::move(fault).Hint(document.hint);
  return fault;
}

std::optional<std::int64_t> PosOf(const Error& error) {
  for (const Error::Detail& detail : error.details()) {
    if (detail.name == "pos" && detail.is_number) return detail.number;
  }
  return std::nullopt;
}

Imported ImportedOf(ImportResult result, bool continues) {
  Imported imported{.nodes = result.nodes, .warnings = std::move(result.warnings)};
  if (continues) imported.skipped = result.skipped;
  return imported;
}

Said<Imported> AskForImport(Session& session, Document& document, const std::string& file,
                            const ImportManner& manner) {
  const std::string head = HeadOf(session.context(), document, manner);
  const std::string text = session.exec().Answer(RequestFor(head, document));
  const auto doc = JsonDoc::ParseView(text, kDepthMax);
  if (!doc) return Fail(doc.error());
  if (const auto error = doc->root().Find("error")) {
    auto pos = FollowPointer(*error, "/details/pos");
    std::optional<std::int64_t> place;
    if (pos) place = *pos->AsInt64() - static_cast<std::int64_t>(head.size());
    return Fail(FaultOfImport(session, document, file, Fault(*error), place));
  }
  const JsonRef result = *doc->root().Find("result");
  Imported imported{.nodes = result.Find("nodes")->AsInt64().value_or(0)};
  if (const auto skipped = result.Find("skipped")) imported.skipped = skipped->AsInt64();
  const JsonRef warnings = *result.Find("warnings");
  for (auto it = warnings.begin(); it != warnings.end(); ++it)
    imported.warnings.emplace_back((*it).value.string());
  return imported;
}

Said<Imported> TakeDocument(Session& session, Document& document, const std::string& file,
                            const ImportManner& manner) {
  const auto context = session.exec().database().Find(session.context());
  if (!context) {
    if (context.error().code() == ErrorCode::kContextNotFound)
      return AskForImport(session, document, file, manner);
    return Fail(session.FaultOf(context.error()));
  }
  auto result = ImportInto(**context, document, manner);
  if (!result) {
    const Error& error = result.error();
    return Fail(FaultOfImport(session, document, file, error, PosOf(error)));
  }
  return ImportedOf(*std::move(result), manner.continues && document.kind == Document::Kind::kLog);
}

void Warn(const std::string& file, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings)
    Complain(std::string(file).append(": warning: ").append(warning));
}

// The engine counts lines, which a document of one has none of.
Error WithoutLine(const Error& error) {
  const std::size_t colon = error.message().find(": ");
  const bool has_line = error.message().starts_with("line ") && colon != std::string::npos;
  Error plain(error.code(), error.message().substr(has_line ? colon + 2 : 0));
  for (const Error::Detail& detail : error.details()) {
    if (detail.name == "line") continue;
    plain = detail.is_number ? std::move(plain).With(detail.name, detail.number)
                             : std::move(plain).With(detail.name, detail.text);
  }
  return plain;
}

}  // namespace

Said<Imported> ImportDocument(Session& session, Document document, const std::string& file,
                              const ImportManner& manner, std::string_view doing) {
  auto imported = [&] {
    const ProgressBar bar(std::string(doing), ProgressBar::Kind::kUnknown);
    return TakeDocument(session, document, file, manner);
  }();
  if (imported) Warn(file, imported->warnings);
  return imported;
}

Said<std::optional<Imported>> ImportHistory(Session& session, Input& input,
                                            const std::string& file) {
  const std::string head(input.Head());
  const bool is_document = IsHistoryDocument(head);
  if (!is_document && !IsHistoryLines(head)) return std::nullopt;
  const auto context = session.exec().database().Find(session.context());
  if (!context && context.error().code() == ErrorCode::kContextNotFound) return std::nullopt;
  if (!context) return Fail(session.FaultOf(context.error()));
  ByteSource source = [&input](char* buffer, std::size_t size) { return input.Read(buffer, size); };
  std::optional<HistoryLines> lines;
  if (is_document) {
    lines.emplace(std::move(source), head);
    source = [&lines](char* buffer, std::size_t size) { return lines->Read(buffer, size); };
  }
  auto result = [&] {
    const ProgressBar bar("importing", ProgressBar::Kind::kUnknown);
    return (*context)->ImportFrom(source);
  }();
  if (!result) {
    const bool is_of_input = input.has_failed();
    const Error error = is_document ? WithoutLine(result.error()) : result.error();
    if (!is_of_input && WireName(error.code()).starts_with("E_STORE_"))
      return Fail(session.FaultOf(error));
    const auto pos = is_document ? PosOf(error) : std::nullopt;
    return Fail(Fault(error).In(file).Hint(pos ? " (byte " + std::to_string(*pos) + ")" : ""));
  }
  Warn(file, result->warnings);
  return ImportedOf(*std::move(result), /*continues=*/false);
}

}  // namespace pactdb::cli
