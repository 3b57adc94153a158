// What a node costs in tokens: the sum over nodes, which policies and `tokens` use.
//
// A block costs the tokens of its content and a fixed share for the message around it. It is not
// what a provider counts for a request (engine/request_tokens.h): it can be added up, and says the
// same of a node wherever it stands.
//
// Thread safety: values; Count from many threads.
#pragma once

#include <pactdb/error.h>

#include <cstdint>
#include <string_view>

#include "model/lexicon.h"
#include "model/node_cost.h"
#include "tokens/encoding.h"

namespace pactdb {

// OpenAI's chat models frame a message with three tokens and name its role with one. Others do not
// say; they are estimates anyway.
inline constexpr std::uint32_t kMessageTokens = 4;

// The tokens of a text. Bytes written as base64 are none: what they cost is a table's estimate.
Cost CountText(std::string_view text, const tokens::Encoding& encoding);

class TokenCost final : public NodeCost {
 public:
  // `encoding`: its name, or a model's. Errors: as tokens::Encoding::Find.
  static Result<TokenCost> Make(std::string_view encoding, const Lexicon& lexicon);

  unsigned kind() const override { return encoding_->name() == "o200k_base" ? 1 : 2; }
  Cost Count(const Node& node) const override;

  const tokens::Encoding& encoding() const { return *encoding_; }

  // With the node itself.
  Cost AtAndBelow(const Node& node) const;

 private:
  TokenCost(const tokens::Encoding& encoding, const Lexicon& lexicon)
      : encoding_(&encoding), lexicon_(&lexicon) {}

  const tokens::Encoding* encoding_;
  const Lexicon* lexicon_;
};

}  // namespace pactdb
