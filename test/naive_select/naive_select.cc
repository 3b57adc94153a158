#include "naive_select/naive_select.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "naive_select/naive_filter.h"

namespace pactdb::naive {
namespace {

using select::Ast;
using select::Filter;
using select::Group;
using select::Part;
using select::Pick;
using select::Relation;
using select::Step;

using Indices = std::vector<int>;  // of View::all, in result order

// For each node of the view whether it is in.
using Members = std::vector<char>;

const Seen& At(const View& view, int index) {
  return view.all[static_cast<std::size_t>(index)];
}

bool Has(const Members& members, int index) {
  return index >= 0 && members[static_cast<std::size_t>(index)] != 0;
}

// --- order ---

// Newest first: the head, turns by depth, ^sys, then what has no depth.
auto KeyOrder(const Seen& seen) {
  const int rank = !seen.depth ? 2 : *seen.depth < 0 ? 1 : 0;
  const std::int64_t depth = rank == 0 ? *seen.depth : 0;
  if (seen.node == nullptr)
    return std::tuple(rank, depth, std::int64_t{0}, std::int64_t{0}, std::string());
  return std::tuple(rank, depth, -seen.node->created_at_ns, -seen.node->creation_index,
                    seen.node->id);
}

void SortByKeyOrder(const View& view, Indices& found) {
  std::ranges::sort(found, {}, [&](int index) { return KeyOrder(At(view, index)); });
}

// Exactly one equality with a key.
bool NamesOneKey(const Step& step) {
  return std::ranges::count_if(step.parts, [](const Part& part) {
           const auto* filter = std::get_if<Filter>(&part);
           return filter != nullptr && filter->attr == select::Attr::kKey &&
                  filter->op == select::Op::kEq && !filter->is_list &&
                  filter->value.kind != select::Value::Kind::kNull;
         }) == 1;
}

// --- steps ---

// :pre, :core or :post and nothing else.
bool IsSlot(const Step& step) {
  return step.parts.size() == 1 && std::holds_alternative<select::SlotTest>(step.parts[0]);
}

// Only a step with the type cont meets implicit cores.
bool NamesConts(const Step& step) {
  return std::ranges::any_of(step.parts, [](const Part& part) {
    const auto* type = std::get_if<select::TypeTest>(&part);
    return type != nullptr && type->node_class == NodeClass::kCont;
  });
}

bool IsChild(const Seen& seen, const Members& found) {
  return Has(found, seen.parent) || Has(found, seen.core);
}

bool IsBelow(const View& view, const Seen& seen, const Members& found) {
  if (Has(found, seen.core)) return true;
  for (int above = seen.parent; above >= 0; above = At(view, above).parent) {
    if (Has(found, above)) return true;
  }
  return false;
}

// Whether the node stands to what was found before as the step asks.
bool Follows(const View& view, int index, const Step& step, const Step* before,
             const Members& found) {
  const Seen& seen = At(view, index);
  switch (step.relation) {
    case Relation::kAnywhere:
      return true;
    case Relation::kBelowRoot:
      return seen.parent >= 0;
    case Relation::kRootChild:
      return seen.parent == 0;
    case Relation::kRegionChild:
      return seen.parent >= 0 && At(view, seen.parent).parent == 0;
    case Relation::kChild:
      return IsSlot(*before) ? Has(found, index) : IsChild(seen, found);
    case Relation::kDescendant:
      return IsBelow(view, seen, found) || (IsSlot(*before) && Has(found, index));
  }
  return false;
}

void KeepNth(const Pick& pick, Indices& found) {
  const std::size_t wanted = pick.kind == Pick::Kind::kLast  ? found.size()
                             : pick.kind == Pick::Kind::kNth ? static_cast<std::size_t>(pick.n)
                                                             : 1;
  if (found.empty() || wanted > found.size()) return found.clear();
  found = {found[wanted - 1]};
}

// Of the children of each parent; in a step with a key of all, newest first.
Indices ApplyPick(const View& view, const Pick& pick, bool by_key, Indices found) {
  if (by_key) {
    SortByKeyOrder(view, found);
    KeepNth(pick, found);
    return found;
  }
  std::map<int, Indices> families;
  for (const int index : found) families[At(view, index).parent].push_back(index);
  Indices kept;
  for (auto& [parent, family] : families) {
    KeepNth(pick, family);
    kept.insert(kept.end(), family.begin(), family.end());
  }
  std::ranges::sort(kept);
  return kept;
}

Indices RunStep(const View& view, const Step& step, const Step* before, const Members& found) {
  const bool meets_cores = NamesConts(step);
  Indices kept;
  for (int index = 0; index < static_cast<int>(view.all.size()); ++index) {
    if (At(view, index).node == nullptr && !meets_cores) continue;
    if (Follows(view, index, step, before, found)) kept.push_back(index);
  }
  for (const Part& part : step.parts) {
    if (const auto* pick = std::get_if<Pick>(&part)) {
      kept = ApplyPick(view, *pick, NamesOneKey(step), std::move(kept));
    } else {
      std::erase_if(kept, [&](int index) { return !Passes(view, At(view, index), step, part); });
    }
  }
  return kept;
}

// The union of the groups, implicit cores among them.
Members Matches(const View& view, const Ast& ast) {
  Members all(view.all.size(), 0);
  for (const Group& group : ast.groups) {
    Members found(view.all.size(), 0);
    const Step* before = nullptr;
    for (const Step& step : group.steps) {
      const Indices kept = RunStep(view, step, before, found);
      std::ranges::fill(found, 0);
      for (const int index : kept) found[static_cast<std::size_t>(index)] = 1;
      before = &step;
    }
    for (std::size_t i = 0; i < all.size(); ++i) all[i] |= found[i];
  }
  return all;
}

// --- results ---

std::string PathOf(const View& view, int index) {
  const Seen& seen = At(view, index);
  return seen.parent < 0 ? seen.node->id : PathOf(view, seen.parent) + "/" + seen.node->id;
}

void ListPostorder(const View& view, int top, Indices& out) {
  for (int index = top + 1; index < static_cast<int>(view.all.size()); ++index) {
    if (At(view, index).parent == top) ListPostorder(view, index, out);
  }
  out.push_back(top);
}

// By the place their nodes have in another list.
void SortByPlaceIn(const View& view, const std::vector<const PlainNode*>& list, Indices& found) {
  std::ranges::sort(found, {},
                    [&](int index) { return std::ranges::find(list, At(view, index).node); });
}

void SortAsTurns(const View& view, Dialect dialect, Indices& found) {
  const View other = MakeView(*view.all[0].node, dialect, view.cycle);
  std::vector<const PlainNode*> list;
  list.reserve(other.all.size());
  for (const Seen& seen : other.all) list.push_back(seen.node);
  SortByPlaceIn(view, list, found);
}

void Sort(const View& view, const Ast& ast, Indices& found) {
  switch (ast.controls.order) {
    case select::Order::kDefault:
      if (ast.groups.size() == 1 && NamesOneKey(ast.groups[0].steps.back()))
        SortByKeyOrder(view, found);
      return;
    case select::Order::kPre:
      return;
    case select::Order::kPost: {
      Indices order;
      ListPostorder(view, 0, order);
      std::ranges::sort(found, {}, [&](int index) { return std::ranges::find(order, index); });
      return;
    }
    case select::Order::kBfs:
      std::ranges::sort(found, {}, [&](int i) { return std::pair(At(view, i).level, i); });
      return;
    case select::Order::kPath:
      std::ranges::sort(found, {}, [&](int index) { return PathOf(view, index); });
      return;
    case select::Order::kTurnAsc:
      return SortAsTurns(view, Dialect::kClassic, found);
    case select::Order::kTurnDesc:
      return SortAsTurns(view, Dialect::kCanonical, found);
  }
}

// Of each stored key the newest, where it stands.
void KeepUnique(const View& view, Indices& found) {
  const Indices all = found;
  std::erase_if(found, [&](int index) {
    const PlainValue& key = At(view, index).node->Field("key");
    return !key.is_null() && std::ranges::any_of(all, [&](int other) {
      const PlainValue& other_key = At(view, other).node->Field("key");
      return !other_key.is_null() && other_key.text == key.text &&
             KeyOrder(At(view, other)) < KeyOrder(At(view, index));
    });
  });
}

// Filter, where, order, unique: the ids of one tree.
std::vector<std::string> Result(const View& view, const Ast& ast, const Ast* where) {
  const Members matches = Matches(view, ast);
  const Members inside = where == nullptr ? Members() : Matches(view, *where);
  Indices found;
  for (int index = 0; index < static_cast<int>(view.all.size()); ++index) {
    const Seen& seen = At(view, index);
    if (!Has(matches, index) || seen.node == nullptr) continue;
    if (where != nullptr && !Has(inside, index) && !IsBelow(view, seen, inside)) continue;
    found.push_back(index);
  }
  Sort(view, ast, found);
  if (ast.controls.unique) KeepUnique(view, found);
  std::vector<std::string> ids;
  ids.reserve(found.size());
  for (const int index : found) ids.push_back(At(view, index).node->id);
  return ids;
}

void Window(std::int64_t skip, std::optional<std::int64_t> limit, std::vector<std::string>& ids) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    if (place >= skip && (!limit || place - skip < *limit)) kept.push_back(ids[i]);
  }
  ids = std::move(kept);
}

void TakePage(const select::Controls& controls, std::vector<std::string>& ids) {
  if (controls.first) Window(0, 1, ids);
  if (!controls.limit) return;
  const std::int64_t page = std::min<std::int64_t>(controls.page.value_or(1), 1'000'000) - 1;
  Window(page * std::min<std::int64_t>(*controls.limit, 1'000'000), controls.limit, ids);
}

// --- time ---

bool UsesFacets(const Ast& ast) {
  const auto is_facet = [](const Filter& filter) {
    return filter.attr == select::Attr::kBornTurn || filter.attr == select::Attr::kAge ||
           filter.attr == select::Attr::kDepth || filter.attr == select::Attr::kSdepth;
  };
  for (const Group& group : ast.groups) {
    for (const Step& step : group.steps) {
      for (const Part& part : step.parts) {
        if (const auto* filter = std::get_if<Filter>(&part); filter && is_facet(*filter))
          return true;
        const auto* test = std::get_if<select::ScopeTest>(&part);
        if (test == nullptr) continue;
        for (const auto& scope : test->scopes) {
          if (std::ranges::any_of(scope.filters, is_facet)) return true;
        }
      }
    }
  }
  return false;
}

// @t0, @t-1: counted from the newest; @c7: the cycle.
std::optional<std::size_t> FindSnapshot(const History& history, char kind, std::int64_t value) {
  const auto& cycles = history.cycles();
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (kind == 'c'
            ? cycles[i] == value
            : value == static_cast<std::int64_t>(i) - static_cast<std::int64_t>(cycles.size()) + 1)
      return i;
  }
  return std::nullopt;
}

// The trees to look at, newest first; none if there is no such snapshot.
std::vector<std::size_t> TreesOf(const History& history, const Ast& ast, const Options& options) {
  const std::size_t working = history.cycles().size();
  std::optional<std::size_t> one;
  if (ast.time.kind == select::Time::Kind::kAll) {
    std::vector<std::size_t> all;
    for (std::size_t i = working; i-- > 0;) all.push_back(i);
    return all;
  }
  if (ast.time.kind == select::Time::Kind::kSingle) {
    const select::TimePoint& point = ast.time.from;
    one = point.is_oldest ? FindSnapshot(history, 't', 1 - static_cast<std::int64_t>(working))
                          : FindSnapshot(history, point.kind, point.value);
  } else {
    const std::string name =
        options.snapshot.value_or(ast.dialect == Dialect::kClassic ? "@t0" : "working");
    if (name == "working") return {working};
    one = FindSnapshot(history, name[1], std::stoll(name.substr(2)));
  }
  return one ? std::vector{*one} : std::vector<std::size_t>();
}

}  // namespace

Answer Select(const History& history, const Ast& ast, const Options& options) {
  using select::Time;
  const Ast* where = options.where;
  if (where != nullptr &&
      (where->time.kind != Time::Kind::kNone || where->controls != select::Controls()))
    return {"E_SELECTOR_INVALID", {}};
  if (ast.time.kind != Time::Kind::kNone && options.snapshot) return {"E_REQUEST_INVALID", {}};
  if (ast.time.kind == Time::Kind::kRange) return {"E_REQUEST_INVALID", {}};
  const std::vector<std::size_t> trees = TreesOf(history, ast, options);
  if (trees.empty()) return {"E_SNAPSHOT_NOT_FOUND", {}};
  const bool is_working = trees[0] == history.cycles().size();
  if (is_working && (UsesFacets(ast) || (where != nullptr && UsesFacets(*where))))
    return {"E_FACET_NEEDS_SNAPSHOT", {}};
  Answer answer;
  std::set<std::string> seen;  // of several trees each id counts once, where it is seen first
  for (const std::size_t tree : trees) {
    for (std::string& id : Result(history.At(tree, ast.dialect), ast, where)) {
      if (seen.insert(id).second) answer.ids.push_back(std::move(id));
    }
  }
  TakePage(ast.controls, answer.ids);
  Window(options.skip, options.limit, answer.ids);
  return answer;
}

}  // namespace pactdb::naive
