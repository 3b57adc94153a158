// tokens: what nodes, regions and requests cost.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/request.h"
#include "engine/request_tokens.h"
#include "engine/token_cost.h"
#include "select/select.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

void WriteRegions(const TreeView& view, const TokenCost& cost, JsonOut& out) {
  out.Key("by_region").BeginObject();
  constexpr std::pair<std::string_view, NodeClass> kRegions[] = {
      {"sys", NodeClass::kSys}, {"seq", NodeClass::kSeq}, {"ah", NodeClass::kAh}};
  for (const auto& [name, region] : kRegions) {
    const Node* container = view.Region(region);
    const Cost sum = container == nullptr ? Cost() : cost.AtAndBelow(*container);
    out.Key(name).Integer(static_cast<std::int64_t>(sum.units));
  }
  out.EndObject();
}

// Each node with what it holds. In the total, what one of them holds for another counts once.
Cost WriteNodes(const TreeView& view, const std::vector<const Node*>& nodes, const TokenCost& cost,
                JsonOut& out) {
  const std::unordered_set<const Node*> chosen(nodes.begin(), nodes.end());
  const auto is_inside = [&](const Node* node) {
    for (node = view.Parent(*node); node != nullptr; node = view.Parent(*node)) {
      if (chosen.contains(node)) return true;
    }
    return false;
  };
  Cost total;
  out.Key("by_node").BeginObject();
  for (const Node* node : nodes) {
    const Cost sum = cost.AtAndBelow(*node);
    if (!is_inside(node)) total.Add(sum);
    out.Key(view.id(*node)).Integer(static_cast<std::int64_t>(sum.units));
  }
  out.EndObject();
  return total;
}

}  // namespace

Result<std::string> ContextImpl::Tokens(const TokensOptions& options) const {
  PACTDB_TRY(const Tokenizer tokenizer,
             options.model ? Tokenizer::ForModel(*options.model)
                           : Tokenizer::Find(options.encoding.value_or(options_.encoding)));
  const TokenCost cost(tokenizer, *lexicon_);
  PACTDB_TRY(const TreeView view, FindTree(options.at));
  JsonOut out;
  out.BeginObject();
  out.Key("encoding").String(tokenizer.name());
  Cost total;
  if (options.selector) {
    PACTDB_TRY(const Selector selector, Selector::Parse(*options.selector, options_.dialect));
    if (selector.impl().ast.time.kind != select::Time::Kind::kNone)
      return std::unexpected(InvalidArgument("selector", "name the snapshot by `at`"));
    PACTDB_TRY(const auto nodes, select::MatchNodes(selector, view));
    total = WriteNodes(view, nodes, cost, out);
  } else {
    total = cost.AtAndBelow(*view.root);
    WriteRegions(view, cost, out);
  }
  out.Key("total").Integer(static_cast<std::int64_t>(total.units));
  out.Key("exact").Bool(total.estimates == 0);
  out.Key("estimated_nodes").Integer(static_cast<std::int64_t>(total.estimates));
  out.Key("message_tokens").Integer(kMessageTokens);
  if (options.format) {
    PACTDB_TRY(const RenderResult body,
               Render({.at = options.at, .format = *options.format, .lossy = true}));
    RequestTokens request{.total = tokenizer.Count(body.body), .tools = 0, .is_exact = false};
    if (*options.format != "text") {
      PACTDB_TRY(request, CountRequest(body.body, tokenizer));
    }
    out.Key("request").BeginObject();
    out.Key("format").String(*options.format);
    out.Key("tokens").Integer(static_cast<std::int64_t>(request.total));
    out.Key("tools").Integer(static_cast<std::int64_t>(request.tools));
    // The others have published no vocabulary, and no rule.
    out.Key("exact").Bool(request.is_exact && options.format->starts_with("openai"));
    out.EndObject();
  }
  out.EndObject();
  return out.Take();
}

}  // namespace pactdb
