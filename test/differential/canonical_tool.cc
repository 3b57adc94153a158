// Reads one JSON text a line and answers each with a line: its canonical bytes, or "error " and the
// code's name. canonical_differential.py compares the answers with Python's.
#include "base/limits.h"
#include "text/json_doc.h"

#include <iostream>
#include <string>

int main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  std::string answer;
  while (std::getline(std::cin, line)) {
    answer.clear();
    if (const auto doc = pactdb::JsonDoc::Parse(line, pactdb::limits::kDocumentJsonDepthMax)) {
      doc->root().AppendCanonical(answer);
    } else {
      answer.append("error ").append(pactdb::WireName(doc.error().code()));
    }
    std::cout << answer << '\n';
  }
  return std::cout.flush() ? 0 : 1;
}
