#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <utility>

#include "cli/terminal.h"
#include "text/canonical.h"

namespace pactdb::cli {
namespace {

constexpr auto kCommands = std::to_array<const Command*>(
    {&kTreeCommand,   &kShowCommand,   &kLogCommand,      &kDiffCommand,     &kRenderCommand,
     &kLifeCommand,   &kTokensCommand, &kSimulateCommand, &kCheckCommand,    &kCacheCommand,
     &kLintCommand,   &kSelectCommand, &kExplainCommand,  &kContextsCommand, &kExportCommand,
     &kShellCommand,  &kInitCommand,   &kImportCommand,   &kAddCommand,      &kCommitCommand,
     &kForkCommand,   &kTagCommand,    &kVerifyCommand,   &kStatsCommand,    &kGcCommand,
     &kBackupCommand, &kRepairCommand, &kExecCommand,     &kReplayCommand,   &kConformanceCommand,
     &kBenchCommand,  &kDemoCommand,   &kGenerateCommand});

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

// What is wrong with the text of a whole number; empty if nothing is. Without it a number too large
// would be the largest, and one that begins with 0 octal.
std::string FaultOfNumber(const std::string& text) {
  std::string_view number = text;
  if (number.starts_with('+')) number.remove_prefix(1);
  std::string_view digits = number;
  if (text.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return "'" + text + "' is not a whole number in decimal digits";
  if (digits.size() > 1 && digits.starts_with('0'))
    return "'" + text + "' begins with 0, which could mean octal";
  std::int64_t value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  return read.ec == std::errc() ? "" : "'" + text + "' does not fit 64 bits";
}

// The checks of what options take that no verb asks for itself; they come before its own.
// A variable that is not set makes an empty value. That must not mean what leaving the option out
// means: another snapshot, other rules of what goes, no record. Texts and pointers may be empty.
bool MayBeEmpty(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(/*positional=*/true) != "FILE";
  return option.check_lname("text") || option.check_lname("pointer");
}

void CheckValues(CLI::App& verb) {
  for (CLI::Option* option : verb.get_options()) {
    if (option->get_items_expected_max() == 0) {
      option->disable_flag_override();  // it is given or it is not
      continue;
    }
    if (option->get_type_name().starts_with("INT"))
      option->transform(CLI::Validator([](std::string& text) { return FaultOfNumber(text); }, ""));
    if (MayBeEmpty(*option)) continue;
    const auto fault = [](const std::string& text) { return text.empty() ? "it is empty" : ""; };
    option->check(fault);
  }
}

}  // namespace

std::span<const Command* const> Commands() {
  return kCommands;
}

std::string_view TitleOf(Group group) {
  switch (group) {
    case Group::kLook:
      return "Looking";
    case Group::kWrite:
      return "Writing";
    case Group::kCare:
      return "Taking care of a file";
    case Group::kProgram:
      return "Programs and tests";
    case Group::kHidden:
      return "";
  }
  return "";
}

Program::Program(const Setting& here)
    : is_shell_(!here.file.empty()),
      app_(std::make_unique<CLI::App>(
          "pactdb: a versioned database for the context of LLM agents")) {
  app_->name(is_shell_ ? "" : "pactdb");
  app_->set_version_flag("--version", PACTDB_VERSION);
  app_->require_subcommand(1);
  app_->footer("Run 'pactdb help VERB' for the arguments and examples of a verb.");
  for (const Command* command : kCommands) {
    if (is_shell_ && !command->in_shell) continue;
    CLI::App* verb = app_->add_subcommand(std::string(command->name), std::string(command->about));
    verb->group(std::string(TitleOf(command->group)));
    verb->footer("\nExamples:\n" + std::string(command->examples));
    runners_.emplace(verb, command->setup(*verb, here));
    CheckValues(*verb);
  }
}

Program::~Program() = default;

bool Program::IsVerb(std::string_view word) const {
  return word == "help" || std::ranges::any_of(runners_, [word](const auto& runner) {
           return runner.first->get_name() == word;
         });
}

Fault Program::UnknownVerb(std::string_view word) const {
  std::string text = "there is no verb '" + std::string(word) + "'";
  const Command* nearest = nullptr;
  for (const Command* command : kCommands) {
    if (command->group == Group::kHidden || !IsVerb(command->name)) continue;
    if (nearest == nullptr || Distance(word, command->name) < Distance(word, nearest->name))
      nearest = command;
  }
  if (Distance(word, nearest->name) <= 2)
    text += "; did you mean '" + std::string(nearest->name) + "'?";
  const std::string help = is_shell_ ? "help" : "pactdb --help";
  return Fault(text).Hint("\nRun '" + help + "' for the list.");
}

Said<int> Program::NotParsed(const CLI::ParseError& error) const {
  if (error.get_exit_code() == 0) {  // --help and --version
    std::ostringstream text;
    app_->exit(error, text, text);
    return Print(text.str()) ? kOk : kError;
  }
  const auto verbs = app_->get_subcommands();
  const std::string verb = verbs.empty() ? "" : " " + verbs.front()->get_name();
  const std::string help = is_shell_ ? "help" + verb : "pactdb" + verb + " --help";
  return Fail(Fault(error.what()).Hint("\nRun '" + help + "' for how to call it."));
}

Said<int> Program::Answer(std::vector<std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (IsValidUtf8(arguments[i])) continue;
    return Fail("argument " + std::to_string(i + 1) +
                " is not UTF-8: " + ReplaceInvalidUtf8(arguments[i]));
  }
  // `help VERB` is `VERB --help`.
  if (!arguments.empty() && arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.resize(std::min<std::size_t>(arguments.size(), 1));
    arguments.emplace_back("--help");
  }
  if (!arguments.empty() && !arguments[0].starts_with('-') && !IsVerb(arguments[0]))
    return Fail(UnknownVerb(arguments[0]));
  std::ranges::reverse(arguments);  // as CLI11 wants them
  try {
    app_->parse(arguments);
  } catch (const CLI::ParseError& error) {
    return NotParsed(error);
  }
  return runners_.at(app_->get_subcommands().front())();
}

int Program::Run(const std::vector<std::string>& arguments) {
  const Said<int> code = Answer(arguments);
  if (code) return *code;
  // By the arguments as they stand, so that a call that could not be read is told that way too.
  const auto end = std::ranges::find(arguments, "--");
  const auto is_json = [](const std::string& word) {
    return word == "--json" || word == "--json=true";
  };
  if (std::find_if(arguments.begin(), end, is_json) != end) Print(code.error().Json() + "\n");
  Complain(code.error().Text());
  return kError;
}

}  // namespace pactdb::cli
