// A step made ready for one tree.
//
// Words of the selector become the numbers the tree's nodes carry, number literals become integers,
// so that testing a node compares integers and allocates nothing. Whatever has no such short cut
// stays a filter and is tested as it is written.
//
// Thread safety: built and used by one thread; refers to the AST.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "select/ast.h"
#include "select/attribute.h"
#include "select/match.h"
#include "select/plan.h"

namespace pactdb::select {

struct BoundTest {
  enum class Code : std::uint8_t { kRole, kKind, kInteger, kPart };
  Code code = Code::kPart;
  bool negate = false;
  Attr attr = Attr::kOffset;  // kInteger
  Op op = Op::kEq;            // kInteger
  WordNumber word = kNoWord;  // kRole, kKind
  std::int64_t number = 0;    // kInteger
  // kKind: nodeTypes that mean the kind where none is given.
  std::array<WordNumber, 7> types{};
  std::uint8_t type_count = 0;
  const Part* part = nullptr;
};

struct BoundStep {
  ClassMask classes = kAllClasses;
  bool answers_to_core = false;
  bool needs_depth = false;
  std::vector<BoundTest> tests;    // before the first pick
  std::optional<DepthSet> depths;  // all depth tests among them in one
};

BoundStep Bind(const Step& step, const Scope& scope);

// True if the node, whose class has been checked, passes the tests.
bool Passes(const BoundStep& step, const Node& node, const Scope& scope);
// Class and tests.
bool Passes(const BoundStep& step, Match match, const Scope& scope);

}  // namespace pactdb::select
