#include "engine/changed_types.h"

#include "diff/tree_diff.h"

namespace pactdb {

std::string_view TypeOfValue(std::string_view value) {
  switch (value.front()) {
    case 'n':
      return {};
    case 't':
    case 'f':
      return "a boolean";
    case '"':
      return "a string";
    case '[':
      return "an array";
    case '{':
      return "an object";
    default:
      return "a number";
  }
}

std::vector<LostType> FindLostTypes(const TreeView& older, const TreeView& newer) {
  std::vector<LostType> found;
  for (const NodeChange& change : Compare(older, newer).changed) {
    const Body* before = change.before->body;
    const Body* after = change.after->body;
    if (before == nullptr || before == after) continue;
    before->ForEach([&](const Attribute& attribute) {
      const std::string_view was = TypeOfValue(attribute.value);
      const auto value = after != nullptr ? after->Find(attribute.name) : std::nullopt;
      if (!was.empty() && (!value || TypeOfValue(*value) != was))
        found.push_back({.node = change.before, .name = attribute.name, .type = was});
    });
  }
  return found;
}

}  // namespace pactdb
