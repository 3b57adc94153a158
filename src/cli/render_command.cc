#include <CLI/CLI.hpp>
#include <memory>

#include "base/limits.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/source.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  SourceOptions source;
  std::string at;
  std::string format = "thread";
  bool body = false;
  bool cache = false;
  bool lossy = false;
};

Colour ColourOf(std::string_view role) {
  if (role == "system") return Colour::kMagenta;
  if (role == "user") return Colour::kGreen;
  return role == "assistant" ? Colour::kCyan : Colour::kYellow;
}

// One message after the other, a blank line between them.
int PrintThread(const Options& options, const JsonRef& rendered) {
  const std::string_view body = TextOf(rendered, "body");
  if (options.body) return Print(body) ? kOk : kError;
  const auto doc = JsonDoc::Parse(body, limits::kDocumentJsonDepthMax);
  if (!doc || !doc->root().is_array()) return Print(std::string(body) + "\n") ? kOk : kError;
  const Terminal terminal = Terminal::Detect();
  std::string text;
  for (auto it = doc->root().begin(); it != doc->root().end(); ++it) {
    const JsonRef message = (*it).value;
    const std::string role = LineOf(message, "role");
    const std::string kind = LineOf(message, "kind");
    std::string speaker = role;
    if (!kind.empty()) speaker.append("/").append(kind);
    if (!text.empty()) text += '\n';
    text += terminal.Paint(ColourOf(role), speaker) + "  " +
            terminal.Paint(Colour::kDim, LineOf(message, "id")) + "\n";
    const auto content = message.Find("content");
    if (!content) continue;
    text += (content->is_string() ? Clean(content->string(), /*one_line=*/false)
                                  : ReadableLine(*content)) +
            "\n";
  }
  return Print(text) ? kOk : kError;
}

void TellLosses(const JsonRef& rendered) {
  const auto lost = rendered.Find("lost");
  if (!lost) return;
  for (auto it = lost->begin(); it != lost->end(); ++it)
    Complain("left out: " + ReadableLine((*it).value));
}

}  // namespace

const Command kRenderCommand = {
    .name = "render",
    .about = "the thread that a model is sent",
    .examples = R"(  pactdb render session.jsonl
  pactdb render --at @c1 session.jsonl
  pactdb render --at @t0 --body session.jsonl | sha256sum)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->source.Declare(app, here);
      app.add_option("--at", options->at, "a snapshot; else what committing now would give");
      app.add_option("--format", options->format,
                     "of the thread, of one text, or of a provider's request")
          ->check(CLI::IsMember(
              {"thread", "text", "openai-chat", "openai-responses", "anthropic", "gemini"}))
          ->capture_default_str();
      app.add_flag("--cache", options->cache,
                   "of anthropic: with cache_control where the prompt cache can go on");
      app.add_flag("--lossy", options->lossy,
                   "leave out what the format cannot say, and tell what");
      app.add_flag("--body", options->body, "the very bytes, and nothing else");
      return [options] {
        Ask ask("render");
        ask.Optional("at", options->at).Text("format", options->format);
        if (options->cache) ask.Bool("cache", true);
        if (options->lossy) ask.Bool("lossy", true);
        return Inspect(
            options->source, ask,
            [&options](Source& /*source*/, const Answer& answer) {
              TellLosses(answer.result());
              return PrintThread(*options, answer.result());
            },
            HintOfLoss);
      };
    }};

}  // namespace pactdb::cli
