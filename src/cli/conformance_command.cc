#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/case_files.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "cli/verdicts.h"
#include "text/json_out.h"

namespace pactdb::cli {
namespace {

struct Options {
  std::vector<std::string> filters;
  bool json = false;
  std::string cases;
};

constexpr Verdict kAll[] = {Verdict::kPass, Verdict::kErratum,  Verdict::kRule,
                            Verdict::kUnit, Verdict::kDeferred, Verdict::kFail};

Colour ColourOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return Colour::kGreen;
    case Verdict::kFail:
      return Colour::kRed;
    case Verdict::kErratum:
      return Colour::kMagenta;
    case Verdict::kRule:
      return Colour::kYellow;
    case Verdict::kUnit:
    case Verdict::kDeferred:
      return Colour::kDim;
  }
  return Colour::kPlain;
}

// SEL-GOLD is an area; TREE-3 a requirement.
bool Fits(const RequirementVerdict& one, const std::vector<std::string>& filters) {
  return filters.empty() || std::ranges::any_of(filters, [&one](const std::string& filter) {
           return one.id == filter || one.id.substr(0, one.id.rfind('-')) == filter ||
                  NameOf(one.verdict) == filter;
         });
}

// --- for people ---

std::string FaultText(const CaseVerdict& one, const Terminal& terminal) {
  std::string text = terminal.Paint(Colour::kRed, "FAIL") + " " + one.one.name + "\n";
  text += "  at       " + one.one.path + ":" + std::to_string(one.fault->line) + "\n";
  text += "  request  " + Clean(one.fault->request, true) + "\n";
  text += "  check    " + one.fault->check + "\n";
  if (!one.fault->wanted.empty()) text += "  wanted   " + Clean(one.fault->wanted, true) + "\n";
  if (!one.fault->got.empty()) text += "  got      " + Clean(one.fault->got, true) + "\n";
  return text;
}

std::string Summary(const Verdicts& verdicts) {
  std::string text = std::to_string(verdicts.requirements.size()) + " requirements:";
  for (const Verdict verdict : kAll) {
    text += (verdict == kAll[0] ? " " : ", ") + std::to_string(verdicts.Count(verdict)) + " " +
            std::string(NameOf(verdict));
  }
  return text + "\n" + std::to_string(verdicts.cases.size() - verdicts.FailedCases()) +
         " cases passed, " + std::to_string(verdicts.FailedCases()) + " failed\n";
}

std::string TextOf(const Verdicts& verdicts, const std::vector<std::string>& filters) {
  const Terminal terminal = Terminal::Detect();
  Table table;
  for (const RequirementVerdict& one : verdicts.requirements) {
    if (!Fits(one, filters)) continue;
    table.Add({{one.id, Colour::kBold},
               {std::string(NameOf(one.verdict)), ColourOf(one.verdict)},
               {one.source},
               {one.reason, Colour::kDim}});
  }
  std::string text = table.Print(terminal);
  for (const CaseVerdict& one : verdicts.cases) {
    if (one.fault) text += "\n" + FaultText(one, terminal);
  }
  return text + "\n" + Summary(verdicts);
}

// --- for machines ---

void WriteCases(const std::vector<CaseVerdict>& cases, JsonOut& out) {
  out.BeginArray();
  for (const CaseVerdict& one : cases) {
    out.BeginObject();
    out.Key("name").String(one.one.name);
    out.Key("at").String(one.one.path + ":" + std::to_string(one.one.line));
    out.Key("ok").Bool(!one.fault.has_value());
    if (one.fault) {
      out.Key("line").Integer(static_cast<std::int64_t>(one.fault->line));
      out.Key("request").String(one.fault->request);
      out.Key("check").String(one.fault->check);
      out.Key("wanted").String(one.fault->wanted);
      out.Key("got").String(one.fault->got);
    }
    out.EndObject();
  }
  out.EndArray();
}

std::string JsonOf(const Verdicts& verdicts, const std::vector<std::string>& filters) {
  JsonOut out;
  out.BeginObject();
  out.Key("version").String(PACTDB_VERSION);
  out.Key("summary").BeginObject();
  for (const Verdict verdict : kAll)
    out.Key(NameOf(verdict)).Integer(static_cast<std::int64_t>(verdicts.Count(verdict)));
  out.EndObject();
  out.Key("requirements").BeginArray();
  for (const RequirementVerdict& one : verdicts.requirements) {
    if (!Fits(one, filters)) continue;
    out.BeginObject();
    out.Key("id").String(one.id);
    out.Key("level").String(one.level);
    out.Key("document").String(one.source);
    out.Key("text").String(one.text);
    out.Key("verdict").String(NameOf(one.verdict));
    if (!one.reason.empty()) out.Key("reason").String(one.reason);
    out.Key("cases").Integer(static_cast<std::int64_t>(one.cases));
    out.EndObject();
  }
  out.EndArray();
  out.Key("cases");
  WriteCases(verdicts.cases, out);
  out.EndObject();
  return out.Take();
}

// --- running ---

Result<Verdicts> RunFile(const std::string& path, std::string& text) {
  std::FILE* in = std::fopen(path.c_str(), "rb");
  if (in == nullptr) return std::unexpected(Error(ErrorCode::kStoreIo, path + ": cannot be read"));
  char block[1 << 16];
  for (std::size_t size = 0; (size = std::fread(block, 1, sizeof block, in)) > 0;)
    text.append(block, size);
  const bool failed = std::ferror(in) != 0;
  std::fclose(in);
  if (failed) return std::unexpected(Error(ErrorCode::kStoreIo, path + ": cannot be read"));
  if (!IsValidUtf8(text))
    return std::unexpected(Error(ErrorCode::kRequestInvalid, path + ": not UTF-8"));
  auto cases = RunCases({path, text});
  if (!cases) return std::unexpected(cases.error());
  if (cases->empty())
    return std::unexpected(Error(ErrorCode::kRequestInvalid, path + ": there is no case"));
  return Verdicts{.requirements = {}, .cases = *std::move(cases)};
}

Said<int> Run(const Options& options) {
  std::string text;
  const auto verdicts = options.cases.empty() ? Judge(CaseFiles()) : RunFile(options.cases, text);
  if (!verdicts) return Fail(verdicts.error());
  for (const std::string& filter : options.filters) {
    const bool fits = std::ranges::any_of(
        verdicts->requirements,
        [&filter](const RequirementVerdict& one) { return Fits(one, {filter}); });
    if (!fits) {
      return Fail("'" + filter +
                  "' is no area, id or verdict; they are as in LIFE, LIFE-7, deferred");
    }
  }
  const std::string printed =
      options.json ? JsonOf(*verdicts, options.filters) + "\n" : TextOf(*verdicts, options.filters);
  if (!Print(printed)) return kError;
  const bool failed = verdicts->FailedCases() > 0 || verdicts->Count(Verdict::kFail) > 0;
  return failed ? kFinding : kOk;
}

}  // namespace

const Command kConformanceCommand = {
    .name = "conformance",
    .about = "what the specification asks, answered by running this build",
    .examples = R"(  pactdb conformance
  pactdb conformance SEL-GOLD
  pactdb conformance erratum rule
  pactdb conformance TREE-8 --json

Every requirement with its document and one of: pass; erratum, where a document contradicts
itself; rule, met as printed but only through a rule made for it; unit, held by unit tests of the
library; deferred; fail. The exit code is 1 if anything fails.)",
    .setup = [](CLI::App& app, const Setting& /*here*/) -> Runner {
      auto options = std::make_shared<Options>();
      app.add_option("WHAT", options->filters, "areas (LIFE), ids (LIFE-7) or verdicts to list");
      app.add_flag("--json", options->json, "everything as JSON, on one line");
      app.add_option("--cases", options->cases, "run the cases of this file instead");
      return [options] { return Run(*options); };
    },
    .group = Group::kProgram,
    .in_shell = false};

}  // namespace pactdb::cli
