#include "providers/pieces.h"

#include <array>
#include <string>
#include <string_view>

#include "base/try.h"
#include "providers/anthropic.h"
#include "providers/extras.h"
#include "providers/gemini.h"
#include "providers/messages.h"
#include "providers/openai_chat.h"
#include "providers/openai_responses.h"

namespace pactdb::providers {
namespace {

struct Setting {
  Format format;
  std::string_view name;
  Section section;
};

// Members beside messages and tools that a prefix depends on. A cache belongs to a model; what is
// not named here (temperature, limits, user, ...) is not compared.
constexpr std::array<Setting, 9> kSettings = {{
    {Format::kOpenAiChat, "model", Section::kModel},
    {Format::kOpenAiChat, "response_format", Section::kSchema},
    {Format::kOpenAiResponses, "model", Section::kModel},
    {Format::kOpenAiResponses, "text", Section::kSchema},
    {Format::kAnthropic, "model", Section::kModel},
    {Format::kAnthropic, "tool_choice", Section::kChoice},
    {Format::kAnthropic, "thinking", Section::kChoice},
    {Format::kGemini, "model", Section::kModel},
    {Format::kGemini, "toolConfig", Section::kChoice},
}};

Status WriteParts(const TreeView& view, Losses& losses, PieceSink& sink) {
  FunctionSink nowhere([](std::string_view) { return true; });
  switch (losses.format()) {
    case Format::kOpenAiChat:
      return WriteOpenAiChat(view, losses, nowhere, &sink);
    case Format::kOpenAiResponses:
      return WriteOpenAiResponses(view, losses, nowhere, &sink);
    case Format::kAnthropic:
      return WriteAnthropic(view, losses, nowhere, {.pieces = &sink, .marks = nullptr});
    case Format::kGemini:
      return WriteGemini(view, losses, nowhere, &sink);
    case Format::kPi:
      break;  // only read
  }
  return {};
}

}  // namespace

Status WritePieces(const TreeView& view, Losses& losses, PieceSink& sink) {
  PACTDB_TRY_STATUS(WriteParts(view, losses, sink));
  if (sink.first_turn() > 0) return {};
  const RequestNodes requests = FindRequestNodes(view, losses.format());
  if (requests.own == nullptr) return {};
  const ContentFields rest(*requests.own);
  for (const Setting& setting : kSettings) {
    if (setting.format != losses.format()) continue;
    const auto value = rest.Find(setting.name);
    if (!value) continue;
    JsonOut member;
    member.Key(setting.name).Raw(value->ToJson().text());
    const Block block = Block::Read(view, *requests.own, true, 1);
    sink.Take(setting.section, member.text(), {&block, 1}, 0);
  }
  return {};
}

std::string_view ListName(Format format, Section section) {
  if (section == Section::kTools) return "tools";
  const bool is_system = section == Section::kSystem;
  if (!is_system && section != Section::kMessages) return "";
  switch (format) {
    case Format::kOpenAiChat:
      return is_system ? "" : "messages";
    case Format::kOpenAiResponses:
      return is_system ? "instructions" : "input";
    case Format::kAnthropic:
      return is_system ? "system" : "messages";
    case Format::kGemini:
      return is_system ? "systemInstruction" : "contents";
    case Format::kPi:
      break;
  }
  return "";
}

}  // namespace pactdb::providers
