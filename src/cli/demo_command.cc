#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/demo_script.h"
#include "cli/document.h"
#include "cli/session.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

int Fail(const std::string& said) {
  Complain(said);
  return kError;
}

int Run(const std::string& file) {
  if (IsThere(file)) return Fail(file + ": there is something of that name already");
  auto session = Session::Open(file, Access::kCreate, "main");
  if (!session) return Fail(session.error());
  std::string fault;
  ForEachLine(DemoScript(), [&](std::string_view line, std::size_t number) {
    const std::string answer = session->exec().Answer(line);
    if (fault.empty() && !answer.starts_with(R"({"ok":true)"))
      fault = "line " + std::to_string(number) + " of the conversation: " + answer;
  });
  if (!fault.empty()) return Fail(fault);
  std::string text = "A conversation of an agent is in " + file + ". To look at it:\n";
  for (const std::string_view line :
       {"log", "tree", "diff @c2 @c3", "select '@c1 .block[role=user]'", "life block:1.6",
        "render --at @c1", "shell"}) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    text.append("  pactdb ").append(line.substr(0, blank));
    text.append(line.substr(blank)).append(" ").append(file).append("\n");
  }
  return Print(text) ? kOk : kError;
}

}  // namespace

const Command kDemoCommand = {
    .name = "demo",
    .about = "make a database with a recorded conversation to try the verbs on",
    .examples = R"(  pactdb demo trip.pactdb
  pactdb log trip.pactdb
  pactdb diff @c2 @c3 trip.pactdb)",
    .setup = [](CLI::App& app, const Setting& /*here*/) -> std::function<int()> {
      auto file = std::make_shared<std::string>();
      app.add_option("FILE", *file, "the database to make")->required();
      return [file] { return Run(*file); };
    },
    .group = Group::kProgram,
    .in_shell = false};

}  // namespace pactdb::cli
