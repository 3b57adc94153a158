#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

#include "cli/option_text.h"
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

// Edits between two words: characters that came, went or changed, and neighbours that were swapped.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> above = row;
  std::vector<std::size_t> above_that = row;
  for (std::size_t i = 0; i < a.size(); ++i) {
    above_that.swap(above);
    above.swap(row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = above[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({change, row[j] + 1, above[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row[j + 1] = std::min(row[j + 1], above_that[j - 1] + 1);
    }
  }
  return row.back();
}

// A word of which more is wrong than right is another word.
bool IsSlip(std::string_view typed, std::string_view meant) {
  const std::size_t distance = Distance(typed, meant);
  return distance <= 2 && 2 * distance <= typed.size();
}

// --at of --at=@c1
std::string OptionOf(std::string_view word) {
  return std::string(word.substr(0, word.find('=')));
}

// Without the dashes, in which all options are alike.
std::string_view NameOf(std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  return option;
}

// The option of the verb that looks most like the one that it does not have; empty if none does.
std::string Meant(const CLI::App& verb, std::string_view typed) {
  std::string nearest;
  for (const OptionText& option : OptionsText(verb)) {
    if (option.is_positional) continue;
    if (nearest.empty() ||
        Distance(NameOf(typed), NameOf(option.name)) < Distance(NameOf(typed), NameOf(nearest)))
      nearest = option.name;
  }
  return IsSlip(NameOf(typed), NameOf(nearest)) ? nearest : "";
}

// An option that the verb does not have, among what it could not read. What is wrong with the rest
// mostly comes of it.
std::optional<std::string> FaultOfOption(const CLI::App& verb) {
  const std::vector<std::string> words = verb.remaining();
  const auto word = std::ranges::find_if(
      words, [](const std::string& one) { return one.starts_with('-') && one != "-"; });
  if (word == words.end()) return std::nullopt;
  const std::string option = OptionOf(*word);
  const std::string meant = Meant(verb, option);
  return verb.get_name() + " has no option '" + option + "'" +
         (meant.empty() ? "" : "; did you mean '" + meant + "'?");
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
  app_->footer(is_shell_
                   ? "'help VERB' has the arguments of a verb, which takes no FILE here. 'context "
                     "NAME' goes to\nanother context, a selector by itself is looked up, a JSON "
                     "object is a request as\n'pactdb exec' takes it, 'exit' ends."
                   : "Run 'pactdb help VERB' for the arguments and examples of a verb.");
  for (const Command* command : kCommands) {
    if (is_shell_ && !command->in_shell) continue;
    CLI::App* verb = app_->add_subcommand(std::string(command->name), std::string(command->about));
    verb->group(std::string(TitleOf(command->group)));
    verb->footer((is_shell_ ? "\nExamples, as outside of the shell:\n" : "\nExamples:\n") +
                 std::string(command->examples));
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
  if (IsSlip(word, nearest->name)) text += "; did you mean '" + std::string(nearest->name) + "'?";
  const std::string help = is_shell_ ? "help" : "pactdb --help";
  return Fault(text).Hint("\nRun '" + help + "' for the list.");
}

std::optional<Fault> Program::OptionBeforeVerb(const std::vector<std::string>& arguments) const {
  if (arguments.empty() || !arguments[0].starts_with('-')) return std::nullopt;
  const std::string option = OptionOf(arguments[0]);
  const auto verb =
      std::ranges::find_if(arguments, [this](const std::string& word) { return IsVerb(word); });
  if (verb == arguments.end() || app_->get_option_no_throw(option) != nullptr) return std::nullopt;
  const std::string call = (is_shell_ ? "" : "pactdb ") + *verb + " " + option;
  return Fault("'" + option + "' stands before the verb; options go behind it, as in '" + call +
               "'");
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
  const auto option = verbs.empty() ? std::nullopt : FaultOfOption(*verbs.front());
  return Fail(
      Fault(option.value_or(error.what())).Hint("\nRun '" + help + "' for how to call it."));
}

Said<int> Program::Answer(std::vector<std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (IsValidUtf8(arguments[i])) continue;
    return Fail("argument " + std::to_string(i + 1) +
                " is not UTF-8: " + ReplaceInvalidUtf8(arguments[i]));
  }
  // `help VERB` and `--help VERB` are `VERB --help`.
  if (!arguments.empty() &&
      (arguments[0] == "help" || arguments[0] == "--help" || arguments[0] == "-h")) {
    arguments.erase(arguments.begin());
    arguments.resize(std::min<std::size_t>(arguments.size(), 1));
    arguments.emplace_back("--help");
  }
  if (!arguments.empty() && !arguments[0].starts_with('-') && !IsVerb(arguments[0]))
    return Fail(UnknownVerb(arguments[0]));
  if (auto option = OptionBeforeVerb(arguments)) return Fail(*std::move(option));
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
