// cache: how much of a request the one before it has already said, where they part, through which
// node, and what that costs.
#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "engine/cache_operations.h"
#include "engine/cache_rules.h"
#include "engine/context_impl.h"
#include "engine/departures.h"
#include "engine/prompt_prefix.h"
#include "model/difference.h"
#include "providers/extras.h"
#include "providers/messages.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

// Why a node that the older state has is not in the newer one.
using FindEnd = std::function<const Departure*(NodeNumber)>;

// Where a node stands; and what no request says.
constexpr std::array<std::string_view, 6> kPlaceFields = {
    "parent", "offset", "cycle", "created_at_ns", "created_at_iso", "creation_index"};
constexpr std::array<std::string_view, 9> kUnsaidFields = {
    "ttl", "priority", "key", "tags", "refs", "pinned", "removable", "provenance", "cad"};

struct Cause {
  std::string id;
  std::string_view reason;
  std::vector<std::string> fields;
  std::string why;
};

class CauseFinder {
 public:
  // `names` knows the nodes of both, and of the commits between.
  CauseFinder(const TreeView* older, const TreeView& newer, const FindEnd& find_end,
              const Lexicon& names)
      : newer_(newer), find_end_(find_end), names_(names) {
    // At one time for both: a ttl that runs is not rendered.
    newer_.now = 0;
    if (older != nullptr) older_ = *older;
    older_.now = 0;
    has_older_ = older != nullptr;
  }

  // Of the units in which the prefixes part, the first node that is not the same.
  Cause Find(const std::vector<const Node*>& before, const std::vector<const Node*>& after) const {
    for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
      const Node* old_node = i < before.size() ? before[i] : nullptr;
      const Node* new_node = i < after.size() ? after[i] : nullptr;
      const bool is_same =
          old_node != nullptr && new_node != nullptr && old_node->number == new_node->number;
      if (!is_same) return Parted(old_node, new_node);
      std::vector<std::string> fields = Fields(*old_node, *new_node);
      if (!fields.empty()) return {Id(*new_node), "changed", std::move(fields), {}};
    }
    const Node* first = !after.empty() ? after.front() : before.empty() ? nullptr : before.front();
    return {first == nullptr ? "" : Id(*first), "changed", {}, "what stands around it changed"};
  }

 private:
  std::string Id(const Node& node) const { return std::string(names_.id(node.number)); }

  std::vector<std::string> Fields(const Node& before, const Node& after) const {
    if (&before == &after) return {};
    std::vector<std::string> fields = DifferentFields(older_, before, newer_, after);
    std::erase_if(fields, [](const std::string& field) {
      return std::ranges::find(kPlaceFields, field) != kPlaceFields.end() ||
             std::ranges::find(kUnsaidFields, field) != kUnsaidFields.end();
    });
    return fields;
  }

  Cause Parted(const Node* old_node, const Node* new_node) const {
    if (old_node != nullptr && newer_.Find(old_node->number) == nullptr) return Ended(*old_node);
    if (new_node != nullptr && (!has_older_ || older_.Find(new_node->number) == nullptr))
      return {Id(*new_node), "added", {}, {}};
    // Both are in both: one of them stands elsewhere now.
    for (const Node* node : {new_node, old_node}) {
      if (node == nullptr) continue;
      const Node* before = older_.Find(node->number);
      const Node* after = newer_.Find(node->number);
      std::vector<std::string> fields = DifferentFields(older_, *before, newer_, *after);
      std::erase_if(fields, [](const std::string& field) {
        return std::ranges::find(kPlaceFields, field) == kPlaceFields.end();
      });
      if (!fields.empty()) return {Id(*node), "moved", std::move(fields), {}};
    }
    return {Id(*(new_node != nullptr ? new_node : old_node)), "moved", {}, {}};
  }

  Cause Ended(const Node& node) const {
    const Departure* departure = find_end_(node.number);
    if (departure == nullptr) return {Id(node), "removed", {}, {}};
    std::string why;
    if (departure->with != node.number)
      why.append("with ").append(std::string(names_.id(departure->with)));
    switch (departure->cause) {
      case Departure::Cause::kExpired:
        return {Id(node), "expired", {}, std::move(why)};
      case Departure::Cause::kCascaded:
        return {Id(node), "cascaded", {}, std::move(why)};
      default:
        if (!why.empty()) why.insert(0, ", ");
        why.insert(0, NameOf(departure->cause));
        return {Id(node), "pruned", {}, std::move(why)};
    }
  }

  TreeView older_;
  TreeView newer_;
  bool has_older_ = false;
  const FindEnd& find_end_;
  const Lexicon& names_;
};

std::string_view NameOf(Section section) {
  switch (section) {
    case Section::kModel:
      return "model";
    case Section::kTools:
      return "tools";
    case Section::kSchema:
    case Section::kChoice:
      return "settings";
    case Section::kSystem:
      return "system";
    case Section::kMessages:
      return "messages";
    case Section::kEnd:
      return "end";
  }
  return "";
}

// The model that the request names, whatever format it came in; the asked format's first.
std::string ModelOf(const TreeView& view, std::optional<providers::Format> format) {
  providers::RequestNodes found =
      FindRequestNodes(view, format.value_or(providers::Format::kAnthropic));
  if (found.own != nullptr) found.foreign.insert(found.foreign.begin(), found.own);
  for (const Node* request : found.foreign) {
    const providers::ContentFields fields(*request);
    const auto model = fields.Find("model");
    if (model && model->is_string()) return std::string(model->string());
  }
  return "";
}

constexpr std::array<std::string_view, 2> kProviders = {"anthropic", "openai"};

struct CostSum {
  std::int64_t tokens = 0;
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t plain = 0;
  std::int64_t cost = 0;
};

// Writes the answers on pairs of states, one after the other.
class CacheReport {
 public:
  // `names` is the context's own: a state may be an ancestor's, which does not know all the others.
  CacheReport(std::optional<providers::Format> format, bool lossy, const Tokenizer& tokenizer,
              const Lexicon& names)
      : format_(format), names_(names), prefix_(format, lossy, tokenizer) {}

  // The first state, with which nothing is compared.
  Status Begin(const TreeView& view) {
    PACTDB_TRY(const PrefixStep step, prefix_.Follow(nullptr, view));
    (void)step;
    return {};
  }

  // The members of the answer for the next state. `older` is the one before; null: there is none.
  Status Write(const TreeView* older, const TreeView& view, const FindEnd& find_end, JsonOut& out) {
    PACTDB_TRY(const PrefixStep step, prefix_.Follow(older, view));
    out.Key("common_prefix_bytes").Integer(static_cast<std::int64_t>(step.common));
    out.Key("common_prefix_tokens").Integer(step.common_tokens);
    out.Key("total_bytes").Integer(static_cast<std::int64_t>(prefix_.bytes().size()));
    out.Key("total_tokens").Integer(prefix_.tokens());
    out.Key("exact").Bool(false);
    out.Key("from_bytes").Integer(static_cast<std::int64_t>(step.older_bytes));
    const PrefixUnit* before = UnitAt(step.gone, step.common);
    const bool is_appended = step.older_bytes > 0 && (before == nullptr || before->nodes.empty());
    out.Key("appended").Bool(is_appended);
    out.Key("lost_tokens").Integer(is_appended ? 0 : step.older_tokens - step.common_tokens);
    WriteDifference(older, view, find_end, step, before, out);
    const std::string model = ModelOf(view, format_);
    for (std::size_t i = 0; i < kProviders.size(); ++i) {
      const CacheCost cost = CostOf(FindCacheRule(kProviders[i], model), prefix_, step);
      WriteCost(kProviders[i], cost, out);
      CostSum& sum = sums_[i];
      sum.tokens += prefix_.tokens();
      sum.read += cost.read;
      sum.written += cost.written;
      sum.plain += cost.plain;
      sum.cost += cost.cost();
    }
    return {};
  }

  void WriteSums(JsonOut& out) const {
    out.Key("sum").BeginObject();
    for (std::size_t i = 0; i < kProviders.size(); ++i) {
      const CostSum& sum = sums_[i];
      out.Key(kProviders[i]).BeginObject().Key("tokens").Integer(sum.tokens);
      out.Key("read").Integer(sum.read).Key("written").Integer(sum.written);
      out.Key("uncached").Integer(sum.plain).Key("cost").Integer(sum.cost).EndObject();
    }
    out.EndObject();
  }

 private:
  static const PrefixUnit* UnitAt(const std::vector<PrefixUnit>& units, std::uint64_t byte) {
    const auto unit = std::ranges::upper_bound(units, byte, {}, &PrefixUnit::end);
    return unit == units.end() ? nullptr : &*unit;
  }

  void WriteDifference(const TreeView* older, const TreeView& view, const FindEnd& find_end,
                       const PrefixStep& step, const PrefixUnit* before, JsonOut& out) const {
    out.Key("first_difference");
    const PrefixUnit* after = UnitAt(prefix_.units(), step.common);
    if (after == nullptr) {
      out.Null();
      return;
    }
    static const std::vector<const Node*> kNone;
    const Cause cause = CauseFinder(older, view, find_end, names_)
                            .Find(before == nullptr ? kNone : before->nodes, after->nodes);
    out.BeginObject().Key("byte").Integer(static_cast<std::int64_t>(step.common));
    out.Key("id");
    if (cause.id.empty()) {
      out.Null();
    } else {
      out.String(cause.id);
    }
    out.Key("reason").String(cause.reason);
    if (cause.reason == "changed" || cause.reason == "moved") {
      out.Key("fields").BeginArray();
      for (const std::string& field : cause.fields) out.String(field);
      out.EndArray();
    }
    if (!cause.why.empty()) out.Key("why").String(cause.why);
    const bool is_end = after->section == Section::kEnd && before != nullptr;
    if (format_) out.Key("in").String(NameOf(is_end ? before->section : after->section));
    out.EndObject();
  }

  static void WriteCost(std::string_view provider, const CacheCost& cost, JsonOut& out) {
    out.Key(provider).BeginObject();
    out.Key("family").String(cost.rule->family.empty() ? "any" : cost.rule->family);
    out.Key("minimum").Integer(cost.rule->tokens_min);
    out.Key("read").Integer(cost.read).Key("written").Integer(cost.written);
    out.Key("uncached").Integer(cost.plain).Key("cost").Integer(cost.cost());
    out.EndObject();
  }

  std::optional<providers::Format> format_;
  const Lexicon& names_;
  PromptPrefix prefix_;
  std::array<CostSum, kProviders.size()> sums_;
};

std::string SnapshotName(const CommitRecord& record) {
  return "@c" + std::to_string(record.cycle);
}

}  // namespace

Result<std::string> ContextImpl::Cache(const CacheOptions& options) const {
  PACTDB_TRY_STATUS(CheckCacheOptions(options));
  std::optional<providers::Format> format;
  if (options.format != "thread") {
    format = providers::ParseFormat(options.format);
    if (!format || !providers::CanRender(*format)) {
      std::string known = "thread, ";
      known += providers::FormatNames(true);
      return std::unexpected(UnknownFormat(options.format, known));
    }
  }
  history_->DropFar();
  return options.from ? CachePair(options, format) : CacheHistory(options, format);
}

// One of the two states of a pair, held while they are compared.
struct ContextImpl::CacheState {
  std::optional<Prepared> prepared;
  const CommitRecord* record = nullptr;
  TreeView view;
};

Result<ContextImpl::CacheState> ContextImpl::FindCacheState(const std::string& name) const {
  CacheState state;
  if (name == "working") {
    PACTDB_TRY(state.prepared, Preview());
    state.prepared->tree.Summarize();
    return state;
  }
  PACTDB_TRY(state.record, history_->Resolve(name));
  state.view = state.record->View();
  return state;
}

Result<std::string> ContextImpl::CachePair(const CacheOptions& options,
                                           std::optional<providers::Format> format) const {
  PACTDB_TRY(CacheState from, FindCacheState(*options.from));
  PACTDB_TRY(CacheState to, FindCacheState(*options.to));
  // A working tree's view is good where the tree lies.
  for (CacheState* state : {&from, &to}) {
    if (state->prepared) state->view = state->prepared->tree.View(open_cycle_ + 1);
  }
  const std::size_t begin = from.record == nullptr ? history_->size() : from.record->ordinal + 1;
  const std::size_t end = to.record == nullptr ? history_->size() : to.record->ordinal + 1;
  std::vector<const CommitRecord*> between;
  if (begin < end) PACTDB_TRY_STATUS(history_->Reach(begin, end - 1));
  for (std::size_t i = end; i-- > begin;) {
    PACTDB_TRY(const CommitRecord* record, history_->Find(i));
    between.push_back(record);
  }
  const FindEnd find_end = [&](NodeNumber number) -> const Departure* {
    for (const CommitRecord* record : std::views::reverse(between)) {
      if (const Departure* found = record->FindDeparture(number)) return found;
    }
    if (!to.prepared) return nullptr;
    for (const auto* list : {&to.prepared->expired.departures, &to.prepared->pruned.departures}) {
      const auto found = std::ranges::find(*list, number, &Departure::node);
      if (found != list->end()) return &*found;
    }
    return nullptr;
  };
  PACTDB_TRY(const Tokenizer tokenizer, Tokenizer::Find(options_.encoding));
  CacheReport report(format, options.lossy, tokenizer, *lexicon_);
  PACTDB_TRY_STATUS(report.Begin(from.view));
  JsonOut out;
  out.BeginObject().Key("format").String(options.format);
  out.Key("from").String(from.record == nullptr ? "working" : SnapshotName(*from.record));
  out.Key("to").String(to.record == nullptr ? "working" : SnapshotName(*to.record));
  PACTDB_TRY_STATUS(report.Write(&from.view, to.view, find_end, out));
  out.EndObject();
  return out.Take();
}

Result<std::string> ContextImpl::CacheHistory(const CacheOptions& options,
                                              std::optional<providers::Format> format) const {
  const std::size_t size = history_->size();
  if (size == 0) {
    return std::unexpected(Error(ErrorCode::kSnapshotNotFound, "nothing is committed yet"));
  }
  const auto limit = static_cast<std::uint64_t>(options.limit.value_or(INT64_MAX));
  const std::size_t shown = std::min<std::uint64_t>(limit, size - 1);
  // The newest pair is told in any case.
  const std::size_t first = size - std::max(shown, std::min<std::size_t>(size - 1, 1));
  PACTDB_TRY_STATUS(history_->Need(first - 1));
  PACTDB_TRY(const Tokenizer tokenizer, Tokenizer::Find(options_.encoding));
  CacheReport report(format, options.lossy, tokenizer, *lexicon_);
  std::vector<std::string> pairs;
  std::optional<TreeView> older;
  // The newest snapshot alone, if there is no pair: the first request of all.
  if (first < size) {
    older = history_->at(first - 1).View();
    PACTDB_TRY_STATUS(report.Begin(*older));
  }
  for (std::size_t i = first < size ? first : size - 1; i < size; ++i) {
    const CommitRecord& record = history_->at(i);
    const TreeView view = record.View();
    JsonOut out;
    out.Key("from");
    if (older) {
      out.String(SnapshotName(history_->at(i - 1)));
    } else {
      out.Null();
    }
    out.Key("to").String(SnapshotName(record));
    PACTDB_TRY_STATUS(report.Write(
        older ? &*older : nullptr, view,
        [&record](NodeNumber number) { return record.FindDeparture(number); }, out));
    older = view;
    pairs.push_back(out.Take());
  }
  JsonOut out;
  out.BeginObject().Key("format").String(options.format);
  out.Raw(pairs.back());
  out.Key("pairs").BeginArray();
  for (std::size_t i = 0; i < shown; ++i)
    out.BeginObject().Raw(pairs[pairs.size() - 1 - i]).EndObject();
  out.EndArray();
  report.WriteSums(out);
  out.EndObject();
  return out.Take();
}

}  // namespace pactdb
