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
// Thread safety: one writer, any number of readers (see Interner, GrowList).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

  // --- ids ---
  // Writer. `cycle` is when the node was made.
  NodeNumber InternId(std::string_view id, std::int64_t cycle) { return ids_.Intern(id, cycle); }
  NodeNumber InternId(const MadeId& id) { return ids_.Intern(id); }
  std::optional<NodeNumber> FindId(std::string_view id) const { return ids_.Find(id); }
  IdText id(NodeNumber number) const { return ids_.text(number); }

  // For a look-ahead over many nodes.
  void PrefetchId(NodeNumber number) const { ids_.Prefetch(number); }

  // The node's version in the snapshot `at`; null if the snapshot does not hold it.
  const Node* VersionAt(NodeNumber number, Ordinal at) const;
  // Calls visit(Ordinal, const Node*) for every version, oldest first; null where the node left.
  // REQUIRES: all snapshots are loaded.
  template <typename Visitor>
  void ForEachVersion(NodeNumber number, Visitor&& visit) const {
    const Versions& versions = ids_.payload(number);
    const auto past = versions.past.items();
    Ordinal from = 0;
    for (std::size_t i = past.size(); i-- > 0; from = past[i].at) {
      if (from > 0 || past[i].node != nullptr) visit(from, past[i].node);
    }
    const Ordinal first = versions.first_ordinal.load(std::memory_order_acquire);
    if (first == kNever) {
      if (!past.empty()) visit(from, nullptr);
      return;
    }
    visit(first == base_ ? from : first, versions.first);
    for (const Version& version : versions.later.items()) visit(version.at, version.node);
  }
  // True if any loaded snapshot ever held the node.
  bool IsInHistory(NodeNumber number) const {
    const Versions& versions = ids_.payload(number);
    return versions.first_ordinal.load(std::memory_order_acquire) != kNever ||
           !versions.past.empty();
  }
  // Writer: from commit `at` on, the node is `version` (null: gone). REQUIRES: ordinals rise.
  void AddVersion(NodeNumber number, Ordinal at, const Node* version);
  // Writer, before all else: versions of snapshot `base` are its nodes, however old.
  void SetBase(Ordinal base) { base_ = base; }
  // Writer: before commit `before` the node was `version` (null: was not there). REQUIRES: commits
  // fall, and `before` is not above the base.
  void AddPastVersion(NodeNumber number, Ordinal before, const Node* version) {
    ids_.payload(number).past.Append({.at = before, .node = version});
  }
  // Writer: takes back the newest version. REQUIRES: no reader holds a snapshot that has it.
  void DropVersion(NodeNumber number);

  // --- words ---
  WordNumber InternWord(std::string_view word);
  std::optional<WordNumber> FindWord(std::string_view word) const { return words_.Find(word); }
  std::string_view word(WordNumber number) const { return words_.text(number); }
  // The word as a canonical JSON string; empty for kNoWord.
  std::string_view word_json(WordNumber number) const {
    return number == kNoWord ? std::string_view() : words_.entry(number).payload.json;
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
  // Calls visit(NodeNumber) for every node that may carry the value in snapshot `at`, or, for
  // kNever, in the working state. A node can come twice.
  template <typename Visitor>
  void ForEachPosting(IndexKind kind, std::string_view value, Ordinal at, Visitor&& visit) const {
    if (postings_.size() == 0) return;
    const auto number = postings_.Find(PostingKey(kind, value));
    if (!number) return;
    const PostingList& list = postings_.entry(*number).payload;
    const auto items = list.items.items();
    const std::size_t first = at == kNever ? list.living_from : 0;
    for (std::size_t i = first; i < items.size(); ++i) {
      const Ordinal death = std::atomic_ref(items[i].death).load(std::memory_order_relaxed);
      if (at == kNever ? death == kNever : death > at) visit(items[i].node);
    }
  }

  std::size_t allocated_bytes() const {
    return ids_.allocated_bytes() + words_.allocated_bytes() + postings_.allocated_bytes();
  }
  std::size_t id_count() const { return ids_.size(); }

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
  };
  struct Word {
    std::string json;
  };
  struct PostingList {
    GrowList<Posting> items;
    std::size_t living_from = 0;  // writer: everything before it is dead in the working state
  };

  const Node* PastVersion(const Versions& versions, Ordinal first, Ordinal at) const;

  static std::string PostingKey(IndexKind kind, std::string_view value) {
    std::string key(1, static_cast<char>(kind));
    key += value;
    return key;
  }

  Ordinal base_ = kNever;
  IdTable<Versions> ids_;
  Interner<Word> words_;
  Interner<PostingList> postings_;
};

}  // namespace pactdb
