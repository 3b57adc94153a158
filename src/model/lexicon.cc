#include "model/lexicon.h"

#include <span>
#include <utility>

#include "base/check.h"
#include "text/canonical.h"

namespace pactdb {
namespace {

std::string_view BytesOf(const NodeNumber& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

}  // namespace

Lexicon::Lexicon(std::shared_ptr<const Lexicon> parent, Ordinal fork_point, Ordinal shared_from)
    : first_id_(static_cast<NodeNumber>(parent->id_count())),
      first_word_(parent->first_word_ + static_cast<WordNumber>(parent->words_.size())),
      below_(std::make_unique<Below>()) {
  PACTDB_CHECK(shared_from <= fork_point);
  below_->fork_point = fork_point;
  below_->shared_from = shared_from;
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

std::optional<NodeNumber> Lexicon::FindInheritedId(const WantedId& id) const {
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

std::optional<const Node*> Lexicon::Versions::PastAt(Ordinal at) const {
  std::optional<const Node*> node;
  for (const Version& version : past.items()) {
    if (version.at <= at) break;
    node = version.node;
  }
  return node;
}

bool Lexicon::Versions::IsHeldBy(Ordinal last, Ordinal base) const {
  const auto list = past.items();
  const Ordinal from = first_ordinal.load(std::memory_order_acquire);
  if (from != kNever) {
    const Ordinal since = from != base ? from : list.empty() ? 0 : list[0].at;
    if (since <= last) return true;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Ordinal since = i + 1 < list.size() ? list[i + 1].at : 0;
    if (list[i].node != nullptr && since <= last) return true;
  }
  return false;
}

const Lexicon::Versions* Lexicon::FindChanged(NodeNumber number) const {
  const auto entry = below_->changed.Find(BytesOf(number));
  return entry ? &below_->changed.entry(*entry).payload : nullptr;
}

const Node* Lexicon::InheritedVersionAt(NodeNumber number, Ordinal at) const {
  const Lexicon* layer = this;
  for (; number < layer->first_id_; layer = layer->parent()) {
    const Ordinal shared = layer->below_->Clamp(at);
    if (shared == at) continue;
    if (const Versions* changed = layer->FindChanged(number)) {
      if (at < shared) {
        if (const auto node = changed->PastAt(at)) return *node;
      } else if (changed->first_ordinal.load(std::memory_order_acquire) <= at) {
        return changed->At(at, kNever);
      }
    }
    at = shared;
  }
  return layer->ids_.payload(number - layer->first_id_).At(at, layer->base_);
}

bool Lexicon::IsInInheritedHistory(NodeNumber number, Ordinal last) const {
  const Lexicon* layer = this;
  for (; number < layer->first_id_; layer = layer->parent()) {
    const Versions* changed = layer->FindChanged(number);
    if (changed != nullptr && changed->IsHeldBy(last, kNever)) return true;
    const Below& below = *layer->below_;
    if (last < below.shared_from) {
      // Of what is shared, the first version alone goes back so far, until the past says otherwise.
      const auto past = changed == nullptr ? std::span<const Version>() : changed->past.items();
      const Ordinal since = past.empty() ? 0 : past[0].at;
      return since <= last && below.parent->VersionAt(number, below.shared_from) != nullptr;
    }
    last = std::min(last, below.fork_point);
  }
  return layer->ids_.payload(number - layer->first_id_).IsHeldBy(last, layer->base_);
}

std::vector<Lexicon::Version> Lexicon::InheritedVersions(NodeNumber number) const {
  std::vector<const Lexicon*> layers;
  const Lexicon* layer = this;
  for (; number < layer->first_id_; layer = layer->parent()) layers.push_back(layer);
  std::vector<Version> versions;
  const auto append = [&versions](Ordinal at, const Node* node) { versions.push_back({at, node}); };
  layer->ids_.payload(number - layer->first_id_).ForEach(layer->base_, append);
  for (; !layers.empty(); layers.pop_back()) {
    const Below& below = *layers.back()->below_;
    const Versions* changed = layers.back()->FindChanged(number);
    // Of the parent's what is shared; the version of the first shared commit goes back from there
    // until this layer's past says otherwise.
    const std::vector<Version> inherited = std::exchange(versions, {});
    Ordinal from = 0;
    if (changed != nullptr) {
      const auto past = changed->past.items();
      for (std::size_t i = past.size(); i-- > 0; from = past[i].at) {
        if (from > 0 || past[i].node != nullptr) append(from, past[i].node);
      }
    }
    const Node* oldest = nullptr;
    for (const Version& version : inherited) {
      if (version.at <= below.shared_from) oldest = version.node;
    }
    if (oldest != nullptr || from > 0) append(from, oldest);
    for (const Version& version : inherited) {
      if (version.at > below.shared_from && version.at <= below.fork_point)
        append(version.at, version.node);
    }
    if (changed == nullptr) continue;
    const Ordinal first = changed->first_ordinal.load(std::memory_order_acquire);
    if (first == kNever) continue;
    append(first, changed->first);
    for (const Version& version : changed->later.items()) append(version.at, version.node);
  }
  return versions;
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
    at = layer->below_->Clamp(at);
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
