// Nodes of the context tree.
//
// A Node is one version of a node: its headers, who its parent is, and a pointer to what it says
// (Body). Regions, turns and conts are Containers, which add the list of children. Once a tree is
// published its nodes never change; in a working tree a node that nobody else holds is changed in
// place.
//
// Layout matters: a million of these must fit beside their content. Everything common is in 96
// bytes.
//
// Thread safety: immutable once published (see model/child_list.h for what "published" asks).
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/ref.h"
#include "base/sha256.h"
#include "model/body.h"
#include "model/lexicon.h"

namespace pactdb {

enum class NodeClass : std::uint8_t { kRoot, kSys, kSeq, kAh, kTurn, kCont, kBlock };

// Commits at which a node with a ttl is due are counted in unsigned 64 bits: cycle + ttl always
// fits.
inline constexpr std::uint64_t kNoExpiry = UINT64_MAX;

// No store has it, or not this version of it.
inline constexpr std::uint64_t kNotStored = 0;

struct Chunk;
struct Container;

struct Node {
  // Facts about a node. The kHas... ones say that a header was given, because an imported document
  // must come out as it went in; nodes made here have them all.
  enum Flag : std::uint32_t {
    kHasId = 1u << 0,
    kHasType = 1u << 1,
    kHasOffset = 1u << 2,
    kHasTtl = 1u << 3,  // the header is there, null or not
    kHasPriority = 1u << 4,
    kHasCycle = 1u << 5,
    kHasCreatedNs = 1u << 6,
    kHasCreatedIso =
        1u << 7,  // mirrors created_at_ns unless the attribute created_at_iso says otherwise
    kHasCreationIndex = 1u << 8,
    kHasChildren = 1u << 9,      // the document listed children, perhaps none
    kHasRemovable = 1u << 10,    // said, true or false
    kMadeHere = (1u << 10) - 1,  // every header; blocks lack kHasChildren

    kRemovable = 1u << 16,
    kPinned = 1u << 17,
    kCore = 1u << 18,    // the cont at offset 0 of a turn or of ^ah
    kListed = 1u << 19,  // a turn whose place is its place in the imported listing
    kStale = 1u << 20,   // container: its digest, or one below it, is out of date
    // So that who looks for them need not read the body: has a key of its own; any attribute.
    kKeyed = 1u << 21,
    kAttributed = 1u << 22,
  };

  // What a query asks for comes first: 32 of 96 bytes, so that it lies in one line of memory.
  mutable std::atomic<std::uint32_t> refs{1};
  NodeNumber number = kNoNode;
  NodeNumber parent = kNoNode;
  std::uint32_t flags = 0;
  std::int64_t created_at_ns = 0;  // for a kListed turn: its place in the listing, oldest first
  WordNumber role = kNoWord;
  WordNumber kind = kNoWord;

  WordNumber type = kNoWord;  // nodeType as written, or as shown if an import had none
  // From ShapeHash of the id: its low bits decide where child lists are cut (model/child_list.h).
  std::uint32_t shape = 0;
  std::int64_t offset = 0;
  std::int64_t creation_index = 0;
  std::int64_t cycle = 0;
  std::int64_t priority = 0;
  std::uint64_t expiry = kNoExpiry;  // the commit that removes it
  Body* body = nullptr;  // null: says nothing and has no attributes; change it by SetBody
  // Where a store keeps this very version (model/stored_at.h). Only the writer looks at it.
  std::uint64_t stored_at = kNotStored;

  bool Has(std::uint32_t flag) const { return (flags & flag) != 0; }
  void Set(std::uint32_t flag, bool on) { flags = on ? flags | flag : flags & ~flag; }

  NodeClass node_class() const { return static_cast<NodeClass>(flags >> kClassShift); }
  void set_class(NodeClass value) {
    flags = (flags & ((1u << kClassShift) - 1)) | static_cast<std::uint32_t>(value) << kClassShift;
  }
  bool is_block() const { return node_class() == NodeClass::kBlock; }
  bool is_turn() const { return node_class() == NodeClass::kTurn; }
  bool is_core() const { return Has(kCore); }
  // root, ^sys, ^seq, ^ah
  bool is_fixed() const { return node_class() <= NodeClass::kAh; }
  // Pruning and expiry may take it: everything but fixed containers, turns and cores.
  bool is_expendable() const { return node_class() >= NodeClass::kCont && !is_core(); }
  bool has_ttl() const { return expiry != kNoExpiry; }

  const Digest& content_hash() const {
    return body != nullptr ? body->content_hash() : EmptyContentHash();
  }
  std::optional<std::string_view> content() const {
    return body != nullptr ? body->content() : std::nullopt;
  }
  std::optional<std::string_view> Find(std::string_view attribute) const {
    return body != nullptr ? body->Find(attribute) : std::nullopt;
  }

  // The attribute itself; Has(kKeyed) is quicker.
  bool HasKey() const { return Find("key").value_or("null") != "null"; }
  // Takes `value` in place of the body there was.
  void SetBody(Ref<Body> value);

  inline const Container* AsContainer() const;
  inline Container* AsContainer();

  static void Destroy(Node* node);

  static constexpr unsigned kClassShift = 24;

  Node() = default;
  Node(const Node& other);
  Node& operator=(const Node&) = delete;
};

struct Container : Node {
  Chunk* children = nullptr;  // null: none
  Digest digest{};            // of this node and all below it; meaningless while kStale

  Container() = default;
  Container(const Container& other);
};

inline const Container* Node::AsContainer() const {
  return is_block() ? nullptr : static_cast<const Container*>(this);
}
inline Container* Node::AsContainer() {
  return is_block() ? nullptr : static_cast<Container*>(this);
}

// A fresh node of the class, with one reference. Blocks are plain Nodes, all others Containers.
Ref<Node> MakeNode(NodeClass node_class);

// A copy that can be changed; children and body are shared.
Ref<Node> CopyNode(const Node& node);

// Shown ttl: what is left at the open cycle `now`; a due node that had to stay shows 0.
inline std::int64_t ShownTtl(const Node& node, std::int64_t now) {
  const auto at = static_cast<std::uint64_t>(now);
  return node.expiry > at ? static_cast<std::int64_t>(node.expiry - at) : 0;
}

}  // namespace pactdb
