// pactdb: the command.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/terminal.h"

namespace {

// A file that is opened where standard output was closed would be taken for it. What stands there
// instead cannot be written, so that output that is lost is told.
void OpenStandardStreams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    const int mode = descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR;
    if (fcntl(descriptor, F_GETFD) == -1)  // NOLINT(*-vararg)
      (void)open("/dev/null", mode);       // NOLINT(*-vararg): the lowest that is free
  }
}

}  // namespace

int main(int argc, char** argv) {
  OpenStandardStreams();
  // A file that may not grow any more is an error to tell, not a signal to die of.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return pactdb::cli::Program({}).Run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    pactdb::cli::Complain(error.what());
    return pactdb::cli::kError;
  }
}
