#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "engine/replay.h"
#include "text/json_out.h"

namespace pactdb::cli {
namespace {

struct Options {
  std::string log;
  std::string requests;  // run these instead of the log's
  bool json = false;
  bool partial = false;  // a log without its last line will do
};

void WriteDifference(const ReplayDifference& difference, JsonOut& out) {
  out.BeginObject();
  out.Key("line").Integer(difference.line);
  out.Key("op").String(difference.op);
  out.Key("context").String(difference.context);
  out.Key("cycle").Integer(difference.cycle);
  out.Key("what").String(difference.what);
  out.Key("byte").OptionalInteger(difference.byte);
  out.Key("node");
  if (difference.node.empty()) {
    out.Null();
  } else {
    out.String(difference.node);
  }
  out.Key("expected").String(difference.expected);
  out.Key("found").String(difference.found);
  out.EndObject();
}

std::string ReportJson(const ReplayReport& report) {
  JsonOut out;
  out.BeginObject();
  out.Key("same").Bool(!report.difference);
  out.Key("requests").Integer(report.requests);
  out.Key("snapshots").Integer(report.snapshots);
  out.Key("complete").Bool(report.is_complete);
  out.Key("difference");
  if (report.difference) {
    WriteDifference(*report.difference, out);
  } else {
    out.Null();
  }
  out.EndObject();
  return out.Take();
}

std::string ReportText(const std::string& log, const ReplayReport& report) {
  if (!report.difference) {
    return log + ": the same: " + std::to_string(report.requests) + " requests, " +
           std::to_string(report.snapshots) + " snapshots";
  }
  const ReplayDifference& difference = *report.difference;
  std::string text = log + ":" + std::to_string(difference.line) + ": the " + difference.what;
  if (difference.cycle > 0)
    text += " of " + difference.context + "@c" + std::to_string(difference.cycle);
  text += " differs";
  if (difference.byte) text += " at byte " + std::to_string(*difference.byte);
  if (!difference.node.empty()) text += " in node " + difference.node;
  return text + "\n  recorded " + difference.expected + "\n  now      " + difference.found;
}

std::unexpected<Fault> FailIn(const std::string& file, const Error& error) {
  std::string where;
  for (const Error::Detail& detail : error.details()) {
    if (detail.name == "pos") where = " (byte " + std::to_string(detail.number) + ")";
  }
  return Fail(Fault(error).In(file).Hint(where));
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File Open(const std::string& name) {
  if (name == "-") return {stdin, [](std::FILE*) { return 0; }};
  return {std::fopen(name.c_str(), "rb"), std::fclose};
}

ByteSource SourceOf(const File& file) {
  return [&file](char* buffer, std::size_t size) -> Result<std::size_t> {
    const std::size_t taken = std::fread(buffer, 1, size, file.get());
    if (taken == 0 && std::ferror(file.get()) != 0)
      return std::unexpected(Error(ErrorCode::kStoreIo, "it cannot be read"));
    return taken;
  };
}

// kFinding for a difference, kError for a damaged log.
Said<int> Run(const Options& options) {
  const File log = Open(options.log);
  if (log == nullptr) return FailIn(options.log, Unreadable(errno));
  const File requests = Open(options.requests.empty() ? "-" : options.requests);
  if (requests == nullptr) return FailIn(options.requests, Unreadable(errno));
  const auto report = options.requests.empty() ? Replay(SourceOf(log))
                                               : ReplayRequests(SourceOf(log), SourceOf(requests));
  if (!report) return FailIn(options.log, report.error());
  if (!report->difference && !report->is_complete && !options.partial) {
    return FailIn(options.log, Error(ErrorCode::kImportInvalid,
                                     "the log stops after " + std::to_string(report->requests) +
                                         " requests without its last line; --partial accepts it"));
  }
  if (!Print((options.json ? ReportJson(*report) : ReportText(options.log, *report)) + "\n"))
    return kError;
  return report->difference ? kFinding : kOk;
}

}  // namespace

const Command kReplayCommand = {
    .name = "replay",
    .about = "run an operation log again and compare",
    .examples = R"(  pactdb exec --record session.log < session.jsonl > answers.jsonl
  pactdb replay session.log
  pactdb replay session.log --requests session.jsonl --json

Exit code 0 if everything came out as recorded, 1 with the first differing byte and node if not,
2 for a log that is damaged or cut short.)",
    .setup = [](CLI::App& app, const Setting& /*here*/) -> Runner {
      auto options = std::make_shared<Options>();
      app.add_option("LOG", options->log, "an operation log; - is standard input")->required();
      app.add_option("--requests", options->requests,
                     "run the requests of this file instead, and compare the threads");
      app.add_flag("--json", options->json, "the report as JSON");
      app.add_flag("--partial", options->partial, "accept a log whose recording was killed");
      return [options] { return Run(*options); };
    },
    .group = Group::kProgram,
    .in_shell = false};

}  // namespace pactdb::cli
