#include "engine/prune_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/tree_view.h"
#include "support/nodes.h"
#include "support/random.h"

namespace pactdb {
namespace {

using support::NewContainer;
using support::NewNode;

// A list of blocks and groups of blocks; all that may be pruned, sorted the plain way.
class PruneOrderTest : public ::testing::Test {
 protected:
  Ref<Node> Draw(NodeClass node_class) {
    const std::vector<std::int64_t> priorities = {0,
                                                  0,
                                                  1,
                                                  -1,
                                                  INT64_MIN,
                                                  INT64_MIN + 1,
                                                  INT64_MAX,
                                                  INT64_MAX - 1,
                                                  INT32_MAX,
                                                  INT32_MIN,
                                                  std::int64_t{INT32_MAX} + 1,
                                                  std::int64_t{INT32_MIN} - 1};
    return NewNode(lexicon_, "n" + std::to_string(next_id_++),
                   {.node_class = node_class,
                    .offset = random_.Between(0, 3),
                    .created_at_ns = random_.Between(0, 9),
                    .priority = random_.Pick(priorities),
                    .flags = random_.Chance(10) ? std::uint32_t{Node::kCore} : 0});
  }
  Ref<Container> DrawList(std::size_t size) {
    Ref<Container> list = NewContainer(lexicon_, "list");
    for (std::size_t i = 0; i < size; ++i) {
      Ref<Node> node = Draw(random_.Chance(30) ? NodeClass::kCont : NodeClass::kBlock);
      if (Container* group = node->AsContainer()) {
        for (std::size_t j = random_.Below(5); j > 0; --j)
          child_list::Insert(*group, Draw(NodeClass::kBlock), lexicon_);
      }
      child_list::Insert(*list, std::move(node), lexicon_);
    }
    child_list::Refresh(*list, lexicon_);
    return list;
  }
  std::vector<std::string> Sorted(const Container& list, std::size_t limit) const {
    std::vector<const Node*> nodes;
    ChildCursor child(list);
    for (std::size_t i = 0; i < limit && child.get() != nullptr; ++i, child.Next()) {
      for (PreorderCursor node(*child.get()); node.get() != nullptr; node.Next()) {
        if (node.get()->is_expendable()) nodes.push_back(node.get());
      }
    }
    std::ranges::sort(nodes, [this](const Node* a, const Node* b) {
      return ComparePruning(*a, *b, lexicon_) < 0;
    });
    std::vector<std::string> ids;
    for (const Node* node : nodes) ids.emplace_back(lexicon_.id(node->number));
    return ids;
  }
  std::vector<std::string> Taken(const Container& list, std::size_t limit) const {
    PruneOrder order(lexicon_);
    order.AddChildren(list, limit);
    std::vector<std::string> ids;
    while (const Node* node = order.Next()) ids.emplace_back(lexicon_.id(node->number));
    return ids;
  }

  support::Random random_{11};
  Lexicon lexicon_;
  int next_id_ = 0;
};

TEST_F(PruneOrderTest, LIFE_23_GivesThePlainOrderOfAllCandidates) {
  for (const std::size_t size : {0u, 1u, 10u, 40u, 300u, 1'500u}) {
    const Ref<Container> list = DrawList(size);
    EXPECT_EQ(Taken(*list, PruneOrder::kAll), Sorted(*list, PruneOrder::kAll)) << size;
  }
}

TEST_F(PruneOrderTest, LooksAtTheFirstChildrenOnlyIfTold) {
  const Ref<Container> list = DrawList(300);
  for (const std::size_t limit : {0u, 1u, 17u, 150u, 299u, 300u, 1'000u})
    EXPECT_EQ(Taken(*list, limit), Sorted(*list, limit)) << limit;
}

}  // namespace
}  // namespace pactdb
