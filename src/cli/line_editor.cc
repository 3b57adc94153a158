#include "cli/line_editor.h"

#include <histedit.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <utility>

#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

constexpr int kHistoryLines = 1000;
constexpr std::size_t kShownMax = 100;
// Behind a word that ends with one of these the same word goes on.
constexpr std::string_view kGoesOn = "=~(]";

}  // namespace

// Handed to libedit by its address, hence on the heap.
struct LineEditor::Terminal {
  EditLine* line = nullptr;
  History* history = nullptr;
  std::string history_file;
  std::string prompt;
  Completer completer;
  bool is_taken_back = false;  // the line that was read last

  static Terminal& Of(EditLine* line) {
    void* terminal = nullptr;
    el_get(line, EL_CLIENTDATA, &terminal);
    return *static_cast<Terminal*>(terminal);
  }
  static char* Prompt(EditLine* line) { return Of(line).prompt.data(); }

  static unsigned char Complete(EditLine* line, int /*key*/) {
    const LineInfo* info = el_line(line);
    const std::string_view before(info->buffer,
                                  static_cast<std::size_t>(info->cursor - info->buffer));
    const Completion completion = Of(line).completer(before);
    if (completion.words.empty()) return CC_ERROR;
    const std::size_t typed = before.size() - completion.start;
    const bool is_whole =
        completion.words.size() == 1 && !kGoesOn.contains(completion.words.front().back());
    const std::string rest =
        CommonBeginning(completion.words).substr(typed) + (is_whole ? " " : "");
    if (!rest.empty()) return el_insertstr(line, rest.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    std::string list = "\n";
    for (std::size_t i = 0; i < std::min(completion.words.size(), kShownMax); ++i)
      list.append(Clean(completion.words[i], /*one_line=*/true)).append("  ");
    if (completion.words.size() > kShownMax) list += "...";
    std::fputs((list + "\n").c_str(), stdout);
    return CC_REDISPLAY;
  }

  static unsigned char TakeBack(EditLine* line, int /*key*/) {
    Of(line).is_taken_back = true;
    std::fputs("^C\n", stdout);
    return CC_NEWLINE;
  }

  static unsigned char Suspend(EditLine* line, int /*key*/) {
    el_set(line, EL_PREP_TERM, 0);
    ::kill(0, SIGTSTP);  // all of a pipe, as the key does; nobody, where no shell could go on
    el_set(line, EL_PREP_TERM, 1);
    return CC_REDISPLAY;
  }

  // While a line is typed, the keys that the terminal has for signals are keys: libedit reads on
  // after an interrupt, and what was typed would stay. A verb that runs is interrupted as ever, and
  // the shell with it.
  void TakeKeysOfSignals() {
    termios modes{};
    if (::tcgetattr(STDIN_FILENO, &modes) != 0) return;
    el_set(line, EL_ADDFN, "pactdb-take-back", "take the line back", &Terminal::TakeBack);
    el_set(line, EL_ADDFN, "pactdb-suspend", "suspend the shell", &Terminal::Suspend);
    Bind(modes.c_cc[VINTR], "pactdb-take-back");
    Bind(modes.c_cc[VSUSP], "pactdb-suspend");
    el_set(line, EL_SETTY, "-d", "-isig", nullptr);
  }
  void Bind(cc_t key, const char* function) {
    if (key == _POSIX_VDISABLE) return;
    const std::string keys = {static_cast<char>(key)};
    el_set(line, EL_BIND, keys.c_str(), function, nullptr);
  }
};

LineEditor::LineEditor(std::string history_file, Completer completer) {
  if (::isatty(STDIN_FILENO) != 1) return;
  // For characters of more than one byte; nothing else of ours asks for the locale.
  std::setlocale(LC_CTYPE, "C.UTF-8");  // NOLINT(concurrency-mt-unsafe): the only thread
  terminal_ = std::make_unique<Terminal>();
  Terminal& terminal = *terminal_;
  terminal.completer = std::move(completer);
  terminal.history_file = std::move(history_file);
  terminal.line = el_init("pactdb", stdin, stdout, stderr);
  terminal.history = history_init();
  HistEvent event;
  history(terminal.history, &event, H_SETSIZE, kHistoryLines);
  history(terminal.history, &event, H_SETUNIQUE, 1);
  if (!terminal.history_file.empty())
    history(terminal.history, &event, H_LOAD, terminal.history_file.c_str());
  el_set(terminal.line, EL_CLIENTDATA, &terminal);
  el_set(terminal.line, EL_PROMPT, &Terminal::Prompt);
  el_set(terminal.line, EL_SIGNAL, 1);
  el_set(terminal.line, EL_EDITOR, "emacs");
  el_set(terminal.line, EL_HIST, history, terminal.history);
  el_set(terminal.line, EL_ADDFN, "pactdb-complete", "complete the word", &Terminal::Complete);
  el_set(terminal.line, EL_BIND, "^I", "pactdb-complete", nullptr);
  el_set(terminal.line, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  terminal.TakeKeysOfSignals();
  // What is left of an end of input that was typed before the terminal gave us keys. libedit would
  // take it for the key that quotes the next one.
  el_set(terminal.line, EL_BIND, "^@", "ed-unassigned", nullptr);
}

LineEditor::~LineEditor() {
  if (!terminal_) return;
  if (!terminal_->history_file.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(
        std::filesystem::path(terminal_->history_file).parent_path(), ignored);
    HistEvent event;
    history(terminal_->history, &event, H_SAVE, terminal_->history_file.c_str());
  }
  history_end(terminal_->history);
  el_end(terminal_->line);
}

bool LineEditor::is_interactive() const {
  return terminal_ != nullptr;
}

std::optional<std::string> LineEditor::Read(const std::string& prompt) {
  std::string line;
  if (!terminal_) {
    if (!std::getline(std::cin, line)) return std::nullopt;
    return line;
  }
  terminal_->prompt = prompt;
  int size = 0;
  terminal_->is_taken_back = false;
  // libedit says the prompt first, and would be interrupted by whoever answers it at once.
  el_set(terminal_->line, EL_PREP_TERM, 1);
  const char* text = el_gets(terminal_->line, &size);
  if (terminal_->is_taken_back) return line;
  if (text == nullptr || size <= 0) return std::nullopt;
  line.assign(text, static_cast<std::size_t>(size));
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  HistEvent event;
  if (line.find_first_not_of(' ') != std::string::npos)
    history(terminal_->history, &event, H_ENTER, line.c_str());
  return line;
}

std::string CommonBeginning(const std::vector<std::string>& words) {
  if (words.empty()) return "";
  std::string common = words.front();
  for (const std::string& word : words) {
    const auto [end, ignored] = std::ranges::mismatch(common, word);
    common.erase(end, common.end());
  }
  const auto is_inside = [&words](std::size_t size) {
    return size < words.front().size() &&
           (static_cast<unsigned char>(words.front()[size]) & 0xC0U) == 0x80U;
  };
  while (!common.empty() && is_inside(common.size())) common.pop_back();
  return common;
}

}  // namespace pactdb::cli
