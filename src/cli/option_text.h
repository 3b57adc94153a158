// What the parser knows of a verb's arguments, for manual pages and completions.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace pactdb::cli {

struct OptionText {
  std::string name;  // --at; FILE
  std::string about;
  std::string value;                // what it takes, as in TEXT; empty for a flag
  std::string fallback;             // what it is unless given
  std::vector<std::string> values;  // all it takes, where these are few
  bool is_positional = false;
  bool is_required = false;
};

// In the order in which they were declared.
std::vector<OptionText> OptionsText(const CLI::App& verb);

// Null if there is none.
const CLI::App* FindVerb(const CLI::App& program, std::string_view name);

}  // namespace pactdb::cli
