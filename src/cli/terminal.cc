#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pactdb::cli {
namespace {

constexpr std::string_view kEllipsis = "…";

struct Range {
  char32_t first;
  char32_t last;
};

// Wide as terminals draw them: East Asian scripts, fullwidth forms, pictographs.
constexpr std::array<Range, 12> kWide = {{{0x1100, 0x115F},
                                          {0x231A, 0x231B},
                                          {0x2E80, 0x303E},
                                          {0x3041, 0x4DBF},
                                          {0x4E00, 0xA4CF},
                                          {0xAC00, 0xD7A3},
                                          {0xF900, 0xFAFF},
                                          {0xFE30, 0xFE6F},
                                          {0xFF00, 0xFF60},
                                          {0xFFE0, 0xFFE6},
                                          {0x1F300, 0x1FAFF},
                                          {0x20000, 0x3FFFD}}};
// Drawn on the character before them, or not at all.
constexpr std::array<Range, 5> kNone = {
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0x1F3FB, 0x1F3FF}}};

std::size_t WidthOf(char32_t point) {
  if (point < 0x300) return 1;
  const auto holds = [point](const Range& range) {
    return range.first <= point && point <= range.last;
  };
  if (std::ranges::any_of(kNone, holds)) return 0;
  return std::ranges::any_of(kWide, holds) ? 2 : 1;
}

// The character at `at`, which moves past it.
char32_t NextPoint(std::string_view utf8, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(utf8[at]);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t point = size == 1 ? lead : lead & (0x7Fu >> size);
  for (std::size_t i = 1; i < size && at + i < utf8.size(); ++i)
    point = (point << 6) | (static_cast<unsigned char>(utf8[at + i]) & 0x3Fu);
  at = std::min(at + size, utf8.size());
  return point;
}

std::string_view Code(Colour colour) {
  switch (colour) {
    case Colour::kPlain:
      return "";
    case Colour::kBold:
      return "\x1b[1m";
    case Colour::kDim:
      return "\x1b[2m";
    case Colour::kRed:
      return "\x1b[31m";
    case Colour::kGreen:
      return "\x1b[32m";
    case Colour::kYellow:
      return "\x1b[33m";
    case Colour::kBlue:
      return "\x1b[34m";
    case Colour::kMagenta:
      return "\x1b[35m";
    case Colour::kCyan:
      return "\x1b[36m";
  }
  return "";
}

std::size_t DetectWidth() {
  if (const char* columns = std::getenv("COLUMNS")) {
    const unsigned long width = std::strtoul(columns, nullptr, 10);
    if (width > 0 && width < 100000) return width;
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

Terminal Terminal::Detect() {
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  const bool colour = is_terminal && (no_colour == nullptr || *no_colour == '\0') &&
                      (kind == nullptr || std::string_view(kind) != "dumb");
  return {colour, is_terminal ? DetectWidth() : 0};
}

std::string Terminal::Paint(Colour colour, std::string_view text) const {
  if (!colour_ || colour == Colour::kPlain || text.empty()) return std::string(text);
  return std::string(Code(colour)).append(text).append("\x1b[0m");
}

std::size_t Columns(std::string_view utf8) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < utf8.size();) columns += WidthOf(NextPoint(utf8, at));
  return columns;
}

// Looks no further than the text is shown.
std::string Cut(std::string_view utf8, std::size_t columns) {
  // No character has more columns than bytes.
  if (columns == 0 || utf8.size() <= columns) return std::string(utf8);
  std::size_t taken = 0;
  std::size_t end = 0;  // of what fits beside an ellipsis
  for (std::size_t at = 0; at < utf8.size();) {
    taken += WidthOf(NextPoint(utf8, at));
    if (taken > columns) return std::string(utf8.substr(0, end)).append(kEllipsis);
    if (taken < columns) end = at;
  }
  return std::string(utf8);
}

std::string Clean(std::string_view utf8, bool one_line) {
  std::string clean;
  clean.reserve(utf8.size());
  const auto is_plain = [](char byte) { return byte >= ' ' && byte < 0x7F; };
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t start = at;
    while (at < utf8.size() && is_plain(utf8[at])) ++at;
    if (at > start) {
      clean.append(utf8, start, at - start);
      continue;
    }
    const char32_t point = NextPoint(utf8, at);
    if (point == '\n' || point == '\t') {
      clean += one_line ? ' ' : static_cast<char>(point);
    } else if (point < 0x20) {
      clean += "\xE2\x90";  // U+2400 and on: the pictures of control characters
      clean += static_cast<char>(0x80 + point);
    } else if (point == 0x7F || (point >= 0x80 && point < 0xA0)) {
      clean += "\xE2\x90\xA1";
    } else if ((point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069)) {
      clean += "\xEF\xBF\xBD";  // would turn the rest of the line around
    } else {
      clean.append(utf8.substr(start, at - start));
    }
  }
  return clean;
}

std::string Table::Print(const Terminal& terminal) const {
  std::size_t columns = 0;
  for (const auto& row : rows_) columns = std::max(columns, row.size());
  std::vector<std::size_t> widths(columns);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      // Nothing stands behind the last column, whose texts may be long.
      if (i + 1 < columns || row[i].right) widths[i] = std::max(widths[i], Columns(row[i].text));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::size_t used = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_last = i + 1 == row.size();
      std::string cell = row[i].text;
      if (is_last && terminal.width() > used + 1) cell = Cut(cell, terminal.width() - used);
      std::string padding;
      if (!is_last || row[i].right)
        padding.assign(widths[i] - std::min(widths[i], Columns(cell)), ' ');
      if (row[i].right) text += padding;
      text += terminal.Paint(row[i].colour, cell);
      if (is_last) break;
      if (!row[i].right) text += padding;
      text += "  ";
      used += widths[i] + 2;
    }
    while (text.ends_with(' ')) text.pop_back();
    text += '\n';
  }
  return text;
}

bool PrintPart(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return true;
  Complain(std::string("standard output: ") + std::strerror(errno));
  return false;
}

bool Print(std::string_view text) {
  if (!PrintPart(text)) return false;
  if (std::fflush(stdout) == 0) return true;
  Complain(std::string("standard output: ") + std::strerror(errno));
  return false;
}

void Complain(std::string_view text) {
  std::fprintf(stderr, "pactdb: %s\n", Clean(text, /*one_line=*/false).c_str());
}

}  // namespace pactdb::cli
