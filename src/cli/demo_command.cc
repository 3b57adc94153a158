#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/demo_script.h"
#include "cli/document.h"
#include "cli/session.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  std::string file;
  bool json = false;
};

// What is worth trying on it.
std::vector<std::string> CommandsFor(const std::string& file) {
  std::vector<std::string> commands;
  for (const std::string_view verb :
       {"log", "tree", "diff @c2 @c3", "select '@c1 .block[role=user]'", "life block:1.6",
        "render --at @c1", "shell"})
    commands.push_back(std::string("pactdb ").append(verb).append(" ").append(file));
  return commands;
}

std::string JsonOf(const std::string& file) {
  JsonOut out;
  out.BeginObject().Key("file").String(file).Key("commands").BeginArray();
  for (const std::string& command : CommandsFor(file)) out.String(command);
  return out.EndArray().EndObject().Take() + "\n";
}

std::string TextOf(const std::string& file) {
  std::string text = "A conversation of an agent is in " + file + ". To look at it:\n";
  for (const std::string& command : CommandsFor(file)) text.append("  " + command + "\n");
  return text;
}

Said<int> Run(const Options& options) {
  const std::string& file = options.file;
  if (IsThere(file)) {
    return Fail(
        Fault(Error(ErrorCode::kStoreIo, "there is something of that name already")).In(file));
  }
  auto session = Session::Open(file, Access::kCreate, "main");
  if (!session) return Fail(session.error());
  std::string fault;
  ForEachLine(DemoScript(), [&](std::string_view line, std::size_t number) {
    const std::string answer = session->exec().Answer(line);
    if (fault.empty() && !answer.starts_with(R"({"ok":true)"))
      fault = "line " + std::to_string(number) + " of the conversation: " + answer;
  });
  if (!fault.empty()) return Fail(fault);
  return Print(options.json ? JsonOf(file) : TextOf(file)) ? kOk : kError;
}

}  // namespace

const Command kDemoCommand = {
    .name = "demo",
    .about = "make a database with a recorded conversation to try the verbs on",
    .examples = R"(  pactdb demo trip.pactdb
  pactdb log trip.pactdb
  pactdb diff @c2 @c3 trip.pactdb)",
    .setup = [](CLI::App& app, const Setting& /*here*/) -> Runner {
      auto options = std::make_shared<Options>();
      app.add_option("FILE", options->file, "the database to make")->required();
      app.add_flag("--json", options->json, "what to try on it as JSON, on one line");
      return [options] { return Run(*options); };
    },
    .group = Group::kProgram,
    .in_shell = false};

}  // namespace pactdb::cli
