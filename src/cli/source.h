// What a verb looks at: a file of any kind pactdb can read, opened as contexts in memory.
//
// The kind is told from the content, never from the name:
//
//   a snapshot document   {"root":{...}, ...}
//   a flat log            [{"role":"user","content":"Hi"}, ...]
//   a script              lines of {"op":...}, as `pactdb exec` reads them
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/exec.h>

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "text/json_doc.h"
#include "text/json_out.h"

namespace CLI {
class App;
}

namespace pactdb::cli {

struct SourceOptions {
  std::string file = "-";
  std::string pointer;  // JSON pointer to the document inside a larger one
  std::string context = "main";
  std::string dialect;
  bool json = false;

  // Declares FILE, --pointer, --context, --dialect and --json.
  void Declare(CLI::App& app);
};

// A request to one context, built member by member.
class Ask {
 public:
  explicit Ask(std::string_view op);
  Ask& Text(std::string_view name, std::string_view value);
  // Left out if empty.
  Ask& Optional(std::string_view name, std::string_view value);
  Ask& Integer(std::string_view name, std::int64_t value);
  Ask& Bool(std::string_view name, bool value);
  Ask& Raw(std::string_view name, std::string_view json);
  // The request's line, to the context of that name.
  std::string Line(std::string_view context) const;

 private:
  JsonOut out_;
};

// A value, or what went wrong as a text for people: "E_CODE: message".
template <typename T>
using Said = std::expected<T, std::string>;

// An answer's result; keeps its document.
class Answer {
 public:
  Answer(std::string text, JsonDoc doc) : text_(std::move(text)), doc_(std::move(doc)) {}
  JsonRef result() const { return *doc_.root().Find("result"); }
  // The result's bytes as they were answered.
  std::string_view json() const;

 private:
  std::string text_;
  JsonDoc doc_;
};

class Source {
 public:
  enum class Kind { kSnapshot, kLog, kScript };

  // Reads and loads. Requests of a script that are refused are reported on standard error, and the
  // next one is served, as `exec` does.
  static Said<Source> Open(const SourceOptions& options);

  Said<Answer> Run(const Ask& ask);
  Kind kind() const { return kind_; }

 private:
  Source() = default;
  Said<void> Load(std::string_view text, const SourceOptions& options);
  Said<void> Import(std::string_view member, std::string_view json, const SourceOptions& options);
  void Play(std::string_view script, std::string_view name);

  Kind kind_ = Kind::kSnapshot;
  std::string context_;
  std::unique_ptr<Exec> exec_ = std::make_unique<Exec>();
};

// Opens the source, asks, and prints the answer: as JSON if so asked, else what `print` makes of
// it. Where the request is refused, `hint` may say what would help. The exit code.
int Inspect(const SourceOptions& options, const Ask& ask,
            const std::function<int(Source&, const Answer&)>& print,
            const std::function<std::string(Source&)>& hint = nullptr);

}  // namespace pactdb::cli
