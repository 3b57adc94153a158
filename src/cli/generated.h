// What the build makes from the table of verbs: manual pages, and completions for shells.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "cli/program.h"

namespace pactdb::cli {

struct GeneratedFile {
  std::string name;
  std::string text;
};

// pactdb.1, and pactdb-VERB.1 for each verb.
std::vector<GeneratedFile> ManualPages(const Program& program);

std::string BashCompletion(const Program& program);
std::string ZshCompletion(const Program& program);
std::string FishCompletion(const Program& program);

// The verbs that are listed, in order.
std::vector<const Command*> ListedCommands();

}  // namespace pactdb::cli
