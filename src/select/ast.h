// What a selector says, as a value.
//
// A selector is a time, a union of groups and controls. A group is a list of steps; each step says
// where to look from the matches of the step before (Relation) and what a node must be (Parts, in
// written order, because picks see only what the parts before them left). Positions and searches
// are groups of the same kind: their hops are steps. What differs between dialects in reading (`#`,
// `.cb:x`) is settled by the parser.
//
// Thread safety: values.
#pragma once

#include <pactdb/options.h>
#include <pactdb/selector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/node.h"
#include "select/depth_set.h"

namespace re2 {
class RE2;
}

namespace pactdb::select {

// --- filters ---

// What a filter reads. Up to kParentId strings, up to kSdepth numbers.
enum class Attr : std::uint8_t {
  kId,
  kNodeType,
  kRole,
  kKind,
  kKey,
  kMime,
  kEncoding,
  kCreatedAtIso,
  kContentHash,
  kParentId,
  kOffset,
  kTtl,
  kPriority,
  kCycle,
  kCreatedAtNs,
  kCreationIndex,
  kCad,
  kBornTurn,  // facets: snapshots only
  kAge,
  kDepth,
  kSdepth,
  kTag,  // any of `tags`
  kRemovable,
  kPinned,
  kContent,
  kCustom,
  kEphemeral,  // behaviors: ttl not null
  kSticky,     // ttl 1 and cad 1
};

inline bool IsStringHeader(Attr attr) {
  return attr <= Attr::kParentId;
}
inline bool IsNumberHeader(Attr attr) {
  return attr >= Attr::kOffset && attr <= Attr::kSdepth;
}
inline bool IsFacet(Attr attr) {
  return attr >= Attr::kBornTurn && attr <= Attr::kSdepth;
}
inline bool IsBehavior(Attr attr) {
  return attr >= Attr::kEphemeral;
}

// kCustom for names we do not know; `type` is nodeType. Behaviors are not found by name here.
Attr FindAttr(std::string_view name);
std::string_view Name(Attr attr);

enum class Op : std::uint8_t { kPresent, kEq, kNe, kLt, kLe, kGt, kGe, kMatch };
std::string_view Text(Op op);

// A literal. Words and booleans are strings: they compare as such.
struct Value {
  enum class Kind : std::uint8_t { kNull, kNumber, kString };
  Kind kind = Kind::kNull;
  std::string text;  // a number as it was written
  bool operator==(const Value&) const = default;
};

struct Filter {
  Attr attr = Attr::kCustom;
  Op op = Op::kPresent;
  bool is_list = false;
  std::string name;                           // of a custom attribute
  Value value;                                // unless is_list
  std::vector<Value> list;                    // any of
  std::shared_ptr<const re2::RE2> pattern{};  // for kMatch

  // The compiled pattern follows from the value.
  bool operator==(const Filter& other) const {
    return attr == other.attr && op == other.op && is_list == other.is_list && name == other.name &&
           value == other.value && list == other.list;
  }
  bool IsEqualityWithText(Attr wanted) const {
    return attr == wanted && op == Op::kEq && !is_list && value.kind != Value::Kind::kNull;
  }
};

// --- the other parts of a step ---

struct RootTest {
  NodeClass region = NodeClass::kRoot;
  bool operator==(const RootTest&) const = default;
};

// `.block`, `.block:summary`, `.custom:note`. With a class and no name any node of the class; with
// a kind too; with a name the stored nodeType (aliases of its first part count as equal).
struct TypeTest {
  std::optional<NodeClass> node_class;
  std::string kind;
  std::string name;
  bool operator==(const TypeTest&) const = default;
};

// `*`
struct AnyTest {
  bool operator==(const AnyTest&) const = default;
};

// `depth(1)`, `d1`: the turn or region itself.
struct StemTest {
  DepthSet depths;
  bool operator==(const StemTest&) const = default;
};

// `d1[x], d3` in within(..): the turn or region itself, tested by what stands behind its depth.
// Comes with a StemTest of all the depths.
struct ScopeTest {
  struct Scope {
    DepthSet depths;
    std::vector<Filter> filters;  // all of them
    bool operator==(const Scope&) const = default;
  };
  std::vector<Scope> scopes;  // any of them
  bool operator==(const ScopeTest&) const = default;
};

// `:depth(1)`: a node in such a turn or region.
struct DepthTest {
  DepthSet depths;
  bool operator==(const DepthTest&) const = default;
};

enum class Slot : std::uint8_t { kPre, kCore, kPost };
struct SlotTest {
  Slot slot = Slot::kCore;
  bool operator==(const SlotTest&) const = default;
};

struct Pick {
  enum class Kind : std::uint8_t { kFirst, kLast, kNth };
  Kind kind = Kind::kFirst;
  std::int64_t n = 0;  // from 1, for kNth
  bool operator==(const Pick&) const = default;
};

using Part = std::variant<RootTest, TypeTest, AnyTest, StemTest, ScopeTest, DepthTest, SlotTest,
                          Filter, Pick>;

enum class Relation : std::uint8_t {
  kAnywhere,     // the first step of a chain: every node, the root too
  kBelowRoot,    // the first step of a search
  kRootChild,    // the first hop of a position
  kRegionChild,  // `?` at the root: children of the three regions
  kDescendant,
  kChild,
};

struct Step {
  Relation relation = Relation::kAnywhere;
  std::vector<Part> parts;
  bool operator==(const Step&) const = default;

  // Made of one :pre, :core or :post: it names the slot, and the next step may match its members.
  bool IsSlot() const { return parts.size() == 1 && std::holds_alternative<SlotTest>(parts[0]); }
  // The filter, if exactly one names one key; then the step's matches are in key order.
  const Filter* KeyFilter() const;
};

// How a group is written; says nothing about its meaning.
enum class Form : std::uint8_t { kChain, kPosition, kSearch, kAsk };

struct Group {
  Form form = Form::kChain;
  std::uint32_t hops = 0;  // the steps inside the parentheses of a position or of within(...)
  std::vector<Step> steps;
  bool operator==(const Group&) const = default;
};

// --- time and controls ---

// @t-3 is {'t', -3}, @c7 {'c', 7}, @t-* {'t', oldest}.
struct TimePoint {
  char kind = 't';
  bool is_oldest = false;
  std::int64_t value = 0;
  bool operator==(const TimePoint&) const = default;
};

struct Time {
  enum class Kind : std::uint8_t { kNone, kSingle, kAll, kRange };
  Kind kind = Kind::kNone;
  TimePoint from;  // kSingle uses it alone
  TimePoint to;
  bool operator==(const Time&) const = default;
};

enum class Order : std::uint8_t { kDefault, kPre, kPost, kBfs, kPath, kTurnAsc, kTurnDesc };
enum class RangeMode : std::uint8_t { kDefault, kUnion, kLatest, kReduce };

struct Controls {
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> page;
  bool first = false;
  bool unique = false;
  Order order = Order::kDefault;
  RangeMode mode = RangeMode::kDefault;
  bool operator==(const Controls&) const = default;
};
std::string_view Name(Order order);
std::string_view Name(RangeMode mode);

struct Ast {
  Dialect dialect = Dialect::kCanonical;
  Time time;
  std::vector<Group> groups;
  Controls controls;
  std::optional<InsertionMark> mark;  // placement only
  bool operator==(const Ast&) const = default;

  bool UsesFacets() const;
};

// One line a step, for tests and explain: "descendant type=block kind='x' role='user'".
std::string Dump(const Ast& ast);
std::string Dump(const Part& part);
std::string_view Name(Relation relation);

}  // namespace pactdb::select
