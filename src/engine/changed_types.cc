#include "engine/changed_types.h"

#include "diff/tree_diff.h"

namespace pactdb {
namespace {

// Of canonical JSON; empty for null.
std::string_view TypeOf(std::string_view value) {
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

}  // namespace

std::vector<TypeChange> FindTypeChanges(const TreeView& older, const TreeView& newer) {
  std::vector<TypeChange> found;
  for (const NodeChange& change : Compare(older, newer).changed) {
    const Body* before = change.before->body;
    const Body* after = change.after->body;
    if (before == after || before == nullptr || after == nullptr) continue;
    after->ForEach([&](const Attribute& attribute) {
      const auto value = before->Find(attribute.name);
      if (!value) return;
      const std::string_view was = TypeOf(*value);
      const std::string_view is = TypeOf(attribute.value);
      if (was != is && !was.empty() && !is.empty())
        found.push_back({.node = change.after, .name = attribute.name, .was = was, .is = is});
    });
  }
  return found;
}

}  // namespace pactdb
