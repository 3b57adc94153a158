// The shell: the same verbs, with FILE left out. Every line opens the file anew, to read or to
// write as its verb does, so that a shell holds up nobody and always shows what is there now.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "base/limits.h"
#include "cli/commands.h"
#include "cli/line_editor.h"
#include "cli/program.h"
#include "cli/session.h"
#include "cli/shell_words.h"
#include "cli/target.h"
#include "cli/terminal.h"
#include "text/json_doc.h"
#include "text/json_out.h"

namespace pactdb::cli {
namespace {

std::string HistoryFile() {
  const auto environment = [](const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): the only thread
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string file = environment("PACTDB_HISTORY"); !file.empty()) return file;
  if (const std::string state = environment("XDG_STATE_HOME"); !state.empty())
    return state + "/pactdb/history";
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.local/state/pactdb/history";
}

// What such a request does is gone with the process unless it is committed or kept in a journal.
bool IsEdit(const JsonRef& request) {
  const auto op = request.Find("op");
  if (!op || !op->is_string()) return false;
  const std::string_view name = op->string();
  if (name == "import") {
    const auto seal = request.Find("seal");
    return !request.Find("snapshot") &&
           !(seal && seal->kind() == Json::Kind::kBool && seal->boolean());
  }
  constexpr auto kEdits = std::to_array<std::string_view>(
      {"add", "update", "replace", "move", "remove", "pin", "unpin"});
  return std::ranges::find(kEdits, name) != kEdits.end();
}

// The request, to the context that the shell is in unless it says another.
std::string InContext(const std::string& line, const JsonRef& request, const Setting& here) {
  if (request.Find("context") || here.context == "main") return line;
  JsonOut name;
  name.String(here.context);
  const std::size_t open = line.find('{') + 1;
  return line.substr(0, open) + R"("context":)" + name.Take() + (request.size() == 0 ? "" : ",") +
         line.substr(open);
}

bool IsGood(const std::string& answer) {
  return answer.starts_with(R"({"ok":true)");
}

Said<int> PrintRequestAnswer(const std::string& answer) {
  if (!Print(answer + "\n")) return kError;
  return IsGood(answer) ? kOk : kError;
}

// One request, as `exec` takes it. Whatever only reads does so while another process writes.
Said<int> RunRequest(const std::string& line, const Setting& here) {
  const auto doc = JsonDoc::ParseView(line, limits::kDocumentJsonDepthMax);
  const bool is_request = doc && doc->root().is_object();
  const std::string request = is_request ? InContext(line, doc->root(), here) : line;
  {
    auto reading = Session::Open(here.file, Access::kRead, here.context);
    if (!reading) return Fail(reading.error());
    const std::string answer = reading->exec().Answer(request);
    if (IsGood(answer) || !answer.contains(R"("code":"E_STORE_READONLY")"))
      return PrintRequestAnswer(answer);
  }
  auto session = Session::Open(here.file, Access::kWrite, here.context);
  if (!session) return Fail(session.error());
  MakeContextsWithJournal(*session);
  if (is_request && IsEdit(doc->root())) {
    const auto context = doc->root().Find("context");
    if (context && context->is_string()) session->set_context(std::string(context->string()));
    const auto kept = CheckKept(*session, "an edit", "a program commits it in the same session");
    if (!kept) return Fail(kept.error());
  }
  return PrintRequestAnswer(session->exec().Answer(request));
}

Said<int> SwitchContext(const std::vector<std::string>& words, Setting& here) {
  if (words.size() == 1) return Print(here.context + "\n") ? kOk : kError;
  auto session = Session::Open(here.file, Access::kRead, words[1]);
  if (!session) return Fail(session.error());
  const Said<bool> has_context = session->HasContext();
  if (!has_context) return Fail(has_context.error());
  if (!*has_context) return Fail("there is no context '" + words[1] + "'");
  here.context = words[1];
  return kOk;
}

Said<int> RunLine(const std::string& line, Setting& here) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (line[start] == '{') return RunRequest(line, here);
  // A selector by itself is looked up.
  if (std::string_view(".^@#+(").contains(line[start]))
    return Program(here).Run({"select", line.substr(start)});
  auto words = SplitWords(line);
  if (!words) return Fail(words.error());
  // As it is typed outside of the shell.
  if (words->size() > 1 && words->front() == "pactdb") words->erase(words->begin());
  if (words->front() == "context") return SwitchContext(*words, here);
  return Program(here).Run(*std::move(words));
}

Said<int> Run(Setting here) {
  if (const auto session = Session::Open(here.file, Access::kRead, here.context); !session)
    return Fail(session.error());
  LineEditor editor(HistoryFile(),
                    [&here](std::string_view line) { return CompleteLine(line, here); });
  if (editor.is_interactive())
    Print("help lists the verbs, TAB completes, a selector by itself is looked up, exit ends\n");
  int worst = kOk;
  const std::string name = here.file.substr(here.file.rfind('/') + 1);
  while (const auto line = editor.Read(name + ":" + here.context + "> ")) {
    if (line->find_first_not_of(" \t\r") == std::string::npos) continue;
    if (*line == "exit" || *line == "quit") break;
    const Said<int> code = RunLine(*line, here);
    if (!code) Complain(code.error().Text());
    worst = std::max(worst, code.value_or(kError));
  }
  return editor.is_interactive() ? kOk : worst;
}

}  // namespace

const Command kShellCommand = {
    .name = "shell",
    .about = "a prompt on a database, with history and completion",
    .examples = R"(  pactdb import chat.pactdb chat.json
  echo 'log' | pactdb shell chat.pactdb
  printf "diff @t-1 @t0\n.block[role='user']\n" | pactdb shell chat.pactdb
  echo '{"op":"stats"}' | pactdb shell chat.pactdb

The verbs take no FILE here. TAB completes verbs, options, ids, keys (#), tags (+), snapshots (@)
and selectors; a selector by itself is looked up; a JSON object is a request as `pactdb exec` takes
it; `context NAME` goes to another context. Lines may also come from a pipe; the exit code is then
the worst of theirs.)",
    .setup = [](CLI::App& app, const Setting& /*here*/) -> Runner {
      auto options = std::make_shared<Setting>();
      app.add_option("FILE", options->file, "a database")->required();
      app.add_option("--context", options->context, "the context")->capture_default_str();
      return [options] { return Run(*options); };
    },
    .in_shell = false};

}  // namespace pactdb::cli
