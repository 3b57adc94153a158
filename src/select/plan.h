// How each step will find its candidates.
//
// The choice needs only the selector, so it is made once, when it is parsed. Every way yields the
// same matches; what differs is what is looked at.
//
// Thread safety: values and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "select/ast.h"

namespace pactdb::select {

enum class Access : std::uint8_t {
  kById,    // one hash probe
  kByKey,   // the key index, and in the canonical dialect the id
  kByTag,   // the tag index
  kFixed,   // root or region: known by name
  kTurns,   // the children of ^seq, no deeper
  kWindow,  // turns and regions by depth, without a look at others
  kScan,    // everything in reach
};

struct StepPlan {
  Access access = Access::kScan;
  // Index in the parts of the filter an index answers.
  std::uint32_t part = 0;
};

using GroupPlan = std::vector<StepPlan>;

std::vector<GroupPlan> MakePlan(const Ast& ast);

// Classes a node of the step can have, one bit each, from the parts before the first pick.
using ClassMask = std::uint32_t;
inline constexpr ClassMask MaskOf(NodeClass node_class) {
  return static_cast<ClassMask>(1u << static_cast<unsigned>(node_class));
}
inline constexpr ClassMask kAllClasses = 0x7f;
inline constexpr ClassMask kStemClasses =
    MaskOf(NodeClass::kTurn) | MaskOf(NodeClass::kAh) | MaskOf(NodeClass::kSys);
inline constexpr ClassMask kFixedClasses = MaskOf(NodeClass::kRoot) | MaskOf(NodeClass::kSys) |
                                           MaskOf(NodeClass::kSeq) | MaskOf(NodeClass::kAh);
ClassMask ClassesOf(const Step& step, Dialect dialect);

// The implicit core answers to an explicit cont type.
bool AnswersToCore(const Step& step);

// Parts before the first pick.
std::size_t PrefixSize(const Step& step);

std::string_view Name(Access access);
// One line a step, "window depth(1..3)".
std::string Describe(const Step& step, const StepPlan& plan);

}  // namespace pactdb::select
