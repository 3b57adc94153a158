#include <pactdb/repair.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "cli/session.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  std::string file;
  std::string to;
  bool json = false;
};

void WriteTexts(std::string_view name, const std::vector<std::string>& texts, JsonOut& out) {
  out.Key(name).BeginArray();
  for (const std::string& text : texts) out.String(text);
  out.EndArray();
}

std::string JsonOf(const Options& options, const RepairReport& report) {
  JsonOut out;
  out.BeginObject().Key("to").String(options.to).Key("ok").Bool(report.whole());
  out.Key("contexts").BeginArray();
  for (const RepairedContext& context : report.contexts) {
    out.BeginObject().Key("context").String(context.name);
    out.Key("kept").Integer(context.kept).Key("lost").Integer(context.lost);
    WriteTexts("losses", context.losses, out);
    out.EndObject();
  }
  out.EndArray();
  WriteTexts("losses", report.losses, out);
  out.EndObject();
  return out.Take();
}

void AddLosses(const Terminal& terminal, const std::vector<std::string>& losses,
               std::string& text) {
  for (const std::string& loss : losses) {
    text.append("  ").append(terminal.Paint(Colour::kRed, "lost"));
    text.append("  ").append(Clean(loss, /*one_line=*/true)).append("\n");
  }
}

std::string TextOf(const Options& options, const RepairReport& report) {
  const Terminal terminal = Terminal::Detect();
  std::string text;
  for (const RepairedContext& context : report.contexts) {
    text.append(Clean(context.name, /*one_line=*/true)).append(": ");
    text.append(Count(context.kept, "snapshot")).append(" kept");
    if (context.lost > 0) text.append(", ").append(std::to_string(context.lost)).append(" lost");
    text.append("\n");
    AddLosses(terminal, context.losses, text);
  }
  text.append(options.to);
  text.append(report.whole() ? ": " + terminal.Paint(Colour::kGreen, "everything was kept")
                             : std::string(": what was intact"));
  text.append("\n");
  AddLosses(terminal, report.losses, text);
  return text;
}

// A detail's text; empty if there is none.
std::string DetailOf(const Error& error, std::string_view name) {
  for (const Error::Detail& detail : error.details()) {
    if (detail.name == name && !detail.is_number) return detail.text;
  }
  return "";
}

// Of the file that it is about: where the old one is there and can be reached, trouble with files
// is with the new one.
Fault FaultOf(const Options& options, const Error& error) {
  const std::string path = DetailOf(error, "path");
  std::error_code ignored;
  const bool is_old = path == options.file ||
                      path == std::filesystem::weakly_canonical(options.file, ignored).string();
  const bool is_new = error.code() == ErrorCode::kStoreIo && IsThere(options.file) && !is_old;
  if (!is_new) return Fault(error).In(options.file);
  Fault fault = Fault(error).In(options.to);
  const std::string reason = DetailOf(error, "reason");
  if (reason.empty() || IsThere(options.to)) return fault;
  return std::move(fault).Hint(": " + reason);
}

Said<int> Run(const Options& options) {
  const Result<RepairReport> report = [&options] {
    ProgressBar bar("repairing");
    return RepairFile(options.file, options.to, [&bar](double share) { bar.At(share); });
  }();
  if (!report) return Fail(FaultOf(options, report.error()));
  if (!Print(options.json ? JsonOf(options, *report) + "\n" : TextOf(options, *report)))
    return kError;
  return report->whole() ? kOk : kFinding;
}

}  // namespace

const Command kRepairCommand = {
    .name = "repair",
    .about = "what is intact in a damaged database, as a new one",
    .examples = R"(  pactdb import chat.pactdb chat.json
  pactdb repair chat.pactdb sound.pactdb && pactdb verify sound.pactdb
  pactdb repair chat.pactdb again.pactdb --json

The damaged file is only read. Every snapshot whose records and contents match their checksums
is kept, with its tags; what is lost is listed with the reason. Exit code 0: everything was kept;
1: something was lost; 2: nothing could be found, and nothing was written.)",
    .setup = [](CLI::App& app, const Setting& /*here*/) -> Runner {
      auto options = std::make_shared<Options>();
      app.add_option("FILE", options->file, "a database, damaged or not")->required();
      app.add_option("NEWFILE", options->to, "the new one; nothing may be there")->required();
      app.add_flag("--json", options->json, "the answer as JSON, on one line");
      return [options] { return Run(*options); };
    },
    .group = Group::kCare,
    .in_shell = false};

}  // namespace pactdb::cli
