#include "engine/prompt_prefix.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "engine/token_cost.h"
#include "render/shared_thread.h"
#include "render/thread.h"

namespace pactdb {
namespace {

// ^sys is 1, the first turn stands two behind it (providers/messages.cc counts so, too).
constexpr std::size_t kSysTurn = 1;
constexpr std::size_t kFirstTurn = 3;

bool IsAsk(const providers::Block& block) {
  return block.traits.role == providers::Role::kUser || block.traits.role == providers::Role::kTool;
}

std::int64_t TokensOf(std::string_view bytes, const Tokenizer& tokenizer) {
  return static_cast<std::int64_t>(CountJson(bytes, tokenizer).units);
}

std::uint64_t CommonBytes(std::string_view a, std::string_view b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  return static_cast<std::uint64_t>(in_a - a.begin());
}

}  // namespace

// --- pieces ---

class PromptPrefix::Collector final : public providers::PieceSink {
 public:
  Collector(std::size_t first_turn, std::vector<Piece>& out) : PieceSink(first_turn), out_(out) {}

  void Take(Section section, std::string_view bytes, std::span<const providers::Block> blocks,
            std::size_t parts) override {
    Piece piece{.section = section,
                .bytes = std::string(bytes),
                .nodes = {},
                .turn = kSysTurn,
                .parts = parts,
                .is_ask = section == Section::kMessages && IsAsk(blocks.front())};
    for (const providers::Block& block : blocks) {
      piece.nodes.push_back(block.node);
      piece.turn = std::max(piece.turn, block.turn);
    }
    out_.push_back(std::move(piece));
  }

 private:
  std::vector<Piece>& out_;
};

void PromptPrefix::CollectThread(const TreeView& view, std::size_t first_turn,
                                 std::vector<Piece>& out) const {
  std::string bytes;
  StringSink sink(bytes);
  ThreadWriter writer(*view.lexicon, sink, 1);  // behind something, so that a comma comes first
  const auto add = [&](const Node& top, std::size_t turn) {
    for (PreorderCursor cursor(top); cursor.get() != nullptr; cursor.Next()) {
      const Node& node = *cursor.get();
      if (!node.is_block()) continue;
      bytes.clear();
      writer.One(node, turn == kSysTurn);
      writer.Flush();
      const auto block = providers::Block::Read(view, node, turn == kSysTurn, turn);
      out.push_back({.section = turn == kSysTurn ? Section::kSystem : Section::kMessages,
                     .bytes = bytes.substr(1),
                     .nodes = {&node},
                     .turn = turn,
                     .parts = 1,
                     .is_ask = IsAsk(block)});
    }
  };
  const Node* sys = view.Region(NodeClass::kSys);
  if (first_turn == 0 && sys != nullptr) add(*sys, kSysTurn);
  std::size_t turn = kFirstTurn + first_turn;
  for (ChildCursor cursor = ChildCursor::From(ChildrenOf(view, NodeClass::kSeq), first_turn);
       cursor.get() != nullptr; cursor.Next())
    add(*cursor.get(), turn++);
  if (const Node* head = view.Region(NodeClass::kAh)) add(*head, turn);
}

// By section, and within one as they came.
std::vector<PromptPrefix::Piece> PromptPrefix::InOrder(std::vector<Piece> pieces) {
  std::vector<Piece> ordered;
  ordered.reserve(pieces.size() + 1);
  for (int section = 0; section <= static_cast<int>(Section::kEnd); ++section) {
    for (Piece& piece : pieces) {
      if (static_cast<int>(piece.section) == section) ordered.push_back(std::move(piece));
    }
  }
  return ordered;
}

Result<std::vector<PromptPrefix::Piece>> PromptPrefix::Collect(const TreeView& view,
                                                               std::size_t first_turn) const {
  std::vector<Piece> pieces;
  if (format_) {
    Collector collector(first_turn, pieces);
    providers::Losses losses(*format_, lossy_);
    PACTDB_TRY_STATUS(providers::WritePieces(view, losses, collector));
    pieces = InOrder(std::move(pieces));
  } else {
    CollectThread(view, first_turn, pieces);
  }
  pieces.push_back({.section = Section::kEnd,
                    .bytes = {},
                    .nodes = {},
                    .turn = SIZE_MAX,
                    .parts = 0,
                    .is_ask = false});
  return pieces;
}

std::string PromptPrefix::Separator(std::optional<Section> before, Section section) const {
  const bool is_end = section == Section::kEnd;
  if (!format_) return is_end ? (before ? "]" : "[]") : before ? "," : "[";
  const auto list = [this](Section of) { return providers::ListName(*format_, of); };
  if (before == section && !list(section).empty()) return ",";
  std::string text = before ? "" : "{";
  if (before && !list(*before).empty()) text += ']';
  if (is_end) return text + "}";
  if (before) text += ',';
  const std::string_view name = list(section);
  if (!name.empty()) text.append("\"").append(name).append("\":[");
  return text;
}

// --- from state to state ---

// Units that both have for certain. What a later turn can change in the parts before the messages
// (a tool defined there, instructions that go on) makes none of them certain.
std::size_t PromptPrefix::KeptUnits(const TreeView& older, const TreeView& view,
                                    std::size_t& turns) const {
  turns = 0;
  // The name of a function result is looked up in the whole tree.
  if (format_ == providers::Format::kGemini) return 0;
  const SharedThread shared = FindShared(older, view);
  if (!shared.sys || shared.turns == 0) return 0;
  const std::size_t end = kFirstTurn + shared.turns;
  const auto has_spoken = [](const PrefixUnit& unit) {
    return unit.section == Section::kMessages && unit.turn > kSysTurn;
  };
  std::size_t first = 0;
  for (; first < units_.size() && !has_spoken(units_[first]); ++first) {
    if (units_[first].turn >= end && units_[first].section < Section::kMessages) return 0;
  }
  std::size_t kept = units_.size();
  while (kept > first && units_[kept - 1].turn >= end) --kept;
  if (kept == first) return 0;
  turns = shared.turns;
  return kept;
}

Result<PrefixStep> PromptPrefix::Follow(const TreeView* older, const TreeView& view) {
  PrefixStep step;
  step.older_bytes = bytes_.size();
  step.older_tokens = tokens();
  std::size_t turns = 0;
  std::size_t kept = older == nullptr ? 0 : KeptUnits(*older, view, turns);
  PACTDB_TRY(std::vector<Piece> pieces, Collect(view, turns));
  if (turns > 0 && pieces.front().section < Section::kMessages) {
    kept = 0;
    PACTDB_TRY(pieces, Collect(view, 0));
  }
  PrefixUnit at = kept == 0 ? PrefixUnit() : units_[kept - 1];
  const std::uint64_t begin = at.end;
  std::optional<Section> before;
  if (kept > 0) before = at.section;
  std::string tail;
  std::vector<PrefixUnit> made;
  made.reserve(pieces.size());
  for (Piece& piece : pieces) {
    const std::size_t from = tail.size();
    tail += Separator(std::exchange(before, piece.section), piece.section);
    tail += piece.bytes;
    at = {.section = piece.section,
          .turn = piece.turn,
          .end = begin + tail.size(),
          .tokens = at.tokens + TokensOf(std::string_view(tail).substr(from), tokenizer_),
          .parts = at.parts + static_cast<std::int64_t>(piece.parts),
          .is_ask = piece.is_ask,
          .nodes = std::move(piece.nodes)};
    made.push_back(at);
  }
  step.common = begin + CommonBytes(std::string_view(bytes_).substr(begin), tail);
  step.kept = kept;
  step.gone.assign(std::make_move_iterator(units_.begin() + static_cast<std::ptrdiff_t>(kept)),
                   std::make_move_iterator(units_.end()));
  units_.resize(kept);
  units_.insert(units_.end(), std::make_move_iterator(made.begin()),
                std::make_move_iterator(made.end()));
  bytes_.resize(begin);
  bytes_ += tail;
  // Whole units, and what of the next one is the same.
  const auto part = std::ranges::lower_bound(units_, step.common, {}, &PrefixUnit::end);
  const std::uint64_t whole = part == units_.begin() ? 0 : std::prev(part)->end;
  step.common_tokens = part == units_.begin() ? 0 : std::prev(part)->tokens;
  if (part != units_.end() && part->end == step.common) {
    step.common_tokens = part->tokens;
  } else if (step.common > whole) {
    // Its own tokens at most: bytes of media, cut in two, look like text.
    const std::string_view same = std::string_view(bytes_).substr(whole, step.common - whole);
    step.common_tokens = std::min(
        step.common_tokens + static_cast<std::int64_t>(tokenizer_.Count(same)), part->tokens);
  }
  return step;
}

}  // namespace pactdb
