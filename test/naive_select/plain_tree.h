// A copy of a context's trees in the plainest form: what the naive evaluator looks at.
//
// Made from what the operation `tree` answers, so that nothing of the engine's own structures is
// seen. A View lists the nodes of one tree in a dialect's result order, implicit cores among them.
//
// Thread safety: values.
#pragma once

#include <pactdb/context.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.h"

namespace pactdb::naive {

// A JSON value; of arrays and objects only that they are there.
struct PlainValue {
  enum class Kind : std::uint8_t { kNull, kNumber, kText, kBool, kOther };
  Kind kind = Kind::kNull;
  std::string text;  // a number or boolean as JSON writes it

  static PlainValue Text(std::string_view text) { return {Kind::kText, std::string(text)}; }
  static PlainValue Number(std::int64_t number) { return {Kind::kNumber, std::to_string(number)}; }
  bool is_null() const { return kind == Kind::kNull; }
};

struct PlainNode {
  NodeClass node_class = NodeClass::kRoot;
  std::string id;
  std::int64_t offset = 0;
  std::int64_t created_at_ns = 0;
  std::int64_t creation_index = 0;
  std::map<std::string, PlainValue, std::less<>> fields;  // those above too; no children, no depth
  std::vector<std::string> tags;
  std::vector<PlainNode> children;  // in canonical order

  // Null if it is not there.
  const PlainValue& Field(std::string_view name) const {
    static const PlainValue none;
    const auto found = fields.find(name);
    return found == fields.end() ? none : found->second;
  }
};

// A node as a selector meets it.
struct Seen {
  const PlainNode* node = nullptr;    // null for an implicit core
  int parent = -1;                    // an index, as `core`; -1 for none
  int core = -1;                      // the implicit core it is a child of, too
  std::int64_t level = 0;             // steps down from the root
  std::optional<std::int64_t> depth;  // of the turn or region; none for the root and ^seq

  NodeClass node_class() const { return node == nullptr ? NodeClass::kCont : node->node_class; }
  std::int64_t offset() const { return node == nullptr ? 0 : node->offset; }
};

struct View {
  Dialect dialect = Dialect::kCanonical;
  std::optional<std::int64_t> cycle;  // none for the working state
  std::vector<Seen> all;              // in result order
};

View MakeView(const PlainNode& root, Dialect dialect, std::optional<std::int64_t> cycle);

// The turns and regions of aliases: seg, mt, turn, cont, mc, block, cb.
std::optional<NodeClass> ClassOfAlias(std::string_view name);

// All trees of a context. Views are made once for each dialect.
class History {
 public:
  explicit History(const Context& context);
  History(const History&) = delete;  // views point into the trees

  // Oldest first.
  const std::vector<std::int64_t>& cycles() const { return cycles_; }
  // Of the snapshot at that place in `cycles`; behind the last, the working state.
  const View& At(std::size_t index, Dialect dialect) const {
    return views_[index * 3 + static_cast<std::size_t>(dialect)];
  }
  const PlainNode& tree(std::size_t index) const { return trees_[index]; }

 private:
  std::vector<std::int64_t> cycles_;
  std::vector<PlainNode> trees_;
  std::vector<View> views_;
};

}  // namespace pactdb::naive
