// pactdb: the command. A table of verbs; each verb is a file of its own.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal.h"

namespace {

using namespace pactdb::cli;  // NOLINT(google-build-using-namespace): this is the program

constexpr std::array kCommands = {
    &kTreeCommand, &kShowCommand,   &kLogCommand,        &kDiffCommand,   &kRenderCommand,
    &kLifeCommand, &kSelectCommand, &kExplainCommand,    &kVerifyCommand, &kStatsCommand,
    &kExecCommand, &kReplayCommand, &kConformanceCommand};

// Single-character edits between two words.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = corner + (a[i] == b[j] ? 0 : 1);
      corner = std::exchange(row[j + 1], std::min({change, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

int UnknownVerb(std::string_view word) {
  std::string text = "there is no verb '" + std::string(word) + "'";
  const auto nearest = std::ranges::min_element(
      kCommands, {}, [word](const Command* command) { return Distance(word, command->name); });
  if (Distance(word, (*nearest)->name) <= 2)
    text += "; did you mean '" + std::string((*nearest)->name) + "'?";
  Complain(text + "\nRun 'pactdb --help' for the list.");
  return kError;
}

bool IsVerb(std::string_view word) {
  return word == "help" || std::ranges::any_of(kCommands, [word](const Command* command) {
           return command->name == word;
         });
}

int Run(std::vector<std::string> arguments) {
  CLI::App app{"pactdb: a versioned database for the context of LLM agents"};
  app.name("pactdb");
  app.set_version_flag("--version", PACTDB_VERSION);
  app.require_subcommand(1);
  app.footer("Run 'pactdb help VERB' for the arguments and examples of a verb.");
  std::map<const CLI::App*, std::function<int()>> runners;
  for (const Command* command : kCommands) {
    CLI::App* verb = app.add_subcommand(std::string(command->name), std::string(command->about));
    verb->footer("\nExamples:\n" + std::string(command->examples));
    runners.emplace(verb, command->setup(*verb));
  }
  // `help VERB` is `VERB --help`.
  if (!arguments.empty() && arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.resize(std::min<std::size_t>(arguments.size(), 1));
    arguments.emplace_back("--help");
  }
  if (!arguments.empty() && !arguments[0].starts_with('-') && !IsVerb(arguments[0]))
    return UnknownVerb(arguments[0]);
  std::ranges::reverse(arguments);  // as CLI11 wants them
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    const auto verbs = app.get_subcommands();
    const std::string verb = verbs.empty() ? "" : " " + verbs.front()->get_name();
    Complain(std::string(error.what()) + "\nRun 'pactdb" + verb + " --help' for how to call it.");
    return kError;
  }
  return runners.at(app.get_subcommands().front())();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    Complain(error.what());
    return kError;
  }
}
