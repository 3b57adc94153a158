// Tests on the codes that chunks keep of their entries: most nodes are decided without being read.
//
// Thread safety: a value.
#pragma once

#include <bit>
#include <cstdint>

#include "model/node_code.h"
#include "select/bind.h"

namespace pactdb::select {

class CodeFilter {
 public:
  enum class Verdict : std::uint8_t { kNo, kYes, kLook };  // kLook: only the node can tell

  explicit CodeFilter(const BoundStep& step) : classes_(step.classes) {
    for (const BoundTest& test : step.tests) {
      const bool is_role = test.code == BoundTest::Code::kRole && !test.negate;
      const bool is_kind = test.code == BoundTest::Code::kKind && !test.negate;
      const bool is_priority =
          test.code == BoundTest::Code::kInteger && test.attr == Attr::kPriority;
      if (is_role && role_ == kAny) {
        role_ = node_code::WordField(test.word);
      } else if (is_kind && kind_ == kAny) {
        kind_ = node_code::WordField(test.word);
      } else if (is_priority && priority_ == nullptr) {
        priority_ = &test;
      } else {
        decides_ = false;
      }
    }
    MakeMask();
  }

  // True if masking and comparing is the whole test of what lies in ^seq: what most scans are.
  bool is_mask() const { return is_mask_; }
  // And only blocks can pass.
  bool is_block_mask() const { return is_mask_ && classes_ == MaskOf(NodeClass::kBlock); }
  bool PassesMask(std::uint32_t code) const {
    const std::uint32_t above = (code >> node_code::kPriorityShift) - priority_first_;
    return (code & mask_) == want_ && above <= priority_span_;
  }

  Verdict Test(std::uint32_t code) const {
    if ((classes_ & MaskOf(node_code::Class(code))) == 0) return Verdict::kNo;
    bool sure = decides_;
    if (role_ != kAny) {
      if (node_code::Role(code) != role_) return Verdict::kNo;
      sure = sure && role_ != node_code::kOther;
    }
    if (kind_ != kAny) {
      // A node without a kind of its own may have one by its type.
      const std::uint32_t kind = node_code::Kind(code);
      if (kind != kind_ && kind != node_code::kAbsent) return Verdict::kNo;
      sure = sure && kind == kind_ && kind != node_code::kOther;
    }
    if (priority_ != nullptr) {
      const std::int64_t priority = node_code::Priority(code);
      if (priority == node_code::kPriorityEnd || priority == -node_code::kPriorityEnd) {
        sure = false;
      } else if (!Compare(priority)) {
        return Verdict::kNo;
      }
    }
    return sure ? Verdict::kYes : Verdict::kLook;
  }

 private:
  static constexpr std::uint32_t kAny = UINT32_MAX;
  // Of what lies below ^seq.
  static constexpr ClassMask kSeqClasses =
      MaskOf(NodeClass::kTurn) | MaskOf(NodeClass::kCont) | MaskOf(NodeClass::kBlock);

  void MakeMask() {
    const bool is_one_class = std::has_single_bit(classes_);
    const bool is_any_class = (~classes_ & kSeqClasses) == 0;
    const bool is_exact_role = role_ == kAny || role_ != node_code::kOther;
    is_mask_ = decides_ && (is_one_class || is_any_class) && is_exact_role && kind_ == kAny &&
               (priority_ == nullptr || MakeRange());
    if (!is_mask_) return;
    mask_ = (is_one_class ? node_code::kClassMask : 0) | (role_ == kAny ? 0 : node_code::kRoleMask);
    want_ = (is_one_class ? static_cast<std::uint32_t>(std::countr_zero(classes_)) : 0) |
            (role_ == kAny ? 0 : role_ << node_code::kRoleShift);
  }

  // Priorities that pass as a range of the field's values, if they are one and the code is sure of
  // it: a priority beyond the ends lies on the same side of the number as the end does.
  bool MakeRange() {
    const std::int64_t number = priority_->number;
    if (number <= -node_code::kPriorityEnd || number >= node_code::kPriorityEnd) return false;
    std::int64_t first = -node_code::kPriorityEnd;
    std::int64_t last = node_code::kPriorityEnd;
    switch (priority_->op) {
      case Op::kEq:
        first = last = number;
        break;
      case Op::kLt:
        last = number - 1;
        break;
      case Op::kLe:
        last = number;
        break;
      case Op::kGt:
        first = number + 1;
        break;
      case Op::kGe:
        first = number;
        break;
      case Op::kNe:
      case Op::kPresent:
      case Op::kMatch:
        return false;
    }
    priority_first_ = node_code::PriorityField(first);
    priority_span_ = static_cast<std::uint32_t>(last - first);
    return true;
  }

  bool Compare(std::int64_t priority) const {
    switch (priority_->op) {
      case Op::kEq:
        return priority == priority_->number;
      case Op::kNe:
        return priority != priority_->number;
      case Op::kLt:
        return priority < priority_->number;
      case Op::kLe:
        return priority <= priority_->number;
      case Op::kGt:
        return priority > priority_->number;
      case Op::kGe:
        return priority >= priority_->number;
      case Op::kPresent:
      case Op::kMatch:
        break;
    }
    return true;
  }

  ClassMask classes_;
  std::uint32_t role_ = kAny;
  std::uint32_t kind_ = kAny;
  const BoundTest* priority_ = nullptr;
  bool decides_ = true;  // every test is in the code
  bool is_mask_ = false;
  std::uint32_t mask_ = 0;
  std::uint32_t want_ = 0;
  std::uint32_t priority_first_ = 0;
  std::uint32_t priority_span_ = UINT32_MAX;
};

}  // namespace pactdb::select
