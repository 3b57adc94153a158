#include "model/difference.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/clock.h"

namespace pactdb {
namespace {

struct Side {
  const TreeView& view;
  const Node& node;
};

bool SameWord(const Side& a, WordNumber a_word, const Side& b, WordNumber b_word) {
  if (a.view.lexicon == b.view.lexicon) return a_word == b_word;
  return a.view.lexicon->word_json(a_word) == b.view.lexicon->word_json(b_word);
}

bool SameParent(const Side& a, const Side& b) {
  if (a.view.lexicon == b.view.lexicon || a.node.parent == kNoNode || b.node.parent == kNoNode)
    return a.node.parent == b.node.parent;
  return a.view.lexicon->id(a.node.parent) == b.view.lexicon->id(b.node.parent);
}

bool SameTtl(const Side& a, const Side& b) {
  if (a.node.has_ttl() != b.node.has_ttl()) return false;
  return !a.node.has_ttl() || ShownTtl(a.node, a.view.now) == ShownTtl(b.node, b.view.now);
}

bool SameFlag(const Side& a, const Side& b, std::uint32_t flags) {
  return (a.node.flags & flags) == (b.node.flags & flags);
}

// A listed turn keeps its place in the listing where others keep their time.
std::int64_t CreatedNs(const Node& node) {
  return node.Has(Node::kListed) ? 0 : node.created_at_ns;
}

bool SameCreatedNs(const Side& a, const Side& b) {
  return CreatedNs(a.node) == CreatedNs(b.node) && SameFlag(a, b, Node::kHasCreatedNs);
}

// Mirrors created_at_ns unless the document said something else.
bool SameCreatedIso(const Side& a, const Side& b) {
  if (!SameFlag(a, b, Node::kHasCreatedIso)) return false;
  if (!a.node.Has(Node::kHasCreatedIso)) return true;
  if (a.node.body == b.node.body && CreatedNs(a.node) == CreatedNs(b.node)) return true;
  const auto a_iso = a.node.Find("created_at_iso");
  const auto b_iso = b.node.Find("created_at_iso");
  if (!a_iso && !b_iso) return CreatedNs(a.node) == CreatedNs(b.node);
  if (a_iso && b_iso) return *a_iso == *b_iso;
  const std::string mirrored = FormatIso(CreatedNs(a_iso ? b.node : a.node));
  return (a_iso ? *a_iso : *b_iso) == '"' + mirrored + '"';
}

bool SameContent(const Side& a, const Side& b) {
  if (a.node.body == b.node.body) return true;
  // No content and an empty one hash alike.
  return a.node.content_hash() == b.node.content_hash() &&
         a.node.content().has_value() == b.node.content().has_value();
}

constexpr std::string_view kMove = "parent";
constexpr std::string_view kEscape = "attribute:";  // of names that are taken

struct HeaderField {
  std::string_view name;
  bool (*same)(const Side& a, const Side& b);
};

// In the order in which a diff names them.
constexpr HeaderField kHeaders[] = {
    {"nodeType",
     [](const Side& a, const Side& b) { return SameWord(a, a.node.type, b, b.node.type); }},
    {"offset",
     [](const Side& a, const Side& b) {
       return a.node.offset == b.node.offset && SameFlag(a, b, Node::kHasOffset);
     }},
    {"ttl", SameTtl},
    {"priority",
     [](const Side& a, const Side& b) {
       return a.node.priority == b.node.priority && SameFlag(a, b, Node::kHasPriority);
     }},
    {"cycle",
     [](const Side& a, const Side& b) {
       return a.node.cycle == b.node.cycle && SameFlag(a, b, Node::kHasCycle);
     }},
    {"created_at_ns", SameCreatedNs},
    {"created_at_iso", SameCreatedIso},
    {"creation_index",
     [](const Side& a, const Side& b) {
       return a.node.creation_index == b.node.creation_index &&
              SameFlag(a, b, Node::kHasCreationIndex);
     }},
    {"role", [](const Side& a, const Side& b) { return SameWord(a, a.node.role, b, b.node.role); }},
    {"kind", [](const Side& a, const Side& b) { return SameWord(a, a.node.kind, b, b.node.kind); }},
    {kMove, SameParent},
    {"content_hash", SameContent}};

// Unrolled, so that the compiler sees through the table: every commit asks this.
bool SameHeaders(const Side& a, const Side& b) {
  return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    return (kHeaders[kIndex].same(a, b) && ...);
  }(std::make_index_sequence<std::size(kHeaders)>());
}

std::vector<Attribute> AttributesOf(const Node& node) {
  std::vector<Attribute> attributes;
  if (node.body == nullptr) return attributes;
  node.body->ForEach([&attributes](const Attribute& attribute) {
    if (attribute.value != "null" && attribute.name != "created_at_iso")
      attributes.push_back(attribute);
  });
  return attributes;
}

// Names of the attributes that differ, by name.
std::vector<std::string_view> DifferentAttributes(const Node& a, const Node& b) {
  std::vector<std::string_view> names;
  const auto before = AttributesOf(a);
  const auto after = AttributesOf(b);
  auto old = before.begin();
  for (const Attribute& attribute : after) {
    for (; old != before.end() && old->name < attribute.name; ++old) names.push_back(old->name);
    const bool in_both = old != before.end() && old->name == attribute.name;
    if (!in_both || old->value != attribute.value) names.push_back(attribute.name);
    if (in_both) ++old;
  }
  for (; old != before.end(); ++old) names.push_back(old->name);
  return names;
}

// Flags that count as attributes.
constexpr std::uint32_t kPinnedFlags = Node::kPinned;
constexpr std::uint32_t kRemovableFlags = Node::kHasRemovable | Node::kRemovable;

void AppendDifferentAttributes(const Side& a, const Side& b, std::vector<std::string>& fields) {
  const auto headers = static_cast<std::ptrdiff_t>(fields.size());
  if (!SameFlag(a, b, kPinnedFlags)) fields.emplace_back("pinned");
  if (!SameFlag(a, b, kRemovableFlags)) fields.emplace_back("removable");
  if (a.node.body == b.node.body) return;
  for (const std::string_view name : DifferentAttributes(a.node, b.node))
    fields.push_back(FieldOfAttribute(name));
  std::sort(fields.begin() + headers, fields.end());
}

}  // namespace

std::string FieldOfAttribute(std::string_view name) {
  const bool is_taken = name == kMove || name.starts_with(kEscape);
  return (is_taken ? std::string(kEscape) : std::string()).append(name);
}

std::string_view AttributeOfField(std::string_view field) {
  return field.starts_with(kEscape) ? field.substr(kEscape.size()) : field;
}

bool Differs(const TreeView& from, const Node& before, const TreeView& to, const Node& after) {
  const Side a{from, before};
  const Side b{to, after};
  if (&before == &after) return !SameTtl(a, b);
  if (!SameFlag(a, b, kPinnedFlags | kRemovableFlags) || !SameHeaders(a, b)) return true;
  return before.body != after.body && !DifferentAttributes(before, after).empty();
}

std::vector<std::string> DifferentFields(const TreeView& from, const Node& before,
                                         const TreeView& to, const Node& after) {
  const Side a{from, before};
  const Side b{to, after};
  std::vector<std::string> fields;
  if (!SameHeaders(a, b)) {
    for (const HeaderField& field : kHeaders) {
      if (!field.same(a, b)) fields.emplace_back(field.name);
    }
  }
  AppendDifferentAttributes(a, b, fields);
  return fields;
}

}  // namespace pactdb
