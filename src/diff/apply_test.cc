// What a detailed diff does to a tree, part by part; that it leads from one tree of a history to
// another is shown beside the engine.
#include <gtest/gtest.h>
#include <pactdb/diff.h>

#include <string>
#include <string_view>

#include "support/error_text.h"

namespace pactdb {
namespace {

constexpr std::string_view kTree =
    R"({"id":"root","nodeType":"^root","children":[)"
    R"({"id":"sys","nodeType":"^sys","children":[{"id":"s","nodeType":"block","ttl":3}]},)"
    R"({"id":"seq","nodeType":"^seq","children":[{"id":"t1","nodeType":"seg","children":[]},)"
    R"({"id":"t2","nodeType":"seg","children":[{"id":"a","nodeType":"block"},)"
    R"({"id":"b","nodeType":"block"},{"id":"c","nodeType":"block"}]}]},)"
    R"({"id":"ah","nodeType":"^ah","children":[]}]})";

struct Parts {
  std::string added;
  std::string removed;
  std::string modified;
};

std::string DiffOf(const Parts& parts) {
  return R"({"components_added":[)" + parts.added + R"(],"components_removed":[)" + parts.removed +
         R"(],"components_modified":[)" + parts.modified + "]}";
}

// The tree that comes of it, or the error.
std::string Applied(const Parts& parts, std::string_view tree = kTree) {
  const auto applied = ApplyDiff(tree, DiffOf(parts));
  return applied ? *applied : support::ErrorText(applied.error());
}

// Of a tree's JSON what stands between two texts.
std::string Between(const std::string& text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return "nothing in " + text;
  return text.substr(from, text.find(end, from) - from);
}

// The ids, in the order in which they are written.
std::string Ids(const std::string& tree) {
  std::string ids;
  for (std::size_t at = tree.find(R"("id":")"); at != std::string::npos;
       at = tree.find(R"("id":")", at + 1))
    ids += (ids.empty() ? "" : " ") + tree.substr(at + 6, tree.find('"', at + 6) - at - 6);
  return ids.empty() ? tree : ids;
}

std::string Node(std::string_view id, std::string_view parent, int position) {
  return R"({"node":{"id":")" + std::string(id) + R"(","nodeType":"block","parent_id":")" +
         std::string(parent) + R"("},"position":)" + std::to_string(position) + R"(,"leaf":true})";
}

std::string Gone(std::string_view id) {
  return R"({"node":{"id":")" + std::string(id) + R"("}})";
}

std::string Move(std::string_view id, std::string_view parent, int position) {
  return R"({"id":")" + std::string(id) + R"(","new":{"parent":")" + std::string(parent) +
         R"("},"position":{"new":)" + std::to_string(position) + "}}";
}

std::string Set(std::string_view id, std::string_view values) {
  return R"({"id":")" + std::string(id) + R"(","new":{)" + std::string(values) + "}}";
}

TEST(ApplyDiff, OfNothingWritesTheTreeWithItsDepths) {
  EXPECT_EQ(Applied({}),
            R"({"id":"root","nodeType":"^root","depth":null,"children":[)"
            R"({"id":"sys","nodeType":"^sys","depth":-1,"children":[)"
            R"({"id":"s","nodeType":"block","depth":-1,"ttl":3}]},)"
            R"({"id":"seq","nodeType":"^seq","depth":null,"children":[)"
            R"({"id":"t1","nodeType":"seg","depth":2,"children":[]},)"
            R"({"id":"t2","nodeType":"seg","depth":1,"children":[)"
            R"({"id":"a","nodeType":"block","depth":1},{"id":"b","nodeType":"block","depth":1},)"
            R"({"id":"c","nodeType":"block","depth":1}]}]},)"
            R"({"id":"ah","nodeType":"^ah","depth":0,"children":[]}]})");
}

TEST(ApplyDiff, PutsInAtPositionsOfTheFinalList) {
  EXPECT_EQ(Ids(Applied({.added = Node("x", "t2", 3) + "," + Node("y", "t2", 0)})),
            "root sys s seq t1 t2 y a b x c ah");
  EXPECT_EQ(Ids(Applied({.added = Node("x", "t2", 3)})), "root sys s seq t1 t2 a b c x ah");
  EXPECT_EQ(Ids(Applied({.added = Node("x", "t2", 0), .removed = Gone("a") + "," + Gone("c")})),
            "root sys s seq t1 t2 x b ah");
  EXPECT_EQ(Ids(Applied({.modified = Move("c", "t2", 0)})), "root sys s seq t1 t2 c a b ah");
  EXPECT_EQ(Ids(Applied({.modified = Move("a", "t1", 0) + "," + Move("s", "t1", 1)})),
            "root sys seq t1 a s t2 b c ah");
}

TEST(ApplyDiff, AMoveWithoutAParentStaysInItsList) {
  EXPECT_EQ(Ids(Applied({.modified = R"({"id":"a","new":{},"position":{"new":2}})"})),
            "root sys s seq t1 t2 b c a ah");
}

TEST(ApplyDiff, RefusesPlacesThatAreNotThere) {
  const auto refused = [](std::string_view id) {
    return "E_REQUEST_INVALID: there is no such position for '" + std::string(id) +
           "' {id=" + std::string(id) + "}";
  };
  EXPECT_EQ(Applied({.added = Node("x", "t2", 4)}), refused("x"));
  EXPECT_EQ(Applied({.added = Node("x", "t2", -1)}), refused("x"));
  EXPECT_EQ(Applied({.modified = Move("a", "t2", 3)}), refused("a"));
  EXPECT_EQ(Applied({.added = Node("x", "none", 0)}),
            "E_REQUEST_INVALID: the tree has no node 'none' {id=none}");
}

TEST(ApplyDiff, ANewNodeHasChildrenUnlessItIsALeaf) {
  for (const std::string_view leaf : {"", R"(,"leaf":false)", R"(,"leaf":true)"}) {
    const std::string tree = Applied(
        {.added = R"({"node":{"id":"x","parent_id":"ah"},"position":0)" + std::string(leaf) + "}"});
    EXPECT_EQ(Between(tree, R"({"id":"x")", "}"),
              leaf.ends_with("true") ? R"({"id":"x")" : R"({"id":"x","children":[])")
        << leaf;
  }
}

TEST(ApplyDiff, AChangeMakesALeafOfANodeAndANodeOfALeaf) {
  EXPECT_EQ(
      Between(Applied({.modified = R"({"id":"t1","new":{},"leaf":true})"}), R"({"id":"t1")", "}"),
      R"({"id":"t1","nodeType":"seg","depth":2)");
  EXPECT_EQ(
      Between(Applied({.modified = R"({"id":"s","new":{},"leaf":false})"}), R"({"id":"s")", "}"),
      R"({"id":"s","nodeType":"block","depth":-1,"ttl":3,"children":[])");
  EXPECT_EQ(Between(Applied({.modified = R"({"id":"t1","new":{}})"}), R"({"id":"t1")", "}"),
            R"({"id":"t1","nodeType":"seg","depth":2,"children":[])");
}

// Members of one node, with those that it gets.
std::string Members(std::string_view values) {
  return Between(Applied({.modified = Set("s", values)}), R"({"id":"s")", "}");
}

TEST(ApplyDiff, SetsValuesInTheOrderOfATree) {
  EXPECT_EQ(Members(R"("content_hash":"h","b":1,"a":2,"pinned":true,"content":"x","kind":"k",)"
                    R"("role":"r","priority":5,"offset":-1,"cycle":4,"created_at_ns":7,)"
                    R"("created_at_iso":"i","creation_index":6,"removable":false)"),
            R"({"id":"s","nodeType":"block","depth":-1,"offset":-1,"ttl":3,"priority":5,"cycle":4,)"
            R"("created_at_ns":7,"created_at_iso":"i","creation_index":6,"role":"r","kind":"k",)"
            R"("content":"x","removable":false,"pinned":true,"a":2,"b":1,"content_hash":"h")");
  EXPECT_EQ(Members(R"("attribute:parent":"p","ttl":9)"),
            R"({"id":"s","nodeType":"block","depth":-1,"ttl":9,"parent":"p")");
}

TEST(ApplyDiff, WhatIsNullIsShownAsATreeShowsWhatIsAbsent) {
  for (const std::string_view name : {"cycle", "created_at_iso"}) {
    EXPECT_EQ(
        Members("\"" + std::string(name) + "\":null"),
        R"({"id":"s","nodeType":"block","depth":-1,"ttl":3,")" + std::string(name) + "\":null");
  }
  EXPECT_EQ(Members(R"("ttl":null)"), R"({"id":"s","nodeType":"block","depth":-1,"ttl":null)");
  EXPECT_EQ(Members(R"("offset":null)"),
            R"({"id":"s","nodeType":"block","depth":-1,"offset":0,"ttl":3)");
  for (const std::string_view name : {"priority", "created_at_ns", "creation_index"}) {
    EXPECT_EQ(Members("\"" + std::string(name) + "\":null"),
              R"({"id":"s","nodeType":"block","depth":-1,"ttl":3,")" + std::string(name) + "\":0");
  }
  for (const std::string_view name : {"role", "kind", "content", "pinned", "removable", "other"}) {
    EXPECT_EQ(Members("\"" + std::string(name) + "\":null"),
              R"({"id":"s","nodeType":"block","depth":-1,"ttl":3)")
        << name;
  }
}

TEST(ApplyDiff, RefusesNodesThatAreNotThere) {
  EXPECT_EQ(Applied({.removed = Gone("x")}),
            "E_REQUEST_INVALID: the tree has no node 'x' to remove {id=x}");
  EXPECT_EQ(Applied({.removed = "5"}),
            "E_REQUEST_INVALID: the tree has no node '' to remove {id=}");
  EXPECT_EQ(Applied({.modified = Set("x", "")}),
            "E_REQUEST_INVALID: the tree has no node 'x' to change {id=x}");
  EXPECT_EQ(Applied({.modified = R"({"id":"s"})"}),
            "E_REQUEST_INVALID: the tree has no node 's' to change {id=s}");
  EXPECT_EQ(Applied({.modified = R"({"id":"s","new":5})"}),
            "E_REQUEST_INVALID: the tree has no node 's' to change {id=s}");
}

TEST(ApplyDiff, RefusesANodeTwice) {
  EXPECT_EQ(Applied({.added = Node("s", "ah", 0)}),
            "E_REQUEST_INVALID: the tree already has the node 's' {id=s}");
  EXPECT_EQ(Applied({.removed = Gone("s") + "," + Gone("s")}),
            "E_REQUEST_INVALID: the diff has the node 's' twice {id=s}");
  EXPECT_EQ(Applied({.removed = Gone("s"), .modified = Move("s", "ah", 0)}),
            "E_REQUEST_INVALID: the diff has the node 's' twice {id=s}");
  EXPECT_EQ(Applied({}, R"({"id":"root","children":[{"id":"a"},{"id":"a"}]})"),
            "E_REQUEST_INVALID: the tree already has the node 'a' {id=a}");
}

TEST(ApplyDiff, RemovedAndAddedAgainIsANewNode) {
  EXPECT_EQ(Ids(Applied({.added = Node("s", "ah", 0), .removed = Gone("s")})),
            "root sys seq t1 t2 a b c ah s");
}

TEST(ApplyDiff, TheRootMayBeAnother) {
  EXPECT_EQ(Applied({.removed = Gone("root")}), "E_REQUEST_INVALID: the diff leaves no root");
  const std::string root = R"({"node":{"id":"r","nodeType":"^root"},"position":0})";
  EXPECT_EQ(Applied({.added = root, .removed = Gone("root")}),
            R"({"id":"r","nodeType":"^root","depth":null,"children":[]})");
  EXPECT_EQ(Applied({.modified = Move("root", "ah", 0)}),
            "E_REQUEST_INVALID: the diff leaves no root");
}

TEST(ApplyDiff, RefusesWhatIsNoTree) {
  EXPECT_EQ(Applied({}, R"({"nodeType":"^root"})"),
            "E_REQUEST_INVALID: a node of the tree has no id");
  EXPECT_EQ(Applied({}, R"({"id":5})"), "E_REQUEST_INVALID: a node of the tree has no id");
  EXPECT_EQ(Applied({}, R"({"id":"r","children":{}})"),
            "E_REQUEST_INVALID: children must be an array");
  EXPECT_EQ(Applied({}, R"({"id":"r","children":[5]})"),
            "E_REQUEST_INVALID: a node of the tree has no id");
}

TEST(ApplyDiff, RefusesWhatIsNoDiff) {
  EXPECT_EQ(Applied({.added = R"({"node":{"id":"x"},"position":"0"})"}),
            "E_REQUEST_INVALID: an added component has a node and a position");
  EXPECT_EQ(Applied({.added = R"({"node":"x","position":0})"}),
            "E_REQUEST_INVALID: an added component has a node and a position");
  EXPECT_EQ(Applied({.added = "5"}),
            "E_REQUEST_INVALID: an added component has a node and a position");
  EXPECT_EQ(Applied({.modified = R"({"id":"a","new":{},"position":{}})"}),
            "E_REQUEST_INVALID: a position is a number");
  EXPECT_EQ(Applied({.modified = R"({"id":"a","new":{},"position":{"new":"0"}})"}),
            "E_REQUEST_INVALID: a position is a number");
}

}  // namespace
}  // namespace pactdb
