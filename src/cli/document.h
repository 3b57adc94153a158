// A file of any kind that holds a context, told apart by its content, but that NAME.pactdb is a
// database, damaged or not:
//
//   a snapshot document   {"root":{...}, ...}
//   a history             what `export` gives, as one document or as lines
//   a log                 [{"role":"user","content":"Hi"}, ...], or such objects as lines; a
//                         request to a provider, with "messages" or "input"; a line with one
//   a script              lines of {"op":...}, as `pactdb exec` reads them
//   an operation log      what `pactdb exec --record` writes; its requests are a script
//
// Thread safety: pure functions, but for the reading of files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input.h"
#include "cli/session.h"

namespace pactdb::cli {

// True if the file is called .pactdb or begins as SQLite's do. False for what is no file.
bool IsDatabaseFile(const std::string& file);

struct Document {
  enum class Kind { kSnapshot, kHistory, kLog, kScript, kOperationLog };
  Kind kind = Kind::kSnapshot;
  // Of a log: the provider's format it is in (docs/formats.md), as far as it shows; empty: a flat
  // log.
  std::string format;
  // Of a snapshot or a log: the JSON value, but of the sessions of pi their lines. Of the others:
  // their lines.
  std::string text;
  // `text` is what the file holds, so that positions in it are the file's.
  bool is_whole_file = false;
  // Lines of a log that have nothing at the pointer.
  std::size_t lines_skipped = 0;
  // For one whose log turns out to be none: where in it there is one.
  std::string hint;
};

// What `text`, which `file` holds, is. The pointer leads to the document inside a larger one; into
// each line where the file is lines of messages, into one of them where it begins with its number,
// from 0.
Said<Document> TellDocument(std::string text, const std::string& file, std::string_view pointer);

struct ImportManner {
  bool lenient = false;    // of a provider's format, what cannot be read is a warning too
  bool continues = false;  // of a log, what the context has already is left out
  bool seals = false;      // of a log, the last turn is committed too
};

struct Imported {
  std::int64_t nodes = 0;
  std::vector<std::string> warnings;
  std::optional<std::int64_t> skipped;  // with `continues`, of a log
};

// Imports a snapshot, a history or a log, which `file` held, into the session's context, which is
// made if it is not there; warnings are told. `doing`: what people are told is going on.
Said<Imported> ImportDocument(Session& session, Document document, const std::string& file,
                              const ImportManner& manner, std::string_view doing);

// The same of a history that is read while it is imported: a line of it is in memory at a time.
// Nothing if the input is none, or there is no context yet; then nothing of it was taken.
Said<std::optional<Imported>> ImportHistory(Session& session, Input& input,
                                            const std::string& file);

// " (byte 12, line 2)", for messages.
std::string Place(std::string_view text, std::size_t pos);

// Calls visit(line, number) for every line that is not blank.
template <typename Visitor>
void ForEachLine(std::string_view text, Visitor&& visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t newline = text.find('\n') < text.size() ? text.find('\n') : text.size();
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline < text.size() ? newline + 1 : newline);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) visit(line, number);
  }
}

}  // namespace pactdb::cli
