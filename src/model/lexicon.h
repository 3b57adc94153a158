// The names of one context: ids, words (roles, kinds, node types) and what the indexes are keyed
// by.
//
// An id has one number for the life of the context, whatever snapshots hold it; nodes refer to
// their parents by it. Behind the number lie the node's versions, oldest first, each with the
// ordinal of the commit that made it. A lookup at any snapshot is one hash probe and, for a node
// that never changed, one comparison: nothing is replayed and no index is copied a commit.
//
// A context that was opened from a store starts at its newest snapshot, the base. Snapshots before
// it are loaded backwards, when they are asked for, and their versions lie in a list of their own,
// newest first. Until an older snapshot says otherwise, a node of the base was always there.
//
// Index entries (by key, tag, reference, call) are kept the same way: a list of the nodes that ever
// carried the value, with the commits that brought and removed them. They may name a node that no
// longer carries the value; whoever asks checks the node itself.
//
// The lexicon of a fork is layered over that of the context it was forked from. It knows what that
// one knew when the fork was made, as of the fork's commit, under the same numbers; what the fork
// adds, changes or removes is in its own layer, which is asked first. Nothing is copied, and the
// ancestor goes on as if there were no fork. Snapshots that the ancestor had not loaded yet the
// fork loads itself.
//
// Thread safety: one writer, any number of readers (see Interner, GrowList). A fork only reads its
// ancestors, whose writers may be other threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/grow_list.h"
#include "base/interner.h"
#include "model/id_table.h"

namespace pactdb {

struct Node;

using NodeNumber = std::uint32_t;
using WordNumber = std::uint32_t;
using Ordinal = std::uint32_t;  // commits counted from 0 in their context

inline constexpr NodeNumber kNoNode = UINT32_MAX;
inline constexpr WordNumber kNoWord = UINT32_MAX;
inline constexpr Ordinal kNever = UINT32_MAX;

// What an index is keyed by. The kind is part of the key's text.
enum class IndexKind : char { kKey = 'k', kTag = 't', kRef = 'r', kCall = 'c' };

class Lexicon {
 public:
  Lexicon() = default;
  // A fork's, made by the parent's writer: what `parent` knows now, as of its commit `fork_point`;
  // snapshots before `shared_from` were not loaded. Everything else of the parent stays out of
  // sight. O(1)
  Lexicon(std::shared_ptr<const Lexicon> parent, Ordinal fork_point, Ordinal shared_from = 0);

  // --- ancestry ---
  const Lexicon* parent() const { return below_ == nullptr ? nullptr : below_->parent.get(); }
  // The last commit shared with the parent. REQUIRES: there is one.
  Ordinal fork_point() const { return below_->fork_point; }
  // Snapshots before this one were not loaded then, and each loads them itself. REQUIRES: the same.
  Ordinal shared_from() const { return below_->shared_from; }
  // Numbers below this are the parent's; 0 without one.
  NodeNumber first_id() const { return first_id_; }
  // How many contexts it was forked through.
  std::size_t fork_depth() const { return below_ == nullptr ? 0 : below_->depth; }

  // --- ids ---
  // Writer. `cycle` is when the node was made.
  NodeNumber InternId(std::string_view id, std::int64_t cycle);
  NodeNumber InternId(const MadeId& id);
  std::optional<NodeNumber> FindId(std::string_view id) const { return FindId(WantedId(id)); }
  std::optional<NodeNumber> FindId(const WantedId& id) const {
    if (const auto own = ids_.Find(id)) return first_id_ + *own;
    return below_ == nullptr ? std::nullopt : FindInheritedId(id);
  }
  // REQUIRES: a number of this context.
  IdText id(NodeNumber number) const {
    if (number < first_id_) [[unlikely]]
      return Owner(number).id(number);
    return ids_.text(number - first_id_);
  }
  // The same as its parts, if the engine makes such ids. REQUIRES: a number of this context.
  std::optional<MadeId> made_id(NodeNumber number) const {
    if (number < first_id_) [[unlikely]]
      return Owner(number).made_id(number);
    return ids_.made(number - first_id_);
  }

  // For a look-ahead over many nodes.
  void PrefetchId(NodeNumber number) const {
    if (const NodeNumber own = number - first_id_; own < ids_.size()) ids_.Prefetch(own);
  }

  // The node's version in the snapshot `at`; null if the snapshot does not hold it, so also for a
  // number that only a descendant has.
  const Node* VersionAt(NodeNumber number, Ordinal at) const {
    const NodeNumber own = number - first_id_;
    // Both what is inherited and what is unknown: one test, which a context that is no fork passes.
    if (own >= ids_.size()) [[unlikely]]
      return number < first_id_ ? InheritedVersionAt(number, at) : nullptr;
    return ids_.payload(own).At(at, base_);
  }
  // Calls visit(Ordinal, const Node*) for every version, oldest first; null where the node left.
  // REQUIRES: all snapshots are loaded.
  template <typename Visitor>
  void ForEachVersion(NodeNumber number, Visitor&& visit) const {
    if (number >= first_id_) return ids_.payload(number - first_id_).ForEach(base_, visit);
    for (const Version& version : InheritedVersions(number)) visit(version.at, version.node);
  }
  // True if any loaded snapshot up to `last` ever held the node.
  bool IsInHistory(NodeNumber number, Ordinal last = kNever) const {
    if (number < first_id_) [[unlikely]]
      return IsInInheritedHistory(number, last);
    return ids_.payload(number - first_id_).IsHeldBy(last, base_);
  }
  // Writer: from commit `at` on, the node is `version` (null: gone). REQUIRES: ordinals rise.
  void AddVersion(NodeNumber number, Ordinal at, const Node* version);
  // Writer, before all else: versions of snapshot `base` are its nodes, however old.
  void SetBase(Ordinal base) { base_ = base; }
  // Writer: before commit `before` the node was `version` (null: was not there). REQUIRES: commits
  // fall, and `before` is not above the base, or of a fork the first commit it shares.
  void AddPastVersion(NodeNumber number, Ordinal before, const Node* version) {
    OwnVersions(number).past.Append({.at = before, .node = version});
  }
  // Writer: takes back the newest version. REQUIRES: no reader holds a snapshot that has it.
  void DropVersion(NodeNumber number);

  // --- words ---
  WordNumber InternWord(std::string_view word);
  std::optional<WordNumber> FindWord(std::string_view word) const {
    if (const auto own = words_.Find(word)) return first_word_ + *own;
    return below_ == nullptr ? std::nullopt : FindInheritedWord(word);
  }
  std::string_view word(WordNumber number) const { return WordEntry(number).text(); }
  // The word as a canonical JSON string; empty for kNoWord.
  std::string_view word_json(WordNumber number) const {
    return number == kNoWord ? std::string_view() : WordEntry(number).payload.json;
  }

  // --- indexes ---
  struct Posting {
    NodeNumber node;
    Ordinal death;  // first commit without it; through std::atomic_ref
  };
  // Writer: the node carries the value, up to commit `death`.
  void AddPosting(IndexKind kind, std::string_view value, NodeNumber node, Ordinal death = kNever);
  // Writer: commit `at` no longer has the node with this value.
  void EndPosting(IndexKind kind, std::string_view value, NodeNumber node, Ordinal at);
  // False: no node has a key or tag, or had one.
  bool has_postings() const { return postings_.size() > 0 || below_ != nullptr; }
  // Calls visit(NodeNumber) for every node that may carry the value in snapshot `at`, or, for
  // kNever, in the working state. A node can come twice.
  template <typename Visitor>
  void ForEachPosting(IndexKind kind, std::string_view value, Ordinal at, Visitor&& visit) const {
    if (!has_postings()) return;
    const std::string key = PostingKey(kind, value);
    if (below_ != nullptr) {
      // What an ancestor ended after the fork still counts here.
      for (const InheritedPostings& part : InheritedPostingsOf(key, at)) {
        part.list->ForEach(0, part.at, [&visit, &part](NodeNumber node) {
          if (node < part.end) visit(node);
        });
      }
    }
    const auto number = postings_.Find(key);
    if (!number) return;
    const PostingList& list = postings_.entry(*number).payload;
    list.ForEach(at == kNever ? list.living_from : 0, at, visit);
  }

  // Of this layer alone.
  std::size_t allocated_bytes() const;
  std::size_t id_count() const { return first_id_ + ids_.size(); }

 private:
  struct Version {
    Ordinal at;
    const Node* node;
  };
  // The first version stands in the entry itself: most nodes never get a second.
  struct Versions {
    std::atomic<Ordinal> first_ordinal{kNever};
    const Node* first = nullptr;
    GrowList<Version> later;
    GrowList<Version> past;  // `at`: the first commit that no longer has this one

    // Null if there is none. A first version of the commit `base` is as old as `past` lets it be.
    const Node* At(Ordinal at, Ordinal base) const {
      const Ordinal from = first_ordinal.load(std::memory_order_acquire);
      if (from > at || from == kNever) [[unlikely]]
        return PastAt(at).value_or(from != kNever && from == base ? first : nullptr);
      return later.empty() ? first : LaterAt(at);
    }
    const Node* LaterAt(Ordinal at) const;
    // What `past` says; nothing if it does not go back so far.
    std::optional<const Node*> PastAt(Ordinal at) const;
    bool IsHeldBy(Ordinal last, Ordinal base) const;
    template <typename Visitor>
    void ForEach(Ordinal base, Visitor&& visit) const {
      const auto list = past.items();
      Ordinal from = 0;
      for (std::size_t i = list.size(); i-- > 0; from = list[i].at) {
        if (from > 0 || list[i].node != nullptr) visit(from, list[i].node);
      }
      const Ordinal first_at = first_ordinal.load(std::memory_order_acquire);
      // Not in the base: it had gone, for good or until it came back.
      if (first_at != base && !list.empty()) visit(from, nullptr);
      if (first_at == kNever) return;
      visit(first_at == base ? from : first_at, first);
      for (const Version& version : later.items()) visit(version.at, version.node);
    }
  };
  struct Word {
    std::string json;
  };
  struct PostingList {
    GrowList<Posting> items;
    std::size_t living_from = 0;  // writer: everything before it is dead in the working state

    template <typename Visitor>
    void ForEach(std::size_t first, Ordinal at, Visitor&& visit) const {
      const auto list = items.items();
      for (std::size_t i = first; i < list.size(); ++i) {
        const Ordinal death = std::atomic_ref(list[i].death).load(std::memory_order_relaxed);
        if (at == kNever ? death == kNever : death > at) visit(list[i].node);
      }
    }
  };
  // Of an ancestor's list, what it had at commit `at`, of numbers below `end`.
  struct InheritedPostings {
    const PostingList* list;
    Ordinal at;
    NodeNumber end;
  };
  // What a fork stands on, and what it did to that.
  struct Below {
    std::shared_ptr<const Lexicon> parent;
    Ordinal fork_point;
    Ordinal shared_from;
    std::size_t depth;
    // Versions of inherited numbers before and after what is shared, by the bytes of the number.
    Interner<Versions> changed;

    // The shared commit that says most of `at`.
    Ordinal Clamp(Ordinal at) const { return std::min(std::max(at, shared_from), fork_point); }
  };

  static std::string PostingKey(IndexKind kind, std::string_view value) {
    std::string key(1, static_cast<char>(kind));
    key += value;
    return key;
  }

  // The layer that the number was interned in.
  const Lexicon& Owner(NodeNumber number) const;
  std::optional<NodeNumber> FindInheritedId(const WantedId& id) const;
  std::optional<WordNumber> FindInheritedWord(std::string_view word) const;
  const Node* InheritedVersionAt(NodeNumber number, Ordinal at) const;
  bool IsInInheritedHistory(NodeNumber number, Ordinal last) const;
  // All versions of an inherited number, oldest first.
  std::vector<Version> InheritedVersions(NodeNumber number) const;
  // This layer's own; null if it has none. REQUIRES: an inherited number.
  const Versions* FindChanged(NodeNumber number) const;
  Versions& OwnVersions(NodeNumber number);
  const Interner<Word>::Entry& WordEntry(WordNumber number) const {
    if (number < first_word_) [[unlikely]]
      return InheritedWordEntry(number);
    return words_.entry(number - first_word_);
  }
  const Interner<Word>::Entry& InheritedWordEntry(WordNumber number) const;
  // Oldest first.
  std::vector<InheritedPostings> InheritedPostingsOf(std::string_view key, Ordinal at) const;

  NodeNumber first_id_ = 0;
  WordNumber first_word_ = 0;
  Ordinal base_ = kNever;
  IdTable<Versions> ids_;
  Interner<Word> words_;
  Interner<PostingList> postings_;
  std::unique_ptr<Below> below_;  // null: no fork
};

}  // namespace pactdb
