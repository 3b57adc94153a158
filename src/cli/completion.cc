// Completions: the verbs, then the options of the verb, the values of an option, and files.
#include <CLI/CLI.hpp>

#include "cli/generated.h"
#include "cli/option_text.h"

namespace pactdb::cli {
namespace {

// For single quotes.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char byte : text) {
    if (byte == '\'') {
      quoted += "'\\''";
    } else {
      quoted += byte;
    }
  }
  return quoted + "'";
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

std::vector<OptionText> Named(const Program& program, const Command& command) {
  std::vector<OptionText> options = OptionsText(*FindVerb(program.app(), command.name));
  std::erase_if(options, [](const OptionText& option) { return option.is_positional; });
  return options;
}

// What zsh takes as the text of a choice.
std::string ZshText(std::string_view text) {
  std::string escaped;
  for (const char byte : text) {
    if (byte == ':' || byte == '[' || byte == ']') escaped += '\\';
    escaped += byte;
  }
  return escaped;
}

}  // namespace

std::vector<const Command*> ListedCommands() {
  std::vector<const Command*> listed;
  for (const Command* command : Commands()) {
    if (command->group != Group::kHidden) listed.push_back(command);
  }
  return listed;
}

std::string BashCompletion(const Program& program) {
  std::string verbs;
  std::string values;
  std::string options;
  for (const Command* command : ListedCommands()) {
    const std::string name(command->name);
    verbs += name + " ";
    options.append("      ").append(name).append(") words='");
    for (const OptionText& option : Named(program, *command)) {
      options.append(option.name).append(" ");
      if (option.values.empty()) continue;
      values +=
          "    '" + name + " " + option.name + "') words='" + Joined(option.values) + "' ;;\n";
    }
    options += "' ;;\n";
  }
  return "# bash completion of pactdb; made by the build from its table of verbs\n"
         "_pactdb() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} "
         "verb=${COMP_WORDS[1]} words=''\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W '" +
         verbs + "help --help --version' -- \"$word\")\n    return\n  fi\n" +
         "  if [ \"$verb\" = help ]; then\n    mapfile -t COMPREPLY < <(compgen -W '" + verbs +
         "' -- \"$word\")\n    return\n  fi\n  case \"$verb $last\" in\n" + values +
         "  esac\n  if [ -z \"$words\" ] && [[ $word == -* ]]; then\n    case \"$verb\" in\n" +
         options +
         "    esac\n  fi\n"
         "  if [ -n \"$words\" ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  else\n    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n  fi\n}\n"
         "complete -o filenames -F _pactdb pactdb\n";
}

std::string ZshCompletion(const Program& program) {
  std::string verbs;
  std::string cases;
  for (const Command* command : ListedCommands()) {
    const std::string name(command->name);
    verbs += "    " + Quoted(name + ":" + std::string(command->about)) + "\n";
    cases += "    " + name + ") _arguments -S \\\n";
    for (const OptionText& option : Named(program, *command)) {
      std::string text = option.name + "[" + ZshText(option.about) + "]";
      if (!option.values.empty()) {
        text += ":value:(" + Joined(option.values) + ")";
      } else if (!option.value.empty()) {
        text += ":value:_files";
      }
      cases += "        " + Quoted(text) + " \\\n";
    }
    cases += "        '*:file:_files' ;;\n";
  }
  return "#compdef pactdb\n# made by the build from the table of verbs\n_pactdb() {\n  local -a "
         "verbs\n  verbs=(\n" +
         verbs +
         "  )\n  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n"
         "  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $verb in\n" +
         cases + "  esac\n}\n_pactdb \"$@\"\n";
}

std::string FishCompletion(const Program& program) {
  std::string text =
      "# fish completion of pactdb; made by the build from its table of verbs\n"
      "complete -c pactdb -n __fish_use_subcommand -f -a help -d 'the arguments of a verb'\n";
  for (const Command* command : ListedCommands()) {
    const std::string name(command->name);
    text += "complete -c pactdb -n __fish_use_subcommand -f -a " + name + " -d " +
            Quoted(command->about) + "\n";
    for (const OptionText& option : Named(program, *command)) {
      text += "complete -c pactdb -n '__fish_seen_subcommand_from " + name + "' -l " +
              option.name.substr(2) + " -d " + Quoted(option.about);
      if (!option.values.empty()) text += " -x -a " + Quoted(Joined(option.values));
      if (option.values.empty() && !option.value.empty()) text += " -r";
      text += "\n";
    }
  }
  return text;
}

}  // namespace pactdb::cli
