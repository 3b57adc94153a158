// What a verb looks at: a file of any kind pactdb can read, opened as contexts in memory.
//
// The kind is told from the content, never from the name:
//
//   a snapshot document   {"root":{...}, ...}
//   a history             what `export` gives, as one document or as lines
//   a flat log            [{"role":"user","content":"Hi"}, ...]
//   a script              lines of {"op":...}, as `pactdb exec` reads them
//   an operation log      what `pactdb exec --record` writes; its requests are a script
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/exec.h>
#include <pactdb/host.h>

#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "text/json_doc.h"
#include "text/json_out.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
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

// Time and chance for what is read from a file: what it says they were, else a count from 0, so
// that what is shown of a file never depends on when it is looked at.
class FileHost final : public Host {
 public:
  // The readings of the operation that comes next.
  void Load(const JsonRef& entry);
  std::int64_t NowNs() override;
  std::uint32_t RandomBits() override;

 private:
  static std::int64_t Take(std::deque<std::int64_t>& given, std::int64_t& last);
  std::deque<std::int64_t> times_;
  std::deque<std::int64_t> bits_;
  std::int64_t last_time_ = -1;
  std::int64_t last_bits_ = -1;
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
  Said<void> LoadLines(std::string_view text, const SourceOptions& options);
  // `is_file`: the document is the file's text, so that positions in it are the file's.
  Said<void> Import(std::string_view member, std::string_view json, bool is_file,
                    const SourceOptions& options);
  // Answers one line of a script.
  void Play(std::string_view request, std::string_view name, std::size_t line);

  Kind kind_ = Kind::kSnapshot;
  std::string context_;
  std::shared_ptr<FileHost> host_ = std::make_shared<FileHost>();
  std::unique_ptr<Exec> exec_ = std::make_unique<Exec>(host_);
};

// Opens the source, asks, and prints the answer: as JSON if so asked, else what `print` makes of
// it. Where the request is refused, `hint` may say what would help. The exit code.
int Inspect(const SourceOptions& options, const Ask& ask,
            const std::function<int(Source&, const Answer&)>& print,
            const std::function<std::string(Source&)>& hint = nullptr);

}  // namespace pactdb::cli
