#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "cli/commands.h"
#include "cli/node_text.h"
#include "cli/source.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  SourceOptions source;
  std::string at;
  std::int64_t depth = -1;
};

// Joints of a branch: those before a further sibling and before the last.
constexpr std::string_view kFork = "├─ ";
constexpr std::string_view kLast = "└─ ";
constexpr std::string_view kPast = "│  ";
constexpr std::string_view kVoid = "   ";

int PrintTree(const JsonRef& root) {
  const Terminal terminal = Terminal::Detect();
  struct Level {
    JsonRef::Iterator next;
    JsonRef::Iterator end;
  };
  std::string text;
  std::string stem;  // what stands before the joints of the lines to come
  std::vector<Level> levels;
  const auto enter = [&levels](const JsonRef& node) {
    const auto children = node.Find("children");
    const bool is_open = children && children->is_array() && children->size() > 0;
    if (is_open) levels.push_back({children->begin(), children->end()});
    return is_open;
  };
  text += JoinLine(terminal, DescribeNode(root)) + "\n";
  enter(root);
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next == level.end) {
      levels.pop_back();
      if (levels.empty()) break;
      stem.resize(stem.size() - (stem.ends_with(kPast) ? kPast.size() : kVoid.size()));
      continue;
    }
    const JsonRef child = (*level.next).value;
    ++level.next;
    const bool is_last = level.next == level.end;
    const std::string lead = stem + std::string(is_last ? kLast : kFork);
    const std::size_t used = Columns(lead);
    const std::size_t width = terminal.width() > used + 10 ? terminal.width() - used : 0;
    text += terminal.Paint(Colour::kDim, lead);
    text += JoinLine(Terminal(terminal.has_colour(), width), DescribeNode(child)) + "\n";
    if (enter(child)) stem += is_last ? kVoid : kPast;
  }
  return Print(text) ? kOk : kError;
}

}  // namespace

const Command kTreeCommand = {
    .name = "tree",
    .about = "the context as a tree",
    .examples = R"(  pactdb tree session.jsonl
  pactdb tree --at @c1 --depth 2 session.jsonl
  pactdb tree --pointer /0/traj dialogues.json
  cat snapshot.json | pactdb tree --json)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->source.Declare(app, here);
      app.add_option("--at", options->at, "a snapshot: @t0, @t-1, @c12; else the working state");
      app.add_option("--depth", options->depth, "levels below the root")
          ->check(CLI::Range(std::int64_t{0}, INT64_MAX));
      return [options] {
        Ask ask("tree");
        ask.Optional("at", options->at);
        if (options->depth >= 0) ask.Integer("depth", options->depth);
        return Inspect(options->source, ask, [](Source& /*source*/, const Answer& answer) {
          return PrintTree(answer.result());
        });
      };
    }};

}  // namespace pactdb::cli
