#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/source.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  SourceOptions source;
  std::string at;
  std::string selector;
  std::string encoding;
  std::string model;
  std::string format;
};

void AddParts(const JsonRef& result, std::string_view name, std::string_view before, Table& table) {
  const auto parts = result.Find(name);
  if (!parts) return;
  for (auto it = parts->begin(); it != parts->end(); ++it) {
    const auto [part, tokens] = *it;
    table.Add({{std::string(before) + std::string(part), Colour::kYellow},
               {ReadableLine(tokens), Colour::kPlain, true}});
  }
}

int PrintTokens(const JsonRef& result) {
  const auto mark = [](const JsonRef& of) {
    return of.Find("exact")->boolean() ? std::string() : std::string("estimate");
  };
  Table table;
  AddParts(result, "by_region", "^", table);
  AddParts(result, "by_node", "", table);
  table.Add({{"total"},
             {LineOf(result, "total"), Colour::kPlain, true},
             {LineOf(result, "encoding"), Colour::kDim},
             {mark(result), Colour::kMagenta}});
  if (const auto request = result.Find("request")) {
    table.Add({{"request"},
               {LineOf(*request, "tokens"), Colour::kPlain, true},
               {LineOf(*request, "format"), Colour::kDim},
               {mark(*request), Colour::kMagenta}});
  }
  return Print(table.Print(Terminal::Detect())) ? kOk : kError;
}

}  // namespace

const Command kTokensCommand = {
    .name = "tokens",
    .about = "what the context costs in tokens, by region or by node",
    .examples = R"(  pactdb tokens chat.json
  pactdb tokens session.jsonl --at @t-1
  pactdb tokens session.jsonl --select '^seq .block[role=user]'
  pactdb tokens chat.json --model claude-sonnet-4-5
  pactdb tokens chat.json --format openai-chat --json

The sum over nodes is the tokens of each content and four a message; it is what policies limit. With
--format the rendered request is counted too, tools included. What is not exact is marked.)",
    .setup = [](CLI::App& app, const Setting& here) -> Runner {
      auto options = std::make_shared<Options>();
      options->source.Declare(app, here);
      app.add_option("--at", options->at, "the snapshot; else the working state");
      app.add_option("--select", options->selector, "these nodes, each with what it holds");
      auto* encoding =
          app.add_option("--encoding", options->encoding, "whose tokens; else as configured")
              ->check(CLI::IsMember({"o200k_base", "cl100k_base", "estimate"}));
      app.add_option("--model", options->model, "the encoding of a model, such as gpt-4o")
          ->excludes(encoding);
      app.add_option("--format", options->format, "count what is rendered in it as well")
          ->check(CLI::IsMember(
              {"thread", "text", "openai-chat", "openai-responses", "anthropic", "gemini"}));
      return [options] {
        Ask ask("tokens");
        ask.Optional("at", options->at).Optional("selector", options->selector);
        ask.Optional("encoding", options->encoding).Optional("model", options->model);
        ask.Optional("format", options->format);
        return Inspect(options->source, ask, [](Source& /*source*/, const Answer& answer) {
          return PrintTokens(answer.result());
        });
      };
    }};

}  // namespace pactdb::cli
