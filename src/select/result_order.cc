#include "select/result_order.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>

#include "model/order.h"

namespace pactdb::select {
namespace {

// Matches with their paths from the root, all in one array.
class Paths {
 public:
  struct Item {
    Match match;
    std::size_t start;
    std::size_t size;
  };

  Paths(const TreeView& view, bool newest_first, const std::vector<Match>& matches)
      : view_(view), newest_first_(newest_first) {
    items_.reserve(matches.size());
    nodes_.reserve(matches.size() * 5);
    for (const Match match : matches) Add(match);
  }

  template <typename Less>
  void Sort(Less&& less, std::vector<Match>& matches) {
    std::ranges::sort(items_, less);
    for (std::size_t i = 0; i < items_.size(); ++i) matches[i] = items_[i].match;
  }

  // Negative: a comes first. Where one path leads through the other, `inner` decides: negative if
  // the shorter comes first.
  std::strong_ordering Compare(const Item& a, const Item& b, std::strong_ordering inner) const {
    const auto a_path = Path(a);
    const auto b_path = Path(b);
    const auto [a_at, b_at] = std::ranges::mismatch(a_path, b_path);
    if (a_at == a_path.end() || b_at == b_path.end()) {
      if (a.size == b.size) return std::strong_ordering::equal;
      return (a.size < b.size) == (inner < 0) ? std::strong_ordering::less
                                              : std::strong_ordering::greater;
    }
    return CompareSiblingMatches(*a_at, *b_at);
  }

  std::string Text(const Item& item) const {
    std::string text;
    for (const Match match : Path(item)) {
      text += '/';
      text += view_.id(match.node()).view();
    }
    return text;
  }

 private:
  std::span<const Match> Path(const Item& item) const {
    return std::span(nodes_).subspan(item.start, item.size);
  }

  void Add(Match match) {
    const std::size_t start = nodes_.size();
    nodes_.push_back(match);
    if (match.is_core()) nodes_.push_back(Match::Of(match.node()));
    for (const Node* at = view_.Parent(match.node()); at != nullptr; at = view_.Parent(*at)) {
      nodes_.push_back(Match::Of(*at));
    }
    std::reverse(nodes_.begin() + static_cast<std::ptrdiff_t>(start), nodes_.end());
    items_.push_back({match, start, nodes_.size() - start});
  }

  // An implicit core stands before everything at offset 0.
  std::strong_ordering CompareSiblingMatches(Match a, Match b) const {
    if (a.is_core())
      return b.node().offset < 0 ? std::strong_ordering::greater : std::strong_ordering::less;
    if (b.is_core())
      return a.node().offset < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
    const bool reversed = newest_first_ && a.node().is_turn();
    return reversed ? CompareSiblings(b.node(), a.node(), *view_.lexicon)
                    : CompareSiblings(a.node(), b.node(), *view_.lexicon);
  }

  const TreeView& view_;
  bool newest_first_;
  std::vector<Item> items_;
  std::vector<Match> nodes_;
};

struct KeyRank {
  Match match;
  std::uint64_t depth;
  std::int64_t created_at_ns;
};

KeyRank RankOf(const TreeView& view, Match match) {
  const Node& node = match.node();
  const auto depth = view.Depth(node);
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
  // ^sys after all turns, what has no depth after that.
  const std::uint64_t rank = !depth       ? kLast
                             : *depth < 0 ? kLast - 1
                                          : static_cast<std::uint64_t>(*depth);
  return {match, rank, node.Has(Node::kListed) ? 0 : node.created_at_ns};
}

bool KeyLess(const Lexicon& lexicon, const KeyRank& a, const KeyRank& b) {
  if (a.depth != b.depth) return a.depth < b.depth;
  if (a.created_at_ns != b.created_at_ns) return a.created_at_ns > b.created_at_ns;
  const Node& a_node = a.match.node();
  const Node& b_node = b.match.node();
  if (a_node.creation_index != b_node.creation_index)
    return a_node.creation_index > b_node.creation_index;
  return lexicon.id(a_node.number) < lexicon.id(b_node.number);
}

}  // namespace

void SortPreorder(const TreeView& view, bool newest_first, std::vector<Match>& matches) {
  if (matches.size() < 2) return;
  Paths paths(view, newest_first, matches);
  paths.Sort(
      [&paths](const Paths::Item& a, const Paths::Item& b) {
        return paths.Compare(a, b, std::strong_ordering::less) < 0;
      },
      matches);
}

void SortBy(Order order, const TreeView& view, bool newest_first, std::vector<Match>& matches) {
  if (order == Order::kTurnAsc) newest_first = false;
  if (order == Order::kTurnDesc) newest_first = true;
  if (order != Order::kPost && order != Order::kBfs && order != Order::kPath)
    return SortPreorder(view, newest_first, matches);
  if (matches.size() < 2) return;
  Paths paths(view, newest_first, matches);
  const auto less = [&](const Paths::Item& a, const Paths::Item& b) {
    if (order == Order::kPath) return paths.Text(a) < paths.Text(b);
    if (order == Order::kBfs && a.size != b.size) return a.size < b.size;
    const auto inner =
        order == Order::kPost ? std::strong_ordering::greater : std::strong_ordering::less;
    return paths.Compare(a, b, inner) < 0;
  };
  paths.Sort(less, matches);
}

void SortByKeyOrder(const TreeView& view, std::vector<Match>& matches) {
  if (matches.size() < 2) return;
  std::vector<KeyRank> ranks;
  ranks.reserve(matches.size());
  for (const Match match : matches) ranks.push_back(RankOf(view, match));
  std::ranges::sort(
      ranks, [&view](const KeyRank& a, const KeyRank& b) { return KeyLess(*view.lexicon, a, b); });
  for (std::size_t i = 0; i < ranks.size(); ++i) matches[i] = ranks[i].match;
}

void KeepUnique(const TreeView& view, std::vector<Match>& matches) {
  std::unordered_map<std::string_view, KeyRank> newest;
  const auto key_of = [](Match match) {
    const auto key = match.node().Find("key");
    return key && *key != "null" ? key : std::nullopt;
  };
  for (const Match match : matches) {
    const auto key = key_of(match);
    if (!key) continue;
    const KeyRank rank = RankOf(view, match);
    const auto [at, is_new] = newest.try_emplace(*key, rank);
    if (!is_new && KeyLess(*view.lexicon, rank, at->second)) at->second = rank;
  }
  std::erase_if(matches, [&](Match match) {
    const auto key = key_of(match);
    return key && newest.at(*key).match != match;
  });
}

}  // namespace pactdb::select
