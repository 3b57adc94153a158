#include "providers/convert.h"

#include "providers/anthropic.h"
#include "providers/breakpoints.h"
#include "providers/gemini.h"
#include "providers/openai_chat.h"
#include "providers/openai_responses.h"
#include "providers/pi.h"

namespace pactdb::providers {

Status ReadConversation(Format format, const JsonRef& document, Faults& faults, EntrySink& sink) {
  switch (format) {
    case Format::kOpenAiChat:
      return ReadOpenAiChat(document, faults, sink);
    case Format::kOpenAiResponses:
      return ReadOpenAiResponses(document, faults, sink);
    case Format::kAnthropic:
      return ReadAnthropic(document, faults, sink);
    case Format::kGemini:
      return ReadGemini(document, faults, sink);
    case Format::kPi:
      return ReadPi(document, faults, sink);
  }
  return {};
}

Status WriteRequest(const TreeView& view, Losses& losses, ByteSink& sink, bool marks) {
  switch (losses.format()) {
    case Format::kOpenAiChat:
      return WriteOpenAiChat(view, losses, sink);
    case Format::kOpenAiResponses:
      return WriteOpenAiResponses(view, losses, sink);
    case Format::kAnthropic: {
      if (!marks) return WriteAnthropic(view, losses, sink);
      const auto placed = PlaceBreakpoints(view);
      return WriteAnthropic(view, losses, sink, {.pieces = nullptr, .marks = &placed});
    }
    case Format::kGemini:
      return WriteGemini(view, losses, sink);
    case Format::kPi:
      break;  // only read
  }
  return {};
}

}  // namespace pactdb::providers
