#include <pactdb/context.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/history_form.h"
#include "cli/progress_bar.h"
#include "cli/source.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  SourceOptions source;
  std::string at;
  bool history = false;
};

class StandardOutput final : public ByteSink {
 public:
  // False also if the rest was refused; then it was told.
  bool Write(std::string_view bytes) override {
    has_written_ = true;
    is_whole_ = is_whole_ && PrintPart(bytes);
    return is_whole_;
  }
  bool is_whole() const { return is_whole_; }
  bool has_written() const { return has_written_; }

 private:
  bool is_whole_ = true;
  bool has_written_ = false;
};

Status Export(const Context& context, const Options& options, ByteSink& sink) {
  std::optional<ProgressBar> bar;
  if (::isatty(STDOUT_FILENO) != 1) bar.emplace("exporting", ProgressBar::Kind::kUnknown);
  ExportOptions what{.at = std::nullopt, .history = options.history};
  if (!options.at.empty()) what.at = options.at;
  if (!options.history) return context.ExportTo(sink, what);
  HistoryDocumentSink document(sink);
  const Status exported = context.ExportTo(document, what);
  if (exported) document.End();
  return exported;
}

// Not through the operation, whose answer is the document as a whole.
Said<int> Run(const Options& options) {
  auto source = Source::Open(options.source);
  if (!source) return Fail(source.error());
  Session& session = source->session();
  const auto context = session.exec().database().Find(session.context());
  if (!context) return Fail(session.FaultOf(context.error()));
  StandardOutput out;
  const Status exported = Export(**context, options, out);
  if (!out.is_whole()) return kError;
  // What is told of an error stands on a line of its own.
  if (out.has_written() && !Print("\n")) return kError;
  if (!exported) return Fail(session.FaultOf(exported.error()));
  return kOk;
}

}  // namespace

const Command kExportCommand = {
    .name = "export",
    .about = "a snapshot, or the whole history, as a document without loss",
    .examples = R"(  pactdb export session.jsonl > working.json
  pactdb export --at @t0 session.jsonl > newest.json
  pactdb export --history session.jsonl > history.json
  pactdb import copy.pactdb history.json && pactdb log copy.pactdb

The document is JSON in any case; `pactdb import` reads it back, and so do the verbs that look.)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->source.Declare(app, here);
      auto* at = app.add_option("--at", options->at, "a snapshot; else the working state");
      app.add_flag("--history", options->history, "every commit")->excludes(at);
      return [options] { return Run(*options); };
    }};

}  // namespace pactdb::cli
