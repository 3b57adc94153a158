// Selectors from bytes: parse, print, parse again, run on a small tree both as a working state and
// as a snapshot. The first byte chooses the dialect and what the text is.
#include <pactdb/selector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "reached.h"
#include "round_trip.h"
#include "select/node_matcher.h"
#include "select/select.h"
#include "support/sketch_tree.h"

namespace {

constexpr std::string_view kSketch = R"(sys
  policy block role=system key=rules priority=9
seq
  t1 seg
    c1 cont core
      u1 block role=user kind=text key=k tags=a|b data_n=5
      r1 block:summary role=assistant data_n="x"
    p1 block offset=-1 kind=note ttl=1 cad=1
  t2 mt
    u2 cb role=user key=k
    g2 cont offset=1 removable
      n2 block kind=note tags=a
ah
  u3 block role=user ttl=1 key=k
)";

const pactdb::support::SketchTree& Tree() {
  static const pactdb::support::SketchTree tree(kSketch);
  return tree;
}

// Testing node by node finds the same.
void CheckNodes(const pactdb::Selector& selector, const pactdb::TreeView& view,
                const std::vector<const pactdb::Node*>& nodes) {
  pactdb::select::NodeMatcher matcher(selector, view);
  for (pactdb::PreorderCursor node(*view.root); node.get() != nullptr; node.Next()) {
    const bool is_match = std::ranges::find(nodes, node.get()) != nodes.end();
    PACTDB_CHECK(matcher.Holds(*node.get()) == is_match);
  }
}

void RunSelector(std::string_view text, pactdb::Dialect dialect) {
  const auto selector = pactdb::Selector::Parse(text, dialect);
  if (!selector) return;
  pactdb::fuzz::CountReached();
  const auto again = pactdb::ParseCanonical(*selector);
  if (text.size() % 4 == 0) (void)selector->Explain();  // a third of the time if always
  for (const pactdb::TreeView& view : {Tree().Working(), Tree().Snapshot()}) {
    const auto nodes = pactdb::select::MatchNodes(*selector, view);
    if (nodes && pactdb::select::NodeMatcher::CanTest(*selector))
      CheckNodes(*selector, view, *nodes);
    if (!again) continue;
    const auto same = pactdb::select::MatchNodes(*again, view);
    PACTDB_CHECK(nodes.has_value() == same.has_value());
    if (nodes) PACTDB_CHECK(*nodes == *same);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto dialect = static_cast<pactdb::Dialect>(data[0] % 3);
  switch (data[0] / 3 % 20) {
    case 0:
      if (const auto place = pactdb::select::ParsePlace(text, dialect)) {
        (void)pactdb::select::FindPlace(place->position, Tree().Working());
      }
      break;
    case 1:
      (void)pactdb::select::ParseNodeLiteral(text);
      break;
    default:
      RunSelector(text, dialect);
  }
  return 0;
}
