// One pass over the tree. "children" is the first key by name, so a node's children are written
// before anything else of it, and its fields when they are done.
#include "render/serialize.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/clock.h"
#include "model/order.h"
#include "render/byte_writer.h"
#include "text/canonical.h"

namespace pactdb {
namespace {

// True where the literal order may differ from ours: regions without headers, and turns that keep
// their place in a listing, which are the oldest.
bool IsReordered(const Container& container) {
  if (container.node_class() == NodeClass::kRoot) return true;
  const Node* first = ChildCursor(container).get();
  return container.node_class() == NodeClass::kSeq && first != nullptr && first->Has(Node::kListed);
}

std::vector<const Node*> LiteralChildren(const Container& container, const Lexicon& lexicon) {
  std::vector<const Node*> children;
  for (ChildCursor child(container); child.get() != nullptr; child.Next())
    children.push_back(child.get());
  std::ranges::sort(children, [&lexicon](const Node* a, const Node* b) {
    return CompareSiblingsLiteral(*a, *b, lexicon) < 0;
  });
  return children;
}

// Writing a block reads its body and its id, which lie elsewhere.
void PrefetchLeaf(const Chunk& leaf, const Lexicon& lexicon) {
  constexpr std::size_t kLine = 64;
  child_list::PrefetchSlots(leaf);
  for (const Chunk::Slot& slot : leaf.view()) {
    lexicon.PrefetchId(slot.node->number);
    if (slot.node->body == nullptr) continue;
    const char* const body = reinterpret_cast<const char*>(slot.node->body);
    for (std::size_t line = 0; line < 4; ++line) __builtin_prefetch(body + line * kLine);
  }
}

class Writer {
 public:
  Writer(const TreeView& view, ByteSink& sink) : view_(view), out_(sink) {}

  void Write() {
    Open(*view_.root);
    while (!stack_.empty() && !out_.stopped()) Step();
    out_.Flush();
  }

 private:
  // A list being walked: a container's, or a part of one (then `node` is null). `sorted` stands for
  // the list where its order is another.
  struct Frame {
    const Node* node = nullptr;
    const Chunk* chunk = nullptr;
    std::size_t next = 0;
    std::vector<const Node*> sorted = {};
  };

  void Step() {
    Frame& frame = stack_.back();
    if (frame.next < frame.sorted.size()) {
      Open(*frame.sorted[frame.next++]);
    } else if (frame.chunk != nullptr && frame.next < frame.chunk->count) {
      const Chunk::Slot slot = frame.chunk->slots()[frame.next++];
      if (frame.chunk->level == 0) return Open(*slot.node);
      if (frame.chunk->level == 1) PrefetchLeaf(*slot.chunk, *view_.lexicon);
      stack_.push_back({.chunk = slot.chunk});
    } else {
      const Node* node = frame.node;
      stack_.pop_back();
      if (node == nullptr) return;
      out_.Put(']');
      is_open_ = false;
      Close(*node);
    }
  }

  void Open(const Node& node) {
    if (!is_first_) out_.Put(',');
    const Container* container = node.AsContainer();
    const bool has_children = container != nullptr && container->children != nullptr;
    if (!has_children && !node.Has(Node::kHasChildren)) {
      is_open_ = true;
      return Close(node);
    }
    out_.Write("{\"children\":[");
    is_first_ = true;
    Frame frame{.node = &node};
    if (has_children && IsReordered(*container)) {
      frame.sorted = LiteralChildren(*container, *view_.lexicon);
    } else if (has_children) {
      frame.chunk = container->children;
      if (frame.chunk->level == 0) PrefetchLeaf(*frame.chunk, *view_.lexicon);
    }
    stack_.push_back(std::move(frame));
  }

  // The fields in order of names, all of them behind "children".
  void Close(const Node& node) {
    if (const auto content = node.content()) {
      Key("content");
      out_.Write(*content);
    }
    if (node.Has(Node::kHasCreatedIso)) WriteIso(node);
    if (node.Has(Node::kHasCreatedNs)) Number("created_at_ns", node.created_at_ns);
    if (node.Has(Node::kHasCycle)) Number("cycle", node.cycle);
    if (node.Has(Node::kHasId)) WriteId(node);
    Word("kind", node.kind);
    if (node.Has(Node::kHasType)) Word("nodeType", node.type);
    if (node.Has(Node::kHasOffset)) Number("offset", node.offset);
    if (node.Has(Node::kHasPriority)) Number("priority", node.priority);
    Word("role", node.role);
    if (node.has_ttl()) {
      Number("ttl", ShownTtl(node, view_.now));
    } else if (node.Has(Node::kHasTtl)) {
      Key("ttl");
      out_.Write("null");
    }
    if (is_open_) out_.Put('{');
    out_.Put('}');
    is_first_ = false;
  }

  // The size is known where it is called, so that the copy is a store or two.
  template <std::size_t kSize>
  void Key(const char (&key)[kSize]) {
    char* to = out_.Room(kSize + 3);
    *to++ = is_open_ ? '{' : ',';
    is_open_ = false;
    *to++ = '"';
    to = std::copy_n(key, kSize - 1, to);
    *to++ = '"';
    *to++ = ':';
    out_.Took(to);
  }
  template <std::size_t kSize>
  void Number(const char (&key)[kSize], std::int64_t value) {
    constexpr std::size_t kDigitsMax = 20;
    Key(key);
    char* to = out_.Room(kDigitsMax);
    out_.Took(std::to_chars(to, to + kDigitsMax, value).ptr);
  }
  template <std::size_t kSize>
  void Word(const char (&key)[kSize], WordNumber word) {
    if (word == kNoWord) return;
    Key(key);
    out_.Write(view_.lexicon->word_json(word));
  }
  void WriteIso(const Node& node) {
    Key("created_at_iso");
    if (const auto iso = node.Find("created_at_iso")) return out_.Write(*iso);
    char* to = out_.Room(IsoWriter::kBytes + 2);
    *to = '"';
    to = iso_.Write(node.created_at_ns, to + 1);
    *to = '"';
    out_.Took(to + 1);
  }
  void WriteId(const Node& node) {
    Key("id");
    const IdText text = view_.id(node);
    const std::string_view id = text.view();
    out_.Took(WriteJsonString(id, out_.Room(JsonStringBytesMax(id.size()))));
  }

  const TreeView& view_;
  ByteWriter out_;
  IsoWriter iso_;
  std::vector<Frame> stack_;
  bool is_first_ = true;  // no sibling stands before the next node
  bool is_open_ = true;   // the node's brace is still to be written, with its first field
};

}  // namespace

void SerializeSnapshot(const TreeView& view, ByteSink& sink) {
  Writer(view, sink).Write();
}

void SerializeSnapshot(const TreeView& view, std::string& out) {
  StringSink sink(out);
  SerializeSnapshot(view, sink);
}

}  // namespace pactdb
