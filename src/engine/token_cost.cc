#include "engine/token_cost.h"

#include <algorithm>
#include <string>

#include "base/try.h"
#include "providers/block.h"
#include "providers/media.h"
#include "text/canonical.h"
#include "tokens/media_cost.h"

namespace pactdb {
namespace {

// Shorter texts of these letters may be words, and cost little either way.
constexpr std::size_t kBase64BytesMin = 256;

bool IsBase64(std::string_view text) {
  return text.size() >= kBase64BytesMin && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '+' || c == '/' || c == '-' || c == '_' || c == '=';
         });
}

std::uint64_t BytesOfBase64(std::size_t letters) {
  return letters / 4 * 3;
}

// Whose rules count is told by the tokenizer: those of estimates are not OpenAI's.
Cost MediaCost(std::string_view mime, std::string_view base64, const Tokenizer& tokenizer) {
  const auto provider =
      tokenizer.is_exact() ? tokens::Provider::kOpenAi : tokens::Provider::kAnthropic;
  return {.units = tokens::EstimateMediaTokens(
              provider, {.mime = mime, .bytes = BytesOfBase64(base64.size())}),
          .estimates = 1};
}

std::size_t EndOfString(std::string_view canonical, std::size_t at) {
  for (++at; canonical[at] != '"'; ++at) {
    if (canonical[at] == '\\') ++at;
  }
  return at + 1;
}

// A JSON string as people and models write it: letters outside ASCII as they are.
void AppendReadable(std::string_view text, std::string& out) {
  out += '"';
  std::string escaped;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) {
      out += c;
      continue;
    }
    escaped.clear();
    AppendJsonString({&c, 1}, escaped);
    out.append(escaped, 1, escaped.size() - 2);
  }
  out += '"';
}

bool IsBytes(std::string_view text) {
  return IsBase64(text) || providers::ParseDataUrl(text).has_value();
}

std::string TextOf(const Node& node, std::string_view attribute) {
  const auto value = node.Find(attribute);
  return value && value->starts_with('"') ? DecodeJsonString(*value) : std::string();
}

}  // namespace

Cost CountJson(std::string_view canonical, const Tokenizer& tokenizer) {
  Cost cost;
  std::string rest;
  rest.reserve(canonical.size());
  for (std::size_t at = 0; at < canonical.size();) {
    if (canonical[at] != '"') {
      rest += canonical[at++];
      continue;
    }
    const std::size_t end = EndOfString(canonical, at);
    const std::string text = DecodeJsonString(canonical.substr(at, end - at));
    at = end;
    if (IsBytes(text)) {
      cost.Add(CountText(text, tokenizer));
    } else {
      AppendReadable(text, rest);
    }
  }
  cost.Add(CountText(rest, tokenizer));
  return cost;
}

Cost CountText(std::string_view text, const Tokenizer& tokenizer) {
  if (const auto url = providers::ParseDataUrl(text))
    return MediaCost(url->mime, url->base64, tokenizer);
  if (IsBase64(text)) return MediaCost("", text, tokenizer);
  return {.units = tokenizer.Count(text), .estimates = tokenizer.is_exact() ? 0u : 1u};
}

Result<TokenCost> TokenCost::Make(std::string_view encoding, const Lexicon& lexicon) {
  PACTDB_TRY(const Tokenizer tokenizer, Tokenizer::Find(encoding));
  return TokenCost(tokenizer, lexicon);
}

unsigned TokenCost::kind() const {
  if (!tokenizer_.is_exact()) return 3;
  return tokenizer_.name() == "o200k_base" ? 1 : 2;
}

Cost TokenCost::Count(const Node& node) const {
  Cost cost{.units = node.is_block() ? kMessageTokens : 0, .estimates = 0};
  const std::string_view content = node.content().value_or("null");
  if (content == "null") return cost;
  if (!content.starts_with('"')) {
    cost.Add(CountJson(content, tokenizer_));
    return cost;
  }
  const std::string text = DecodeJsonString(content);
  const std::string mime = TextOf(node, "mime");
  const std::string_view kind = node.kind == kNoWord ? "" : lexicon_->word(node.kind);
  const auto form = providers::FormOf(kind, mime, TextOf(node, "encoding"));
  if (form == providers::Form::kRedacted) {
    cost.Add(MediaCost("", text, tokenizer_));
  } else if (providers::IsMedia(form)) {
    const auto url = providers::ParseDataUrl(text);
    cost.Add(MediaCost(url ? url->mime : mime, url ? url->base64 : text, tokenizer_));
  } else {
    cost.Add(CountText(text, tokenizer_));
  }
  return cost;
}

Cost TokenCost::AtAndBelow(const Node& node) const {
  Cost cost = CostOf(node, *this);
  if (const Container* container = node.AsContainer()) cost.Add(CostBelow(*container, *this));
  return cost;
}

}  // namespace pactdb
