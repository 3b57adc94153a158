// What must hold for every session, tried on random ones. A failing seed replays exactly.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/contexts.h"
#include "support/scale.h"
#include "support/sessions.h"

namespace pactdb {
namespace {

using support::Must;
using support::Session;

std::string Bytes(const Context& context, std::optional<std::string_view> at = std::nullopt) {
  return Must(context.Serialize(at)) + Must(context.Tree(at));
}

std::string Address(std::int64_t cycle) {
  return "@c" + std::to_string(cycle);
}

template <typename Check>
void ForEachSeed(std::size_t usual, Check check) {
  const std::size_t seeds = support::Scaled(usual);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Session, SNAP_5_GivesTheSameBytesTwice) {
  ForEachSeed(200, [](std::uint64_t seed) {
    Session one(seed);
    Session two(seed);
    for (int step = 0; step < 150; ++step) {
      ASSERT_EQ(one.Step(), two.Step());
      ASSERT_EQ(one.context().tree_sha256(), two.context().tree_sha256());
    }
    ASSERT_EQ(Bytes(one.context()), Bytes(two.context()));
    ASSERT_EQ(Must(one.context().Log({.hashes = true})), Must(two.context().Log({.hashes = true})));
    for (std::int64_t cycle = 1; cycle < one.context().open_cycle(); ++cycle)
      ASSERT_EQ(Bytes(one.context(), Address(cycle)), Bytes(two.context(), Address(cycle)));
  });
}

TEST(Session, LIFE_32_KeepsEverySnapshotAsItWas) {
  ForEachSeed(250, [](std::uint64_t seed) {
    Session session(seed);
    std::map<std::int64_t, std::string> first_seen;
    std::vector<Snapshot> held;
    for (int step = 0; step < 200; ++step) {
      session.Step();
      for (std::int64_t cycle = session.context().open_cycle() - 1;
           cycle > 0 && !first_seen.contains(cycle); --cycle) {
        first_seen[cycle] = Bytes(session.context(), Address(cycle));
        held.push_back(Must(session.context().At(Address(cycle))));
      }
    }
    for (const auto& [cycle, bytes] : first_seen)
      ASSERT_EQ(Bytes(session.context(), Address(cycle)), bytes);
    for (const Snapshot& snapshot : held) {
      ASSERT_EQ(snapshot.tree_sha256(),
                Must(session.context().At(Address(snapshot.cycle()))).tree_sha256());
    }
    ASSERT_EQ(session.context().Verify(), support::VerifyOk());
  });
}

TEST(Session, AFailedCallChangesNothing) {
  ForEachSeed(200, [](std::uint64_t seed) {
    Session session(seed);
    for (int step = 0; step < 150; ++step) {
      const std::string before = session.context().tree_sha256();
      const std::int64_t cycle = session.context().open_cycle();
      const std::string bytes = Bytes(session.context());
      if (session.Step() == "ok") continue;
      ASSERT_EQ(session.context().tree_sha256(), before);
      ASSERT_EQ(session.context().open_cycle(), cycle);
      ASSERT_EQ(Bytes(session.context()), bytes);
    }
  });
}

// Everything a lookup gives, worked out by walking the tree.
void CompareLookups(const Snapshot& snapshot, const std::vector<std::string>& ids) {
  std::map<std::string, std::string> want;  // key or tag to ids in preorder
  std::size_t nodes = 0;
  std::vector<NodeView> stack = {snapshot.root()};
  while (!stack.empty()) {
    const NodeView node = stack.back();
    stack.pop_back();
    ++nodes;
    ASSERT_EQ(snapshot.Find(node.id()), node);
    for (const std::string_view name : {"key", "tags"}) {
      const auto value = node.attribute(name);
      if (!value) continue;
      for (std::size_t at = 0; (at = value->find('"', at)) != std::string_view::npos;) {
        const std::size_t end = value->find('"', at + 1);
        std::string& found = want[std::string(value->substr(at + 1, end - at - 1))];
        const std::string id = std::string(node.id()) + " ";
        if (!found.ends_with(id)) found += id;
        at = end + 1;
      }
    }
    for (std::size_t i = node.child_count(); i-- > 0;) {
      ASSERT_EQ(node.child(i).parent(), node);
      stack.push_back(node.child(i));
    }
  }
  ASSERT_EQ(snapshot.node_count(), nodes - 1 - snapshot.root().child_count());
  const auto text = [](const std::vector<NodeView>& found) {
    std::string listed;
    for (const NodeView& node : found) listed += std::string(node.id()) + " ";
    return listed;
  };
  for (const std::string key : {"k0", "k1", "k2", "k3"})
    ASSERT_EQ(text(snapshot.FindByKey(key)), want[key]) << key;
  for (const std::string tag : {"t0", "t1", "t2"})
    ASSERT_EQ(text(snapshot.FindByTag(tag)), want[tag]) << tag;
  for (const std::string& id : ids) {
    const auto found = snapshot.Find(id);
    if (!found) continue;
    ASSERT_EQ(found->id(), id);
  }
}

TEST(Session, LookupsAgreeWithAWalkAtEverySnapshot) {
  ForEachSeed(200, [](std::uint64_t seed) {
    Session session(seed);
    for (int step = 0; step < 250; ++step) session.Step();
    for (std::int64_t cycle = 1; cycle < session.context().open_cycle(); ++cycle)
      CompareLookups(Must(session.context().At(Address(cycle))), session.ids());
  });
}

TEST(Session, REND_1_RenderingShowsWhatCommittingGives) {
  ForEachSeed(200, [](std::uint64_t seed) {
    Session session(seed);
    for (int round = 0; round < 12; ++round) {
      for (int step = 0; step < 12; ++step) session.Step();
      const std::string before = session.context().tree_sha256();
      const auto preview = session.context().Render();
      ASSERT_EQ(session.context().tree_sha256(), before);
      const auto commit = session.context().Commit({.hashes = true});
      ASSERT_EQ(support::CodeOf(preview), support::CodeOf(commit));
      if (!commit) continue;
      ASSERT_EQ(commit->thread_sha256, preview->sha256);
      ASSERT_EQ(Must(session.context().Render({.at = "@t0"})).body, preview->body);
    }
  });
}

// --- TREE-19: only the result counts ---

struct Piece {
  std::string id;
  std::string parent;
  bool is_group;
  std::int64_t offset;
};

// Ids, stamps and content given, so that nothing of the way there is in the nodes.
NodeSpec Finished(const Piece& piece, std::int64_t index) {
  NodeSpec spec = NodeSpec()
                      .Id(piece.id)
                      .Offset(piece.offset)
                      .Set("created_at_ns", Json::Integer(1'000'000 + 1'000 * index))
                      .Set("creation_index", Json::Integer(1'000 * index));
  if (piece.is_group) return spec.Type("cont");
  return spec.Text("content of " + piece.id).Key("k");
}

// A last stamp that all ways have in common: the turn takes the one after it.
NodeSpec Last() {
  return Finished({"last", "^sys", false, 0}, 1'000);
}

Context Straight(const std::vector<Piece>& pieces) {
  Context context = support::NewContext();
  for (std::size_t i = 0; i < pieces.size(); ++i)
    Must(context.Add(Finished(pieces[i], static_cast<std::int64_t>(i)),
                     {.parent = pieces[i].parent}));
  return context;
}

// The same nodes by detours: made elsewhere and moved, changed and changed back, with others that
// come and go, pinned and unpinned.
Context Winding(const std::vector<Piece>& pieces, std::uint64_t seed) {
  support::Random random(seed);
  Context context = support::NewContext();
  int passing = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    const bool elsewhere = random.Chance(50);
    Piece first = piece;
    if (elsewhere) first.offset = 5;
    Must(context.Add(Finished(first, static_cast<std::int64_t>(i)),
                     {.parent = elsewhere ? "^sys" : piece.parent}));
    if (elsewhere) Must(context.Move(piece.id, {.parent = piece.parent, .offset = piece.offset}));
    if (random.Chance(40)) {
      Must(context.Pin(piece.id));
      Must(context.Unpin(piece.id));
    }
    if (!piece.is_group && random.Chance(40)) {
      Must(context.Update(piece.id, NodeSpec().Text("other").Ttl(7).Key("l")));
      Must(context.Update(
          piece.id, NodeSpec().Text("content of " + piece.id).Key("k").Set("ttl", Json::Null())));
    }
    if (random.Chance(40)) {
      const std::string id = "passing" + std::to_string(passing++);
      Must(context.Add(support::Block(id, "gone").Offset(3),
                       {.parent = piece.is_group ? piece.id : "^sys"}));
      Must(context.Remove(id));
    }
  }
  return context;
}

std::string Committed(const std::vector<Piece>& pieces) {
  Context context = Straight(pieces);
  Must(context.Add(Last(), {.parent = "^sys"}));
  return Must(context.Commit()).tree_sha256;
}

TEST(TreeHash, TREE_19_CountsTheResultAndNotTheWay) {
  ForEachSeed(200, [](std::uint64_t seed) {
    support::Random random(seed + 1'000);
    std::vector<Piece> pieces = {{"core", "^ah", true, 0}};
    std::vector<std::string> groups = {"core", "^sys"};
    for (int i = 0; i < 60; ++i) {
      Piece piece{"n" + std::to_string(i), random.Pick(groups), random.Chance(25),
                  random.Between(-2, 2)};
      pieces.push_back(piece);
      if (piece.is_group) groups.push_back(piece.id);
    }
    const Context straight = Straight(pieces);
    for (std::uint64_t way = 0; way < 3; ++way) {
      Context winding = Winding(pieces, 7 * seed + way);
      ASSERT_EQ(winding.tree_sha256(), straight.tree_sha256());
      ASSERT_EQ(Bytes(winding), Bytes(straight));
      Must(winding.Add(Last(), {.parent = "^sys"}));
      ASSERT_EQ(Must(winding.Commit()).tree_sha256, Committed(pieces));
    }
  });
}

}  // namespace
}  // namespace pactdb
