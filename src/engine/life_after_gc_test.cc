// What life tells of snapshots that are gone.
#include <gtest/gtest.h>
#include <pactdb/database.h>
#include <pactdb/ext/store.h>

#include <optional>
#include <string>
#include <string_view>

#include "support/contexts.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

using support::Group;
using support::Must;

class LifeAfterGc : public ::testing::Test {
 protected:
  LifeAfterGc() { Must(database_.Make("life", support::SteppedOptions())); }

  Context& context() { return *Must(database_.Find("life")); }

  void CommitTimes(int times) {
    for (int i = 0; i < times; ++i) Must(context().Commit());
  }

  void GcAllButTheNewest() {
    Must(database_.Gc("life", {.keep_last = 1, .older_than = std::nullopt, .keep_tagged = true}));
  }

  // "cycle event: why" of each event.
  std::string Life(std::string_view id) {
    std::string life;
    const JsonDoc doc = Must(JsonDoc::Parse(Must(context().Life(id)), 8));
    for (auto it = doc.root().begin(); it != doc.root().end(); ++it) {
      const JsonRef event = (*it).value;
      life.append(life.empty() ? "" : "; ").append(event.Find("cycle")->ToJson().text());
      life.append(" ").append(event.Find("event")->string());
      life.append(": ").append(event.Find("why")->string());
    }
    return life;
  }

 private:
  Database database_ = Must(Database::Over(MakeMemoryStore()));
};

TEST_F(LifeAfterGc, TellsWhatHappenedBetweenTwoThatStayed) {
  Must(context().Add(NodeSpec().Id("ends").Ttl(1).Text("x")));
  Must(context().Add(NodeSpec().Id("pinned").Ttl(2).Pinned(true).Text("x")));
  Must(context().Add(NodeSpec().Id("rule").Text("x"), {.parent = "^sys"}));
  CommitTimes(1);
  Must(context().Add(Group("rules", 1), {.parent = "^sys"}));
  Must(context().Move("rule", {.parent = "rules"}));
  Must(context().Pin("rule"));
  CommitTimes(4);
  Must(context().Tag("first", "@c1"));
  GcAllButTheNewest();
  EXPECT_EQ(Life("ends"),
            "1 born: added; 1 sealed: in seg:1; "
            "5 removed: between @c1 and @c5 (no snapshot there is kept)");
  EXPECT_EQ(Life("rule"),
            "1 born: added; "
            "5 moved: between @c1 and @c5 (no snapshot there is kept), from sys to rules; "
            "5 changed: between @c1 and @c5 (no snapshot there is kept)");
  EXPECT_EQ(Life("pinned"),
            "1 born: added; 1 sealed: in seg:1; 5 deferred: its ttl ended between @c1 and @c5 "
            "(no snapshot there is kept), but it is pinned");
}

TEST_F(LifeAfterGc, TellsOfABirthWhoseSnapshotIsGone) {
  Must(context().Add(NodeSpec().Id("rule").Text("x"), {.parent = "^sys"}));
  Must(context().Add(NodeSpec().Id("said").Text("x")));
  CommitTimes(4);
  Must(context().Add(NodeSpec().Offset(4).Id("late").Text("x"), {.parent = "seg:1"}));
  Must(context().Add(NodeSpec().Id("new").Text("x")));
  CommitTimes(1);
  Must(context().Add(NodeSpec().Offset(5).Id("added").Text("x"), {.parent = "seg:1"}));
  CommitTimes(1);
  GcAllButTheNewest();
  EXPECT_EQ(Life("rule"), "1 born: its snapshot is gone");
  EXPECT_EQ(Life("said"),
            "1 born: its snapshot is gone; 1 sealed: in seg:1; that snapshot is gone");
  EXPECT_EQ(Life("seg:1"),
            "1 born: a commit sealed the head; its snapshot is gone; "
            "1 sealed: by the commit; that snapshot is gone");
  EXPECT_EQ(Life("new"), "5 born: its snapshot is gone; 5 sealed: in seg:5; that snapshot is gone");
  EXPECT_EQ(Life("late"), "5 born: its snapshot is gone") << "nothing sealed it";
  EXPECT_EQ(Life("added"), "6 born: added");
  EXPECT_EQ(Life("seg:6"), "6 born: a commit sealed the head; 6 sealed: by the commit");
}

TEST_F(LifeAfterGc, TellsOfNodesThatNoSnapshotHasAnyMore) {
  const std::string made = Must(context().Add(NodeSpec().Ttl(4).Text("x"))).id;
  Must(context().Add(NodeSpec().Id("given").Ttl(4).Text("x")));
  CommitTimes(5);
  GcAllButTheNewest();
  EXPECT_EQ(Life(made), "1 born: its snapshot is gone; 5 expired: its ttl ended");
  EXPECT_EQ(Life("given"),
            "5 born: before @c5 (no snapshot there is kept); 5 expired: its ttl ended");
}

TEST_F(LifeAfterGc, TellsOfImportsAsBefore) {
  Must(context().ImportSnapshot(
      R"({"cycle":8,"root":{"id":"root","nodeType":"^root","children":[{"id":"sys",)"
      R"("nodeType":"^sys","children":[{"id":"x","cycle":3,"content":"x"}]},)"
      R"({"id":"seq","nodeType":"^seq","children":[]},)"
      R"({"id":"ah","nodeType":"^ah","children":[]}]}})"));
  Must(context().Remove("x"));
  CommitTimes(1);
  EXPECT_EQ(Life("x"), "8 born: in an imported document; 9 removed: by hand");
}

}  // namespace
}  // namespace pactdb
