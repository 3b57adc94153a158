#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/node_text.h"
#include "cli/source.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  SourceOptions source;
  std::string from;
  std::string to;
  std::string selector;
  bool detail = false;
  bool moves = false;
  bool exit_code = false;
};

bool IsEmpty(const JsonRef& diff) {
  return diff.Find("added")->size() == 0 && diff.Find("removed")->size() == 0 &&
         diff.Find("changed")->size() == 0;
}

class DiffText {
 public:
  explicit DiffText(const Terminal& terminal) : terminal_(terminal) {}

  // `moved`: by id, what the node was called before or is called now.
  void AddNodes(const JsonRef& components, char sign, Colour colour,
                const std::map<std::string, std::string>& moved) {
    for (auto it = components.begin(); it != components.end(); ++it) {
      const JsonRef node = *(*it).value.Find("node");
      std::vector<Table::Cell> parts = DescribeNode(node);
      if (const auto other = moved.find(LineOf(node, "id")); other != moved.end()) {
        parts.insert(parts.begin() + 1,
                     {(sign == '+' ? "was " : "now ") + other->second, Colour::kMagenta});
      }
      AddLine(sign, colour, parts);
    }
  }

  void AddChanges(const JsonRef& modified) {
    for (auto it = modified.begin(); it != modified.end(); ++it) {
      const JsonRef change = (*it).value;
      AddLine('~', Colour::kCyan, {{LineOf(change, "id"), Colour::kBold}});
      const JsonRef before = *change.Find("old");
      const JsonRef after = *change.Find("new");
      for (auto field = after.begin(); field != after.end(); ++field) {
        const std::string name((*field).key);
        // The content itself says more than its hash.
        if (name == "content_hash" && after.Find("content")) continue;
        AddField(name, before.Find(name), (*field).value);
      }
    }
  }

  const std::string& text() const { return text_; }

 private:
  void AddLine(char sign, Colour colour, const std::vector<Table::Cell>& parts) {
    const std::size_t width = terminal_.width() > 12 ? terminal_.width() - 2 : terminal_.width();
    text_ += terminal_.Paint(colour, std::string(1, sign)) + " " +
             JoinLine(Terminal(terminal_.has_colour(), width), parts) + "\n";
  }

  void AddField(const std::string& name, const std::optional<JsonRef>& before,
                const JsonRef& after) {
    const auto show = [this](const JsonRef& value) {
      const std::size_t width = terminal_.width() > 12 ? terminal_.width() - 6 : 0;
      return Cut(value.is_null() ? "none" : ReadableLine(value), width) + "\n";
    };
    text_ += "  " + terminal_.Paint(Colour::kDim, Clean(name, /*one_line=*/true)) + "\n";
    if (before) text_ += "    " + terminal_.Paint(Colour::kRed, "-") + " " + show(*before);
    text_ += "    " + terminal_.Paint(Colour::kGreen, "+") + " " + show(after);
  }

  const Terminal& terminal_;
  std::string text_;
};

int PrintDiff(const JsonRef& diff) {
  std::map<std::string, std::string> was;
  std::map<std::string, std::string> now;
  const JsonRef moves = *diff.Find("moves");
  for (auto it = moves.begin(); it != moves.end(); ++it) {
    const JsonRef move = (*it).value;
    was.emplace(LineOf(move, "added"), LineOf(move, "removed"));
    now.emplace(LineOf(move, "removed"), LineOf(move, "added"));
  }
  const Terminal terminal = Terminal::Detect();
  DiffText text(terminal);
  text.AddNodes(*diff.Find("components_removed"), '-', Colour::kRed, now);
  text.AddNodes(*diff.Find("components_added"), '+', Colour::kGreen, was);
  text.AddChanges(*diff.Find("components_modified"));
  return Print(text.text()) ? kOk : kError;
}

Said<int> Run(const Options& options) {
  Ask ask("diff");
  ask.Text("from", options.from).Text("to", options.to).Optional("selector", options.selector);
  // People are shown what the nodes are; the answer for machines has what was asked for.
  const bool json = options.source.json;
  ask.Bool("detail", !json || options.detail).Bool("moves", !json || options.moves);
  SourceOptions source = options.source;
  source.json = false;
  return Inspect(source, ask, [&](Source& /*source*/, const Answer& answer) {
    int code = json ? (Print(std::string(answer.json()) + "\n") ? kOk : kError)
                    : PrintDiff(answer.result());
    if (code == kOk && options.exit_code && !IsEmpty(answer.result())) code = kFinding;
    return code;
  });
}

}  // namespace

const Command kDiffCommand = {
    .name = "diff",
    .about = "what came (+), went (-) and changed (~) between two states",
    .examples = R"(  pactdb diff @c1 @c3 session.jsonl
  pactdb diff @t0 working session.jsonl
  pactdb diff @t-1 @t0 --selector '.block[role=assistant]' session.jsonl
  pactdb diff @c2 @c2 --exit-code session.jsonl && echo 'nothing changed'
  pactdb diff @c1 @c2 --json --detail session.jsonl)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      app.add_option("FROM", options->from, "a snapshot (@t-1, @c12) or working")->required();
      app.add_option("TO", options->to, "a snapshot or working")->required();
      options->source.Declare(app, here);
      app.add_option("--selector", options->selector, "only nodes that it finds");
      app.add_flag("--exit-code", options->exit_code, "exit with 1 if there is a difference");
      app.add_flag("--detail", options->detail, "with --json: the nodes, old and new values");
      app.add_flag("--moves", options->moves,
                   "with --json: nodes that left and came back as another");
      return [options] { return Run(*options); };
    }};

}  // namespace pactdb::cli
