// Text for people: colour, width, tables.
//
// Whatever comes from a document is cleaned before it is printed: control characters become
// visible, so that content cannot steer the terminal. Output to something that is no terminal has
// no colour and is not cut.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pactdb::cli {

enum class Colour { kPlain, kBold, kDim, kRed, kGreen, kYellow, kBlue, kMagenta, kCyan };

// How standard output is to be written.
class Terminal {
 public:
  // Colour if it is a terminal and NO_COLOR is unset; the width of the terminal, or COLUMNS.
  static Terminal Detect();
  Terminal(bool colour, std::size_t width) : colour_(colour), width_(width) {}

  std::string Paint(Colour colour, std::string_view text) const;
  bool has_colour() const { return colour_; }
  // Columns of a line; 0: as many as it takes.
  std::size_t width() const { return width_; }

 private:
  bool colour_;
  std::size_t width_;
};

// Columns that the text takes: wide characters two, marks that combine none. REQUIRES: valid UTF-8.
std::size_t Columns(std::string_view utf8);

// The text if it fits `columns`, else its beginning and an ellipsis; whole characters only.
// 0 columns: as it is. REQUIRES: valid UTF-8.
std::string Cut(std::string_view utf8, std::size_t columns);

// With control characters as visible ones; newlines and tabs become blanks if `one_line`.
std::string Clean(std::string_view utf8, bool one_line);

// Rows of cells, left-aligned but for the columns named in `right`; the last one takes what width
// is left and is cut to it. Colours are applied after measuring. Ends with a newline.
class Table {
 public:
  struct Cell {
    std::string text;
    Colour colour = Colour::kPlain;
    bool right = false;
  };
  void Add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  std::string Print(const Terminal& terminal) const;

 private:
  std::vector<std::vector<Cell>> rows_;
};

// Writes to standard output; false, with a word on standard error, if that failed.
bool Print(std::string_view text);
// The same of a part, which more follows; the last Print sees to it that all is written.
bool PrintPart(std::string_view text);
// One line on standard error, with the program's name before it.
void Complain(std::string_view text);

}  // namespace pactdb::cli
