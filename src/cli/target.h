// What a verb writes to: a database file, opened for writing unless it only looks.
//
// Thread safety: one thread at a time.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/session.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace pactdb::cli {

struct Setting;

struct TargetOptions {
  std::string file;
  std::string context = "main";
  bool json = false;

  // Declares FILE, --context and --json; in a shell, which has its file, the last two.
  void Declare(CLI::App& app, const Setting& here);
  // FILE and --json only, for verbs about the whole file.
  void DeclareFile(CLI::App& app, const Setting& here);
};

// A file that was made for nothing is taken back. Lives longer than the session on it.
class NewFile {
 public:
  explicit NewFile(const std::string& file);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  bool is_new() const { return is_new_; }
  void Keep() { is_new_ = false; }
  // Somebody else may have made the file and filled it, just before.
  void KeepIfFilled(Database& database);

 private:
  std::string file_;
  bool is_new_;
};

// A file that is not there is a fault.
Said<Session> OpenTarget(const TargetOptions& options, Access access = Access::kWrite);
// A file that is not there is made; `file` is told what comes of it. Its `main` keeps a journal, as
// every context that the command makes.
Said<Session> OpenOrMakeTarget(const TargetOptions& options, NewFile& file);

// Contexts that requests of the session make keep a journal: what one process adds, the next can
// commit. A context that a program made keeps the configuration it was given.
void MakeContextsWithJournal(Session& session);
// A fault if the context is there and keeps no journal: then `what` is done to it, and not
// committed, would be gone with this process. `hint`: what else can be done.
Said<void> CheckKept(Session& session, std::string_view what, std::string_view hint);

// Prints the answer as JSON, or as `print` has it. The exit code.
Said<int> PrintAnswer(const TargetOptions& options, const Said<Answer>& answer,
                      const std::function<int(const Answer&)>& print);

// Opens, asks and prints. The exit code.
Said<int> Change(const TargetOptions& options, const Ask& ask,
                 const std::function<int(const Answer&)>& print);

}  // namespace pactdb::cli
