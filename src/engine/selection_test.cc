// Both ways of comparing what a selector means give the same, on random histories.
#include "engine/selection.h"

#include <gtest/gtest.h>

#include <string>

#include "model/history.h"
#include "select/node_matcher.h"
#include "select/select.h"
#include "support/scale.h"
#include "support/sessions.h"

namespace pactdb {
namespace {

using support::Scaled;
using support::Session;

constexpr std::string_view kSelectors[] = {".block",
                                           "*",
                                           "^seq .block",
                                           ".seg > .block",
                                           "^sys *",
                                           "[role=user]",
                                           "[ttl<=1]",
                                           "+t0",
                                           ".cont",
                                           ".block[priority>0], ^sys",
                                           "[pinned]",
                                           ".cont .block",
                                           ".block:first",
                                           ".seg:depth(1-2) *",
                                           "#k1",
                                           "^seq .seg > *",
                                           "[offset<0] .block",
                                           "^root",
                                           "?? {key=k2}",
                                           ".block @limit=3"};

std::string Text(const TreeDiff& diff, const TreeView& from, const TreeView& to) {
  std::string text = "added";
  for (const Node* node : diff.added) text += " " + std::string(to.id(*node));
  text += " removed";
  for (const Node* node : diff.removed) text += " " + std::string(from.id(*node));
  text += " changed";
  for (const NodeChange& change : diff.changed) text += " " + std::string(to.id(*change.after));
  return text;
}

TEST(Selection, IsByChangeWhereNodesCanBeTested) {
  const Selector plain = Selector::Parse("^seq .block").value();
  const Selector pick = Selector::Parse(".block:first").value();
  EXPECT_TRUE(Selection(&plain, nullptr, Dialect::kCanonical).is_by_change());
  EXPECT_TRUE(Selection(nullptr, nullptr, Dialect::kCanonical).is_by_change());
  EXPECT_FALSE(Selection(&plain, &plain, Dialect::kCanonical).is_by_change());
  EXPECT_FALSE(Selection(&pick, nullptr, Dialect::kCanonical).is_by_change());
}

TEST(Selection, GivesWhatComparingAllMatchesGives) {
  std::size_t differing = 0;
  for (std::uint64_t seed = 0; seed < Scaled(60); ++seed) {
    Session session(seed);
    for (int i = 0; i < 120; ++i) session.Step();
    std::vector<Snapshot> snapshots;
    for (int age = 0; age < 12; ++age) {
      const auto snapshot = session.context().At("@t-" + std::to_string(age));
      if (!snapshot) break;
      snapshots.push_back(*snapshot);
    }
    for (const std::string_view text : kSelectors) {
      const Dialect dialect = seed % 2 == 0 ? Dialect::kCanonical : Dialect::kDepth;
      const Selector selector = Selector::Parse(text, dialect).value();
      Selection selection(&selector, nullptr, dialect);
      // Neighbours, as a range takes them, and both directions over a distance.
      for (std::size_t i = 0; i + 1 < snapshots.size(); ++i) {
        for (const auto& [from, to] :
             {std::pair(i + 1, i), std::pair(i, snapshots.size() - 1 - i)}) {
          const TreeView before = snapshots[from].record().View();
          const TreeView after = snapshots[to].record().View();
          const auto old_matches = select::MatchNodes(selector, before).value();
          const auto new_matches = select::MatchNodes(selector, after).value();
          const TreeDiff wanted = CompareSelected(before, old_matches, after, new_matches);
          const TreeDiff got = selection.Compare(before, after).value();
          ASSERT_EQ(Text(got, before, after), Text(wanted, before, after))
              << "seed " << seed << " " << text << " from " << from << " to " << to;
          differing += got.added.size() + got.removed.size() + got.changed.size();
        }
      }
    }
  }
  EXPECT_GT(differing, Scaled(10'000));
}

}  // namespace
}  // namespace pactdb
