#include "model/tree_loader.h"

#include <algorithm>

#include "base/hash64.h"
#include "base/limits.h"
#include "base/try.h"
#include "model/order.h"

namespace pactdb {
namespace {

// A list of fewer entries is looked through again for the next far snapshot.
constexpr std::size_t kLongList = 1'000;
// What a file says of itself is believed so far.
constexpr std::size_t kReservedMax = 1 << 20;

// The slots of `newer`, by where they are stored.
std::unordered_map<std::uint64_t, Chunk::Slot> SlotsByAddress(std::span<const Chunk* const> newer) {
  std::unordered_map<std::uint64_t, Chunk::Slot> slots;
  for (const Chunk* chunk : newer) {
    for (const Chunk::Slot& slot : chunk->view()) {
      const std::uint64_t at = chunk->level == 0 ? slot.node->stored_at : slot.chunk->stored_at;
      if (at != kNotStored) slots.emplace(at, slot);
    }
  }
  return slots;
}

void RetainSlot(unsigned level, const Chunk::Slot& slot) {
  if (level == 0) {
    Retain(slot.node);
  } else {
    Retain(slot.chunk);
  }
}

// True if no ids are needed to know that the nodes are in order. They are, most often, and now they
// are at hand.
bool IsToldByHints(const Chunk& leaf) {
  std::int64_t last = kNoHint;
  for (const Chunk::Slot& slot : leaf.view()) {
    const std::int64_t hint = OrderHint(*slot.node);
    if (hint <= last) return leaf.count == 1;
    last = hint;
  }
  return true;
}

// Slots of a chunk in the making; given back if it does not come about.
class Slots {
 public:
  explicit Slots(unsigned level) : level_(level) {}
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  ~Slots() {
    for (const Chunk::Slot& slot : slots_) {
      if (level_ == 0) {
        Release(slot.node);
      } else {
        Release(slot.chunk);
      }
    }
  }
  void Add(Chunk::Slot slot) { slots_.push_back(slot); }
  void Reserve(std::size_t count) { slots_.reserve(count); }
  std::span<const Chunk::Slot> view() const { return slots_; }
  void Forget() { slots_.clear(); }

 private:
  unsigned level_;
  std::vector<Chunk::Slot> slots_;
};

}  // namespace

Error TreeLoader::Corrupt(const StoredAddress& address, std::string_view what) const {
  return Error(ErrorCode::kStoreCorrupt, "object " + std::to_string(address.index) + " of commit " +
                                             std::to_string(address.record.commit) + ": " +
                                             std::string(what))
      .With("context_number", static_cast<std::int64_t>(address.record.context))
      .With("commit", static_cast<std::int64_t>(address.record.commit));
}

// --- what a far list has ---

TreeLoader::Known::Known(const Chunk& list) {
  std::vector<const Chunk*> left{&list};
  while (!left.empty()) {
    const Chunk& chunk = *left.back();
    left.pop_back();
    for (const Chunk::Slot& slot : chunk.view()) {
      if (chunk.level == 0) {
        if (slot.node->stored_at != kNotStored) nodes_.emplace(slot.node->stored_at, slot.node);
        continue;
      }
      if (slot.chunk->stored_at != kNotStored) chunks_.emplace(slot.chunk->stored_at, slot.chunk);
      left.push_back(slot.chunk);
    }
  }
}

std::optional<Chunk::Slot> TreeLoader::Known::Find(unsigned level, std::uint64_t stored_at) const {
  if (level == 0) {
    const auto node = nodes_.find(stored_at);
    if (node == nodes_.end()) return std::nullopt;
    return Chunk::Slot{.node = node->second};
  }
  const auto chunk = chunks_.find(stored_at);
  if (chunk == chunks_.end() || chunk->second->level + 1u != level) return std::nullopt;
  return Chunk::Slot{.chunk = chunk->second};
}

std::shared_ptr<const TreeLoader::Known> TreeLoader::KnownOf(const Chunk& list) {
  if (long_list_.get() == &list) {
    is_long_list_new_ = true;
    return known_of_long_list_;
  }
  auto own = std::make_shared<const Known>(list);
  const bool is_longer = !is_long_list_new_ || own->size() > known_of_long_list_->size();
  if (own->size() >= kLongList && is_longer) {
    long_list_ = Ref<Chunk>::Share(const_cast<Chunk*>(&list));
    known_of_long_list_ = own;
    is_long_list_new_ = true;
  }
  return own;
}

// --- trees ---

Result<Ref<Container>> TreeLoader::Load(const RecordId& id, std::size_t nodes_max,
                                        const Container* newer) {
  far_ = nullptr;
  return LoadRoot(id, nodes_max, newer);
}

Result<Ref<Container>> TreeLoader::LoadFar(const RecordId& id, std::size_t nodes_max,
                                           const TreeView& newer) {
  far_ = &newer;
  is_long_list_new_ = false;
  auto root = LoadRoot(id, nodes_max, newer.root);
  far_ = nullptr;
  return root;
}

Result<Ref<Container>> TreeLoader::LoadRoot(const RecordId& id, std::size_t nodes_max,
                                            const Container* newer) {
  made_.clear();
  claimed_.clear();
  last_claimed_ = nullptr;
  texts_.clear();
  leaves_.clear();
  inner_.clear();
  first_ = id;
  depth_ = 0;
  words_of_ = {};
  words_bytes_.clear();
  nodes_left_ = nodes_max;
  if (newer == nullptr) made_.reserve(std::min(nodes_max, kReservedMax));
  PACTDB_TRY(const StoredRecord* record, source_.Record(id));
  const StoredAddress root{.record = id, .index = record->root()};
  const Node* const counterpart = newer;
  PACTDB_TRY(Ref<Node> node, LoadNode(root, kNoParent,
                                      newer == nullptr ? std::span<const Node* const>()
                                                       : std::span(&counterpart, 1)));
  if (node->node_class() != NodeClass::kRoot)
    return std::unexpected(Corrupt(root, "it is no root"));
  PACTDB_TRY_STATUS(CheckPlaces());
  PACTDB_TRY_STATUS(GiveNumbers());
  PACTDB_TRY_STATUS(CheckOrder());
  claimed_.clear();
  return Ref<Container>::Adopt(node.Detach()->AsContainer());
}

bool TreeLoader::Claims::Add(std::uint32_t index, std::uint32_t objects) {
  if (index < kFirst) {
    const std::uint64_t bit = std::uint64_t{1} << index;
    return (std::exchange(first, first | bit) & bit) == 0;
  }
  if (others.size() < objects - kFirst) others.resize(objects - kFirst);
  const bool is_new = !others[index - kFirst];
  others[index - kFirst] = true;
  return is_new;
}

Status TreeLoader::Claim(const StoredAddress& address, std::uint32_t objects) {
  const std::uint64_t record = numbers_.Pack(address) >> RecordNumbers::kIndexBits;
  if (last_claimed_ == nullptr || record != last_record_) {
    last_record_ = record;
    last_claimed_ = &claimed_[record];
  }
  const bool is_new = last_claimed_->Add(address.index, objects);
  return is_new ? Status() : std::unexpected(Corrupt(address, "its tree has it twice"));
}

const Node* TreeLoader::Counterpart(const StoredNode& stored,
                                    std::span<const Node* const> newer) const {
  for (const Node* node : newer) {
    const bool is_same = stored.made_id ? lexicon_.id(node->number) == IdText(*stored.made_id)
                                        : lexicon_.id(node->number) == stored.id;
    if (is_same) return node;
  }
  return nullptr;
}

const Node* TreeLoader::FarCounterpart(const StoredNode& stored) const {
  return stored.made_id ? far_->FindId(IdText(*stored.made_id)) : far_->FindId(stored.id);
}

Result<Ref<Node>> TreeLoader::LoadNode(const StoredAddress& address, std::uint32_t parent,
                                       std::span<const Node* const> newer) {
  PACTDB_TRY(const StoredRecord* record, source_.Record(address.record));
  StoredNode stored;
  PACTDB_TRY_STATUS(record->ReadNode(address.index, stored));
  PACTDB_TRY_STATUS(Claim(address, record->object_count()));
  if (nodes_left_-- == 0)
    return std::unexpected(Corrupt({first_, 0}, "its tree has more nodes than it says"));
  PACTDB_TRY(Ref<Node> node, MakeNodeOf(*record, stored));
  node->stored_at = numbers_.Pack(address);
  const auto place = static_cast<std::uint32_t>(made_.size());
  std::uint64_t name = kIsText | texts_.size();
  if (stored.made_id) {
    name = stored.made_id->Pack();
    node->shape = static_cast<std::uint32_t>(ShapeHash(IdText(*stored.made_id)));
  } else {
    texts_.emplace_back(stored.id);
    node->shape = static_cast<std::uint32_t>(ShapeHash(stored.id));
  }
  made_.push_back({node.get(), parent, node->node_class(), name});
  Container* container = node->AsContainer();
  if (container == nullptr) return node;
  container->digest = stored.digest;
  container->Set(Node::kStale, false);
  if (!stored.children) return node;
  if (++depth_ > limits::kTreeDepthMax + 1)
    return std::unexpected(Corrupt(address, "its tree is too deep"));
  PACTDB_TRY(container->children, LoadChildren(stored, place, newer));
  --depth_;
  return node;
}

Result<Chunk*> TreeLoader::LoadChildren(const StoredNode& stored, std::uint32_t place,
                                        std::span<const Node* const> newer) {
  const Node* counterpart = far_ == nullptr ? Counterpart(stored, newer) : FarCounterpart(stored);
  const Container* container = counterpart == nullptr ? nullptr : counterpart->AsContainer();
  Chunk* const list = container == nullptr ? nullptr : container->children;
  const bool is_shared = list != nullptr && list->stored_at != kNotStored &&
                         list->stored_at == numbers_.Pack(*stored.children);
  if (is_shared) {
    PACTDB_TRY_STATUS(Claim(*stored.children, stored.children->index + 1));
    Retain(list);
    return list;
  }
  Newer from;
  if (list != nullptr && far_ != nullptr) {
    from.known = KnownOf(*list);
  } else if (list != nullptr) {
    from.frontier.push_back(list);
  }
  return LoadList(*stored.children, place, child_list::kLevelMax, std::move(from));
}

void TreeLoader::MapWords(const StoredRecord& record) {
  if (words_of_ == record.id()) return;
  words_of_ = record.id();
  // Neighbours mostly have the same words.
  if (record.words_bytes() == words_bytes_) return;
  words_bytes_ = record.words_bytes();
  words_.assign(1, kNoWord);
  for (const std::string_view word : record.head().words)
    words_.push_back(lexicon_.InternWord(word));
}

Result<Ref<Node>> TreeLoader::MakeNodeOf(const StoredRecord& record, const StoredNode& stored) {
  MapWords(record);
  Ref<Node> node = MakeNode(stored.node_class);
  node->flags |= stored.flags & record::kStoredFlags;
  node->type = words_[stored.type];
  node->role = words_[stored.role];
  node->kind = words_[stored.kind];
  node->created_at_ns = stored.created_at_ns;
  node->offset = stored.offset;
  node->creation_index = stored.creation_index;
  node->cycle = stored.cycle;
  node->priority = stored.priority;
  node->expiry = stored.expiry;
  if (stored.has_body) PACTDB_TRY_STATUS(LoadBody(stored, *node));
  return node;
}

Result<std::string_view> TreeLoader::ValueOf(const StoredValue& value) {
  if (!value.hash) return value.bytes;
  PACTDB_TRY(std::string bytes, source_.Content(*value.hash));
  if (!record::IsValue(bytes)) return std::unexpected(Corrupt({first_, 0}, "a content is no JSON"));
  return values_.emplace_back(std::move(bytes));
}

Status TreeLoader::LoadBody(const StoredNode& stored, Node& node) {
  values_.clear();
  values_.reserve(stored.attributes.size() + 1);
  std::optional<std::string_view> content;
  if (stored.content) {
    PACTDB_TRY(content, ValueOf(*stored.content));
  }
  std::vector<Attribute> attributes;
  attributes.reserve(stored.attributes.size());
  for (const StoredAttribute& attribute : stored.attributes) {
    PACTDB_TRY(const std::string_view value, ValueOf(attribute.value));
    attributes.push_back({attribute.name, value});
  }
  Ref<Body> body = Body::Restore(content, attributes, stored.content_hash);
  // SetBody looks for a key, which a body without attributes cannot have.
  if (attributes.empty()) {
    node.body = body.Detach();
  } else {
    node.SetBody(std::move(body));
  }
  return {};
}

// Level by level down from a chunk that the newer list does not have: what it shares with the newer
// chunks of its level is taken from there, and the rest is looked for among those they hold.
TreeLoader::Sharing TreeLoader::Share(const StoredChunk& stored, Newer newer) {
  Sharing sharing;
  if (newer.known != nullptr) {
    for (const StoredAddress& slot : stored.slots)
      sharing.slots.push_back(newer.known->Find(stored.level, numbers_.Pack(slot)));
    sharing.below.known = newer.known;
    return sharing;
  }
  Frontier& frontier = newer.frontier;
  while (!frontier.empty() && frontier[0]->level > stored.level) {
    Frontier below;
    for (const Chunk* chunk : frontier)
      for (const Chunk::Slot& slot : chunk->view()) below.push_back(slot.chunk);
    frontier = std::move(below);
  }
  if (frontier.empty() || frontier[0]->level != stored.level) return sharing;
  auto known = SlotsByAddress(frontier);
  sharing.slots.resize(stored.slots.size());
  for (std::size_t i = 0; i < stored.slots.size(); ++i) {
    const auto found = known.find(numbers_.Pack(stored.slots[i]));
    if (found == known.end()) continue;
    sharing.slots[i] = found->second;
    known.erase(found);
  }
  for (const auto& [at, slot] : known) {
    if (stored.level == 0) {
      sharing.nodes_below.push_back(slot.node);
    } else {
      sharing.below.frontier.push_back(slot.chunk);
    }
  }
  return sharing;
}

Result<Chunk*> TreeLoader::LoadList(const StoredAddress& address, std::uint32_t parent,
                                    unsigned level_max, Newer newer) {
  PACTDB_TRY(const StoredRecord* record, source_.Record(address.record));
  StoredChunk stored;
  PACTDB_TRY_STATUS(record->ReadChunk(address.index, stored));
  PACTDB_TRY_STATUS(Claim(address, record->object_count()));
  if (stored.level > level_max) return std::unexpected(Corrupt(address, "its levels do not fall"));
  const auto [shared, below, nodes_below] = Share(stored, std::move(newer));
  Slots slots(stored.level);
  slots.Reserve(stored.slots.size());
  for (std::size_t i = 0; i < stored.slots.size(); ++i) {
    if (!shared.empty() && shared[i]) {
      PACTDB_TRY_STATUS(Claim(stored.slots[i], stored.slots[i].index + 1));
      RetainSlot(stored.level, *shared[i]);
      slots.Add(*shared[i]);
    } else if (stored.level == 0) {
      PACTDB_TRY(Ref<Node> node, LoadNode(stored.slots[i], parent, nodes_below));
      slots.Add({.node = node.Detach()});
    } else {
      PACTDB_TRY(Chunk * chunk, LoadList(stored.slots[i], parent, stored.level - 1, below));
      slots.Add({.chunk = chunk});
      if (chunk->level + 1u != stored.level)
        return std::unexpected(Corrupt(address, "its levels do not fall one by one"));
    }
  }
  const bool has_block =
      stored.level == 0 && std::ranges::any_of(slots.view(), [](const Chunk::Slot& slot) {
        return slot.node->is_block();
      });
  if (has_block != stored.hash.has_value())
    return std::unexpected(Corrupt(address, "its hash is missing"));
  Chunk* chunk = child_list::Rebuild(stored.level, slots.view(),
                                     stored.hash ? &*stored.hash : nullptr, lexicon_);
  slots.Forget();
  chunk->stored_at = numbers_.Pack(address);
  if (stored.level != 0) {
    inner_.emplace_back(chunk, address);
  } else if (!IsToldByHints(*chunk)) {
    leaves_.emplace_back(chunk, address);
  }
  return chunk;
}

// What the rest of the engine takes for granted of a tree.
Status TreeLoader::CheckPlaces() const {
  std::uint32_t regions = 0;
  for (const Made& made : made_) {
    const NodeClass parent = made.parent == kNoParent
                                 ? NodeClass::kBlock  // no node stands under one
                                 : made_[made.parent].node_class;
    const NodeClass own = made.node_class;
    const bool is_region = own >= NodeClass::kSys && own <= NodeClass::kAh;
    const bool is_right = own == NodeClass::kRoot   ? made.parent == kNoParent
                          : is_region               ? parent == NodeClass::kRoot
                          : own == NodeClass::kTurn ? parent == NodeClass::kSeq
                                                    : parent != NodeClass::kRoot;
    const std::uint32_t bit = is_region ? 1u << static_cast<unsigned>(own) : 0;
    const bool is_second = (regions & bit) != 0;
    regions |= bit;
    if (!is_right || is_second)
      return std::unexpected(Corrupt({first_, 0}, "a node stands where it cannot stand"));
  }
  return {};
}

// Lists are in order where they were made; what was taken from a newer tree was in order there.
Status TreeLoader::CheckOrder() const {
  for (const auto& [chunk, address] : leaves_) {
    const auto slots = chunk->view();
    for (std::size_t i = 1; i < slots.size(); ++i) {
      if (CompareSiblings(*slots[i - 1].node, *slots[i].node, lexicon_) >= 0)
        return std::unexpected(Corrupt(address, "its nodes are not in order"));
    }
  }
  for (const auto& [chunk, address] : inner_) {
    for (std::uint32_t i = 1; i < chunk->count; ++i) {
      const Chunk* first = chunk->slots()[i].chunk;
      while (first->level > 0) first = first->slots()[0].chunk;
      if (CompareSiblings(*child_list::LastOf(*chunk, i - 1), *first->slots()[0].node, lexicon_) >=
          0)
        return std::unexpected(Corrupt(address, "its nodes are not in order"));
    }
  }
  return {};
}

Status TreeLoader::GiveNumbers() {
  std::vector<std::uint32_t> order;
  const auto name = [this](std::uint32_t i) { return made_[i].name & ~(std::uint64_t{7} << 60); };
  const auto is_sorted = [&] {
    std::uint64_t last = 0;
    return std::ranges::all_of(made_, [&last](const Made& made) {
      if ((made.name & kIsText) != 0) return true;
      const std::uint64_t now = made.name & ~(std::uint64_t{7} << 60);
      return std::exchange(last, now) <= now;
    });
  };
  order.resize(made_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  // By cycle, then index: the order in which the engine made them.
  if (!is_sorted()) {
    std::ranges::sort(order, {}, [&name](std::uint32_t i) { return std::pair(name(i), i); });
  }
  for (const std::uint32_t i : order) {
    Made& made = made_[i];
    made.node->number = (made.name & kIsText) != 0
                            ? lexicon_.InternId(texts_[made.name & ~kIsText], made.node->cycle)
                            : lexicon_.InternId(MadeId::Unpack(made.name));
  }
  for (const Made& made : made_) {
    if (made.parent != kNoParent) made.node->parent = made_[made.parent].node->number;
  }
  return {};
}

}  // namespace pactdb
