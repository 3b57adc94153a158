// Insertion marks: a place among the siblings of equal offset.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <string>

#include "support/contexts.h"

namespace pactdb {
namespace {

using support::Block;
using support::CodeOf;
using support::Must;
using support::NewContext;
using Kind = InsertionMark::Kind;

constexpr InsertionMark kStart{.kind = Kind::kStart};
constexpr InsertionMark kEnd{.kind = Kind::kEnd};
constexpr InsertionMark After(std::int64_t n) {
  return {.kind = Kind::kAfter, .n = n};
}
constexpr InsertionMark Before(std::int64_t n) {
  return {.kind = Kind::kBefore, .n = n};
}

class Marks : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string_view id : {"a", "b", "c"}) Must(context_.Add(Block(id)));
  }
  Result<AddResult> AddAt(std::string_view id, const InsertionMark& mark,
                          std::string_view parent = "^ah", std::int64_t offset = 0) {
    return context_.Add(Block(id).Offset(offset), {.parent = std::string(parent), .mark = mark});
  }
  // Ids of the head as committed.
  std::string Committed() {
    Must(context_.Commit());
    EXPECT_EQ(context_.Verify(), support::VerifyOk());
    return support::Outline(*Must(context_.At("@t0")).TurnAtDepth(1));
  }

  Context context_ = NewContext();
};

TEST_F(Marks, StartPutsANodeFirst) {
  Must(AddAt("x", kStart));
  EXPECT_EQ(Committed(), "seg:1(cont:1.0(x a b c))");
}

TEST_F(Marks, EndPutsANodeLast) {
  Must(AddAt("x", kEnd));
  EXPECT_EQ(Committed(), "seg:1(cont:1.0(a b c x))");
}

TEST_F(Marks, AfterAndBeforeCountFromOne) {
  Must(AddAt("x", After(1)));
  Must(AddAt("y", Before(1)));
  Must(AddAt("z", After(5)));
  EXPECT_EQ(Committed(), "seg:1(cont:1.0(y a x b c z))");
}

TEST_F(Marks, CountsOnlySiblingsOfTheOffset) {
  Must(AddAt("p", kEnd, "^ah", 2));
  Must(AddAt("q", Before(1), "^ah", 2));
  EXPECT_EQ(CodeOf(AddAt("r", Before(2), "^ah", 3)), "E_PLACEMENT_INVALID");
  EXPECT_EQ(Committed(), "seg:1(cont:1.0(a b c) q p)");
}

TEST_F(Marks, L7_RefusesCountsOutOfRange) {
  for (const InsertionMark mark :
       {After(0), After(4), After(-1), Before(0), Before(4), After(INT64_MAX), Before(INT64_MIN)}) {
    const auto result = AddAt("x", mark);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kPlacementInvalid);
    ASSERT_EQ(result.error().details().size(), 1u);
    EXPECT_EQ(result.error().details()[0].number, 3);
  }
  EXPECT_EQ(Committed(), "seg:1(cont:1.0(a b c))");
}

// The head without a core: the core is made, and has no siblings to count.
TEST_F(Marks, L7_MakesTheCoreOfAnEmptyHead) {
  Must(context_.Commit());
  EXPECT_EQ(CodeOf(AddAt("x", After(1))), "E_PLACEMENT_INVALID");
  EXPECT_EQ(CodeOf(AddAt("x", Before(1))), "E_PLACEMENT_INVALID");
  EXPECT_EQ(CodeOf(AddAt("x", After(0))), "E_PLACEMENT_INVALID");
  EXPECT_EQ(CodeOf(AddAt("x", Before(0))), "E_PLACEMENT_INVALID");
  Must(AddAt("x", kStart));
  Must(AddAt("y", kStart));
  Must(context_.Commit());
  EXPECT_EQ(support::Outline(*Must(context_.At("@t0")).TurnAtDepth(1)), "seg:2(cont:2.0(y x))");
}

TEST_F(Marks, L7_TakeStampsOfTheirOwnInOrder) {
  Must(AddAt("x", After(1)));
  // cont, a, b, c took indices 0 to 3; x takes 4, then b and c are stamped again.
  const auto index = [this](std::string_view id) {
    return support::NumberIn(Must(context_.Get(id)), "creation_index");
  };
  EXPECT_EQ(index("a"), 1);
  EXPECT_EQ(index("x"), 4);
  EXPECT_EQ(index("b"), 5);
  EXPECT_EQ(index("c"), 6);
}

TEST_F(Marks, RefuseAPlaceBeforeAnOlderSibling) {
  Must(context_.Add(Block("s1"), {.parent = "^sys"}));
  Must(context_.Commit());
  Must(context_.Add(Block("s2"), {.parent = "^sys"}));
  const auto refused = AddAt("x", kStart, "^sys");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), Error(ErrorCode::kPlacementInvalid,
                                   "the place lies before 's1', which is older than this cycle")
                                 .With("id", "s1"));
  EXPECT_EQ(CodeOf(AddAt("x", Before(1), "^sys")), "E_PLACEMENT_INVALID");
  Must(AddAt("x", After(1), "^sys"));
  Must(context_.Commit());
  EXPECT_EQ(support::Outline(*Must(context_.At("@t0")).Find("sys")), "sys(s1 x s2)");
}

TEST_F(Marks, RefuseASealedCore) {
  Must(context_.Commit());
  EXPECT_EQ(CodeOf(AddAt("x", kEnd, "cont:1.0")), "E_SEALED");
  EXPECT_EQ(CodeOf(AddAt("x", kEnd, "seg:1")), "E_SEALED");
  Must(AddAt("x", kEnd, "seg:1", 1));
  Must(AddAt("y", kStart, "seg:1", 1));
  Must(context_.Commit());
  EXPECT_EQ(support::Outline(*Must(context_.At("@t0")).Find("seg:1")),
            "seg:1(cont:1.0(a b c) y x)");
}

TEST_F(Marks, MoveANodeAmongItsSiblings) {
  Must(context_.Move("c", {.mark = kStart}));
  Must(context_.Move("a", {.mark = kEnd}));
  EXPECT_EQ(Committed(), "seg:1(cont:1.0(c b a))");
}

// The node itself is no sibling of itself.
TEST_F(Marks, MoveCountsTheOthersOnly) {
  EXPECT_EQ(CodeOf(context_.Move("a", {.mark = After(3)})), "E_PLACEMENT_INVALID");
  Must(context_.Move("a", {.mark = After(2)}));
  Must(context_.Move("b", {.mark = Before(2)}));
  EXPECT_EQ(Committed(), "seg:1(cont:1.0(c b a))");
}

TEST_F(Marks, MoveIntoAnotherParentAtAPlace) {
  Must(context_.Add(support::Group("g", 1)));
  Must(context_.Add(Block("p"), {.parent = "g"}));
  Must(context_.Move("b", {.parent = "g", .mark = kStart}));
  EXPECT_EQ(Committed(), "seg:1(cont:1.0(a c) g(b p))");
}

TEST_F(Marks, M1_RefuseANodeASnapshotHoldsInsideItsRegion) {
  Must(context_.Add(Block("s"), {.parent = "^sys"}));
  Must(context_.Commit());
  EXPECT_EQ(CodeOf(context_.Move("s", {.mark = kEnd})), "E_PLACEMENT_INVALID");
  Must(context_.Add(Block("n")));
  EXPECT_EQ(Must(context_.Move("s", {.parent = "^ah", .mark = kStart})), "block:2.2");
  Must(context_.Commit());
  EXPECT_EQ(support::Outline(*Must(context_.At("@t0")).TurnAtDepth(1)),
            "seg:2(cont:2.0(block:2.2 n))");
}

// Across regions, of a node of this cycle that holds an older one: with a mark it takes a stamp,
// and of what it holds only the older one becomes another.
TEST_F(Marks, MoveAcrossRegionsStampsTheNodeItself) {
  for (const bool has_mark : {true, false}) {
    context_ = NewContext();
    Must(context_.Add(Block("old"), {.parent = "^sys"}));
    Must(context_.Commit());
    Must(context_.Add(support::Group("g", 1), {.parent = "^sys"}));
    Must(context_.Add(Block("kid"), {.parent = "g"}));
    Must(context_.Move("old", {.parent = "g"}));
    const auto stamp = [this](std::string_view id) {
      return support::NumberIn(Must(context_.Get(id)), "created_at_ns");
    };
    const std::int64_t of_group = stamp("g");
    const std::int64_t of_kid = stamp("kid");
    MoveOptions options{.parent = "^ah"};
    if (has_mark) options.mark = kEnd;
    EXPECT_EQ(Must(context_.Move("g", options)), "g");
    EXPECT_EQ(stamp("g") > of_group, has_mark);
    EXPECT_EQ(stamp("kid"), of_kid);
    EXPECT_EQ(CodeOf(context_.Get("old")), "E_NODE_NOT_FOUND");
    Must(context_.Commit());
    EXPECT_EQ(context_.Verify(), support::VerifyOk());
    EXPECT_EQ(support::Outline(*Must(context_.At("@t0")).TurnAtDepth(1)),
              has_mark ? "seg:2(cont:2.4 g(kid block:2.3))" : "seg:2(cont:2.3 g(kid block:2.2))");
  }
}

// An explicit stamp is greater than all of this cycle, so the node can still be put first.
TEST_F(Marks, GoTogetherWithExplicitStamps) {
  Must(context_.Add(Block("x").Set("created_at_ns", Json::Integer(5'000)),
                    {.parent = "^ah", .mark = kStart}));
  EXPECT_EQ(support::NumberIn(Must(context_.Get("a")), "created_at_ns"), 5'001);
  EXPECT_EQ(Committed(), "seg:1(cont:1.0(x a b c))");
}

}  // namespace
}  // namespace pactdb
