#include "diff/pieces.h"

#include "diff/align.h"

namespace pactdb::diff {
namespace {

constexpr std::string_view kWhite = " \t\n\v\f\r";

// `end_of(text, start)`: where the piece at `start` ends.
template <typename EndOf>
std::optional<Pieces> Split(std::string_view text, EndOf&& end_of) {
  Pieces pieces;
  for (std::size_t start = 0; start < text.size();) {
    if (pieces.size() == kItemsMax) return std::nullopt;
    const std::size_t end = end_of(start);
    pieces.push_back(text.substr(start, end - start));
    start = end;
  }
  return pieces;
}

}  // namespace

std::optional<Pieces> SplitLines(std::string_view text) {
  return Split(text, [text](std::size_t start) {
    const std::size_t feed = text.find('\n', start);
    return feed == std::string_view::npos ? text.size() : feed + 1;
  });
}

std::optional<Pieces> SplitWords(std::string_view text) {
  return Split(text, [text](std::size_t start) {
    const std::size_t word = text.find_first_not_of(kWhite, start);
    if (word == std::string_view::npos) return text.size();
    const std::size_t end = text.find_first_of(kWhite, word);
    return end == std::string_view::npos ? text.size() : end;
  });
}

}  // namespace pactdb::diff
