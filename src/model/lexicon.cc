#include "model/lexicon.h"

#include <algorithm>

#include "base/check.h"
#include "text/canonical.h"

namespace pactdb {

const Node* Lexicon::VersionAt(NodeNumber number, Ordinal at) const {
  const Versions& versions = ids_.payload(number);
  const Ordinal first = versions.first_ordinal.load(std::memory_order_acquire);
  if (first > at) return PastVersion(versions, first, at);
  if (first == kNever) return nullptr;
  const auto later = versions.later.items();
  const auto after =
      std::ranges::upper_bound(later, at, {}, [](const Version& version) { return version.at; });
  return after == later.begin() ? versions.first : std::prev(after)->node;
}

const Node* Lexicon::PastVersion(const Versions& versions, Ordinal first, Ordinal at) const {
  const Node* node = first != kNever && first == base_ ? versions.first : nullptr;
  for (const Version& past : versions.past.items()) {
    if (past.at <= at) break;
    node = past.node;
  }
  return node;
}

void Lexicon::AddVersion(NodeNumber number, Ordinal at, const Node* version) {
  Versions& versions = ids_.payload(number);
  if (versions.first_ordinal.load(std::memory_order_relaxed) != kNever) {
    versions.later.Append({.at = at, .node = version});
    return;
  }
  PACTDB_CHECK(version != nullptr);
  versions.first = version;
  versions.first_ordinal.store(at, std::memory_order_release);
}

void Lexicon::DropVersion(NodeNumber number) {
  Versions& versions = ids_.payload(number);
  if (!versions.later.items().empty()) {
    versions.later.RemoveLast();
    return;
  }
  versions.first_ordinal.store(kNever, std::memory_order_release);
}

WordNumber Lexicon::InternWord(std::string_view word) {
  if (auto number = words_.Find(word)) return *number;
  const WordNumber number = words_.Intern(word);
  AppendJsonString(word, words_.entry(number).payload.json);
  return number;
}

void Lexicon::AddPosting(IndexKind kind, std::string_view value, NodeNumber node, Ordinal death) {
  PostingList& list = postings_.entry(postings_.Intern(PostingKey(kind, value))).payload;
  list.items.Append({.node = node, .death = death});
}

void Lexicon::EndPosting(IndexKind kind, std::string_view value, NodeNumber node, Ordinal at) {
  const auto number = postings_.Find(PostingKey(kind, value));
  if (!number) return;
  PostingList& list = postings_.entry(*number).payload;
  const auto items = list.items.items();
  for (std::size_t i = list.living_from; i < items.size(); ++i) {
    std::atomic_ref death(items[i].death);
    if (items[i].node == node && death.load(std::memory_order_relaxed) == kNever) {
      death.store(at, std::memory_order_relaxed);
      break;  // a node is entered once for a value
    }
  }
  while (list.living_from < items.size() &&
         std::atomic_ref(items[list.living_from].death).load(std::memory_order_relaxed) != kNever) {
    ++list.living_from;
  }
}

}  // namespace pactdb
