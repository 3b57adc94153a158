// A call that fails changes nothing: not the tree, not the cycle, not the clock, not the history.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <functional>
#include <string>
#include <vector>

#include "support/contexts.h"

namespace pactdb {
namespace {

using support::Block;
using support::Group;
using support::Must;
using support::NewContext;

struct BadCall {
  std::string name;
  std::string want;
  std::function<std::string(Context&)> call;
};

std::string Add(Context& context, const NodeSpec& spec, std::string_view parent = "^ah") {
  return support::CodeOf(context.Add(spec, {.parent = std::string(parent)}));
}
std::string Update(Context& context, std::string_view id, const NodeSpec& set) {
  return support::CodeOf(context.Update(id, set));
}
std::string Replace(Context& context, std::string_view id, const NodeSpec& spec) {
  return support::CodeOf(context.Replace(id, spec));
}
std::string Move(Context& context, std::string_view id, const MoveOptions& options) {
  return support::CodeOf(context.Move(id, options));
}
std::string Remove(Context& context, std::string_view id) {
  return support::CodeOf(context.Remove(id));
}
Json Text(std::string_view text) {
  return Must(Json::String(text));
}

// Two sealed turns with groups beside the core, things in ^sys, a head with core and group.
Context BusyContext() {
  Context context = NewContext();
  Must(context.Add(Block("s", "rules"), {.parent = "^sys"}));
  Must(context.Add(Block("old", "one")));
  Must(context.Add(Group("oldgroup", 1)));
  Must(context.Add(Block("ingroup").Key("k").Ttl(9), {.parent = "oldgroup"}));
  Must(context.Commit());
  Must(context.Commit());
  Must(context.Add(Block("new", "two")));
  Must(context.Add(Group("g", 1).Removable(true)));
  Must(context.Add(Group("inner", 2), {.parent = "g"}));
  Must(context.Add(Block("b").Offset(-1)));
  return context;
}

std::vector<BadCall> BadNodes() {
  const auto add = [](std::string name, std::string want, NodeSpec spec,
                      std::string parent = "^ah") {
    return BadCall{"add " + name, std::move(want),
                   [spec, parent](Context& context) { return Add(context, spec, parent); }};
  };
  const std::string invalid = "E_REQUEST_INVALID";
  return {
      add("invalid UTF-8", invalid, NodeSpec().Text("\xFF")),
      add("a surrogate in UTF-8", invalid, NodeSpec().Text("\xED\xA0\x80")),
      add("an unknown field", invalid, NodeSpec().Set("colour", Text("red"))),
      add("a field of a wrong type", invalid, NodeSpec().Set("role", Json::Integer(1))),
      add("tags that are no array", invalid, NodeSpec().Set("tags", Text("a"))),
      add("an offset that is no integer", invalid, NodeSpec().Set("offset", Must(Json::Double(1)))),
      add("an empty id", invalid, Block("").Set("id", Text(""))),
      add("a reserved header", "E_ATTRIBUTE_RESERVED", NodeSpec().Set("cycle", Json::Integer(1))),
      add("a stored hash", "E_ATTRIBUTE_RESERVED", NodeSpec().Set("content_hash", Text("x"))),
      add("a negative ttl", "E_TTL_INVALID", NodeSpec().Ttl(-1)),
      add("a fractional ttl", "E_TTL_INVALID", NodeSpec().Set("ttl", Must(Json::Double(1.5)))),
      add("a cadence of zero", "E_CADENCE_INVALID", NodeSpec().Set("cad", Json::Integer(0))),
      add("a region's type", "E_NODE_TYPE_INVALID", NodeSpec().Type("^sys")),
      add("a turn's type", "E_NODE_TYPE_INVALID", NodeSpec().Type("seg")),
      add("a type without namespace", "E_NODE_TYPE_INVALID", NodeSpec().Type("note")),
      add("an id in use", "E_ID_EXISTS", Block("new")),
      add("an id of the past", "E_ID_EXISTS", Block("old")),
      add("the id of a region", "E_ID_EXISTS", Block("sys")),
      add("a default id to come", "E_ID_EXISTS", Block("block:3.77")),
      add("a later default id", "E_ID_EXISTS", Block("seg:4")),
      add("an unknown parent", "E_NODE_NOT_FOUND", NodeSpec(), "nobody"),
      add("a block as parent", "E_PLACEMENT_INVALID", NodeSpec(), "new"),
      add("the root as parent", "E_PLACEMENT_INVALID", NodeSpec(), "^root"),
      add("the turns as parent", "E_PLACEMENT_INVALID", NodeSpec(), "^seq"),
      add("a second core", "E_CORE_EXISTS", Group("x", 0)),
      add("a core for a sealed turn", "E_CORE_EXISTS", Group("x", 0), "seg:1"),
      add("into a sealed core", "E_SEALED", NodeSpec(), "cont:1.1"),
      add("at offset 0 of a sealed turn", "E_SEALED", NodeSpec(), "seg:1"),
      add("a stamp of the past", "E_PLACEMENT_INVALID",
          NodeSpec().Set("created_at_ns", Json::Integer(1))),
      add("an index of the past", "E_PLACEMENT_INVALID",
          NodeSpec().Set("creation_index", Json::Integer(0))),
  };
}

std::vector<BadCall> BadEdits() {
  using C = Context;
  return {
      {"update of nobody", "E_NODE_NOT_FOUND", [](C& c) { return Update(c, "x", NodeSpec()); }},
      {"update of a frozen node", "E_SEALED",
       [](C& c) { return Update(c, "old", NodeSpec().Text("x")); }},
      {"update of a frozen node of a group", "E_SEALED",
       [](C& c) { return Update(c, "ingroup", NodeSpec().Ttl(3)); }},
      {"update of a turn", "E_SEALED", [](C& c) { return Update(c, "seg:1", NodeSpec()); }},
      {"update of a region", "E_SEALED", [](C& c) { return Update(c, "ah", NodeSpec()); }},
      {"update of an older ^sys node's role", "E_SEALED",
       [](C& c) { return Update(c, "s", NodeSpec().Text("x").Role("user")); }},
      {"update of the id", "E_ATTRIBUTE_RESERVED",
       [](C& c) { return Update(c, "new", NodeSpec().Id("x")); }},
      {"update of the offset", "E_ATTRIBUTE_RESERVED",
       [](C& c) { return Update(c, "new", NodeSpec().Text("x").Offset(1)); }},
      {"update with a bad ttl", "E_TTL_INVALID",
       [](C& c) { return Update(c, "new", NodeSpec().Text("x").Ttl(-1)); }},
      {"replace of nobody", "E_NODE_NOT_FOUND", [](C& c) { return Replace(c, "x", NodeSpec()); }},
      {"replace in a sealed core", "E_SEALED", [](C& c) { return Replace(c, "old", NodeSpec()); }},
      {"replace of a turn", "E_SEALED", [](C& c) { return Replace(c, "seg:1", NodeSpec()); }},
      {"replace of a core", "E_PLACEMENT_INVALID",
       [](C& c) { return Replace(c, "cont:3.0", NodeSpec()); }},
      {"replace by another type", "E_PLACEMENT_INVALID",
       [](C& c) { return Replace(c, "g", NodeSpec().Type("block")); }},
      {"replace at another offset", "E_PLACEMENT_INVALID",
       [](C& c) { return Replace(c, "new", NodeSpec().Offset(1)); }},
      {"replace by an id in use", "E_ID_EXISTS",
       [](C& c) { return Replace(c, "new", Block("old")); }},
      {"remove of nobody", "E_NODE_NOT_FOUND", [](C& c) { return Remove(c, "x"); }},
      {"remove of a region", "E_PLACEMENT_INVALID", [](C& c) { return Remove(c, "ah"); }},
      {"remove of the root", "E_PLACEMENT_INVALID", [](C& c) { return Remove(c, "root"); }},
      {"remove of a turn", "E_SEALED", [](C& c) { return Remove(c, "seg:1"); }},
      {"remove of a sealed core", "E_SEALED", [](C& c) { return Remove(c, "cont:1.1"); }},
      {"remove in a sealed core", "E_SEALED", [](C& c) { return Remove(c, "old"); }},
      {"pin of nobody", "E_NODE_NOT_FOUND", [](C& c) { return support::CodeOf(c.Pin("x")); }},
  };
}

std::vector<BadCall> BadMoves() {
  using C = Context;
  return {
      {"move to nowhere", "E_REQUEST_INVALID", [](C& c) { return Move(c, "new", {}); }},
      {"move of nobody", "E_NODE_NOT_FOUND", [](C& c) { return Move(c, "x", {.offset = 1}); }},
      {"move to nobody", "E_NODE_NOT_FOUND", [](C& c) { return Move(c, "new", {.parent = "x"}); }},
      {"move into a block", "E_PLACEMENT_INVALID",
       [](C& c) { return Move(c, "new", {.parent = "b"}); }},
      {"move into itself", "E_CYCLE_DETECTED", [](C& c) { return Move(c, "g", {.parent = "g"}); }},
      {"move into its subtree", "E_CYCLE_DETECTED",
       [](C& c) { return Move(c, "g", {.parent = "inner"}); }},
      {"move of a turn", "E_SEALED", [](C& c) { return Move(c, "seg:1", {.offset = 1}); }},
      {"move of a region", "E_PLACEMENT_INVALID",
       [](C& c) { return Move(c, "ah", {.offset = 1}); }},
      {"move of a core", "E_PLACEMENT_INVALID",
       [](C& c) { return Move(c, "cont:3.0", {.offset = 1}); }},
      {"move out of a sealed core", "E_SEALED",
       [](C& c) { return Move(c, "old", {.parent = "^ah"}); }},
      {"move into a sealed core", "E_SEALED",
       [](C& c) { return Move(c, "new", {.parent = "cont:1.1"}); }},
      {"move of a group into the core's place", "E_CORE_EXISTS",
       [](C& c) { return Move(c, "g", {.offset = 0}); }},
  };
}

std::vector<BadCall> BadRest() {
  using C = Context;
  const auto import_code = [](C& c, std::string_view document) {
    return support::CodeOf(c.ImportSnapshot(document));
  };
  return {
      {"commit of another cycle", "E_CONFLICT",
       [](C& c) { return support::CodeOf(c.Commit({.expect_cycle = 2})); }},
      {"import of no JSON", "E_IMPORT_INVALID", [=](C& c) { return import_code(c, "{"); }},
      {"import of no root", "E_IMPORT_INVALID", [=](C& c) { return import_code(c, "{}"); }},
      {"import of ids that come twice", "E_IMPORT_INVALID",
       [=](C& c) {
         return import_code(c, R"({"root":{"children":[{"id":"s2","nodeType":"^sys","children":[
             {"id":"p"},{"id":"p"}]}]}})");
       }},
      {"import of an old cycle", "E_IMPORT_INVALID",
       [=](C& c) { return import_code(c, R"({"cycle":2,"root":{}})"); }},
      {"import of a log with a bad entry", "E_IMPORT_INVALID",
       [](C& c) {
         return support::CodeOf(c.ImportLog(R"([{"role":"user","content":"q"},
             {"role":"assistant","content":"a"},{"role":"user","content":"r"},{"content":"x"}])"));
       }},
      {"finish of no attempt", "E_NODE_NOT_FOUND",
       [](C& c) {
         return support::CodeOf(c.FinishAttempt({.attempt_id = "a", .status = "completed"}));
       }},
      {"get of nobody", "E_NODE_NOT_FOUND", [](C& c) { return support::CodeOf(c.Get("x")); }},
      {"get at no snapshot", "E_SNAPSHOT_NOT_FOUND",
       [](C& c) { return support::CodeOf(c.Get("s", "@c9")); }},
      {"render of an unknown format", "E_REQUEST_INVALID",
       [](C& c) { return support::CodeOf(c.Render({.format = "rtf"})); }},
  };
}

void ExpectNoEffect(const std::vector<BadCall>& calls) {
  Context context = BusyContext();
  Context twin = BusyContext();
  ASSERT_EQ(context.tree_sha256(), twin.tree_sha256());
  const std::string serialized = Must(context.Serialize());
  const std::string log = Must(context.Log());
  const std::string attempts = context.ListAttempts();
  for (const BadCall& bad : calls) {
    SCOPED_TRACE(bad.name);
    EXPECT_EQ(bad.call(context), bad.want);
    EXPECT_EQ(context.tree_sha256(), twin.tree_sha256());
    EXPECT_EQ(context.open_cycle(), 3);
    EXPECT_EQ(Must(context.Serialize()), serialized);
    EXPECT_EQ(Must(context.Log()), log);
    EXPECT_EQ(context.ListAttempts(), attempts);
  }
  // The clock and the counters too: what follows is the same as if nothing had been tried.
  for (Context* one : {&context, &twin}) {
    Must(one->Add(NodeSpec().Role("user").Text("after")));
    Must(one->Commit());
  }
  EXPECT_EQ(context.tree_sha256(), twin.tree_sha256());
  EXPECT_EQ(Must(context.Tree("@t0")), Must(twin.Tree("@t0")));
  EXPECT_EQ(context.Verify(), support::VerifyOk());
}

TEST(Atomicity, NodesThatCannotBeMadeLeaveNoTrace) {
  ExpectNoEffect(BadNodes());
}

TEST(Atomicity, NODE_8_EditsThatCannotBeMadeLeaveNoTrace) {
  ExpectNoEffect(BadEdits());
}

TEST(Atomicity, TREE_26_MovesThatCannotBeMadeLeaveNoTrace) {
  ExpectNoEffect(BadMoves());
}

TEST(Atomicity, OtherFailuresLeaveNoTrace) {
  ExpectNoEffect(BadRest());
}

TEST(Atomicity, ACommitThatCannotBeMadeLeavesTheWorkingState) {
  Options options = support::SteppedOptions();
  options.policy = Policy{.max_nodes = 0, .strict = true};
  Context context = NewContext(options);
  Must(context.Add(Block("gone").Ttl(0)));
  Must(context.Add(Block("stays").Pinned(true)));
  const std::string before = Must(context.Tree());
  EXPECT_EQ(support::CodeOf(context.Commit()), "E_LIMIT_EXCEEDED");
  EXPECT_EQ(Must(context.Tree()), before);
  EXPECT_EQ(context.open_cycle(), 1);
  Options relaxed = options;
  relaxed.policy.reset();
  Must(context.Configure(relaxed, /*restart_clock=*/false));
  EXPECT_EQ(Must(context.Commit()).sealed, "seg:1");
  // Core 1000, two blocks, then the turn: the failed commit took no tick.
  EXPECT_EQ(support::NumberIn(Must(context.Get("seg:1")), "created_at_ns"), 1'003);
}

TEST(Atomicity, L8_WithoutAuthorityNothingInSysChanges) {
  Options options = support::SteppedOptions();
  Context context = NewContext(options);
  Must(context.Add(Block("s", "rules"), {.parent = "^sys"}));
  Must(context.Add(Block("b")));
  options.authorize_sys = false;
  Must(context.Configure(options, false));
  const std::string before = context.tree_sha256();
  EXPECT_EQ(Add(context, NodeSpec(), "^sys"), "E_NOT_AUTHORIZED");
  EXPECT_EQ(Update(context, "s", NodeSpec().Text("x")), "E_NOT_AUTHORIZED");
  EXPECT_EQ(Replace(context, "s", NodeSpec()), "E_NOT_AUTHORIZED");
  EXPECT_EQ(Move(context, "s", {.parent = "^ah"}), "E_NOT_AUTHORIZED");
  EXPECT_EQ(Move(context, "b", {.parent = "^sys"}), "E_NOT_AUTHORIZED");
  EXPECT_EQ(Remove(context, "s"), "E_NOT_AUTHORIZED");
  EXPECT_EQ(support::CodeOf(context.Pin("s")), "E_NOT_AUTHORIZED");
  EXPECT_EQ(support::CodeOf(context.ImportLog(R"([{"role":"system","content":"x"}])")),
            "E_NOT_AUTHORIZED");
  EXPECT_EQ(context.tree_sha256(), before);
}

}  // namespace
}  // namespace pactdb
