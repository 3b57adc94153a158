// What selectors cost, in instructions: run under callgrind by cost_test.py.
//
// Reads lines "name<TAB>selector". Each selector is parsed, printed and run on a fixed tree, and
// callgrind's counters are dumped after each of the three as "name parse", "name print" and "name
// run". A selector that does not parse gives one line "name: code" on stdout.
#include <pactdb/selector.h>
#include <valgrind/callgrind.h>

#include <iostream>
#include <string>

#include "select/select.h"
#include "support/sketch_tree.h"

namespace {

// Some turns, and in the newest a chain of groups as deep as any selector has steps.
std::string Sketch() {
  std::string text = "sys\n  s1 block role=system key=k tags=a\nseq\n";
  for (int turn = 1; turn <= 8; ++turn) {
    const std::string name = std::to_string(turn);
    text.append("  t").append(name).append(" seg\n    c").append(name).append(" cont core\n");
    text.append("      u").append(name).append(" block role=user key=k tags=a data_n=5\n");
    text.append("      r").append(name).append(" block role=assistant kind=note ttl=3\n");
  }
  for (int level = 0; level < 80; ++level) {
    text += std::string(static_cast<std::size_t>(level) * 2 + 6, ' ') + "g" +
            std::to_string(level) + " cont offset=1\n";
  }
  return text + "ah\n  h1 block role=user key=k tags=a\n";
}

// The text must outlive the request.
void DumpAs(const std::string& label) {
  CALLGRIND_DUMP_STATS_AT(label.c_str());
}

void Measure(const std::string& name, const std::string& text, const pactdb::TreeView& view) {
  CALLGRIND_ZERO_STATS;
  const auto selector = pactdb::Selector::Parse(text);
  DumpAs(name + " parse");
  if (!selector) {
    std::cout << name << ": " << pactdb::WireName(selector.error().code()) << '\n';
    return;
  }
  CALLGRIND_ZERO_STATS;
  const std::size_t printed = selector->canonical().size();
  DumpAs(name + " print");
  CALLGRIND_ZERO_STATS;
  const auto nodes = pactdb::select::MatchNodes(*selector, view);
  DumpAs(name + " run");
  std::cout << name << ": " << (nodes ? nodes->size() : 0) << " nodes, " << printed << " bytes\n";
}

}  // namespace

int main() {
  const pactdb::support::SketchTree tree(Sketch());
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) return 2;
    Measure(line.substr(0, tab), line.substr(tab + 1), tree.Snapshot());
  }
  return 0;
}
