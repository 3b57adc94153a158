#include "model/lexicon.h"

#include <algorithm>

#include "base/check.h"
#include "text/canonical.h"

namespace pactdb {
namespace {

std::string_view BytesOf(const NodeNumber& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

}  // namespace

Lexicon::Lexicon(std::shared_ptr<const Lexicon> parent, Ordinal fork_point)
    : first_id_(static_cast<NodeNumber>(parent->id_count())),
      first_word_(parent->first_word_ + static_cast<WordNumber>(parent->words_.size())),
      below_(std::make_unique<Below>()) {
  // A fork at a commit that the parent inherited is one of the parent's ancestor.
  PACTDB_CHECK(parent->below_ == nullptr || fork_point > parent->fork_point());
  below_->fork_point = fork_point;
  below_->depth = parent->fork_depth() + 1;
  below_->parent = std::move(parent);
}

// --- ids ---

NodeNumber Lexicon::InternId(std::string_view id, std::int64_t cycle) {
  if (below_ != nullptr) {
    if (const auto number = FindId(id)) return *number;
  }
  return first_id_ + ids_.Intern(id, cycle);
}

NodeNumber Lexicon::InternId(const MadeId& id) {
  if (below_ != nullptr) return InternId(IdText(id), static_cast<std::int64_t>(id.cycle));
  return ids_.Intern(id);
}

const Lexicon& Lexicon::Owner(NodeNumber number) const {
  const Lexicon* layer = this;
  while (number < layer->first_id_) layer = layer->parent();
  return *layer;
}

std::optional<NodeNumber> Lexicon::FindInheritedId(std::string_view id) const {
  for (const Lexicon* layer = this; layer->below_ != nullptr; layer = layer->parent()) {
    const Lexicon& below = *layer->parent();
    const auto own = below.ids_.Find(id);
    if (own && below.first_id_ + *own < layer->first_id_) return below.first_id_ + *own;
  }
  return std::nullopt;
}

// --- versions ---

const Node* Lexicon::Versions::LaterAt(Ordinal at) const {
  const auto list = later.items();
  const auto after = std::ranges::upper_bound(list, at, {}, &Version::at);
  return after == list.begin() ? first : std::prev(after)->node;
}

const Node* Lexicon::Versions::PastAt(Ordinal at, bool is_of_base) const {
  const Node* node = is_of_base ? first : nullptr;
  for (const Version& version : past.items()) {
    if (version.at <= at) break;
    node = version.node;
  }
  return node;
}

bool Lexicon::Versions::WasHeldBy(Ordinal last, Ordinal base) const {
  if (IsHeldBy(last) || At(last, base) != nullptr) return true;
  return std::ranges::any_of(past.items(), [last](const Version& version) {
    return version.node != nullptr && version.at <= last;
  });
}

const Lexicon::Versions* Lexicon::FindChanged(NodeNumber number) const {
  const auto entry = below_->changed.Find(BytesOf(number));
  return entry ? &below_->changed.entry(*entry).payload : nullptr;
}

const Node* Lexicon::InheritedVersionAt(NodeNumber number, Ordinal at) const {
  const Lexicon* layer = this;
  for (; number < layer->first_id_; layer = layer->parent()) {
    if (at <= layer->fork_point()) continue;
    const Versions* changed = layer->FindChanged(number);
    if (changed != nullptr && changed->IsHeldBy(at)) return changed->At(at, kNever);
    at = layer->fork_point();
  }
  return layer->ids_.payload(number - layer->first_id_).At(at, layer->base_);
}

bool Lexicon::IsInInheritedHistory(NodeNumber number, Ordinal last) const {
  const Lexicon* layer = this;
  for (; number < layer->first_id_; layer = layer->parent()) {
    if (last <= layer->fork_point()) continue;
    const Versions* changed = layer->FindChanged(number);
    if (changed != nullptr && changed->IsHeldBy(last)) return true;
    last = layer->fork_point();
  }
  return layer->ids_.payload(number - layer->first_id_).WasHeldBy(last, layer->base_);
}

std::vector<Lexicon::Layer> Lexicon::LayersOf(NodeNumber number) const {
  std::vector<Layer> layers;
  Ordinal last = kNever;
  const Lexicon* layer = this;
  for (; number < layer->first_id_; layer = layer->parent()) {
    if (const Versions* changed = layer->FindChanged(number))
      layers.push_back({changed, last, kNever});
    last = layer->fork_point();
  }
  layers.push_back({&layer->ids_.payload(number - layer->first_id_), last, layer->base_});
  std::ranges::reverse(layers);
  return layers;
}

Lexicon::Versions& Lexicon::OwnVersions(NodeNumber number) {
  if (number >= first_id_) return ids_.payload(number - first_id_);
  return below_->changed.entry(below_->changed.Intern(BytesOf(number))).payload;
}

void Lexicon::AddVersion(NodeNumber number, Ordinal at, const Node* version) {
  Versions& versions = OwnVersions(number);
  if (versions.first_ordinal.load(std::memory_order_relaxed) != kNever) {
    versions.later.Append({.at = at, .node = version});
    return;
  }
  // What begins with its removal is there already: a fork takes out what it inherited.
  PACTDB_CHECK(version != nullptr || number < first_id_);
  versions.first = version;
  versions.first_ordinal.store(at, std::memory_order_release);
}

void Lexicon::DropVersion(NodeNumber number) {
  Versions& versions = OwnVersions(number);
  if (!versions.later.items().empty()) {
    versions.later.RemoveLast();
    return;
  }
  versions.first_ordinal.store(kNever, std::memory_order_release);
}

// --- words ---

WordNumber Lexicon::InternWord(std::string_view word) {
  if (auto number = FindWord(word)) return *number;
  const WordNumber number = words_.Intern(word);
  AppendJsonString(word, words_.entry(number).payload.json);
  return first_word_ + number;
}

std::optional<WordNumber> Lexicon::FindInheritedWord(std::string_view word) const {
  for (const Lexicon* layer = this; layer->below_ != nullptr; layer = layer->parent()) {
    const Lexicon& below = *layer->parent();
    const auto own = below.words_.Find(word);
    if (own && below.first_word_ + *own < layer->first_word_) return below.first_word_ + *own;
  }
  return std::nullopt;
}

const Interner<Lexicon::Word>::Entry& Lexicon::InheritedWordEntry(WordNumber number) const {
  const Lexicon* layer = this;
  while (number < layer->first_word_) layer = layer->parent();
  return layer->words_.entry(number - layer->first_word_);
}

// --- indexes ---

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

std::vector<Lexicon::InheritedPostings> Lexicon::InheritedPostingsOf(std::string_view key,
                                                                     Ordinal at) const {
  std::vector<InheritedPostings> parts;
  for (const Lexicon* layer = this; layer->below_ != nullptr; layer = layer->parent()) {
    at = std::min(at, layer->fork_point());
    const Lexicon& below = *layer->parent();
    if (const auto number = below.postings_.Find(key))
      parts.push_back({&below.postings_.entry(*number).payload, at, layer->first_id_});
  }
  std::ranges::reverse(parts);
  return parts;
}

std::size_t Lexicon::allocated_bytes() const {
  return ids_.allocated_bytes() + words_.allocated_bytes() + postings_.allocated_bytes() +
         (below_ == nullptr ? 0 : below_->changed.allocated_bytes());
}

}  // namespace pactdb
