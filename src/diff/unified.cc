#include "diff/unified.h"

#include <algorithm>

#include "diff/align.h"
#include "diff/pieces.h"

namespace pactdb::diff {
namespace {

// File names as GNU diff writes and GNU patch reads them: C escapes in quotes where a byte could be
// taken for the end of the name.
void AppendName(std::string_view name, std::string& out) {
  const auto is_special = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '"' || c == '\\';
  };
  if (std::ranges::none_of(name, is_special)) {
    out += name;
    return;
  }
  out += '"';
  for (const char c : name) {
    if (!is_special(c)) {
      out += c;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else {
      const unsigned byte = static_cast<unsigned char>(c);
      out += '\\';
      for (const unsigned shift : {6u, 3u, 0u})
        out += static_cast<char>('0' + (byte >> shift & 7u));
    }
  }
  out += '"';
}

void AppendLine(char sign, std::string_view line, std::string& out) {
  out += sign;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

// "3,2" for two lines from the third on; "3" for one; "2,0" for none behind the second.
void AppendLines(std::size_t start, std::size_t end, std::string& out) {
  out += std::to_string(start == end ? start : start + 1);
  if (end - start == 1) return;
  out += ',';
  out += std::to_string(end - start);
}

void AppendHunkHeader(const Change& hunk, std::string& out) {
  out += "@@ -";
  AppendLines(hunk.older_start, hunk.older_end, out);
  out += " +";
  AppendLines(hunk.newer_start, hunk.newer_end, out);
  out += " @@\n";
}

void AppendHunk(const Pieces& older, const Pieces& newer, std::span<const Change> changes,
                std::size_t context, std::string& out) {
  const std::size_t before = std::min(context, changes.front().older_start);
  const std::size_t after = std::min(context, older.size() - changes.back().older_end);
  AppendHunkHeader({changes.front().older_start - before, changes.back().older_end + after,
                    changes.front().newer_start - before, changes.back().newer_end + after},
                   out);
  std::size_t at = changes.front().older_start - before;
  for (const Change& change : changes) {
    for (; at < change.older_start; ++at) AppendLine(' ', older[at], out);
    for (; at < change.older_end; ++at) AppendLine('-', older[at], out);
    for (std::size_t i = change.newer_start; i < change.newer_end; ++i)
      AppendLine('+', newer[i], out);
  }
  const std::size_t end = at + after;
  for (; at < end; ++at) AppendLine(' ', older[at], out);
}

std::size_t CountLines(std::string_view text) {
  const auto feeds = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return feeds + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

void AppendAll(char sign, std::string_view text, std::string& out) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n') + 1);  // npos + 1: none
    AppendLine(sign, line.empty() ? text : line, out);
    text.remove_prefix(line.empty() ? text.size() : line.size());
  }
}

}  // namespace

std::string UnifiedDiff(const NamedText& older, const NamedText& newer, std::size_t context) {
  std::string out;
  if (older.text == newer.text) return out;
  out += "--- ";
  AppendName(older.name, out);
  out += "\n+++ ";
  AppendName(newer.name, out);
  out += '\n';
  const auto older_lines = SplitLines(older.text);
  const auto newer_lines = SplitLines(newer.text);
  if (!older_lines || !newer_lines) {
    AppendHunkHeader({0, CountLines(older.text), 0, CountLines(newer.text)}, out);
    AppendAll('-', older.text, out);
    AppendAll('+', newer.text, out);
    return out;
  }
  const std::vector<Change> changes = Align(*older_lines, *newer_lines);
  for (const auto group : GroupChanges(changes, context))
    AppendHunk(*older_lines, *newer_lines, group, context, out);
  return out;
}

}  // namespace pactdb::diff
