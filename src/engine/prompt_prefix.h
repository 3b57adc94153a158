// What a provider's prompt cache compares of a request: its prefix, as bytes, and whose bytes they
// are.
//
// The prefix of the thread is the thread. That of a provider's format is the request as compact
// JSON with its members in the order in which the provider reads them (model, tools, instructions,
// messages), without those that it does not compare and without marks of the cache; see
// docs/design/0006-prompt-cache.md. It is made of units: a tool, a block of the instructions, a
// message, each with the nodes that it says.
//
// A PromptPrefix goes from state to state and makes anew only what stands behind the turns that two
// states share, so following a history costs what a provider would have to read again.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>
#include <pactdb/tokens.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/tree_view.h"
#include "providers/format.h"
#include "providers/pieces.h"

namespace pactdb {

using providers::Section;

struct PrefixUnit {
  Section section = Section::kMessages;
  std::size_t turn = 0;     // blocks of one turn or region have the same
  std::uint64_t end = 0;    // bytes up to here
  std::int64_t tokens = 0;  // up to here
  std::int64_t parts = 0;   // content blocks up to here
  bool is_ask = false;      // said by a user or a tool: a request may end with it
  std::vector<const Node*> nodes;

  // Tools, instructions and settings, however the format writes them.
  bool is_before_turns() const { return section < Section::kMessages || turn <= 1; }
};

// What became of the prefix.
struct PrefixStep {
  std::uint64_t common = 0;  // the first bytes, which are the same
  std::int64_t common_tokens = 0;
  std::uint64_t older_bytes = 0;
  std::int64_t older_tokens = 0;
  std::vector<PrefixUnit> gone;  // units of the older one from the first that was made anew on
  std::size_t kept = 0;          // units before those
};

class PromptPrefix {
 public:
  // No format: of the thread. Tokens are those of the bytes; what a provider counts is not known
  // from outside.
  PromptPrefix(std::optional<providers::Format> format, bool lossy, const Tokenizer& tokenizer)
      : format_(format), lossy_(lossy), tokenizer_(tokenizer) {}

  // Makes it that of `view`. `older`: the state it was of, which is still there; null if it was of
  // none. REQUIRES: both summarized. Errors: kRenderIllegal.
  Result<PrefixStep> Follow(const TreeView* older, const TreeView& view);

  const std::vector<PrefixUnit>& units() const { return units_; }
  const std::string& bytes() const { return bytes_; }
  std::int64_t tokens() const { return units_.empty() ? 0 : units_.back().tokens; }

 private:
  struct Piece {
    Section section;
    std::string bytes;
    std::vector<const Node*> nodes;
    std::size_t turn;
    std::size_t parts;
    bool is_ask;
  };
  class Collector;

  std::size_t KeptUnits(const TreeView& older, const TreeView& view, std::size_t& turns) const;
  static std::vector<Piece> InOrder(std::vector<Piece> pieces);
  Result<std::vector<Piece>> Collect(const TreeView& view, std::size_t first_turn) const;
  void CollectThread(const TreeView& view, std::size_t first_turn, std::vector<Piece>& out) const;
  // What stands between a unit and the one before it.
  std::string Separator(std::optional<Section> before, Section section) const;

  std::optional<providers::Format> format_;
  bool lossy_;
  Tokenizer tokenizer_;
  std::string bytes_;
  std::vector<PrefixUnit> units_;
};

}  // namespace pactdb
