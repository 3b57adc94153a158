#include "select/normalize.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "model/types.h"

namespace pactdb::select {
namespace {

bool IsTag(const Part& part) {
  const auto* filter = std::get_if<Filter>(&part);
  return filter != nullptr && filter->IsEqualityWithText(Attr::kTag);
}

// What the third bracket of the canonical shape is for: how long a node stays and where it is.
bool IsBehaviorFilter(const Part& part) {
  const auto* filter = std::get_if<Filter>(&part);
  if (filter == nullptr) return false;
  const Attr attr = filter->attr;
  return attr == Attr::kTtl || attr == Attr::kCad || IsFacet(attr) || IsBehavior(attr);
}

// Tests first, by kind; then filters. Tags stand before the other filters in a position or search,
// as the canonical shape has them, and behind them in a chain.
int Rank(const Part& part, bool tags_first) {
  if (std::holds_alternative<Filter>(part)) {
    if (IsTag(part)) return tags_first ? 10 : 13;
    return IsBehaviorFilter(part) ? 12 : 11;
  }
  // A depth can only be written first.
  return std::holds_alternative<StemTest>(part) ? -1 : static_cast<int>(part.index());
}

// Puts the parts [start, end) in order; equal ones keep theirs.
void SortRun(std::vector<Part>& parts, std::size_t start, std::size_t end, bool tags_first) {
  struct Key {
    int rank;
    std::string_view tag;
    std::size_t index;
  };
  std::vector<Key> keys;
  for (std::size_t i = start; i < end; ++i) {
    const bool is_tag = IsTag(parts[i]);
    keys.push_back({Rank(parts[i], tags_first),
                    is_tag ? std::string_view(std::get<Filter>(parts[i]).value.text) : "", i});
  }
  std::ranges::sort(keys, [](const Key& a, const Key& b) {
    return std::tie(a.rank, a.tag, a.index) < std::tie(b.rank, b.tag, b.index);
  });
  std::vector<Part> sorted;
  sorted.reserve(keys.size());
  for (const Key& key : keys) sorted.push_back(parts[key.index]);
  std::ranges::move(sorted, parts.begin() + static_cast<std::ptrdiff_t>(start));
}

// Picks keep their place; what stands between two of them is sorted.
void SortParts(Step& step, bool tags_first) {
  std::size_t start = 0;
  for (std::size_t i = 0; i <= step.parts.size(); ++i) {
    if (i < step.parts.size() && !std::holds_alternative<Pick>(step.parts[i])) continue;
    SortRun(step.parts, start, i, tags_first);
    start = i + 1;
  }
  // A tag named twice says no more than once.
  const auto same_tag = [](const Part& a, const Part& b) { return IsTag(a) && IsTag(b) && a == b; };
  step.parts.erase(std::unique(step.parts.begin(), step.parts.end(), same_tag), step.parts.end());
}

// Says what a node is: a root, a type, `*` or a depth.
bool IsStructural(const Part& part) {
  return part.index() <= Part(StemTest()).index();
}
bool IsStructural(const Step& step) {
  return std::ranges::any_of(step.parts, [](const Part& part) { return IsStructural(part); });
}

bool HasOnlyFilters(const Step& step) {
  return std::ranges::all_of(step.parts,
                             [](const Part& part) { return std::holds_alternative<Filter>(part); });
}

void NormalizeGroup(Group& group) {
  // A chain that starts with a tag is a search, unless it also says what the node is; then only
  // ^root makes a difference.
  Step& first = group.steps[0];
  if (group.form == Form::kChain && first.relation == Relation::kBelowRoot) {
    if (!IsStructural(first)) {
      group.form = Form::kSearch;
    } else if (std::ranges::none_of(first.parts, [](const Part& part) {
                 return std::holds_alternative<RootTest>(part);
               })) {
      first.relation = Relation::kAnywhere;
    }
  }
  const std::size_t shaped = group.form == Form::kChain      ? 0
                             : group.form == Form::kPosition ? group.hops
                                                             : group.hops + 1;
  for (std::size_t i = 0; i < group.steps.size(); ++i) {
    SortParts(group.steps[i], i < shaped && i + 1 >= group.hops);
  }
}

// Newer end first.
bool IsOlder(const TimePoint& a, const TimePoint& b) {
  if (a.is_oldest || b.is_oldest) return a.is_oldest && !b.is_oldest;
  return a.value < b.value;
}

// --- text ---

std::string ToText(const Value& value) {
  if (value.kind == Value::Kind::kNull) return "null";
  return value.kind == Value::Kind::kNumber ? value.text : Quote(value.text);
}

std::string DepthText(const DepthSet& depths) {
  // An interval beyond all numbers may have melted away; this says as much.
  return depths.empty() ? ">" + std::to_string(kDepthMax) : depths.ToText();
}

std::string StemText(const DepthSet& depths, bool as_hop) {
  const auto& intervals = depths.intervals();
  if (as_hop && intervals.size() == 1 && intervals[0].first == intervals[0].last)
    return "d" + std::to_string(intervals[0].first);
  return "depth(" + DepthText(depths) + ")";
}

std::string TypeText(const TypeTest& test, Dialect dialect) {
  if (!test.node_class) return test.name;
  std::string text(TypeName(*test.node_class, dialect));
  if (!test.kind.empty()) text += ":" + test.kind;
  return text;
}

class Printer {
 public:
  explicit Printer(const Ast& ast) : dialect_(ast.dialect) {}

  std::string Print(const Group& group) {
    std::size_t done = 0;
    if (group.form == Form::kPosition) {
      PrintHops(group, true);
      done = group.hops;
      filter_mode_ = true;
    } else if (group.form != Form::kChain) {
      PrintSearch(group);
      done = group.hops + 1;
      filter_mode_ = true;
    } else if (group.steps.size() == 1 && HasOnlyFilters(group.steps[0])) {
      PrintBraced(group.steps[0], "");
      done = 1;
      filter_mode_ = true;
    }
    for (std::size_t i = done; i < group.steps.size(); ++i) PrintChainStep(group, i);
    return std::move(out_);
  }

 private:
  void PrintChainStep(const Group& group, std::size_t index) {
    const Step& step = group.steps[index];
    if (index > 0) out_ += step.relation == Relation::kChild ? " > " : " ";
    if (step.relation == Relation::kBelowRoot) return PrintTagFirst(step);
    const bool is_bracket = std::holds_alternative<Filter>(step.parts[0]);
    if (filter_mode_ && is_bracket && step.relation != Relation::kChild) {
      // ` [..]` would be read as a filter of the step before.
      PrintRun(step, "\?\? ");
      return;
    }
    const bool plus = !is_bracket && !HasPick(step);
    filter_mode_ = false;
    for (const Part& part : step.parts) PrintPart(part, false, plus);
  }

  // `+a^root`: nothing, but it must stay so.
  void PrintTagFirst(const Step& step) {
    const auto tag = std::ranges::find_if(step.parts, IsPlainTag);
    out_ += "+" + std::get<Filter>(*tag).value.text;
    for (const Part& part : step.parts) {
      if (&part != &*tag) PrintPart(part, false, false);
    }
    filter_mode_ = true;
  }

  static bool HasPick(const Step& step) {
    return std::ranges::any_of(step.parts,
                               [](const Part& part) { return std::holds_alternative<Pick>(part); });
  }

  // The filters before the first pick in braces, all else glued to them.
  void PrintRun(const Step& step, std::string_view before) {
    std::string braces;
    std::size_t i = 0;
    for (; i < step.parts.size() && !std::holds_alternative<Pick>(step.parts[i]); ++i) {
      const auto* filter = std::get_if<Filter>(&step.parts[i]);
      if (filter == nullptr) continue;
      if (!braces.empty()) braces += ", ";
      braces += select::ToText(*filter);
    }
    out_ += before;
    out_ += "{ " + braces + " }";
    PrintRest(step, i);
  }

  // Slots and depths before part `pick`, then everything from there on.
  void PrintRest(const Step& step, std::size_t pick) {
    for (std::size_t i = 0; i < step.parts.size(); ++i) {
      const Part& part = step.parts[i];
      const bool is_pseudo =
          std::holds_alternative<SlotTest>(part) || std::holds_alternative<DepthTest>(part);
      if (i >= pick || is_pseudo) PrintPart(part, false, false);
    }
  }

  void PrintPart(const Part& part, bool as_hop, bool plus) {
    if (const auto* root = std::get_if<RootTest>(&part)) {
      constexpr std::string_view kNames[] = {"^root", "^sys", "^seq", "^ah"};
      out_ += kNames[static_cast<std::size_t>(root->region)];
    } else if (const auto* type = std::get_if<TypeTest>(&part)) {
      PrintType(*type, as_hop);
    } else if (std::holds_alternative<AnyTest>(part)) {
      out_ += "*";
    } else if (const auto* stem = std::get_if<StemTest>(&part)) {
      out_ += StemText(stem->depths, as_hop);
    } else if (const auto* depth = std::get_if<DepthTest>(&part)) {
      out_ += ":depth(" + DepthText(depth->depths) + ")";
    } else if (const auto* slot = std::get_if<SlotTest>(&part)) {
      constexpr std::string_view kNames[] = {":pre", ":core", ":post"};
      out_ += kNames[static_cast<std::size_t>(slot->slot)];
    } else if (const auto* pick = std::get_if<Pick>(&part)) {
      PrintPick(*pick);
    } else {
      PrintFilter(part, plus);
    }
  }

  void PrintType(const TypeTest& type, bool as_hop) {
    if (!as_hop) {
      out_ += "." + TypeText(type, dialect_);
      return;
    }
    // Children of a type are written `*:block`; only cont goes by its bare name, since a bare seg
    // after a depth would be that turn.
    if (type.node_class != NodeClass::kCont || !type.kind.empty()) out_ += "*:";
    out_ += TypeText(type, dialect_);
  }

  void PrintPick(const Pick& pick) {
    if (pick.kind == Pick::Kind::kFirst) out_ += ":first";
    if (pick.kind == Pick::Kind::kLast) out_ += ":last";
    if (pick.kind == Pick::Kind::kNth) out_ += ":nth(" + std::to_string(pick.n) + ")";
  }

  static bool IsPlainWord(std::string_view text) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return !text.empty() && kLetters.find(text[0]) != std::string_view::npos &&
           text.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:-") ==
               std::string_view::npos;
  }

  // Can be written `+tag`.
  static bool IsPlainTag(const Part& part) {
    if (!IsTag(part)) return false;
    const Value& value = std::get<Filter>(part).value;
    return value.kind == Value::Kind::kString && IsPlainWord(value.text);
  }

  void PrintFilter(const Part& part, bool plus) {
    const auto& filter = std::get<Filter>(part);
    if (plus && IsPlainTag(part)) {
      out_ += " +" + filter.value.text;
      filter_mode_ = true;
    } else {
      out_ += "[" + select::ToText(filter) + "]";
    }
  }

  // The hops; the filters of the last one stand behind the parentheses if nothing else forbids.
  void PrintHops(const Group& group, bool shape_last) {
    out_ += "(";
    for (std::size_t i = 0; i < group.hops; ++i) {
      if (i > 0) out_ += ", ";
      const Step& step = group.steps[i];
      const bool shaped = shape_last && i + 1 == group.hops && CanShape(step);
      PrintHop(step, shaped);
    }
    out_ += ")";
    const Step& last = group.steps[group.hops - 1];
    if (!shape_last) return;
    if (CanShape(last)) {
      PrintShaped(last);
    } else {
      PrintRest(last, PrefixEnd(last));
    }
  }

  static std::size_t PrefixEnd(const Step& step) {
    const auto pick = std::ranges::find_if(
        step.parts, [](const Part& part) { return std::holds_alternative<Pick>(part); });
    return static_cast<std::size_t>(pick - step.parts.begin());
  }

  static bool CanShape(const Step& step) {
    return IsStructural(step.parts[0]) && std::ranges::all_of(step.parts, [](const Part& part) {
             return std::holds_alternative<Filter>(part) || IsStructural(part);
           });
  }

  // What stands inside the parentheses: what the hop is and its filters, up to the first pick.
  void PrintHop(const Step& step, bool without_filters) {
    const bool is_ask = !IsStructural(step.parts[0]);
    const bool has_scopes =
        step.parts.size() > 1 && std::holds_alternative<ScopeTest>(step.parts[1]);
    std::string braces;
    const std::size_t end = PrefixEnd(step);
    if (has_scopes) PrintScopes(std::get<ScopeTest>(step.parts[1]), end > 2);
    for (std::size_t i = has_scopes ? 2 : 0; i < end; ++i) {
      const Part& part = step.parts[i];
      const auto* filter = std::get_if<Filter>(&part);
      if (IsStructural(part)) PrintPart(part, true, false);
      if (filter == nullptr || without_filters) continue;
      if (is_ask) {
        braces += (braces.empty() ? "" : ", ") + select::ToText(*filter);
      } else {
        PrintFilter(*filter, false);
      }
    }
    if (is_ask) out_ += "? { " + braces + " }";
  }

  // `d3, d1[ttl=2]`; tests of them all are those of the turn behind.
  void PrintScopes(const ScopeTest& test, bool with_turn) {
    for (const ScopeTest::Scope& scope : test.scopes) {
      if (&scope != test.scopes.data()) out_ += ", ";
      out_ += StemText(scope.depths, true);
      for (const Filter& filter : scope.filters) PrintFilter(filter, false);
    }
    if (with_turn) out_ += ", " + std::string(TypeName(NodeClass::kTurn, dialect_));
  }

  void PrintSearch(const Group& group) {
    const Step& step = group.steps[group.hops];
    if (group.hops > 0) {
      out_ += "within";
      PrintHops(group, false);
      out_ += " ";
    }
    if (!HasOnlyFilters(step)) {
      PrintRun(step, group.form == Form::kAsk ? "? " : "\?\? ");
    } else if (group.form == Form::kSearch && group.hops == 0 && IsPlainTag(step.parts[0])) {
      PrintShaped(step);
    } else {
      PrintBraced(step, group.form == Form::kAsk ? "? " : "\?\? ");
    }
  }

  // `+tags { attributes } [ behavior ]`, each if there is one.
  void PrintShaped(const Step& step) {
    std::string braces;
    std::string brackets;
    for (const Part& part : step.parts) {
      const auto* filter = std::get_if<Filter>(&part);
      if (filter == nullptr) continue;
      if (IsPlainTag(part) && braces.empty()) {
        Blank();
        out_ += "+" + filter->value.text;
        continue;
      }
      std::string& list = IsBehaviorFilter(part) ? brackets : braces;
      if (!list.empty()) list += ", ";
      list += select::ToText(*filter);
    }
    PrintLists(std::move(braces), std::move(brackets));
  }

  void PrintBraced(const Step& step, std::string_view before) {
    std::string braces;
    std::string brackets;
    for (const Part& part : step.parts) {
      std::string& list = IsBehaviorFilter(part) ? brackets : braces;
      if (!list.empty()) list += ", ";
      list += select::ToText(std::get<Filter>(part));
    }
    if (braces.empty()) std::swap(braces, brackets);
    out_ += before;
    out_ += "{ " + braces + " }";
    PrintLists("", std::move(brackets));
  }

  void PrintLists(std::string braces, std::string brackets) {
    if (out_.empty() && braces.empty()) std::swap(braces, brackets);
    if (!braces.empty()) {
      Blank();
      out_ += "{ " + braces + " }";
    }
    if (!brackets.empty()) {
      Blank();
      out_ += "[ " + brackets + " ]";
    }
  }

  void Blank() {
    if (!out_.empty() && out_.back() != ' ') out_ += ' ';
  }

  Dialect dialect_;
  bool filter_mode_ = false;  // ` [..]` would belong to the step before
  std::string out_;
};

}  // namespace

Ast Normalize(Ast ast) {
  for (Group& group : ast.groups) NormalizeGroup(group);
  if (ast.time.kind == Time::Kind::kRange && IsOlder(ast.time.from, ast.time.to))
    std::swap(ast.time.from, ast.time.to);
  Controls& controls = ast.controls;
  if (controls.first) controls.limit = 1;
  controls.first = false;
  if (!controls.limit) controls.page.reset();
  if (controls.mode == RangeMode::kUnion) controls.mode = RangeMode::kDefault;
  return ast;
}

std::string Quote(std::string_view text) {
  std::string quoted = "'";
  for (const char byte : text) {
    if (byte == '\'' || byte == '\\') quoted += '\\';
    quoted += byte;
  }
  return quoted + "'";
}

std::string ToText(const Filter& filter) {
  std::string text(filter.attr == Attr::kCustom ? std::string_view(filter.name)
                                                : Name(filter.attr));
  text += Text(filter.op);
  if (filter.op == Op::kPresent) return text;
  if (!filter.is_list) return text + ToText(filter.value);
  text += "[";
  for (std::size_t i = 0; i < filter.list.size(); ++i) {
    text += (i > 0 ? "," : "") + ToText(filter.list[i]);
  }
  return text + "]";
}

std::string ToText(const TimePoint& point) {
  return std::string("@") + point.kind + (point.is_oldest ? "-*" : std::to_string(point.value));
}

std::string ToText(const Time& time) {
  switch (time.kind) {
    case Time::Kind::kNone:
      return "";
    case Time::Kind::kSingle:
      return ToText(time.from);
    case Time::Kind::kAll:
      return "@*";
    case Time::Kind::kRange:
      return ToText(time.from) + ".." + ToText(time.to);
  }
  return "";
}

std::string ToText(const Controls& controls) {
  std::string text;
  if (controls.mode != RangeMode::kDefault) text += " @mode=" + std::string(Name(controls.mode));
  if (controls.order != Order::kDefault) text += " @order=" + std::string(Name(controls.order));
  if (controls.unique) text += " @unique";
  if (controls.first) text += " @first";
  if (controls.page) text += " @p=" + std::to_string(*controls.page);
  if (controls.limit) text += " @limit=" + std::to_string(*controls.limit);
  return text;
}

std::string Print(const Ast& ast) {
  std::string text = ToText(ast.time);
  for (std::size_t i = 0; i < ast.groups.size(); ++i) {
    if (i > 0) text += ",";
    if (!text.empty()) text += " ";
    text += Printer(ast).Print(ast.groups[i]);
  }
  return text + ToText(ast.controls);
}

}  // namespace pactdb::select
