// Forks of a context that was opened from a store, and what neither has loaded when they part: both
// load it themselves, under numbers of their own.
#include <gtest/gtest.h>
#include <pactdb/database.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/contexts.h"
#include "support/folder.h"

namespace pactdb {
namespace {

using support::CodeOf;
using support::MainOf;
using support::Must;

using Ids = std::vector<std::string>;

class FarFork : public ::testing::Test {
 protected:
  void SetUp() override { Open(Access::kCreate); }

  void Open(Access access = Access::kWrite) {
    database_ = Database();
    database_ = Must(Database::Open(folder_.path("a.pactdb"), access));
  }
  Context& main() { return MainOf(database_); }
  Context& Fork(std::string_view of, std::string_view at, std::string_view name) {
    return *Must(database_.Fork(of, at, name));
  }

  support::Folder folder_;
  Database database_;
};

// A snapshot whose ^sys has siblings that only their ids put in order; "z" runs out.
constexpr std::string_view kTied =
    R"({"cycle":1,"root":{"id":"root","nodeType":"^root","children":[)"
    R"({"id":"sys","nodeType":"^sys","children":[)"
    R"({"id":"m","nodeType":"block","role":"system","content":"M"},)"
    R"({"id":"n","nodeType":"block","role":"system","content":"N"},)"
    R"({"id":"z","nodeType":"block","ttl":3,"role":"system","content":"Z"}]},)"
    R"({"id":"seq","nodeType":"^seq","children":[]},{"id":"ah","nodeType":"^ah","children":[]}]}})";

void CommitTurns(Context& context, int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    Must(context.Add(NodeSpec().Role("user").Text("x")));
    Must(context.Commit());
  }
}

TEST_F(FarFork, FindsSiblingsThatOnlyTheirIdsPutInOrder) {
  Must(main().ImportSnapshot(kTied));
  CommitTurns(main(), 30);
  Open();
  const Context& fork = Fork("main", "@t0", "f");
  for (const char* id : {"m", "n", "z"}) EXPECT_EQ(CodeOf(fork.Get(id, "@c2")), "ok") << id;
  EXPECT_EQ(Must(fork.Select("@c2 #n")), Ids{"n"});
  EXPECT_EQ(Must(fork.Tree("@c2")), Must(main().Tree("@c2")));
  const std::string range = "@c2..@c8 ^sys .block";
  EXPECT_EQ(Must(fork.SelectRange(range)), Must(main().SelectRange(range)));
}

TEST_F(FarFork, OfAFarSnapshotRendersAsItsOriginDoes) {
  CommitTurns(main(), 30);
  Open();
  Options options = main().options();
  options.render_cache_bytes = 12'345;
  Must(main().Configure(options));
  Must(main().At("@c3"));
  const Context& fork = Fork("main", "@c3", "f");
  EXPECT_EQ(fork.options().render_cache_bytes, 12'345u);
  EXPECT_EQ(fork.render_cache(), main().render_cache());
}

TEST_F(FarFork, OfAForkMakesTheIdsThatItWouldHaveMadeThere) {
  CommitTurns(main(), 30);
  Open();
  Context& fork = Fork("main", "@t-8", "f");
  // Loaded by the fork; what its origin has of the cycle behind it is no part of it.
  Context& other = Fork("f", "@t-1", "g");
  EXPECT_EQ(Must(other.Add(NodeSpec().Text("y"))).id, "block:22.1");
  EXPECT_EQ(Must(other.Commit()).sealed, "seg:22");
  EXPECT_EQ(Must(fork.Get("block:22.1", "@t0")), Must(main().Get("block:22.1", "@c22")));
}

TEST_F(FarFork, NamesTheNodesThatBreakAPrefix) {
  for (int turn = 1; turn <= 30; ++turn) {
    const std::string number = std::to_string(turn);
    Must(main().Add(NodeSpec().Role("user").Text("turn " + number)));
    Must(main().Add(NodeSpec().Id("group" + number).Type("cont").Offset(1).Ttl(2)));
    Must(main().Add(NodeSpec().Id("gone" + number).Role("user").Text("soon gone"),
                    {.parent = "group" + number, .mark = std::nullopt}));
    Must(main().Commit());
  }
  Open();
  Context& fork = Fork("main", "@t0", "f");
  Must(fork.Add(NodeSpec().Role("user").Text("on")));
  Must(main().Add(NodeSpec().Role("user").Text("on")));
  const auto answers = [](const Context& context) {
    std::vector<std::string> lines;
    for (const auto& [from, to] : std::vector<std::pair<const char*, const char*>>{
             {"@t-5", "@t0"}, {"@t-20", "@t0"}, {"@t-20", "@t-15"}, {"@t-4", "working"}})
      lines.push_back(Must(context.Cache({.from = from, .to = to})));
    lines.push_back(Must(context.Cache({})));
    return lines;
  };
  // The fork first: its origin has loaded none of them yet.
  const std::vector<std::string> forks = answers(fork);
  EXPECT_EQ(forks, answers(main()));
}

TEST_F(FarFork, HasNoOtherNodesWhereBothHaveLoadedTheSnapshot) {
  for (int turn = 1; turn <= 30; ++turn) {
    Must(main().Add(NodeSpec().Role("user").Text("turn")));
    Must(main().Add(NodeSpec().Id("doc" + std::to_string(turn)).Offset(1).Ttl(2).Text("doc")));
    Must(main().Commit());
  }
  Open();
  const Context& fork = Fork("main", "@t0", "f");
  const Context& other = Fork("f", "@t-1", "g");
  const std::vector<const Context*> all = {&main(), &fork, &other};
  const std::vector<std::string> snapshots = {"@c2", "@c5", "@c20", "@c24", "@c26", "@c29"};
  for (const Context* a : all) {
    for (const Context* b : all) {
      for (const std::string& at : snapshots) {
        EXPECT_EQ(Must(a->Diff(at, *b, at)), R"({"added":[],"removed":[],"changed":[]})") << at;
        for (const DiffOptions& options : {DiffOptions{}, DiffOptions{.selector = ".block"}}) {
          EXPECT_EQ(Must(a->Diff(at, *b, "@c26", options)),
                    Must(main().Diff(at, main(), "@c26", options)))
              << at;
        }
      }
    }
  }
}

// What each has made since is its own, though it has the id and the place of the other's.
TEST_F(FarFork, HasItsOwnNodesWhereBothHaveGoneOn) {
  for (int turn = 1; turn <= 30; ++turn) {
    Must(main().Add(NodeSpec().Role("user").Text("turn")));
    Must(main().Add(NodeSpec().Id("doc" + std::to_string(turn)).Offset(1).Ttl(4).Text("doc")));
    Must(main().Commit());
  }
  Open();
  Fork("main", "@t-6", "f");
  Context& other = Fork("f", "@t-1", "g");
  for (Context* branch : {&main(), &other}) {
    Must(branch->Add(NodeSpec().Id("own").Text("own")));
    Must(branch->Commit());
  }
  const std::string together = Must(main().Diff("@t0", other, "@t0", {.detail = true}));
  EXPECT_NE(together.find(R"("added":["seg:24","cont:24.0","own",)"), std::string::npos)
      << together;
  const std::string selected = Must(main().Diff("@t-20", other, "@t0", {.selector = "*"}));
  Open();
  const Context& again = *Must(database_.Find("g"));
  EXPECT_EQ(Must(main().Diff("@t0", again, "@t0", {.detail = true})), together);
  EXPECT_EQ(Must(main().Diff("@t-20", again, "@t0", {.selector = "*"})), selected);
}

}  // namespace
}  // namespace pactdb
