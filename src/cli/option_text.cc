#include "cli/option_text.h"

#include <CLI/CLI.hpp>

namespace pactdb::cli {
namespace {

// Of a type like TEXT:{classic,depth}.
std::vector<std::string> ValuesOf(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.rfind('}');
  std::vector<std::string> values;
  if (open == std::string::npos || close == std::string::npos || close < open) return values;
  std::string_view list = std::string_view(type).substr(open + 1, close - open - 1);
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    values.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return values;
}

}  // namespace

std::vector<OptionText> OptionsText(const CLI::App& verb) {
  std::vector<OptionText> texts;
  for (const CLI::Option* option : verb.get_options()) {
    OptionText text;
    text.is_positional = option->get_positional();
    text.name = text.is_positional ? option->get_name(true) : "--" + option->get_lnames().front();
    text.about = option->get_description();
    text.is_required = option->get_required();
    if (option->get_expected_max() > 0 && option->get_type_size_max() > 0) {
      const std::string type = option->get_type_name();
      text.value = type.substr(0, type.find(':'));
      text.values = ValuesOf(type);
      text.fallback = option->get_default_str();
    }
    const bool has_opposite = !text.is_positional && option->get_lnames().size() > 1;
    texts.push_back(std::move(text));
    // Of a flag that can be taken back, as --keep-tagged by --no-keep-tagged.
    if (!has_opposite) continue;
    OptionText opposite;
    opposite.name = "--" + option->get_lnames().back();
    opposite.about = "the opposite of --" + option->get_lnames().front();
    texts.push_back(std::move(opposite));
  }
  return texts;
}

const CLI::App* FindVerb(const CLI::App& program, std::string_view name) {
  for (const CLI::App* verb : program.get_subcommands(nullptr)) {
    if (verb->get_name() == name) return verb;
  }
  return nullptr;
}

}  // namespace pactdb::cli
