#include "engine/continuation.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "engine/names.h"
#include "engine/node_fields.h"

namespace pactdb {
namespace {

bool IsInSys(const TreeView& view, const Node& node) {
  const Node* stem = view.Stem(node);
  return stem != nullptr && stem->node_class() == NodeClass::kSys;
}

struct Made {
  const Node* node;
  std::size_t place;  // in preorder, for nodes of a document that say nothing of their order
};

// What imports and callers have added there: all but the root, regions, turns and cores. In the
// order in which it was made.
std::vector<Made> ReadMade(const TreeView& view, bool in_sys) {
  std::vector<Made> made;
  for (PreorderCursor cursor(*view.root); cursor.get() != nullptr; cursor.Next()) {
    if (cursor.get()->is_expendable() && IsInSys(view, *cursor.get()) == in_sys)
      made.push_back({.node = cursor.get(), .place = made.size()});
  }
  std::ranges::sort(made, {}, [](const Made& one) {
    return std::tuple(one.node->cycle, one.node->created_at_ns, one.node->creation_index,
                      one.place);
  });
  return made;
}

bool SameAttributes(const Node& node, const std::vector<Attribute>& attributes) {
  std::vector<Attribute> own;
  if (node.body != nullptr)
    node.body->ForEach([&own](const Attribute& attribute) { own.push_back(attribute); });
  return std::ranges::equal(own, attributes, [](const Attribute& a, const Attribute& b) {
    return a.name == b.name && a.value == b.value;
  });
}

// The entry would become this very node. One that cannot become a node is no node's.
bool IsSame(const TreeView& view, const Node& node, const providers::Entry& entry) {
  NodeSpec spec;
  for (const auto& [name, value] : entry.fields) spec.Set(name, value);
  const auto fields = ParseNodeFields(spec.fields(), AttributeNames::kAny);
  if (!fields) return false;
  const auto word = [&view](WordNumber number) {
    return number == kNoWord ? std::nullopt
                             : std::optional(std::string(view.lexicon->word(number)));
  };
  std::optional<std::string> kind = fields->kind;
  if (fields->node_type) {
    const auto type = ParseGivenType(*fields->node_type, Dialect::kCanonical);
    if (!type || type->node_class != node.node_class()) return false;
    if (!kind) kind = type->kind;
  } else if (!node.is_block()) {
    return false;
  }
  return fields->offset.value_or(0) == node.offset && fields->role == word(node.role) &&
         kind == word(node.kind) && fields->content == node.content() &&
         SameAttributes(node, fields->attributes) &&
         (!fields->id || *fields->id == std::string_view(view.id(node)));
}

struct CommonPart {
  std::size_t count = 0;
  bool is_all_of_one = false;
};

CommonPart FindCommon(const TreeView& view, std::span<const providers::Entry> entries,
                      bool in_sys) {
  const std::vector<Made> made = ReadMade(view, in_sys);
  CommonPart common;
  for (const providers::Entry& entry : entries) {
    if (entry.is_in_sys != in_sys) continue;
    if (common.count == made.size()) return {common.count, true};
    if (!IsSame(view, *made[common.count].node, entry)) return common;
    ++common.count;
  }
  common.is_all_of_one = true;
  return common;
}

}  // namespace

Continuation FindContinuation(const TreeView& view, std::span<const providers::Entry> entries) {
  const CommonPart sys = FindCommon(view, entries, /*in_sys=*/true);
  const CommonPart turns = FindCommon(view, entries, /*in_sys=*/false);
  return {.in_sys = sys.count,
          .in_turns = turns.count,
          .fits = sys.is_all_of_one && turns.is_all_of_one};
}

}  // namespace pactdb
