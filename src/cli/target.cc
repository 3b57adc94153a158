#include "cli/target.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "cli/commands.h"
#include "cli/json_text.h"
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

NewFile::NewFile(const std::string& file) : file_(file), is_new_(!IsThere(file)) {}

NewFile::~NewFile() {
  if (is_new_) std::remove(file_.c_str());
}

void NewFile::KeepIfFilled(Database& database) {
  const auto contexts = database.List();
  const bool is_filled =
      !contexts || std::ranges::any_of(
                       *contexts, [](const ContextInfo& context) { return context.snapshots > 0; });
  if (is_filled) Keep();
}

Said<Session> OpenOrMakeTarget(const TargetOptions& options, NewFile& file) {
  auto session = Session::Open(options.file, Access::kCreate, "main");
  if (!session) {
    file.Keep();  // it may be somebody's who came first
    return session;
  }
  if (file.is_new()) {
    const auto kept = session->Run(Ask("configure").Text("journal", "on"));
    if (!kept) return std::unexpected(kept.error());
  }
  session->set_context(options.context);
  return session;
}

Said<Session> OpenTarget(const TargetOptions& options, Access access) {
  return Session::Open(options.file, access, options.context, "; 'pactdb init' makes one");
}

void MakeContextsWithJournal(Session& session) {
  session.exec().set_new_context_options({.journal = true});
}

Said<void> CheckKept(Session& session, std::string_view what, std::string_view hint) {
  const auto has_context = session.HasContext();
  if (!has_context) return std::unexpected(has_context.error());
  if (!*has_context) return {};
  const auto configuration = session.Run(Ask("configure"));
  if (!configuration) return std::unexpected(configuration.error());
  if (LineOf(configuration->result(), "journal") == "on") return {};
  std::string text = "the context '" + session.context() + "' keeps no journal: ";
  text.append(what).append(" would end with this command");
  std::string help = "\n  ";
  help.append(hint).append("; {\"op\":\"configure\",\"journal\":\"on\"} to 'pactdb exec' keeps it");
  return Fail(Fault(std::move(text)).Hint(help));
}

Said<int> PrintAnswer(const TargetOptions& options, const Said<Answer>& answer,
                      const std::function<int(const Answer&)>& print) {
  if (!answer) return Fail(answer.error());
  if (!options.json) return print(*answer);
  return Print(std::string(answer->json()) + "\n") ? kOk : kError;
}

Said<int> Change(const TargetOptions& options, const Ask& ask,
                 const std::function<int(const Answer&)>& print) {
  auto session = OpenTarget(options);
  if (!session) return Fail(session.error());
  return PrintAnswer(options, session->Run(ask), print);
}

}  // namespace pactdb::cli
