#include "providers/messages.h"

#include <array>

namespace pactdb::providers {
namespace {

constexpr std::array<NodeClass, 3> kRegions = {NodeClass::kSys, NodeClass::kSeq, NodeClass::kAh};

}  // namespace

MessageCursor::MessageCursor(const TreeView& view, JoinRule rule, std::size_t first_turn)
    : view_(view), rule_(rule), first_turn_(first_turn), region_(first_turn > 0 ? 1 : 0) {
  turn_ = region_;
  Advance();
}

bool MessageCursor::EnterNextTop() {
  ++turn_;
  if (turns_ && turns_->get() != nullptr) {
    cursor_.emplace(*turns_->get());
    turns_->Next();
    return true;
  }
  turns_.reset();
  if (region_ == kRegions.size()) return false;
  const NodeClass region_class = kRegions[region_++];
  const Container* region = view_.Region(region_class);
  if (region == nullptr) return true;
  if (region_class != NodeClass::kSeq) {
    cursor_.emplace(*region);
    return true;
  }
  turn_ += first_turn_;
  turns_.emplace(first_turn_ > 0 ? ChildCursor::From(region->children, first_turn_)
                                 : ChildCursor(*region));
  return true;
}

bool MessageCursor::Advance() {
  held_.reset();
  while (true) {
    if (cursor_ && cursor_->get() != nullptr) cursor_->Next();
    while (!cursor_ || cursor_->get() == nullptr) {
      if (!EnterNextTop()) return false;
    }
    const Node& node = *cursor_->get();
    if (!node.is_block()) continue;
    held_ = Block::Read(view_, node, region_ == 1, turn_);
    held_->place = place_++;
    if (held_->traits.form != Form::kTool) return true;
    tools_.push_back(*held_);
    held_.reset();
  }
}

bool MessageCursor::Joins(const Block& before, const Block& next) const {
  if (before.turn != next.turn || !MayJoin(rule_, before.traits, next.traits)) return false;
  const auto said = next.Find(kJoins);
  return said ? *said == "true" : JoinsByDefault(rule_, before.traits, next.traits);
}

bool MessageCursor::Next(Message& message) {
  message.clear();
  if (!held_) return false;
  do {
    message.push_back(*held_);
  } while (Advance() && Joins(message.back(), *held_));
  return true;
}

RequestNodes FindRequestNodes(const TreeView& view, Format format) {
  RequestNodes found;
  const Container* sys = view.Region(NodeClass::kSys);
  if (sys == nullptr) return found;
  for (ChildCursor child(*sys); child.get() != nullptr; child.Next()) {
    const Node& node = *child.get();
    if (node.node_class() != NodeClass::kCont || node.kind == kNoWord ||
        view.lexicon->word(node.kind) != kRequestKind)
      continue;
    const Block block = Block::Read(view, node, true, 0);
    if (block.VerbatimFormat() == Name(format)) {
      found.own = &node;
    } else {
      found.foreign.push_back(&node);
    }
  }
  return found;
}

}  // namespace pactdb::providers
