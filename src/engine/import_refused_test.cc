// Exports that are not as docs/format/export.md says are refused at the byte where the fault is,
// and leave nothing behind; null in a document means what leaving the member out means.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/contexts.h"
#include "support/error_text.h"

namespace pactdb {
namespace {

using support::ErrorText;
using support::Must;
using support::NewContext;

constexpr std::size_t kShown = 14;

// Replaces the last occurrence.
std::string Changed(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.rfind(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Two commits: a group with two blocks, of which one expires; then a block.
std::string History() {
  Context context = NewContext();
  Must(context.Add(support::Group("g", 1)));
  Must(context.Add(support::Block("a", "one"), {.parent = "g"}));
  Must(context.Add(support::Block("b", "two").Ttl(1), {.parent = "g"}));
  Must(context.Commit());
  Must(context.Add(support::Block("c", "three")));
  Must(context.Commit());
  return Must(context.Export({.history = true}));
}

std::string StateOf(const Context& context) {
  return context.tree_sha256() + Must(context.Log()) + std::to_string(context.open_cycle());
}

// "message @ what stands at pos"; "ok" if it was taken. What is refused must leave no trace.
std::string Refusal(const std::string& document, bool strict = false) {
  Context context = NewContext();
  Must(context.Add(support::Block("kept", "x")));
  const std::string before = StateOf(context);
  const auto result = context.ImportSnapshot(document, strict);
  if (result) return "ok";
  EXPECT_EQ(StateOf(context), before) << ErrorText(result);
  Must(context.Update("kept", NodeSpec().Text("y")));
  EXPECT_EQ(context.Verify(), support::VerifyOk());
  const Error& error = result.error();
  if (error.code() != ErrorCode::kImportInvalid) return ErrorText(error);
  for (const Error::Detail& detail : error.details()) {
    if (detail.name == "pos") {
      const auto pos = static_cast<std::size_t>(detail.number);
      return error.message() + " @ " + document.substr(std::min(pos, document.size()), kShown);
    }
  }
  return error.message();
}

struct Case {
  std::string_view from;
  std::string_view to;
  std::string_view refusal;
};

// Changes to the history above.
constexpr Case kHistoryChanges[] = {
    {R"("commits":[{"cycle":1)", R"("commits":[7,{"cycle":1)",
     R"(a part of a commit is an object @ 7,{"cycle":1,")"},
    {R"("commits":[{)", R"("commits":7,"x":[{)",
     R"(a history document lists its commits @ {"spec_version)"},
    {R"({"cycle":2,)", R"({)", R"(a part of a commit names its cycle @ {"sealed":"seg)"},
    {R"({"cycle":2,)", R"({"cycle":"2",)",
     R"(a part of a commit names its cycle @ {"cycle":"2",")"},
    {R"({"cycle":2,)", R"({"cycle":2.5,)",
     R"(a part of a commit names its cycle @ {"cycle":2.5,")"},
    {R"({"cycle":2,)", R"({"cycle":1,)",
     R"(cycle must be an integer not below the open cycle 2 @ 1,"sealed":"se)"},
    {R"({"cycle":2,)", R"({"cycle":2,"mood":1,)",
     R"(version 1 of the export knows no 'mood' @ 1,"sealed":"se)"},
    {R"("whole":true)", R"("whole":false)", R"(whole is true or not there @ false,"sealed")"},
    {R"("whole":true)", R"("whole":1)", R"(whole is true or not there @ 1,"sealed":"se)"},
    {R"("whole":true,)", "", R"(the first commit of a history must be whole @ {"cycle":1,"se)"},
    {R"("sealed":"seg:2")", R"("sealed":2)", R"(sealed is the id of a turn @ 2,"taken":[["b)"},
    {R"("sealed":"seg:2")", R"("sealed":"seg:3")",
     R"(sealed names no turn of the commit @ {"cycle":2,"se)"},
    {R"("sealed":"seg:2")", R"("sealed":"a")",
     R"(sealed names no turn of the commit @ {"cycle":2,"se)"},
    {R"("sealed":"seg:2",)", "", R"(a commit that seals no turn must be whole @ {"cycle":2,"ta)"},
    {R"("taken":[["b","expired"]])", R"("taken":7)", R"(taken is a list @ 7,"removed":[")"},
    {R"("taken":[["b","expired"]])", R"("taken":[7])",
     R"(taken lists an id, a cause and perhaps an id @ 7],"removed":[)"},
    {R"("taken":[["b","expired"]])", R"("taken":[["b"]])",
     R"(taken lists an id, a cause and perhaps an id @ ["b"]],"remove)"},
    {R"("taken":[["b","expired"]])", R"("taken":[["","expired"]])",
     R"(taken names nodes by their ids @ "","expired"]])"},
    {R"("taken":[["b","expired"]])", R"("taken":[["b",7]])",
     R"(taken knows no such cause @ 7]],"removed":)"},
    {R"("taken":[["b","expired"]])", R"("taken":[["b","bored"]])",
     R"(taken knows no such cause @ "bored"]],"rem)"},
    {R"("taken":[["b","expired"]])", R"("taken":[["b","expired",7]])",
     R"(taken names nodes by their ids @ 7]],"removed":)"},
    {R"("removed":["b"])", R"("removed":"b")",
     R"(removed lists what the commit before had @ "b","set":[{"p)"},
    {R"("removed":["b"])", R"("removed":[7])", R"(removed lists ids @ 7],"set":[{"pa)"},
    {R"("removed":["b"])", R"("removed":["z"])",
     R"(the node 'z' cannot be removed: it is not there @ {"cycle":2,"se)"},
    {R"("removed":["b"])", R"("removed":["b","b"])",
     R"(the node 'b' cannot be removed: it is named twice @ {"cycle":2,"se)"},
    {R"("removed":["b"])", R"("removed":["b","ah"])",
     R"(the node 'ah' cannot be removed: it is a fixed container @ {"cycle":2,"se)"},
    {R"("removed":["b"])", R"("removed":["b","c"])",
     R"(the node 'c' cannot be removed: the commit has it @ {"cycle":2,"se)"},
    {R"("removed":["b"])", R"("removed":["b","g"])",
     R"(the node 'g' cannot be removed: what it holds is not removed @ {"cycle":2,"se)"},
    {R"("whole":true,)", R"("whole":true,"removed":[],)",
     R"(removed lists what the commit before had @ [],"sealed":"s)"},
    {R"("set":[{"parent":"seq")", R"("tags":7,"set":[{"parent":"seq")",
     R"(tags is a list @ 7,"set":[{"par)"},
    {R"("set":[{"parent":"seq")", R"("tags":[7],"set":[{"parent":"seq")",
     R"(tags lists names for the snapshot @ 7],"set":[{"pa)"},
    {R"("set":[{"parent":"seq")", R"("tags":["@t0"],"set":[{"parent":"seq")",
     R"(tags lists names for the snapshot @ "@t0"],"set":[)"},
    {R"("set":[{"parent":"seq")", R"("tags":["x","x"],"set":[{"parent":"seq")",
     R"(the tag 'x' is there already @ "x"],"set":[{")"},
    {R"("set":[{"parent":"seq")", R"("set":{"x":1},"more":[{"parent":"seq")",
     R"(set is a list of nodes @ {"x":1},"more")"},
    {R"("set":[{"parent":"seq")", R"("set":[7,{"parent":"seq")",
     R"(set lists objects @ 7,{"parent":"s)"},
    {R"("set":[{"parent":"seq")", R"("set":[{"parent":7)",
     R"(an entry of set has a parent, a node and perhaps a note @ 7,"node":{"id")"},
    {R"("set":[{"parent":"seq")", R"("set":[{"parent":"seq","mood":1)",
     R"(an entry of set has a parent, a node and perhaps a note @ 1,"node":{"id")"},
    {R"("set":[{"parent":"seq")", R"("set":[{"parent":"seq"},{"parent":"seq")",
     R"(an entry of set without a node @ {"parent":"seq)"},
    {R"("set":[{"parent":"seq")", R"("set":[{"note":7,"parent":"seq")",
     R"(a note must be an object @ 7,"parent":"se)"},
    {R"("set":[{"parent":"seq")", R"("set":[{"parent":"nobody")",
     R"(the parent 'nobody' is not there or holds no children @ {"id":"seg:2",)"},
    {R"("set":[{"parent":"seq")", R"("set":[{"parent":"a")",
     R"(the parent 'a' is not there or holds no children @ {"id":"seg:2",)"},
    {R"("set":[{"parent":"seq")", R"("set":[{"parent":"seq","node":7},{"parent":"seq")",
     R"(a node must be an object @ 7},{"parent":")"},
    {R"("set":[{"parent":"seq")", R"("set":[{"node":{"id":"root2"}},{"parent":"seq")",
     R"(a second region of a kind @ {"id":"root2"})"},
    {R"("set":[{"parent":"seq")",
     R"("set":[{"parent":"root","node":{"id":"ah2","nodeType":"^ah"}},{"parent":"seq")",
     R"(a second region of a kind @ {"id":"ah2","n)"},
    {R"("set":[{"parent":"seq")",
     R"("set":[{"parent":"seg:1","node":{"id":"a","nodeType":"cont"}},{"parent":"seq")",
     R"(the node 'a' cannot become another type @ {"id":"a","nod)"},
    {R"("set":[{"parent":"seq")",
     R"("set":[{"parent":"root","node":{"id":"ah","nodeType":"^ah","offset":5}},{"parent":"seq")",
     R"(the tree of cycle 2 is not the one whose hash the document states @ "27e72c0ef3ba6)"},
    {R"("set":[{"parent":"seq")",
     R"("set":[{"parent":"g","node":{"id":"g","nodeType":"cont"}},{"parent":"seq")",
     R"(a node would lie inside itself @ {"id":"g","nod)"},
    {R"("set":[{"parent":"seq")",
     R"("set":[{"parent":"seq","node":{"id":"seg:9","nodeType":"seg"},"note":{"place":3}})"
     R"(,{"parent":"seq")",
     R"(a place in a listing comes with a whole tree @ {"id":"seg:9",)"},
    {R"("set":[{"parent":"seq")",
     R"("set":[{"parent":"g","node":{"id":"a","nodeType":"block"}})"
     R"(,{"parent":"g","node":{"id":"a","nodeType":"block"}},{"parent":"seq")",
     R"(the id 'a' comes twice @ {"id":"a","nod)"},
    {R"("tree_sha256":)", R"("more":false,"tree_sha256":)",
     R"(more is true or not there @ false,"tree_sh)"},
    {R"("tree_sha256":)", R"("more":1,"tree_sha256":)",
     R"(more is true or not there @ 1,"tree_sha256)"},
    {R"("tree_sha256":)", R"("more":true,"tree_sha256":)",
     R"(the history ends after 1 of 2 commits @ [{"cycle":1,"w)"},
    {R"("commits":2)", R"("commits":3)",
     R"(the history ends after 2 of 3 commits @ [{"cycle":1,"w)"},
    {R"("commits":2)", R"("commits":"2")",
     R"(a history says how many commits it has @ {"export":1,"k)"},
    {R"("commits":2)", R"("commits":-1)",
     R"(a history says how many commits it has @ {"export":1,"k)"},
    {R"(,"commits":2)", "", R"(a history says how many commits it has @ {"export":1,"k)"},
    {R"("kind":"history")", R"("kind":7)",
     R"(an export's kind is snapshot or history @ {"export":1,"k)"},
    {R"("kind":"history",)", "", R"(an export's kind is snapshot or history @ {"export":1,"d)"},
    {R"("dialect":"canonical")", R"("dialect":"latin")", R"(an unknown dialect @ "latin","commi)"},
    {R"("dialect":"canonical")", R"("dialect":7)", R"(an unknown dialect @ 7,"commits":2})"},
};

TEST(ImportRefused, APartOfAHistoryOfAnotherShape) {
  const std::string history = History();
  ASSERT_EQ(Refusal(history), "ok");
  for (const Case& each : kHistoryChanges) {
    EXPECT_EQ(Refusal(Changed(history, each.from, each.to)), each.refusal)
        << each.from << "  " << each.to;
  }
}

TEST(ImportRefused, ATagThatTheContextHasForAnother) {
  Context source = NewContext();
  Must(source.ImportSnapshot(R"({"cycle":5,"root":{"id":"root"}})"));
  Must(source.Tag("free", "@t0"));
  Must(source.Tag("taken", "@t0"));
  const std::string history = Must(source.Export({.history = true}));
  Context context = NewContext();
  Must(context.Commit());
  Must(context.Tag("taken", "@t0"));
  const std::string before = StateOf(context);
  const auto refused = context.ImportSnapshot(history);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::kImportInvalid);
  EXPECT_EQ(refused.error().message(), "the tag 'taken' is there already");
  EXPECT_EQ(StateOf(context), before) << "nor is the other one there";
  Must(context.RemoveTag("taken"));
  Must(context.ImportSnapshot(history));
  EXPECT_EQ(Must(context.At("taken")).cycle(), 5);
}

// From the last `,"tree_sha256":` up to the end of its value.
std::string WithoutHash(const std::string& text, std::string_view instead) {
  const std::size_t at = text.rfind(R"(,"tree_sha256":")");
  return text.substr(0, at) + std::string(instead) + text.substr(at + 81);
}

TEST(ImportRefused, ACommitWithoutItsHash) {
  const std::string wanted = R"(a commit states its tree_sha256 @ {"cycle":2,"se)";
  EXPECT_EQ(Refusal(WithoutHash(History(), "")), wanted);
  EXPECT_EQ(Refusal(WithoutHash(History(), R"(,"tree_sha256":7)")), wanted);
}

TEST(ImportRefused, ACommitInPartsIsOneCommit) {
  const std::string history = History();
  const std::string parts =
      Changed(history, R"(,"tree_sha256":)", R"(,"more":true},{"cycle":2,"set":[],"tree_sha256":)");
  Context whole = NewContext();
  Context parted = NewContext();
  Must(whole.ImportSnapshot(history));
  Must(parted.ImportSnapshot(parts));
  EXPECT_EQ(Must(parted.Export({.history = true})), Must(whole.Export({.history = true})));
  EXPECT_EQ(Refusal(Changed(parts, R"({"cycle":2,"set":[])", R"({"cycle":3,"set":[])")),
            R"(the commit of cycle 2 is not complete @ 3,"set":[],"tr)");
}

// A history of one whole commit whose entries are these.
std::string Whole(std::string_view entries) {
  std::string text =
      R"({"pactdb":{"export":1,"kind":"history","commits":1},"commits":[{"cycle":1,"whole":true)";
  text += R"(,"set":[)";
  text += entries;
  return text + R"(],"tree_sha256":"00"}]})";
}

TEST(ImportRefused, AWholeTreeWhoseEntriesDoNotHang) {
  const std::string root = R"({"node":{"id":"r"}})";
  const std::string sys = R"(,{"parent":"r","node":{"id":"s","nodeType":"^sys"}})";
  const std::string block = R"(,{"parent":"s","node":{"id":"x","nodeType":"block"}})";
  EXPECT_EQ(Refusal(Whole("")), R"(the snapshot has no root @ {"cycle":1,"wh)");
  EXPECT_EQ(Refusal(Whole(root + "," + root)),
            R"(a second node without a parent @ {"id":"r"}}],")");
  EXPECT_EQ(Refusal(Whole(root + sys + block + R"(,{"parent":"x","node":{"id":"y"}})")),
            R"(a block holds no children @ {"id":"y"}}],")");
  EXPECT_EQ(Refusal(Whole(root + R"(,{"parent":"t","node":{"id":"y"}})")),
            R"(the parent 't' does not stand before the node @ {"id":"y"}}],")");
  // A tree that hangs fails by its hash alone.
  EXPECT_EQ(Refusal(Whole(root + sys + block)),
            R"(the tree of cycle 1 is not the one whose hash the document states @ "00"}]})");
}

TEST(ImportRefused, AChangeThatMakesTheTreeTooDeep) {
  std::string entries;
  std::string parent = "g";
  for (int level = 0; level < 130; ++level) {
    const std::string id = "n" + std::to_string(level);
    entries += R"({"parent":")" + parent + R"(","node":{"id":")" + id + R"(","nodeType":"cont"}},)";
    parent = id;
  }
  EXPECT_EQ(Refusal(Changed(History(), R"("set":[{"parent":"seq")",
                            R"("set":[)" + entries + R"({"parent":"seq")")),
            "E_LIMIT_EXCEEDED: the document is over the limit tree_depth of 128 "
            "{limit=tree_depth max=128}");
}

TEST(ImportHistory, AnotherVersionOfPactIsReadWithAWarning) {
  const auto warnings = [](std::string_view version) {
    Context context = NewContext();
    return Must(context.ImportSnapshot(Changed(History(), R"("PACT/0.1.0")", version))).warnings;
  };
  EXPECT_EQ(warnings(R"("PACT/7")"), std::vector<std::string>{"spec_version is not one of PACT/0"});
  EXPECT_EQ(warnings(R"("PACT/0")"), std::vector<std::string>{});
  EXPECT_EQ(warnings("null"), std::vector<std::string>{});
}

// --- one snapshot ---

std::string Snapshot(std::string_view node, std::string_view marks = "") {
  std::string text =
      R"({"root":{"id":"root","children":[{"id":"sys","nodeType":"^sys","children":[)";
  text += node;
  text += R"(]}]},"pactdb":{"export":1,"kind":"snapshot")";
  text += marks;
  return text + "}}";
}

TEST(ImportRefused, AMemberOfANodeOfAnotherType) {
  const std::vector<Case> cases = {
      {"id", "7", "id must be a string"},
      {"id", R"("")", "id must be a string that is not empty"},
      {"nodeType", "7", "nodeType must be a string"},
      {"offset", R"("1")", "offset must be a 64-bit integer"},
      {"ttl", "-1", "ttl must be a whole number of cycles, zero or more"},
      {"priority", "1.5", "priority must be a 64-bit integer"},
      {"cycle", "[]", "cycle must be a 64-bit integer"},
      {"created_at_ns", "true", "created_at_ns must be a 64-bit integer"},
      {"created_at_iso", "7", "created_at_iso must be a string"},
      {"creation_index", R"("0")", "creation_index must be a 64-bit integer"},
      {"role", "7", "role must be a string"},
      {"kind", "[]", "kind must be a string"},
      {"removable", "1", "removable must be true or false"},
      {"pinned", R"("yes")", "pinned must be true or false"},
      {"key", "7", "key must be a string"},
      {"mime", "7", "mime must be a string"},
      {"encoding", "{}", "encoding must be a string"},
      {"tags", R"("t")", "tags must be an array of strings"},
      {"tags", R"(["t",7])", "tags must be an array of strings"},
      {"refs", R"([7,"t"])", "refs must be an array of strings"},
      {"cad", R"("x")", "cad must be a 64-bit integer"},
      {"cad", "0", "cad must be a whole number of cycles, one or more"},
      {"children", "{}", "children must be an array"},
  };
  for (const Case& each : cases) {
    const std::string member = "\"" + std::string(each.from) + "\":" + std::string(each.to);
    const std::string id = each.from == "id" ? "" : R"("id":"x",)";
    const std::string document = Snapshot("{" + id + member + "}");
    EXPECT_EQ(Refusal(document),
              std::string(each.refusal) + " @ " +
                  document.substr(document.find(member) + each.from.size() + 3, kShown))
        << member;
  }
}

TEST(ImportSnapshot, NullIsAMemberThatIsNotThere) {
  const auto hash = [](std::string_view members) {
    Context context = NewContext();
    Must(context.ImportSnapshot(Snapshot(R"({"id":"x")" + std::string(members) + "}")));
    return context.tree_sha256();
  };
  const std::string bare = hash("");
  for (const char* name :
       {"nodeType", "offset", "priority", "cycle", "created_at_ns", "created_at_iso",
        "creation_index", "role", "kind", "removable", "pinned", "key", "mime", "encoding", "tags",
        "refs", "provenance", "cad", "children"})
    EXPECT_EQ(hash(",\"" + std::string(name) + "\":null"), bare) << name;
  // A ttl of null is said: the node has one and it never ends. Content is any value.
  EXPECT_NE(hash(R"(,"ttl":null)"), bare);
  EXPECT_NE(hash(R"(,"content":null)"), bare);
  // A name that is longer than those known is an attribute like any other.
  EXPECT_NE(hash(R"(,"an_attribute_of_a_long_name":1)"), bare);
  EXPECT_EQ(Refusal(Snapshot(R"({"id":null})")), R"(a node without an id @ {"id":null}]}])");
}

TEST(ImportRefused, ANodeOverALimit) {
  EXPECT_EQ(Refusal(Snapshot(R"({"id":")" + std::string(512, 'i') + "\"}")), "ok");
  EXPECT_EQ(Refusal(Snapshot(R"({"id":")" + std::string(513, 'i') + "\"}")),
            "E_LIMIT_EXCEEDED: the document is over the limit id_bytes of 512 {limit=id_bytes "
            "max=512}");
  EXPECT_EQ(Refusal(Snapshot(R"({"id":"x","key":")" + std::string(256, 'k') + "\"}")), "ok");
  EXPECT_EQ(Refusal(Snapshot(R"({"id":"x","key":")" + std::string(257, 'k') + "\"}")),
            "E_LIMIT_EXCEEDED: the document is over the limit key_bytes of 256 {limit=key_bytes "
            "max=256}");
  std::string many = R"({"id":"x")";
  for (int i = 0; i < 256; ++i) many += ",\"data_" + std::to_string(i) + "\":1";
  EXPECT_EQ(Refusal(Snapshot(many + "}")), "ok");
  EXPECT_EQ(Refusal(Snapshot(many + R"(,"data_x":1})")),
            "E_LIMIT_EXCEEDED: the document is over the limit attributes of 256 {limit=attributes "
            "max=256}");
}

TEST(ImportRefused, ATypeThatDoesNotStandThere) {
  EXPECT_EQ(Refusal(R"({"root":{"nodeType":"cont"}})"),
            R"(the root's nodeType is ^root @ {"nodeType":"c)");
  EXPECT_EQ(Refusal(R"({"root":{"children":[{"id":"r","nodeType":"^root"}]}})"),
            R"(regions stand under the root, and nothing else does @ {"id":"r","nod)");
  EXPECT_EQ(Refusal("[]"), "a snapshot document is an object @ []");
}

TEST(ImportRefused, MarksAndNotesOfAnotherShape) {
  const std::string node = R"({"id":"x","ttl":0})";
  const std::vector<Case> cases = {
      {"", R"(,"state":7)", R"(an unknown state @ 7}})"},
      {"", R"(,"state":"asleep")", R"(an unknown state @ "asleep"}})"},
      {"", R"(,"tree_sha256":7)", R"(tree_sha256 must be a string @ 7}})"},
      {"", R"(,"notes":[])", R"(notes must be an object @ []}})"},
      {"", R"(,"notes":{"x":7})", R"(a note must be an object @ 7}}})"},
      {"", R"(,"notes":{"x":{"overdue":0}})",
       R"(version 1 of the export has no such note: overdue @ 0}}}})"},
      {"", R"(,"notes":{"x":{"overdue":"1"}})",
       R"(version 1 of the export has no such note: overdue @ "1"}}}})"},
      {"", R"(,"notes":{"x":{"overdue":3}})",
       R"(a node cannot be overdue since before time began @ {"id":"x","ttl)"},
      {"", R"(,"notes":{"x":{"overdue":2}})", "ok"},
      {"", R"(,"notes":{"x":{"place":-1}})",
       R"(version 1 of the export has no such note: place @ -1}}}})"},
      {"", R"(,"notes":{"x":{"place":"1"}})",
       R"(version 1 of the export has no such note: place @ "1"}}}})"},
      {"", R"(,"notes":{"x":{"shown_type":7}})",
       R"(version 1 of the export has no such note: shown_type @ 7}}}})"},
      {"", R"(,"notes":{"x":{"lists_children":0}})",
       R"(version 1 of the export has no such note: lists_children @ 0}}}})"},
  };
  for (const Case& each : cases)
    EXPECT_EQ(Refusal(Snapshot(node, each.to)), each.refusal) << each.to;
}

}  // namespace
}  // namespace pactdb
