#include "model/record_check.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "model/lexicon.h"
#include "model/tree_hash.h"

namespace pactdb {
namespace {

constexpr std::uint32_t kNobody = UINT32_MAX;
// So many lists may have an object: its own, and one whose address is damaged. Bounds what is
// hashed, whatever the record says.
constexpr std::uint8_t kListsMax = 2;

using Ids = std::vector<std::string>;

// As many as are shown, and how many there are: lists of a damaged record may have one owner with a
// long id, over and over.
class Names {
 public:
  void Add(std::string name) {
    if (++count_ <= kListedIds) first_.push_back(std::move(name));
  }
  std::size_t size() const { return count_; }
  std::string List() const { return ListOfIds(first_, count_); }

 private:
  Ids first_;
  std::size_t count_ = 0;
};

bool IsChunk(std::string_view object) {
  return !object.empty() && static_cast<std::uint8_t>(object.front()) == record::kChunkObject;
}

bool HasId(const StoredNode& node) {
  return node.made_id || !node.id.empty();
}

// Objects in their order: what one refers to stands before it, so what is damaged is known when
// that which has its hash comes. Only the deepest is named.
class Checker {
 public:
  Checker(const StoredRecord& record, RecordSource& source)
      : record_(record),
        source_(source),
        owners_(record.object_count(), kNobody),
        lists_of_own_(record.object_count()),
        is_bad_(record.object_count()),
        has_bad_below_(record.object_count() + std::size_t{1}) {}

  RecordDamage Run();

 private:
  using Key = std::tuple<ContextNumber, CommitNumber, std::uint32_t>;

  static Key KeyOf(const StoredAddress& address) {
    return {address.record.context, address.record.commit, address.index};
  }
  bool IsOwn(const StoredAddress& address) const { return address.record == record_.id(); }
  bool IsBad(const StoredAddress& address) const {
    return IsOwn(address) && is_bad_[address.index];
  }
  Result<const StoredRecord*> RecordOf(const RecordId& id) {
    if (id == record_.id()) return &record_;
    return source_.Record(id);
  }
  void FindOwners();
  void CheckNode(std::uint32_t index);
  void CheckContainer(std::uint32_t index, const StoredNode& stored, const Node* node);
  void CheckChunk(std::uint32_t index);
  void BlameUnreadable(std::uint32_t index, const StoredNode& node);
  void BlameChunk(std::uint32_t index, const StoredChunk& chunk);
  void BlameList(std::uint32_t index);
  std::string OwnerOf(std::uint32_t index) const;
  std::uint8_t& ListsOf(const StoredAddress& address);
  bool TakesEachOnce(const StoredChunk& chunk);

  // Null, or nothing, where what is needed cannot be read.
  Ref<Node> MakeNodeOf(const StoredRecord& record, const StoredNode& stored);
  Ref<Body> MakeBody(const StoredNode& stored);
  std::optional<std::string> ValueOf(const StoredValue& value);
  std::optional<Digest> HashList(const StoredAddress& address);
  std::optional<Digest> HashSlots(const StoredChunk& chunk);
  bool AddEntry(const StoredAddress& address, ChunkHasher& hasher);

  const StoredRecord& record_;
  RecordSource& source_;
  Lexicon lexicon_;
  std::map<Key, std::optional<Digest>> lists_;
  // The node that an object stands below, if that is in the record.
  std::vector<std::uint32_t> owners_;
  // How many lists with the object were looked at; kListsMax once it is in the right one.
  std::vector<std::uint8_t> lists_of_own_;
  std::map<Key, std::uint8_t> lists_of_others_;
  std::vector<bool> is_bad_;         // itself, or something below it
  std::vector<bool> has_bad_below_;  // said already; last, of those without an owner
  Ids all_;
  Names contents_;
  Names unreadable_;
  Names below_;
  Names hashes_;
  std::vector<Names> one_of_;
};

// --- hashing ---

std::optional<std::string> Checker::ValueOf(const StoredValue& value) {
  if (!value.hash) return std::string(value.bytes);
  Result<std::string> bytes = source_.Content(*value.hash);
  if (!bytes || !record::IsValue(*bytes)) return std::nullopt;
  return *std::move(bytes);
}

Ref<Body> Checker::MakeBody(const StoredNode& stored) {
  std::optional<std::string> content;
  if (stored.content) {
    content = ValueOf(*stored.content);
    if (!content) return {};
  }
  std::vector<std::string> values;
  values.reserve(stored.attributes.size());
  std::vector<Attribute> attributes;
  for (const StoredAttribute& attribute : stored.attributes) {
    std::optional<std::string> value = ValueOf(attribute.value);
    if (!value) return {};
    attributes.push_back({attribute.name, values.emplace_back(*std::move(value))});
  }
  return Body::Restore(content, attributes, stored.content_hash);
}

Ref<Node> Checker::MakeNodeOf(const StoredRecord& record, const StoredNode& stored) {
  Ref<Node> node = MakeNode(stored.node_class);
  node->flags |= stored.flags & record::kStoredFlags;
  const auto word = [&](std::uint32_t number) {
    return number == 0 ? kNoWord : lexicon_.InternWord(record.head().words[number - 1]);
  };
  node->type = word(stored.type);
  node->role = word(stored.role);
  node->kind = word(stored.kind);
  node->created_at_ns = stored.created_at_ns;
  node->offset = stored.offset;
  node->creation_index = stored.creation_index;
  node->cycle = stored.cycle;
  node->priority = stored.priority;
  node->expiry = stored.expiry;
  node->number = stored.made_id ? lexicon_.InternId(*stored.made_id)
                                : lexicon_.InternId(stored.id, stored.cycle);
  if (!stored.has_body) return node;
  Ref<Body> body = MakeBody(stored);
  if (!body) return {};
  node->SetBody(std::move(body));
  return node;
}

// A container has its digest, a block is hashed with its list. False: it cannot be read.
bool Checker::AddEntry(const StoredAddress& address, ChunkHasher& hasher) {
  const Result<const StoredRecord*> record = RecordOf(address.record);
  StoredNode stored;
  if (!record || !(*record)->ReadNode(address.index, stored)) return false;
  if (stored.node_class != NodeClass::kBlock) {
    hasher.Add(stored.digest);
    return true;
  }
  const Ref<Node> node = MakeNodeOf(**record, stored);
  if (node) hasher.AddBlock(*node, lexicon_);
  return static_cast<bool>(node);
}

std::optional<Digest> Checker::HashSlots(const StoredChunk& chunk) {
  ChunkHasher hasher(chunk.level);
  for (const StoredAddress& slot : chunk.slots) {
    if (chunk.level == 0) {
      if (!AddEntry(slot, hasher)) return std::nullopt;
      continue;
    }
    const Result<const StoredRecord*> record = RecordOf(slot.record);
    StoredChunk below;
    // Levels fall one by one, so this ends.
    if (!record || !(*record)->ReadChunk(slot.index, below) || below.level + 1 != chunk.level)
      return std::nullopt;
    const std::optional<Digest> hash = HashList(slot);
    if (!hash) return std::nullopt;
    hasher.Add(*hash);
  }
  return hasher.Finish();
}

// As stated, or as it follows from what stands in it.
std::optional<Digest> Checker::HashList(const StoredAddress& address) {
  const Key key = KeyOf(address);
  if (const auto known = lists_.find(key); known != lists_.end()) return known->second;
  const Result<const StoredRecord*> record = RecordOf(address.record);
  StoredChunk chunk;
  std::optional<Digest> hash;
  if (record && (*record)->ReadChunk(address.index, chunk))
    hash = chunk.hash ? chunk.hash : HashSlots(chunk);
  lists_[key] = hash;
  return hash;
}

// --- looking ---

// From the root down: what stands below a node comes before it.
void Checker::FindOwners() {
  const auto give = [this](const StoredAddress& address, std::uint32_t owner) {
    if (IsOwn(address)) owners_[address.index] = owner;
  };
  for (std::uint32_t index = record_.object_count(); index-- > 0;) {
    if (IsChunk(record_.object(index))) {
      StoredChunk chunk;
      if (!record_.ReadChunk(index, chunk)) continue;
      for (const StoredAddress& slot : chunk.slots) give(slot, owners_[index]);
    } else {
      StoredNode node;
      if (record_.ReadNode(index, node) && node.children) give(*node.children, index);
    }
  }
}

std::string Checker::OwnerOf(std::uint32_t index) const {
  StoredNode owner;
  if (owners_[index] == kNobody || !record_.ReadNode(owners_[index], owner))
    return "one of its lists";
  return IdOf(owner);
}

std::uint8_t& Checker::ListsOf(const StoredAddress& address) {
  return IsOwn(address) ? lists_of_own_[address.index] : lists_of_others_[KeyOf(address)];
}

// An object stands in one list, once. Counts this one for all that it has.
bool Checker::TakesEachOnce(const StoredChunk& chunk) {
  std::vector<Key> keys;
  keys.reserve(chunk.slots.size());
  for (const StoredAddress& slot : chunk.slots) keys.push_back(KeyOf(slot));
  std::ranges::sort(keys);
  if (std::ranges::adjacent_find(keys) != keys.end()) return false;
  bool is_good = true;
  for (const StoredAddress& slot : chunk.slots) {
    std::uint8_t& lists = ListsOf(slot);
    if (lists == kListsMax) {
      is_good = false;
    } else {
      ++lists;
    }
  }
  return is_good;
}

void Checker::BlameUnreadable(std::uint32_t index, const StoredNode& node) {
  is_bad_[index] = true;
  if (HasId(node)) {
    unreadable_.Add(IdOf(node));
    return;
  }
  const std::uint32_t owner = std::min(owners_[index], record_.object_count());
  if (has_bad_below_[owner]) return;
  has_bad_below_[owner] = true;
  below_.Add(OwnerOf(index));
}

void Checker::CheckContainer(std::uint32_t index, const StoredNode& stored, const Node* node) {
  if (stored.children && IsBad(*stored.children)) {
    is_bad_[index] = true;
    return;
  }
  std::optional<Digest> list;
  if (stored.children) {
    list = HashList(*stored.children);
    if (!list) return;
  }
  if (node == nullptr || HashContainer(*node, list ? &*list : nullptr, lexicon_) == stored.digest)
    return;
  is_bad_[index] = true;
  hashes_.Add(IdOf(stored));
}

void Checker::CheckNode(std::uint32_t index) {
  StoredNode stored;
  if (!record_.ReadNode(index, stored)) return BlameUnreadable(index, stored);
  if (stored.node_class >= NodeClass::kTurn) all_.push_back(IdOf(stored));
  const Ref<Node> node = MakeNodeOf(record_, stored);
  if (node) {
    std::vector<Attribute> attributes;
    if (node->body != nullptr)
      node->body->ForEach([&](const Attribute& each) { attributes.push_back(each); });
    const Digest hash = ContentHash(node->content(), attributes, lexicon_.word_json(node->role),
                                    lexicon_.word_json(node->kind));
    if (hash != node->content_hash()) {
      is_bad_[index] = true;
      contents_.Add(IdOf(stored));
      return;
    }
  }
  if (stored.node_class != NodeClass::kBlock) CheckContainer(index, stored, node.get());
}

// The headers of one of its blocks, one of its addresses, or its hash.
void Checker::BlameChunk(std::uint32_t index, const StoredChunk& chunk) {
  Names ids;
  for (const StoredAddress& slot : chunk.slots) {
    StoredNode node;
    if (IsOwn(slot) && record_.ReadNode(slot.index, node)) ids.Add(IdOf(node));
  }
  if (ids.size() == 0) return BlameList(index);
  is_bad_[index] = true;
  if (ids.size() == 1) {
    hashes_.Add(ids.List());
  } else {
    one_of_.push_back(std::move(ids));
  }
}

void Checker::BlameList(std::uint32_t index) {
  is_bad_[index] = true;
  hashes_.Add("the list of what stands below " + OwnerOf(index));
}

void Checker::CheckChunk(std::uint32_t index) {
  StoredChunk chunk;
  if (!record_.ReadChunk(index, chunk)) return BlameUnreadable(index, {});
  if (std::ranges::any_of(chunk.slots, [this](const auto& slot) { return IsBad(slot); })) {
    is_bad_[index] = true;
    return;
  }
  if (!TakesEachOnce(chunk)) return BlameList(index);
  if (!chunk.hash) return;
  const std::optional<Digest> hash = HashSlots(chunk);
  if (!hash) return;
  if (hash != chunk.hash) return BlameChunk(index, chunk);
  for (const StoredAddress& slot : chunk.slots) ListsOf(slot) = kListsMax;
}

RecordDamage Checker::Run() {
  FindOwners();
  for (std::uint32_t index = 0; index < record_.object_count(); ++index) {
    const std::string_view object = record_.object(index);
    if (object.empty()) continue;  // retention took it
    if (IsChunk(object)) {
      CheckChunk(index);
    } else {
      CheckNode(index);
    }
  }
  std::vector<std::string> parts;
  const auto add = [&parts](const Names& ids, const char* of_one, const char* of_many) {
    if (ids.size() > 0) parts.push_back(ids.List() + (ids.size() == 1 ? of_one : of_many));
  };
  add(contents_, " has other content than its hash says",
      " have other content than their hashes say");
  add(unreadable_, " cannot be read", " cannot be read");
  if (below_.size() > 0) parts.push_back("something below " + below_.List() + " cannot be read");
  add(hashes_, " does not match its hash", " do not match their hashes");
  for (const Names& ids : one_of_)
    parts.push_back("one of " + ids.List() + " does not match its hash");
  return {.parts = std::move(parts), .nodes = std::move(all_)};
}

}  // namespace

std::string IdOf(const StoredNode& node) {
  if (node.made_id) return std::string(IdText(*node.made_id).view());
  if (!node.id.empty()) return std::string(node.id);
  return node.node_class == NodeClass::kRoot ? "root" : "a node without an id";
}

std::string ListOfIds(const std::vector<std::string>& ids) {
  return ListOfIds(ids, ids.size());
}

std::string ListOfIds(const std::vector<std::string>& first, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < std::min(first.size(), kListedIds); ++i)
    text.append(i == 0 ? "" : ", ").append(first[i]);
  if (count > kListedIds) text += " and " + std::to_string(count - kListedIds) + " more";
  return text;
}

RecordDamage FindDamage(const StoredRecord& record, RecordSource& source) {
  return Checker(record, source).Run();
}

}  // namespace pactdb
