#include "cli/target.h"

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/terminal.h"

namespace pactdb::cli {

void TargetOptions::DeclareFile(CLI::App& app, const Setting& here) {
  if (here.file.empty()) {
    app.add_option("FILE", file, "a database")->required();
  } else {
    file = here.file;
  }
  app.add_flag("--json", json, "the answer as JSON, on one line");
}

void TargetOptions::Declare(CLI::App& app, const Setting& here) {
  DeclareFile(app, here);
  context = here.context;
  app.add_option("--context", context, "the context")->capture_default_str();
}

Said<Session> OpenTarget(const TargetOptions& options) {
  if (!IsThere(options.file))
    return std::unexpected(options.file + ": there is no such file; 'pactdb init' makes one");
  return Session::Open(options.file, Access::kWrite, options.context);
}

Said<void> MakeContext(Session& session) {
  if (session.HasContext()) return {};
  const auto made = session.Run(Ask("configure").Text("journal", "on"));
  if (!made) return std::unexpected(made.error());
  return {};
}

int PrintAnswer(const TargetOptions& options, const Said<Answer>& answer,
                const std::function<int(const Answer&)>& print) {
  if (!answer) {
    Complain(answer.error());
    return kError;
  }
  if (!options.json) return print(*answer);
  return Print(std::string(answer->json()) + "\n") ? kOk : kError;
}

int Change(const TargetOptions& options, const Ask& ask,
           const std::function<int(const Answer&)>& print) {
  auto session = OpenTarget(options);
  if (!session) {
    Complain(session.error());
    return kError;
  }
  return PrintAnswer(options, session->Run(ask), print);
}

}  // namespace pactdb::cli
