// The blocks of a tree as messages: who spoke, and what belongs to one message.
//
// Thread safety: a cursor belongs to one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "model/tree_view.h"
#include "providers/block.h"
#include "providers/format.h"

namespace pactdb::providers {

using Message = std::vector<Block>;  // never empty

// Instructions, which some formats have apart from the messages.
inline bool IsSystem(const Message& message) {
  const Role role = message.front().traits.role;
  return role == Role::kSystem || role == Role::kDeveloper;
}

// Walks ^sys, the turns from the oldest and ^ah. Definitions of tools are no messages; they are set
// aside.
class MessageCursor {
 public:
  // `first_turn`: if it is not the first, begins there and leaves out ^sys. REQUIRES: then,
  // summarized.
  MessageCursor(const TreeView& view, JoinRule rule, std::size_t first_turn = 0);
  // The next message; false at the end. `message` is emptied first.
  bool Next(Message& message);
  bool is_at_end() const { return !held_; }
  // Those passed so far.
  const std::vector<Block>& tools() const { return tools_; }

 private:
  bool Advance();       // to the next block
  bool EnterNextTop();  // a region, or a turn of ^seq; false at the end
  bool Joins(const Block& before, const Block& next) const;

  const TreeView& view_;
  JoinRule rule_;
  std::size_t first_turn_;
  std::size_t region_ = 0;
  std::optional<ChildCursor> turns_;  // those still to come
  std::size_t turn_ = 0;
  std::size_t place_ = 0;
  std::optional<PreorderCursor> cursor_;
  std::optional<Block> held_;
  std::vector<Block> tools_;
};

// Where ^sys keeps what requests said beside messages and tools: groups of kind request, which say
// nothing to a model. `own`: the last one of the format.
struct RequestNodes {
  const Node* own = nullptr;
  std::vector<const Node*> foreign;
};
RequestNodes FindRequestNodes(const TreeView& view, Format format);

inline constexpr std::string_view kRequestKind = "request";

}  // namespace pactdb::providers
