// Every example of docs/selector.md is read; those marked as errors are refused.
#include <gtest/gtest.h>
#include <pactdb/selector.h>

#include <fstream>
#include <string>

#include "select/select.h"

namespace pactdb::select {
namespace {

// What stands before the remark, without blanks at its end.
std::string Example(const std::string& line) {
  const std::string text = line.substr(0, line.find("  # "));
  const std::size_t end = text.find_last_not_of(' ');
  return end == std::string::npos ? "" : text.substr(0, end + 1);
}

bool IsRead(const std::string& language, const std::string& text) {
  if (language == "place") return ParsePlace(text, Dialect::kCanonical).has_value();
  if (language == "node") return ParseNodeLiteral(text).has_value();
  return Selector::Parse(text).has_value();
}

TEST(SelectorPage, ATTR_12_ItsExamplesAreRead) {
  std::ifstream file(PACTDB_SOURCE_DIR "/docs/selector.md");
  std::string language;
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      language = language.empty() ? line.substr(3) + " " : "";
      continue;
    }
    const std::string kind = language.substr(0, language.find(' '));
    const std::string text = Example(line);
    if (text.empty() || kind.empty() || kind == "ebnf" || kind == "text") continue;
    EXPECT_EQ(IsRead(kind, text), kind != "error") << kind << ": " << text;
    ++count;
  }
  EXPECT_GT(count, 100);
}

}  // namespace
}  // namespace pactdb::select
