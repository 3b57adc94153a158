// Lines from a person at a terminal, with history and completion (libedit); or from a pipe, as they
// come.
//
// Thread safety: one thread at a time, and one editor at a time: the terminal is one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pactdb::cli {

// What may stand in place of the end of a line.
struct Completion {
  std::size_t start = 0;  // where in the line the word begins
  std::vector<std::string> words;
};

class LineEditor {
 public:
  // Of the line up to the cursor.
  using Completer = std::function<Completion(std::string_view line)>;

  // Edits if standard input is a terminal. `history_file` is read and written; empty: none.
  LineEditor(std::string history_file, Completer completer);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  bool is_interactive() const;
  // Without its newline; nothing at the end of the input.
  std::optional<std::string> Read(const std::string& prompt);

 private:
  struct Terminal;
  std::unique_ptr<Terminal> terminal_;  // null: a pipe
};

// The longest text that all words begin with, at a character's end.
std::string CommonBeginning(const std::vector<std::string>& words);

}  // namespace pactdb::cli
