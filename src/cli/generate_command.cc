#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>

#include "cli/commands.h"
#include "cli/generated.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  std::string what;
  std::string folder;
};

Said<int> Run(const Options& options) {
  const Program program({});
  std::vector<GeneratedFile> files;
  if (options.what == "man") files = ManualPages(program);
  if (options.what == "bash") files = {{"pactdb.bash", BashCompletion(program)}};
  if (options.what == "zsh") files = {{"_pactdb", ZshCompletion(program)}};
  if (options.what == "fish") files = {{"pactdb.fish", FishCompletion(program)}};
  for (const GeneratedFile& file : files) {
    if (options.folder.empty()) {
      if (!Print(file.text)) return kError;
      continue;
    }
    const std::string path = options.folder + "/" + file.name;
    std::ofstream out(path, std::ios::binary);
    if (!(out << file.text) || !out.flush()) return Fail(Fault("it cannot be written").In(path));
  }
  return kOk;
}

}  // namespace

const Command kGenerateCommand = {.name = "generate",
                                  .about = "manual pages and completions, for the build",
                                  .examples = R"(  pactdb generate bash
  pactdb generate man --folder .)",
                                  .setup = [](CLI::App& app, const Setting& /*here*/) -> Runner {
                                    auto options = std::make_shared<Options>();
                                    app.add_option("WHAT", options->what, "what to make")
                                        ->required()
                                        ->check(CLI::IsMember({"man", "bash", "zsh", "fish"}));
                                    app.add_option("--folder", options->folder,
                                                   "where to; standard output unless given");
                                    return [options] { return Run(*options); };
                                  },
                                  .group = Group::kHidden,
                                  .in_shell = false};

}  // namespace pactdb::cli
