#include "model/tree_hash.h"

#include <array>
#include <cstring>

namespace pactdb {
namespace {

// First byte of everything hashed and of every entry, so that no two kinds of input can be mistaken
// for each other.
enum : char { kLeafChunk = 0, kInnerChunk = 1, kContainer = 2, kBlock = 3 };

// Numbers are little-endian whatever the machine.
template <typename Number>
char* WriteNumber(Number value, char* to) {
  for (std::size_t i = 0; i < sizeof value; ++i) *to++ = static_cast<char>(value >> (8 * i));
  return to;
}
char* WriteBytes(std::string_view bytes, char* to) {
  std::memcpy(to, bytes.data(), bytes.size());
  return to + bytes.size();
}
char* WriteText(char tag, std::string_view text, char* to) {
  *to++ = tag;
  return WriteBytes(text, WriteNumber(static_cast<std::uint32_t>(text.size()), to));
}
char* WriteInteger(char tag, std::int64_t value, char* to) {
  *to++ = tag;
  return WriteNumber(static_cast<std::uint64_t>(value), to);
}
void AppendText(char tag, std::string_view text, std::string& out) {
  char head[1 + sizeof(std::uint32_t)];
  head[0] = tag;
  WriteNumber(static_cast<std::uint32_t>(text.size()), head + 1);
  out.append(head, sizeof head);
  out += text;
}
std::string_view BytesOf(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

char* WriteStamps(const Node& node, char* to) {
  if (node.Has(Node::kHasCycle)) to = WriteInteger('c', node.cycle, to);
  if (node.Has(Node::kListed)) {
    to = WriteInteger('l', node.created_at_ns, to);
  } else if (node.Has(Node::kHasCreatedNs)) {
    to = WriteInteger('s', node.created_at_ns, to);
  }
  if (node.Has(Node::kHasCreatedIso)) *to++ = 'm';
  if (node.Has(Node::kHasCreationIndex)) to = WriteInteger('d', node.creation_index, to);
  return to;
}

// A node's words; empty where it has none.
struct Words {
  IdText id;
  std::string_view type;
  std::string_view role;
  std::string_view kind;

  // Four texts, six integers, marks and the content hash.
  std::size_t BytesMax() const {
    constexpr std::size_t kText = 5;
    constexpr std::size_t kInteger = 9;
    constexpr std::size_t kMarks = 8;
    return id.view().size() + type.size() + role.size() + kind.size() + 4 * kText + 6 * kInteger +
           kMarks + sizeof(Digest);
  }
};

char* WriteHeaders(const Node& node, const Words& words, char* to) {
  to = WriteText(node.Has(Node::kHasId) ? 'i' : 'I', words.id, to);
  if (node.Has(Node::kHasType)) to = WriteText('t', words.type, to);
  if (node.Has(Node::kHasOffset)) to = WriteInteger('o', node.offset, to);
  if (node.has_ttl()) {
    to = WriteInteger('x', static_cast<std::int64_t>(node.expiry), to);
  } else if (node.Has(Node::kHasTtl)) {
    *to++ = 'n';
  }
  if (node.Has(Node::kHasPriority)) to = WriteInteger('p', node.priority, to);
  to = WriteStamps(node, to);
  if (node.role != kNoWord) to = WriteText('r', words.role, to);
  if (node.kind != kNoWord) to = WriteText('k', words.kind, to);
  if (node.Has(Node::kHasRemovable)) *to++ = node.Has(Node::kRemovable) ? 'v' : 'V';
  if (node.Has(Node::kPinned)) *to++ = 'P';
  if (node.Has(Node::kHasChildren)) *to++ = 'y';
  *to++ = 'h';
  to = WriteBytes(BytesOf(node.content_hash()), to);
  if (node.content()) *to++ = 'C';  // absent and "" hash alike, but are not the same node
  return to;
}

}  // namespace

void AppendNodeEncoding(const Node& node, const Lexicon& lexicon, std::string& out) {
  const auto word = [&lexicon](WordNumber number) {
    return number == kNoWord ? std::string_view() : lexicon.word(number);
  };
  const Words words{lexicon.id(node.number), word(node.type), word(node.role), word(node.kind)};
  // All at once: appending piece by piece cost as much as hashing the pieces.
  const std::size_t start = out.size();
  out.resize_and_overwrite(start + words.BytesMax(), [&](char* bytes, std::size_t) {
    return static_cast<std::size_t>(WriteHeaders(node, words, bytes + start) - bytes);
  });
  if (node.body == nullptr) return;
  node.body->ForEach([&out](const Attribute& attribute) {
    AppendText('a', attribute.name, out);
    // The content hash covers these values already; their names alone keep the encoding whole.
    AppendText('=', IsContentAttribute(attribute.name) ? std::string_view() : attribute.value, out);
  });
}

void PrefetchBlocks(const Chunk& chunk, const Lexicon& lexicon) {
  for (const Chunk::Slot& slot : chunk.view()) {
    if (!slot.node->is_block()) return;
    lexicon.PrefetchId(slot.node->number);
    if (slot.node->body == nullptr) continue;
    const char* body = reinterpret_cast<const char*>(slot.node->body);
    __builtin_prefetch(body);
    __builtin_prefetch(body + sizeof(Body) - 1);
  }
}

namespace {

// The entries from `index` on, up to a block, which has no digest. All at once, as above.
std::uint32_t AppendDigests(const Chunk& chunk, std::uint32_t index, std::string& out) {
  const std::size_t start = out.size();
  const std::size_t room = (chunk.count - index) * (1 + sizeof(Digest));
  out.resize_and_overwrite(start + room, [&](char* bytes, std::size_t) {
    char* to = bytes + start;
    for (; index < chunk.count; ++index) {
      const Chunk::Slot slot = chunk.slots()[index];
      if (chunk.level > 0) {
        to = WriteBytes(BytesOf(slot.chunk->hash), to);
        continue;
      }
      const Container* container = slot.node->AsContainer();
      if (container == nullptr) break;
      *to++ = kContainer;
      to = WriteBytes(BytesOf(container->digest), to);
    }
    return static_cast<std::size_t>(to - bytes);
  });
  return index;
}

void AppendBlock(const Node& block, const Lexicon& lexicon, std::string& out) {
  const std::size_t start = out.size() + 1;
  out.append({kBlock, 0, 0, 0, 0});  // the size, filled in below
  AppendNodeEncoding(block, lexicon, out);
  WriteNumber(static_cast<std::uint32_t>(out.size() - start - 4), out.data() + start);
}

// Bytes, of which some blocks need not be hashed again.
constexpr std::size_t kWorthKeeping = 192;

}  // namespace

Digest HashChunk(const Chunk& chunk, const Lexicon& lexicon) {
  thread_local std::string bytes;
  bytes.assign(1, chunk.level == 0 ? kLeafChunk : kInnerChunk);
  for (std::uint32_t i = 0; i < chunk.count; ++i) {
    i = AppendDigests(chunk, i, bytes);
    if (i < chunk.count) AppendBlock(*chunk.slots()[i].node, lexicon, bytes);
  }
  // A commit changes the end of ^seq on every level; of a list of blocks a turn has one of its own.
  thread_local std::array<GrowingSha256, 8> last;
  const bool is_long = bytes.size() >= kWorthKeeping && chunk.level < last.size();
  const bool is_of_blocks = chunk.level == 0 && chunk.slots()[0].node->is_block();
  return is_long && !is_of_blocks ? last[chunk.level].Hash(bytes) : Sha256Of(bytes);
}

// What stands for the hash of an empty list.
constexpr Digest kNoChildren{};

Digest HashContainer(const Node& container, const Digest* list, const Lexicon& lexicon) {
  thread_local std::string bytes;
  bytes.assign(1, kContainer);
  AppendNodeEncoding(container, lexicon, bytes);
  bytes += 'e';
  bytes += BytesOf(list != nullptr ? *list : kNoChildren);
  return Sha256Of(bytes);
}

Digest HashContainer(const Container& container, const Lexicon& lexicon) {
  const Digest* list = container.children != nullptr ? &container.children->hash : nullptr;
  return HashContainer(container, list, lexicon);
}

ChunkHasher::ChunkHasher(unsigned level) : is_leaf_(level == 0) {
  const char lead = is_leaf_ ? kLeafChunk : kInnerChunk;
  hash_.Update({&lead, 1});
}

void ChunkHasher::Add(const Digest& below) {
  entry_.clear();
  if (is_leaf_) entry_ += kContainer;
  entry_ += BytesOf(below);
  hash_.Update(entry_);
}

void ChunkHasher::AddBlock(const Node& block, const Lexicon& lexicon) {
  entry_.clear();
  AppendBlock(block, lexicon, entry_);
  hash_.Update(entry_);
}

}  // namespace pactdb
