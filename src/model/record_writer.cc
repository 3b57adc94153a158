#include "model/record_writer.h"

#include <algorithm>
#include <span>

namespace pactdb {
namespace {

// Of a turn of some ten nodes: room for it is made at once.
constexpr std::size_t kUsualBytes = 4096;
constexpr std::size_t kUsualObjects = 32;
constexpr std::size_t kUsualWords = 16;
constexpr std::size_t kUsualSlots = 128;

// Wraps; so does adding it again.
std::int64_t Difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

// The id as its parts, if the node's headers say them already.
std::optional<MadeId> MadeIdOf(const Lexicon& lexicon, const Node& node) {
  const auto made = lexicon.made_id(node.number);
  if (!made || node.cycle < 0 || made->cycle != static_cast<std::uint64_t>(node.cycle))
    return std::nullopt;
  if (made->has_index && made->index != node.creation_index) return std::nullopt;
  return made;
}

bool HasBlock(const Chunk& chunk) {
  return chunk.level == 0 &&
         std::ranges::any_of(chunk.view(), [](Chunk::Slot slot) { return slot.node->is_block(); });
}

}  // namespace

Result<std::string> RecordWriter::Write(const CommitRecord& commit) {
  cycle_ = commit.cycle;
  time_ns_ = commit.committed_at_ns;
  is_import_ = commit.is_import();
  objects_.reserve(kUsualBytes);
  ends_.reserve(kUsualObjects);
  nodes_.reserve(kUsualObjects);
  chunks_.reserve(kUsualObjects);
  words_.reserve(kUsualWords);
  slots_.reserve(kUsualSlots);
  WriteNode(*commit.root);
  if (is_full()) return std::unexpected(TooLarge());

  RecordHead head;
  head.cycle = cycle_;
  head.time_ns = time_ns_;
  head.words.reserve(words_.size());
  for (const WordNumber word : words_) head.words.push_back(lexicon_.word(word));
  std::string sealed;
  if (!commit.is_import()) sealed = lexicon_.id(commit.sealed);
  if (!commit.is_import()) head.sealed = sealed;
  if (commit.notes && commit.notes->imported_iso) head.imported_iso = commit.notes->imported_iso;
  head.departures = Departures(commit);
  head.clock = commit.clock;

  std::string out;
  out.reserve(objects_.size() + ends_.size() * 2 + 256);
  record::AppendHead(head, out);
  AppendVarint(ends_.size(), out);
  std::uint32_t start = 0;
  for (const std::uint32_t end : ends_) AppendVarint(end - std::exchange(start, end), out);
  out += objects_;
  objects_ = {};  // a batch keeps its writers, for what they have to take back
  ends_ = {};
  return out;
}

std::vector<StoredDeparture> RecordWriter::Departures(const CommitRecord& commit) {
  std::vector<StoredDeparture> departures;
  if (!commit.notes) return departures;
  kept_ids_.reserve(2 * commit.notes->departures.size());
  for (const Departure& departure : commit.notes->departures) {
    const std::string_view id = kept_ids_.emplace_back(lexicon_.id(departure.node));
    std::string_view with;
    if (departure.with != departure.node)
      with = kept_ids_.emplace_back(lexicon_.id(departure.with));
    departures.push_back({id, with, departure.cause});
  }
  return departures;
}

Error RecordWriter::TooLarge() const {
  const bool is_bytes = objects_.size() > bounds_.bytes;
  return Error(ErrorCode::kLimitExceeded, "the commit has more than one record can hold")
      .With("limit", is_bytes ? "record_bytes" : "record_objects")
      .With("max", static_cast<std::int64_t>(is_bytes ? bounds_.bytes : bounds_.objects));
}

StoredAddress RecordWriter::EndObject() {
  ends_.push_back(static_cast<std::uint32_t>(objects_.size()));
  return {.record = own_, .index = static_cast<std::uint32_t>(ends_.size() - 1)};
}

// Children first: an object stands behind what it refers to. Bounded like the hash of a tree: at
// most nine levels of chunks in a list, and lists nest no deeper than the tree's depth limit.
StoredAddress RecordWriter::WriteNode(const Node& node) {
  if (node.stored_at != kNotStored) return numbers_.Unpack(node.stored_at);
  if (is_full()) return {};
  std::optional<StoredAddress> children;
  const Container* container = node.AsContainer();
  if (container != nullptr && container->children != nullptr)
    children = WriteList(*container->children);
  AppendNode(node, children);
  const StoredAddress address = EndObject();
  nodes_.emplace_back(const_cast<Node*>(&node), address.index);
  return address;
}

StoredAddress RecordWriter::WriteList(const Chunk& chunk) {
  if (chunk.stored_at != kNotStored) return numbers_.Unpack(chunk.stored_at);
  if (is_full()) return {};
  const std::size_t first = slots_.size();
  for (const Chunk::Slot& slot : chunk.view())
    slots_.push_back(chunk.level == 0 ? WriteNode(*slot.node) : WriteList(*slot.chunk));
  const bool has_hash = HasBlock(chunk);
  objects_ += static_cast<char>(record::kChunkObject);
  AppendVarint(2 * chunk.level + (has_hash ? 1u : 0u), objects_);
  AppendVarint(chunk.count, objects_);
  CommitNumber near = own_.commit;
  for (const StoredAddress& slot : std::span(slots_).subspan(first))
    record::AppendAddress(slot, own_, near, objects_);
  slots_.resize(first);
  if (has_hash) AppendDigest(chunk.hash, objects_);
  const StoredAddress address = EndObject();
  chunks_.emplace_back(const_cast<Chunk*>(&chunk), address.index);
  return address;
}

void RecordWriter::AppendNode(const Node& node, const std::optional<StoredAddress>& children) {
  const auto made_id = MadeIdOf(lexicon_, node);
  const std::uint32_t flags = node.flags & record::kStoredFlags;
  const bool odd_flags = flags != record::MadeFlags(node.node_class());
  const bool has_content = node.content().has_value();
  objects_ += static_cast<char>(node.node_class());
  objects_ += static_cast<char>(
      (made_id ? record::kMadeId : 0) | (odd_flags ? record::kOddFlags : 0) |
      (node.body != nullptr ? record::kBody : 0) | (node.has_ttl() ? record::kExpiry : 0) |
      (node.priority != 0 ? record::kPriority : 0) | (has_content ? record::kContent : 0) |
      (children ? record::kChildren : 0));
  if (odd_flags) AppendVarint(flags, objects_);
  AppendSigned(node.offset, objects_);
  AppendSigned(Difference(node.cycle, cycle_), objects_);
  AppendSigned(Difference(node.created_at_ns, time_ns_), objects_);
  AppendSigned(node.creation_index, objects_);
  if (made_id) {
    objects_ += static_cast<char>(made_id->type << 1 | (made_id->has_index ? 1 : 0));
  } else {
    const IdText id = lexicon_.id(node.number);
    AppendSized(id, objects_);
    // One that is stored again was given by an earlier commit.
    if (node.is_fixed() ? is_import_ : node.cycle == cycle_ || is_import_)
      given_ids_.emplace_back(id);
  }
  AppendWord(node.type);
  AppendWord(node.role);
  AppendWord(node.kind);
  if (node.priority != 0) AppendSigned(node.priority, objects_);
  if (node.has_ttl()) AppendVarint(node.expiry, objects_);
  if (node.body != nullptr) AppendBody(*node.body);
  if (node.is_block()) return;
  AppendDigest(node.AsContainer()->digest, objects_);
  CommitNumber near = own_.commit;
  if (children) record::AppendAddress(*children, own_, near, objects_);
}

void RecordWriter::AppendBody(const Body& body) {
  AppendDigest(body.content_hash(), objects_);
  if (const auto content = body.content()) AppendValue(*content);
  AppendVarint(body.attribute_count(), objects_);
  body.ForEach([this](const Attribute& attribute) {
    AppendSized(attribute.name, objects_);
    AppendValue(attribute.value);
  });
}

void RecordWriter::AppendValue(std::string_view value) {
  if (value.size() <= StoredValue::kInlineBytesMax) {
    AppendVarint(2 * value.size(), objects_);
    objects_ += value;
    return;
  }
  const Digest hash = Sha256Of(value);
  AppendVarint(1, objects_);
  AppendDigest(hash, objects_);
  if (content_hashes_.insert(hash).second) contents_.push_back({.hash = hash, .bytes = value});
}

void RecordWriter::AppendWord(WordNumber word) {
  if (word == kNoWord) return AppendVarint(0, objects_);
  const auto* known = word_places_.Find(word);
  if (known == nullptr) {
    words_.push_back(word);
    word_places_.Set(word, static_cast<std::uint32_t>(words_.size()));
  }
  AppendVarint(known == nullptr ? words_.size() : known->value, objects_);
}

void RecordWriter::UnmarkStored() {
  for (const auto& [node, index] : nodes_) node->stored_at = kNotStored;
  for (const auto& [chunk, index] : chunks_) chunk->stored_at = kNotStored;
}

void RecordWriter::MarkStored() {
  for (const auto& [node, index] : nodes_) node->stored_at = numbers_.Pack({own_, index});
  for (const auto& [chunk, index] : chunks_) chunk->stored_at = numbers_.Pack({own_, index});
}

}  // namespace pactdb
