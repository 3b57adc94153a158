// pactdb: the command.
#include <exception>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/terminal.h"

int main(int argc, char** argv) {
  try {
    return pactdb::cli::Program({}).Run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    pactdb::cli::Complain(error.what());
    return pactdb::cli::kError;
  }
}
