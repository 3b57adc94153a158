// lint: what is allowed and costs: nodes that make requests differ early and often, so that a
// provider's prompt cache is rewritten, and attributes that selectors find at some times only.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "engine/changed_types.h"
#include "engine/context_impl.h"
#include "engine/volatile_text.h"
#include "providers/block.h"
#include "render/shared_thread.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

struct Advice {
  std::string_view rule;
  std::string id;
  std::string problem;
  std::string fix;
};

constexpr std::string_view kToTheHead =
    "say it in ^ah at an offset above 0, with ttl 1: there it stands last and breaks nothing "
    "before "
    "it";

// What ^sys says: its blocks in order, each under the name by which it is the same node again.
struct SysBlock {
  std::string name;  // its key, or its id
  const Node* node;
  bool is_tool;
};

std::vector<SysBlock> ReadSys(const TreeView& view) {
  std::vector<SysBlock> blocks;
  const Node* sys = view.Region(NodeClass::kSys);
  if (sys == nullptr) return blocks;
  for (PreorderCursor cursor(*sys); cursor.get() != nullptr; cursor.Next()) {
    const Node& node = *cursor.get();
    if (!node.is_block()) continue;
    const auto block = providers::Block::Read(view, node, true, 1);
    const bool is_tool = block.traits.form == providers::Form::kTool;
    std::string name = is_tool ? block.Text("data_name").value_or("") : "";
    if (name.empty()) name = block.Text("key").value_or(block.id());
    blocks.push_back({std::move(name), &node, is_tool});
  }
  return blocks;
}

class Linter {
 public:
  explicit Linter(const TreeView& view) : view_(view), sys_(ReadSys(view)) {}

  std::vector<Advice> Take() { return std::move(found_); }

  // Dates and the like in instructions.
  void FindVolatile() {
    for (const SysBlock& block : sys_) {
      const auto text = providers::Block::Read(view_, *block.node, true, 1).ContentText();
      const auto word = FindVolatileWord(text);
      if (!word) continue;
      Note("volatile_content", *block.node,
           std::string("^sys says ")
               .append(word->kind)
               .append(" (")
               .append(word->text)
               .append("): when it changes, all that is behind it is sent anew"),
           kToTheHead);
    }
  }

  // Nodes whose end will take a piece out of the middle.
  void FindShortLived() {
    ForEachShortLived(NodeClass::kSys, [this](const Node& node) {
      Note("ttl_before_stable", node,
           "it expires in ^sys, before everything else: that is sent anew then", kToTheHead);
    });
    ForEachShortLived(NodeClass::kSeq, [this](const Node& node) {
      if (!StandsBeforeCore(node)) return;
      Note("ttl_before_stable", node,
           "it stands before what was said in its turn and expires: the turn and all behind it is "
           "sent anew then",
           "give it an offset above 0: behind the core it takes less along");
    });
  }

  // `older` and `newer` are neighbours of the history, or its end and what comes next; the newest
  // last.
  void NoteTypes(const TreeView& older, const TreeView& newer) {
    for (const LostType& lost : FindLostTypes(older, newer))
      types_[{lost.node->number, std::string(lost.name)}] = {lost.type, older.now - 1};
  }

  // Once the history was noted.
  void FindChangedTypes() {
    for (const auto& [place, last] : types_) {
      const auto& [number, name] = place;
      const Node* node = view_.Find(number);
      const auto value =
          node != nullptr && node->body != nullptr ? node->body->Find(name) : std::nullopt;
      if (!value || *value == "null" || TypeOfValue(*value) == last.type) continue;
      std::string problem = "its attribute '" + name + "' was ";
      problem.append(last.type).append(" until @c").append(std::to_string(last.until));
      problem.append(" and is ").append(TypeOfValue(*value));
      problem.append(" now: a selector finds one of the two");
      Note("changed_type", *node, std::move(problem),
           "keep one type, and say the other under a name of its own");
    }
  }

  // `older` and `newer` are neighbours of the history.
  void CountChanges(const TreeView& older, const TreeView& newer) {
    ++pairs_;
    if (ChildrenOf(older, NodeClass::kSys) == ChildrenOf(newer, NodeClass::kSys)) return;
    const std::vector<SysBlock> before = ReadSys(older);
    const std::vector<SysBlock> after = ReadSys(newer);
    std::map<std::string, std::string_view> contents;
    for (const SysBlock& block : before)
      contents.emplace(block.name, block.node->content().value_or(""));
    for (const SysBlock& block : after) {
      const auto known = contents.find(block.name);
      if (known == contents.end() || known->second != block.node->content().value_or(""))
        ++changes_[block.name];
    }
    FindReordering(before, after);
  }

  // Once the history was counted.
  void FindChanging() {
    for (const SysBlock& block : sys_) {
      const auto count = changes_.find(block.name);
      if (count == changes_.end() || count->second < 2 || count->second * 2 < pairs_) continue;
      Note("changing_content", *block.node,
           std::string("it changed in ")
               .append(std::to_string(count->second))
               .append(" of the last ")
               .append(std::to_string(pairs_))
               .append(" commits, and all that is behind it was sent anew"),
           kToTheHead);
    }
    for (const SysBlock& block : sys_) {
      const auto count = reordered_.find(block.name);
      if (count == reordered_.end()) continue;
      Note("reordered_tools", *block.node,
           std::string("the tools stood in another order, from this one on, in ")
               .append(std::to_string(count->second))
               .append(" of the last ")
               .append(std::to_string(pairs_))
               .append(" commits"),
           "keep the order in which tools were first given; leave those that are there where they "
           "are and add new ones behind them");
    }
  }

 private:
  // A group leaves with all it says, unless something in it stays.
  static bool IsShortLived(const Node& node) {
    if (!node.is_expendable() || !node.has_ttl()) return false;
    bool says = false;
    for (PreorderCursor cursor(node); cursor.get() != nullptr; cursor.Next()) {
      if (cursor.get()->Has(Node::kPinned)) return false;
      says = says || cursor.get()->is_block();
    }
    return says;
  }

  // Of a group that leaves, the group alone.
  template <typename Visit>
  void ForEachShortLived(NodeClass region, Visit visit) {
    const Container* container = view_.Region(region);
    if (container == nullptr) return;
    PreorderCursor cursor(*container);
    while (cursor.get() != nullptr) {
      if (IsShortLived(*cursor.get())) {
        visit(*cursor.get());
        cursor.SkipChildren();
      } else {
        cursor.Next();
      }
    }
  }

  // It or what holds it, up to its turn, has an offset below 0.
  bool StandsBeforeCore(const Node& node) const {
    for (const Node* at = &node; at != nullptr && !at->is_turn(); at = view_.Parent(*at)) {
      if (at->offset < 0) return true;
    }
    return false;
  }

  void FindReordering(const std::vector<SysBlock>& before, const std::vector<SysBlock>& after) {
    const auto tools_of = [](const std::vector<SysBlock>& blocks,
                             const std::vector<SysBlock>& others) {
      std::vector<std::string> names;
      for (const SysBlock& block : blocks) {
        const bool is_in_both = std::ranges::any_of(others, [&](const SysBlock& other) {
          return other.is_tool && other.name == block.name;
        });
        if (block.is_tool && is_in_both) names.push_back(block.name);
      }
      return names;
    };
    const std::vector<std::string> was = tools_of(before, after);
    const std::vector<std::string> is = tools_of(after, before);
    const auto parted = std::ranges::mismatch(was, is);
    if (parted.in2 != is.end() && parted.in1 != was.end()) ++reordered_[*parted.in2];
  }

  void Note(std::string_view rule, const Node& node, std::string problem, std::string_view fix) {
    found_.push_back({rule, std::string(view_.id(node)), std::move(problem), std::string(fix)});
  }

  const TreeView& view_;
  std::vector<SysBlock> sys_;
  std::map<std::string, std::int64_t> changes_;
  std::map<std::string, std::int64_t> reordered_;
  // Of an attribute, the last type that it has had and then not.
  struct LastType {
    std::string_view type;
    std::int64_t until = 0;
  };
  std::map<std::pair<NodeNumber, std::string>, LastType> types_;
  std::int64_t pairs_ = 0;
  std::vector<Advice> found_;
};

std::string AdviceJson(const std::vector<Advice>& found) {
  JsonOut out;
  out.BeginObject().Key("ok").Bool(found.empty()).Key("findings").BeginArray();
  for (const Advice& advice : found) {
    out.BeginObject().Key("rule").String(advice.rule).Key("id").String(advice.id);
    out.Key("problem").String(advice.problem).Key("fix").String(advice.fix).EndObject();
  }
  out.EndArray().EndObject();
  return out.Take();
}

}  // namespace

Result<std::string> ContextImpl::Lint(const LintOptions& options) const {
  std::optional<Prepared> prepared;
  TreeView view;
  std::size_t end = history_->size();
  if (!options.at || *options.at == "working") {
    PACTDB_TRY(prepared, Preview());
    prepared->tree.Summarize();
    view = prepared->tree.View(open_cycle_ + 1);
  } else {
    PACTDB_TRY(const CommitRecord* record, FindSnapshot(*options.at));
    view = record->View();
    end = record->ordinal + 1;
  }
  Linter linter(view);
  linter.FindVolatile();
  linter.FindShortLived();
  const auto commits = static_cast<std::uint64_t>(options.commits);
  const std::size_t begin = end - std::min<std::uint64_t>(end, commits + 1);
  if (end > 0) PACTDB_TRY_STATUS(history_->Need(begin));
  for (std::size_t i = begin + 1; i < end; ++i) {
    const TreeView older = history_->at(i - 1).View();
    const TreeView newer = history_->at(i).View();
    linter.CountChanges(older, newer);
    linter.NoteTypes(older, newer);
  }
  if (prepared && end > 0) linter.NoteTypes(history_->at(end - 1).View(), view);
  linter.FindChanging();
  linter.FindChangedTypes();
  return AdviceJson(linter.Take());
}

}  // namespace pactdb
