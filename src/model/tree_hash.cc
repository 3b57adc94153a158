#include "model/tree_hash.h"

#include <cstring>

namespace pactdb {
namespace {

// First byte of everything hashed and of every entry, so that no two kinds of input can be mistaken
// for each other.
enum : char { kLeafChunk = 0, kInnerChunk = 1, kContainer = 2, kBlock = 3 };

// Numbers are little-endian whatever the machine.
template <typename Number>
void WriteNumber(Number value, char* to) {
  for (std::size_t i = 0; i < sizeof value; ++i) to[i] = static_cast<char>(value >> (8 * i));
}
// A tag and a number go out in one piece: appending single bytes cost as much as hashing them.
template <typename Number>
void AppendTagged(char tag, Number value, std::string& out) {
  char bytes[1 + sizeof value];
  bytes[0] = tag;
  WriteNumber(value, bytes + 1);
  out.append(bytes, sizeof bytes);
}
void AppendText(char tag, std::string_view text, std::string& out) {
  AppendTagged(tag, static_cast<std::uint32_t>(text.size()), out);
  out += text;
}
void AppendNumber(char tag, std::int64_t value, std::string& out) {
  AppendTagged(tag, static_cast<std::uint64_t>(value), out);
}
void AppendDigest(const Digest& digest, std::string& out) {
  out.append(reinterpret_cast<const char*>(digest.data()), digest.size());
}

void AppendStamps(const Node& node, std::string& out) {
  if (node.Has(Node::kHasCycle)) AppendNumber('c', node.cycle, out);
  if (node.Has(Node::kListed)) {
    AppendNumber('l', node.created_at_ns, out);
  } else if (node.Has(Node::kHasCreatedNs)) {
    AppendNumber('s', node.created_at_ns, out);
  }
  if (node.Has(Node::kHasCreatedIso)) out += 'm';
  if (node.Has(Node::kHasCreationIndex)) AppendNumber('d', node.creation_index, out);
}

}  // namespace

void AppendNodeEncoding(const Node& node, const Lexicon& lexicon, std::string& out) {
  AppendText(node.Has(Node::kHasId) ? 'i' : 'I', lexicon.id(node.number), out);
  if (node.Has(Node::kHasType)) AppendText('t', lexicon.word(node.type), out);
  if (node.Has(Node::kHasOffset)) AppendNumber('o', node.offset, out);
  if (node.has_ttl()) {
    AppendNumber('x', static_cast<std::int64_t>(node.expiry), out);
  } else if (node.Has(Node::kHasTtl)) {
    out += 'n';
  }
  if (node.Has(Node::kHasPriority)) AppendNumber('p', node.priority, out);
  AppendStamps(node, out);
  if (node.role != kNoWord) AppendText('r', lexicon.word(node.role), out);
  if (node.kind != kNoWord) AppendText('k', lexicon.word(node.kind), out);
  if (node.Has(Node::kHasRemovable)) out += node.Has(Node::kRemovable) ? 'v' : 'V';
  if (node.Has(Node::kPinned)) out += 'P';
  if (node.Has(Node::kHasChildren)) out += 'y';
  out += 'h';
  AppendDigest(node.content_hash(), out);
  if (node.content()) out += 'C';  // absent and "" hash alike, but are not the same node
  if (node.body == nullptr) return;
  node.body->ForEach([&out](const Attribute& attribute) {
    AppendText('a', attribute.name, out);
    // The content hash covers these values already; their names alone keep the encoding whole.
    AppendText('=', IsContentAttribute(attribute.name) ? std::string_view() : attribute.value, out);
  });
}

namespace {

// Encoding a block reads its body and its id, which lie elsewhere.
void PrefetchBlocks(const Chunk& chunk, const Lexicon& lexicon) {
  for (const Chunk::Slot& slot : chunk.view()) {
    if (!slot.node->is_block()) return;
    lexicon.PrefetchId(slot.node->number);
    __builtin_prefetch(slot.node->body);
  }
}

}  // namespace

Digest HashChunk(const Chunk& chunk, const Lexicon& lexicon) {
  if (chunk.level == 0) PrefetchBlocks(chunk, lexicon);
  thread_local std::string bytes;
  bytes.assign(1, chunk.level == 0 ? kLeafChunk : kInnerChunk);
  for (const Chunk::Slot& slot : chunk.view()) {
    if (chunk.level > 0) {
      AppendDigest(slot.chunk->hash, bytes);
    } else if (const Container* container = slot.node->AsContainer()) {
      bytes += kContainer;
      AppendDigest(container->digest, bytes);
    } else {
      const std::size_t start = bytes.size() + 1;
      AppendTagged(kBlock, std::uint32_t{0}, bytes);  // the size, filled in below
      AppendNodeEncoding(*slot.node, lexicon, bytes);
      WriteNumber(static_cast<std::uint32_t>(bytes.size() - start - 4), bytes.data() + start);
    }
  }
  return Sha256Of(bytes);
}

Digest HashContainer(const Container& container, const Lexicon& lexicon) {
  thread_local std::string bytes;
  bytes.assign(1, kContainer);
  AppendNodeEncoding(container, lexicon, bytes);
  bytes += 'e';
  AppendDigest(container.children != nullptr ? container.children->hash : Digest{}, bytes);
  return Sha256Of(bytes);
}

}  // namespace pactdb
