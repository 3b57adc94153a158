// Manual pages, as groff and mandoc read them.
#include <CLI/CLI.hpp>

#include "cli/generated.h"
#include "cli/option_text.h"

namespace pactdb::cli {
namespace {

// Text of a line: nothing in it is a request, and a minus can be copied.
std::string Roff(std::string_view text) {
  std::string roff;
  for (const char byte : text) {
    if (byte == '\\') {
      roff += "\\e";
    } else if (byte == '-') {
      roff += "\\-";
    } else {
      if ((byte == '.' || byte == '\'') && (roff.empty() || roff.ends_with('\n'))) roff += "\\&";
      roff += byte;
    }
  }
  return roff;
}

std::string Head(std::string_view name, std::string_view about) {
  std::string upper;
  for (const char byte : name)
    upper += byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte;
  return ".TH " + upper + " 1 \"\" \"pactdb " PACTDB_VERSION "\" \"pactdb\"\n.SH NAME\n" +
         Roff(name) + " \\- " + Roff(about) + "\n";
}

std::string Synopsis(const Command& command, const std::vector<OptionText>& options) {
  std::string text = ".SH SYNOPSIS\n.B pactdb " + Roff(command.name) + "\n[\\fIOPTIONS\\fR]";
  for (const OptionText& option : options) {
    if (!option.is_positional) continue;
    text += option.is_required ? " \\fI" : " [\\fI";
    text += Roff(option.name) + (option.is_required ? "\\fR" : "\\fR]");
  }
  return text + "\n";
}

std::string Arguments(const std::vector<OptionText>& options) {
  std::string text = ".SH OPTIONS\n";
  for (const OptionText& option : options) {
    text += ".TP\n\\fB" + Roff(option.name) + "\\fR";
    if (!option.is_positional && !option.value.empty()) text += " \\fI" + option.value + "\\fR";
    text += "\n" + Roff(option.about);
    if (!option.values.empty()) {
      text += " (one of";
      for (const std::string& value : option.values) text += " " + Roff(value);
      text += ")";
    }
    if (!option.fallback.empty()) text += " (" + Roff(option.fallback) + " unless given)";
    text += "\n";
  }
  return text;
}

// The command lines, then the prose that follows them.
std::string Examples(std::string_view examples) {
  const std::size_t end = std::min(examples.find("\n\n"), examples.size());
  std::string text;
  if (end < examples.size()) text = ".SH DESCRIPTION\n" + Roff(examples.substr(end + 2)) + "\n";
  return text + ".SH EXAMPLES\n.nf\n" + Roff(examples.substr(0, end)) + "\n.fi\n";
}

constexpr std::string_view kEnd =
    ".SH EXIT STATUS\n0 if all is well, 1 for a finding, 2 for a usage error or one of the errors "
    "of\n.I docs/errors.md\n";

std::string Overview() {
  std::string text = Head("pactdb", "a versioned database for the context of LLM agents");
  text += ".SH SYNOPSIS\n.B pactdb\n\\fIVERB\\fR [\\fIOPTIONS\\fR] ...\n.SH VERBS\n";
  Group group = Group::kHidden;
  for (const Command* command : ListedCommands()) {
    if (command->group != group) text += ".SS " + std::string(TitleOf(command->group)) + "\n";
    group = command->group;
    text += ".TP\n.BR pactdb\\-" + Roff(command->name) + " (1)\n" + Roff(command->about) + "\n";
  }
  text +=
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colour in a terminal\n.TP\n.B COLUMNS\nthe width "
      "to cut lines to\n.TP\n.B PACTDB_HISTORY\nwhere the shell keeps what was typed\n";
  return text.append(kEnd);
}

}  // namespace

std::vector<GeneratedFile> ManualPages(const Program& program) {
  std::vector<GeneratedFile> pages = {{"pactdb.1", Overview()}};
  for (const Command* command : ListedCommands()) {
    const std::vector<OptionText> options = OptionsText(*FindVerb(program.app(), command->name));
    const std::string name = "pactdb-" + std::string(command->name);
    std::string text = Head(name, command->about);
    text.append(Synopsis(*command, options)).append(Arguments(options));
    text.append(Examples(command->examples)).append(kEnd);
    text += ".SH SEE ALSO\n.BR pactdb (1)\n";
    pages.push_back({name + ".1", std::move(text)});
  }
  return pages;
}

}  // namespace pactdb::cli
