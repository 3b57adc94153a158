// The selectors of docs/selector.md, which has an example of every construct.
#pragma once

#include <gtest/gtest.h>
#include <pactdb/selector.h>

#include <fstream>
#include <string>
#include <vector>

namespace pactdb::support {

struct PageSelectors {
  std::vector<Selector> timeless;  // run on one tree
  std::vector<Selector> timed;     // one snapshot, or `@*`
  std::vector<Selector> ranges;
};

inline bool IsRange(const std::string& text) {
  return text.find("..@") != std::string::npos || text.find(":@") != std::string::npos ||
         text.starts_with("@history") || text.starts_with("@t-5..") || text.starts_with("@c3..");
}

inline PageSelectors ReadSelectorPage() {
  PageSelectors found;
  std::ifstream file(PACTDB_SOURCE_DIR "/docs/selector.md");
  bool is_inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      is_inside = line == "```selector";
      continue;
    }
    if (!is_inside || line.empty()) continue;
    const std::string text = line.substr(0, line.find("  # "));
    Selector selector = Selector::Parse(text).value();
    if (IsRange(text)) {
      found.ranges.push_back(std::move(selector));
    } else if (text.starts_with('@')) {
      found.timed.push_back(std::move(selector));
    } else {
      found.timeless.push_back(std::move(selector));
    }
  }
  EXPECT_GT(found.timeless.size(), 80u);
  EXPECT_GT(found.timed.size(), 8u);
  EXPECT_GT(found.ranges.size(), 5u);
  return found;
}

}  // namespace pactdb::support
