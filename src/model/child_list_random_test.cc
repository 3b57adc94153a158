// Random edits of a child list against a sorted vector, with the history kept: what was shared once
// never changes. Shapes are drawn, so that lists without any cut and cuts of all eight levels
// occur.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model/child_list.h"
#include "model/node_code.h"
#include "support/nodes.h"
#include "support/random.h"
#include "support/scale.h"

namespace pactdb {
namespace {

using support::NewContainer;
using support::NewNode;

// A child as the oracle knows it.
struct Plain {
  std::int64_t offset;
  std::int64_t created_at_ns;
  std::int64_t creation_index;
  std::string id;
  std::uint32_t shape;
  std::int64_t priority;
  std::uint64_t expiry;
  bool is_group;
  bool is_removable;
  std::vector<std::pair<std::int64_t, std::uint64_t>> blocks;  // of a group: priority, expiry

  auto Key() const { return std::tie(offset, created_at_ns, creation_index, id); }
};

using PlainList = std::vector<Plain>;

struct Kept {
  Ref<Container> list;
  PlainList want;
  Digest digest;
};

class Duel {
 public:
  Duel(std::uint64_t seed, unsigned cut_percent) : random_(seed), cut_percent_(cut_percent) {}

  void Run(std::size_t steps) {
    for (std::size_t step = 0; step < steps; ++step) {
      // Grow to a few hundred entries, then shrink to nothing, again and again.
      const bool grow = step / 400 % 2 == 0;
      const std::size_t kind = random_.Below(100);
      if (plain_.empty() || kind < (grow ? 75u : 10u)) {
        Insert();
      } else if (kind < 85) {
        Erase();
      } else {
        Own();
      }
      if (random_.Chance(8)) child_list::Summarize(*list_);
      if (random_.Chance(8)) Compare();
      if (::testing::Test::HasFatalFailure()) return;
      if (random_.Chance(2)) Keep();
    }
    Compare();
    for (const Kept& kept : kept_) CompareLists(*kept.list, kept.want, &kept.digest);
  }

 private:
  // Zero bits at the end in runs of four: each further level with the same probability.
  std::uint32_t DrawShape() {
    std::uint32_t shape = 0x9E3779B1u | 1u;
    for (unsigned level = 1; level <= 8 && random_.Chance(cut_percent_); ++level)
      shape = level == 8 ? 0 : (0x9E3779B1u | 1u) << (4 * level);
    return shape;
  }

  std::uint64_t DrawExpiry() { return random_.Chance(30) ? random_.Below(9) : kNoExpiry; }

  void Insert() {
    Plain plain{.offset = random_.Between(-2, 2),
                .created_at_ns = random_.Between(0, 6),
                .creation_index = random_.Between(0, 3),
                .id = "n" + std::to_string(next_id_++),
                .shape = DrawShape(),
                .priority = random_.Between(-2, 2),
                .expiry = DrawExpiry(),
                .is_group = random_.Chance(30),
                .is_removable = random_.Chance(50),
                .blocks = {}};
    if (plain.is_group) {
      for (std::size_t i = random_.Below(4); i > 0; --i)
        plain.blocks.emplace_back(random_.Between(-3, 3), DrawExpiry());
    }
    child_list::Insert(*list_, Make(plain), lexicon_);
    plain_.insert(std::ranges::lower_bound(plain_, plain.Key(), {}, &Plain::Key), plain);
  }

  void Erase() {
    const std::size_t index = random_.Below(plain_.size());
    child_list::Erase(*list_, *Make(plain_[index]), lexicon_);
    plain_.erase(plain_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  void Own() {
    Plain& plain = random_.Chance(50) ? plain_.back() : plain_[random_.Below(plain_.size())];
    Node* owned = child_list::Own(*list_, *Make(plain), lexicon_);
    ASSERT_EQ(lexicon_.id(owned->number), plain.id);
    owned->priority = plain.priority = random_.Between(-9, 9);
    if (random_.Chance(30)) owned->expiry = plain.expiry = DrawExpiry();
    if (!plain.is_group || random_.Chance(50)) return;
    plain.blocks.emplace_back(random_.Between(-3, 3), DrawExpiry());
    child_list::Insert(*owned->AsContainer(), MakeBlock(plain, plain.blocks.size() - 1), lexicon_);
  }

  void Keep() {
    child_list::Refresh(*list_, lexicon_);
    kept_.push_back({support::ShareList(*list_), plain_, list_->digest});
    for (const Kept& kept : kept_) ComparePrefix(*kept.list, *kept_.back().list);
    if (kept_.size() > 12) kept_.erase(kept_.begin() + random_.Between(0, 11));
  }

  // The common beginning of two lists, against a walk; and a cursor set down behind it.
  static void ComparePrefix(const Container& older, const Container& newer) {
    ChildCursor a(older);
    ChildCursor b(newer);
    std::size_t common = 0;
    for (; a.get() != nullptr && a.get() == b.get(); a.Next(), b.Next()) ++common;
    ASSERT_EQ(child_list::CommonPrefix(older.children, newer.children), common);
    ChildCursor behind = ChildCursor::From(newer.children, common);
    for (; b.get() != nullptr; b.Next(), behind.Next()) ASSERT_EQ(behind.get(), b.get());
    ASSERT_EQ(behind.get(), nullptr);
  }

  Ref<Node> Make(const Plain& plain) {
    const auto node_class = plain.is_group ? NodeClass::kCont : NodeClass::kBlock;
    Ref<Node> node = NewNode(lexicon_, plain.id,
                             {.node_class = node_class,
                              .offset = plain.offset,
                              .created_at_ns = plain.created_at_ns,
                              .creation_index = plain.creation_index,
                              .priority = plain.priority,
                              .expiry = plain.expiry,
                              .flags = plain.is_removable ? std::uint32_t{Node::kRemovable} : 0});
    node->shape = plain.shape;
    for (std::size_t i = 0; i < plain.blocks.size(); ++i)
      child_list::Insert(*node->AsContainer(), MakeBlock(plain, i), lexicon_);
    return node;
  }

  Ref<Node> MakeBlock(const Plain& plain, std::size_t index) {
    const auto [priority, expiry] = plain.blocks[index];
    return NewNode(lexicon_, plain.id + "." + std::to_string(index),
                   {.created_at_ns = 100, .priority = priority, .expiry = expiry});
  }

  void Compare() {
    child_list::Refresh(*list_, lexicon_);
    CompareLists(*list_, plain_, nullptr);
    // The same list made at once.
    std::vector<Ref<Node>> sorted;
    for (const Plain& plain : plain_) sorted.push_back(Make(plain));
    const Ref<Container> fresh = NewContainer(lexicon_, "list");
    child_list::Assign(*fresh, sorted);
    child_list::Refresh(*fresh, lexicon_);
    std::vector<std::uint32_t> shapes;
    for (const Plain& plain : plain_) shapes.push_back(plain.shape);
    ASSERT_EQ(support::Shape(*list_), support::NaiveShape(shapes));
    ASSERT_EQ(list_->digest, fresh->digest);
    if (list_->children != nullptr) CompareBesideSlots(*list_->children);
  }

  static void CompareBesideSlots(const Chunk& chunk) {
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
      if (chunk.level > 0) {
        CompareBesideSlots(*chunk.slots()[i].chunk);
      } else {
        const Node& node = *chunk.slots()[i].node;
        const bool has_ttl = child_list::EntrySummary(node).ttl_nodes > 0;
        ASSERT_EQ(chunk.codes()[i], node_code::Of(node, has_ttl));
        const Container* holder = node.AsContainer();
        ASSERT_EQ(child_list::ListOf(chunk, i), holder != nullptr ? holder->children : nullptr);
      }
    }
  }

  void CompareLists(const Container& list, const PlainList& want, const Digest* digest) {
    ASSERT_TRUE(digest == nullptr || list.digest == *digest);
    ASSERT_EQ(child_list::Size(list.children), want.size());
    ChildCursor forwards(list);
    for (std::size_t i = 0; i < want.size(); ++i, forwards.Next()) {
      const Node* node = forwards.get();
      ASSERT_NE(node, nullptr);
      ASSERT_EQ(lexicon_.id(node->number), want[i].id);
      ASSERT_EQ(node->priority, want[i].priority);
      ASSERT_EQ(child_list::At(list.children, i), node);
      ASSERT_EQ(child_list::Rank(list.children, *node, lexicon_), i);
      ASSERT_EQ(child_list::Find(list.children, *node, lexicon_), node);
    }
    ASSERT_EQ(forwards.get(), nullptr);
    ChildCursor backwards(list, /*backwards=*/true);
    for (std::size_t i = want.size(); i-- > 0; backwards.Next())
      ASSERT_EQ(lexicon_.id(backwards.get()->number), want[i].id);
    CompareSummaries(child_list::Below(list), want);
  }

  void CompareSummaries(const Summary& summary, const PlainList& want) {
    std::uint32_t nodes = 0;
    std::uint32_t ttl_nodes = 0;
    std::uint32_t hollow = 0;
    std::uint64_t expiry_min = kNoExpiry;
    std::vector<std::pair<std::int64_t, std::int64_t>> prunable;
    for (const Plain& plain : want) {
      nodes += 1 + static_cast<std::uint32_t>(plain.blocks.size());
      ttl_nodes += plain.expiry != kNoExpiry ? 1 : 0;
      hollow += plain.is_group && plain.is_removable && plain.blocks.empty() ? 1 : 0;
      expiry_min = std::min(expiry_min, plain.expiry);
      prunable.emplace_back(plain.priority, plain.created_at_ns);
      for (const auto& [priority, expiry] : plain.blocks) {
        ttl_nodes += expiry != kNoExpiry ? 1 : 0;
        expiry_min = std::min(expiry_min, expiry);
        prunable.emplace_back(priority, 100);
      }
    }
    ASSERT_EQ(summary.entries, want.size());
    ASSERT_EQ(summary.nodes, nodes);
    ASSERT_EQ(summary.expendable, nodes);
    ASSERT_EQ(summary.ttl_nodes, ttl_nodes);
    ASSERT_EQ(summary.hollow, hollow);
    ASSERT_EQ(summary.expiry_min, expiry_min);
    if (prunable.empty()) return;
    const auto first = *std::ranges::min_element(prunable);
    ASSERT_EQ(summary.prune_priority, first.first);
    ASSERT_EQ(summary.prune_created_at_ns, first.second);
  }

  support::Random random_;
  unsigned cut_percent_;
  Lexicon lexicon_;
  Ref<Container> list_ = NewContainer(lexicon_, "list");
  PlainList plain_;
  std::vector<Kept> kept_;
  std::size_t next_id_ = 0;
};

TEST(ChildListRandom, AgreesWithASortedVectorAndKeepsItsPast) {
  const std::size_t seeds = support::Scaled(40);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    for (const unsigned cut_percent : {0u, 6u, 25u, 60u}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", cuts " + std::to_string(cut_percent));
      Duel(seed, cut_percent).Run(1'600);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace pactdb
