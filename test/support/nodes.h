// Nodes for tests of the model, made without the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash64.h"
#include "model/child_list.h"
#include "model/node.h"
#include "model/types.h"

namespace pactdb::support {

// What a test says about a node; all else is as the engine would make it.
struct NodeTraits {
  NodeClass node_class = NodeClass::kBlock;
  std::int64_t offset = 0;
  std::int64_t created_at_ns = 0;
  std::int64_t creation_index = 0;
  std::int64_t priority = 0;
  std::uint64_t expiry = kNoExpiry;
  std::uint32_t flags = 0;  // beside those of every node made here
  std::string role = {};
  std::string content = {};  // canonical JSON
  std::vector<Attribute> attributes = {};
};

inline Ref<Node> NewNode(Lexicon& lexicon, std::string_view id, const NodeTraits& traits = {}) {
  Ref<Node> node = MakeNode(traits.node_class);
  node->number = lexicon.InternId(id, 1);
  node->shape = static_cast<std::uint32_t>(ShapeHash(id));
  node->type = lexicon.InternWord(TypeName(traits.node_class, Dialect::kCanonical));
  node->flags |= node->is_block() ? Node::kMadeHere & ~Node::kHasChildren : Node::kMadeHere;
  node->flags |= traits.flags;
  node->offset = traits.offset;
  node->created_at_ns = traits.created_at_ns;
  node->creation_index = traits.creation_index;
  node->cycle = 1;
  node->priority = traits.priority;
  node->expiry = traits.expiry;
  if (!traits.role.empty()) node->role = lexicon.InternWord(traits.role);
  const std::optional<std::string_view> content =
      traits.content.empty() ? std::nullopt : std::optional<std::string_view>(traits.content);
  if (content || !traits.attributes.empty() || !traits.role.empty()) {
    node->SetBody(Body::Make(content, traits.attributes, lexicon.word_json(node->role), {}));
  }
  return node;
}

inline Ref<Container> NewContainer(Lexicon& lexicon, std::string_view id,
                                   NodeTraits traits = {.node_class = NodeClass::kCont}) {
  return Ref<Container>::Adopt(NewNode(lexicon, id, traits).Detach()->AsContainer());
}

// A container that shares its children with this one: what a snapshot does.
inline Ref<Container> ShareList(const Container& container) {
  return Ref<Container>::Adopt(CopyNode(container).Detach()->AsContainer());
}

// Ids of the children, blanks between them.
inline std::string Listing(const Container& container, const Lexicon& lexicon) {
  std::string text;
  for (ChildCursor child(container); child.get() != nullptr; child.Next()) {
    if (!text.empty()) text += ' ';
    text += lexicon.id(child.get()->number);
  }
  return text;
}

// The chunks as nested brackets, a run of entries as its length: [[3][2]].
inline void AppendShape(const Chunk* chunk, std::string& out) {
  out += '[';
  if (chunk != nullptr && chunk->level == 0) out += std::to_string(chunk->count);
  if (chunk != nullptr && chunk->level > 0) {
    for (const Chunk::Slot& slot : chunk->view()) AppendShape(slot.chunk, out);
  }
  out += ']';
}

inline std::string Shape(const Container& container) {
  std::string text;
  AppendShape(container.children, text);
  return text;
}

// The same text by the letter of docs/format/tree-hash.md, from the entries' shape hashes.
inline std::string NaiveShape(const std::vector<std::uint32_t>& shapes) {
  struct Slot {
    std::string text;
    std::uint32_t shape;
  };
  if (shapes.empty()) return "[]";
  std::vector<Slot> slots;
  for (const std::uint32_t shape : shapes) slots.push_back({"", shape});
  for (unsigned level = 0;; ++level) {
    const auto closes = [level](std::uint32_t shape) {
      return level < 8 && (level == 7 ? shape : shape & ((1u << 4 * (level + 1)) - 1)) == 0;
    };
    std::vector<Slot> chunks;
    std::size_t run = 0;
    std::string inner;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      ++run;
      inner += slots[i].text;
      const bool is_cut = slots.size() > child_list::kTopSlotsMax && closes(slots[i].shape);
      if (!is_cut && i + 1 < slots.size()) continue;
      chunks.push_back({"[" + (level == 0 ? std::to_string(run) : inner) + "]", slots[i].shape});
      run = 0;
      inner.clear();
    }
    if (chunks.size() == 1) return chunks[0].text;
    slots = std::move(chunks);
  }
}

}  // namespace pactdb::support
