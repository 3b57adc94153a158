// What a node costs in tokens: the sum over nodes, which policies and `tokens` use.
//
// A block costs the tokens of its content and a fixed share for the message around it. It is not
// what a provider counts for a request (engine/request_tokens.h): it can be added up, and says the
// same of a node wherever it stands.
//
// Thread safety: values; Count from many threads.
#pragma once

#include <pactdb/error.h>
#include <pactdb/tokens.h>

#include <cstdint>
#include <string_view>

#include "model/lexicon.h"
#include "model/node_cost.h"

namespace pactdb {

// OpenAI's chat models frame a message with three tokens and name its role with one. Others do not
// say; they are estimates anyway.
inline constexpr std::uint32_t kMessageTokens = 4;

// The tokens of a text. Bytes written as base64 are none: what they cost is a table's estimate.
Cost CountText(std::string_view text, const Tokenizer& tokenizer);
// Of canonical JSON, or of a part of it with whole strings: as it is written, without the bytes
// among its texts.
Cost CountJson(std::string_view canonical, const Tokenizer& tokenizer);

class TokenCost final : public NodeCost {
 public:
  TokenCost(const Tokenizer& tokenizer, const Lexicon& lexicon)
      : tokenizer_(tokenizer), lexicon_(&lexicon) {}
  // `encoding` as Tokenizer::Find takes it. Errors: its.
  static Result<TokenCost> Make(std::string_view encoding, const Lexicon& lexicon);

  unsigned kind() const override;
  Cost Count(const Node& node) const override;

  const Tokenizer& tokenizer() const { return tokenizer_; }

  // With the node itself.
  Cost AtAndBelow(const Node& node) const;

 private:
  Tokenizer tokenizer_;
  const Lexicon* lexicon_;
};

}  // namespace pactdb
