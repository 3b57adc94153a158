// Snapshots far back in a file: they say what they said, in whatever order they are asked for, and
// are reached without those between.
#include <gtest/gtest.h>
#include <pactdb/database.h>
#include <pactdb/ext/store.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/context_impl.h"
#include "engine/keeper.h"
#include "engine/store_session.h"
#include "model/history.h"
#include "support/contexts.h"
#include "support/failing_store.h"
#include "support/folder.h"
#include "support/random.h"
#include "support/scale.h"
#include "support/sessions.h"

namespace pactdb {
namespace {

using support::CodeOf;
using support::FailingStore;
using support::MainOf;
using support::Must;
using support::Random;
using support::Session;
using support::StoreFault;

std::string Cycle(std::size_t cycle) {
  return "@c" + std::to_string(cycle);
}

// A store in memory, opened as often as the test likes, that counts what is asked of it.
class Counted {
 public:
  Database Open() { return Must(Database::Over(std::make_unique<FailingStore>(store_, fault_))); }
  std::shared_ptr<ContextImpl> OpenMain() {
    const auto session =
        std::make_shared<StoreSession>(std::make_unique<FailingStore>(store_, fault_));
    StoredContext stored = Must(session->store().FindContext("main")).value();
    return Must(
        ContextImpl::Open(std::make_unique<Keeper>(session, std::move(stored)), SystemHost()));
  }
  int calls() const { return fault_->calls; }

 private:
  std::shared_ptr<Store> store_ = MakeMemoryStore();
  std::shared_ptr<StoreFault> fault_ = std::make_shared<StoreFault>();
};

void CommitTurns(Context& context, int turns) {
  Must(context.Configure(support::SteppedOptions()));
  for (int turn = 1; turn <= turns; ++turn) {
    const std::string text = std::to_string(turn);
    Must(context.Add(NodeSpec().Key("k" + text).Tags({"t"}).Text("question " + text)));
    Must(context.Add(NodeSpec().Offset(-1).Ttl(3).Key("doc").Text("document " + text)));
    Must(context.Commit());
  }
}

TEST(FarSnapshot, IsReachedWithoutThoseBetween) {
  Counted store;
  {
    Database database = store.Open();
    CommitTurns(MainOf(database), 400);
  }
  for (const std::size_t cycle : {1, 2, 100, 200, 300}) {
    SCOPED_TRACE(cycle);
    Database database = store.Open();
    const Context& main = MainOf(database);
    int before = store.calls();
    EXPECT_EQ(Must(main.At(Cycle(cycle))).cycle(), static_cast<std::int64_t>(cycle));
    // Its root, the chunks on the way to its newest turns, and these.
    EXPECT_LT(store.calls() - before, 40);
    before = store.calls();
    EXPECT_EQ(Must(main.At(Cycle(cycle))).cycle(), static_cast<std::int64_t>(cycle));
    EXPECT_EQ(store.calls(), before) << "it is kept";
  }
}

// Whatever an operation reads, it begins by letting go of what earlier ones went far for: here of
// a snapshot that was loaded with its neighbours since.
TEST(FarSnapshot, GoesWhicheverOperationComesNext) {
  Counted store;
  {
    Database database = store.Open();
    CommitTurns(MainOf(database), 60);
    Must(MainOf(database).Tag("named", "@c30"));
  }
  const std::string at = "@c30";
  const auto is_done = [](const auto& result) { return result.has_value(); };
  const std::vector<std::pair<std::string, std::function<bool(ContextImpl&)>>> operations = {
      {"get", [&](ContextImpl& of) { return is_done(of.Get("root", at)); }},
      {"tree", [&](ContextImpl& of) { return is_done(of.Tree(at, std::nullopt)); }},
      {"render", [&](ContextImpl& of) { return is_done(of.Render({.at = at})); }},
      {"serialize", [&](ContextImpl& of) { return is_done(of.Serialize(at)); }},
      {"tokens", [&](ContextImpl& of) { return is_done(of.Tokens({.at = at})); }},
      {"check", [&](ContextImpl& of) { return is_done(of.Check({.at = at})); }},
      {"lint", [&](ContextImpl& of) { return is_done(of.Lint({.at = at})); }},
      {"export",
       [&](ContextImpl& of) {
         std::string bytes;
         StringSink sink(bytes);
         return is_done(of.Export({.at = at}, HistoryForm::kDocument, sink));
       }},
      {"export of the history",
       [&](ContextImpl& of) {
         std::string bytes;
         StringSink sink(bytes);
         return is_done(of.Export({.at = at, .history = true}, HistoryForm::kDocument, sink));
       }},
      {"select", [&](ContextImpl& of) { return is_done(of.Select("#root", {.snapshot = at})); }},
      {"range",
       [&](ContextImpl& of) { return is_done(of.SelectRange("@c30..@c31 .block", {}, {})); }},
      {"diff", [&](ContextImpl& of) { return is_done(of.Diff({of, at}, {of, "@c31"}, {})); }},
      {"cache", [&](ContextImpl& of) { return is_done(of.Cache({.from = at, .to = "@c31"})); }},
      {"fork", [&](ContextImpl& of) { return is_done(of.Fork(at)); }},
      {"fork in the store", [&](ContextImpl& of) { return is_done(of.ForkAs("fork", at)); }},
      {"tag", [&](ContextImpl& of) { return is_done(of.SetTag("again", at)); }},
      {"remove a tag", [&](ContextImpl& of) { return is_done(of.RemoveTag("named", at)); }}};
  for (const auto& [name, run] : operations) {
    SCOPED_TRACE(name);
    const auto context = store.OpenMain();
    const History& history = *context->history();
    Must(context->Get("root", "@c20"));
    Must(history.Need(10));
    ASSERT_GT(history.far_nodes(), 0u);
    EXPECT_TRUE(run(*context));
    EXPECT_EQ(history.far_nodes(), 0u);
  }
}

// What a list shares with that of the newest snapshot is known while a long one inside it is
// loaded.
TEST(FarSnapshot, IsReachedThroughALongListInALongList) {
  constexpr int kTurns = 1'100;
  Counted store;
  {
    Database database = store.Open();
    Context& main = MainOf(database);
    for (int turn = 1; turn <= kTurns; ++turn) {
      for (int block = 0; turn == 50 && block < kTurns; ++block) Must(main.Add(NodeSpec()));
      if (turn == 50) Must(main.Add(NodeSpec().Ttl(kTurns - 100)));
      Must(main.Add(NodeSpec().Role("user").Text("x")));
      Must(main.Commit());
    }
  }
  Database database = store.Open();
  const Context& main = MainOf(database);
  const int before = store.calls();
  EXPECT_EQ(Must(main.At("@c1000")).turn_count(), 1'000u);
  EXPECT_LT(store.calls() - before, 100);
}

// A range goes straight to its newest snapshot, and from there costs what its commits changed.
TEST(FarSnapshot, OfARangeIsReachedFromTheNextOne) {
  const auto calls = [](int newest, int oldest) {
    Counted store;
    {
      Database database = store.Open();
      Context& main = MainOf(database);
      Options options = support::SteppedOptions();
      options.policy = Policy{.max_turns = 120};
      Must(main.Configure(options));
      for (int turn = 1; turn <= 400; ++turn) {
        Must(main.Add(NodeSpec().Key("k").Text(std::to_string(turn))));
        Must(main.Commit());
      }
    }
    Database database = store.Open();
    const Context& main = MainOf(database);
    const int before = store.calls();
    // Nothing of these is in the newest snapshot.
    const std::string answer =
        Must(main.SelectRange(Cycle(static_cast<std::size_t>(newest)) + ".." +
                              Cycle(static_cast<std::size_t>(oldest)) + " [key=k]"));
    EXPECT_EQ(support::NumberIn(answer.substr(answer.rfind("stats")), "added"), 1) << answer;
    Must(main.Cache({.from = Cycle(static_cast<std::size_t>(oldest)),
                     .to = Cycle(static_cast<std::size_t>(newest))}));
    return store.calls() - before;
  };
  const int two = calls(210, 209);
  // A few calls for a record, its facts and the place that its cycle has.
  EXPECT_LT(calls(210, 190) - two, 19 * 8);
}

TEST(FarSnapshot, IsForkedWithoutThoseBehindIt) {
  Counted store;
  {
    Database database = store.Open();
    CommitTurns(MainOf(database), 400);
  }
  Database database = store.Open();
  MainOf(database);
  const int before = store.calls();
  Context& fork = *Must(database.Fork("main", "@c5", "other"));
  EXPECT_LT(store.calls() - before, 60);
  EXPECT_EQ(fork.open_cycle(), 6);
  Must(fork.Commit());
  const int made = store.calls();
  // Up to @c5 they are the same: what the fork lacks and what it has alone.
  const std::string diff = Must(fork.Diff("@t0", MainOf(database), "@c6"));
  EXPECT_LT(store.calls() - made, 60);
  EXPECT_EQ(diff.substr(0, diff.find("\"removed\"")),
            R"({"added":["seg:6","block:6.2","cont:6.0","block:6.1"],)");
}

TEST(FarSnapshot, HasTheNodesThatItHad) {
  const support::Folder folder;
  const std::string path = folder.path("far.pactdb");
  {
    Database database = Must(Database::Open(path, Access::kCreate));
    CommitTurns(MainOf(database), 60);
  }
  Database database = Must(Database::Open(path, Access::kRead));
  const Context& main = MainOf(database);
  // Still there in the newest snapshot, and shared with it.
  EXPECT_EQ(CodeOf(main.Get("block:2.1", "@c30")), "ok");
  // Gone since; in the newest snapshot, but not yet in this one; gone before.
  EXPECT_EQ(CodeOf(main.Get("block:29.2", "@c30")), "ok");
  EXPECT_EQ(CodeOf(main.Get("block:31.1", "@c30")), "E_NODE_NOT_FOUND");
  EXPECT_EQ(CodeOf(main.Get("seg:60", "@c30")), "E_NODE_NOT_FOUND");
  EXPECT_EQ(CodeOf(main.Get("block:20.2", "@c30")), "E_NODE_NOT_FOUND");
  using Ids = std::vector<std::string>;
  EXPECT_EQ(Must(main.Select("@c30 [key=doc]")), (Ids{"block:30.2", "block:29.2", "block:28.2"}));
  EXPECT_EQ(Must(main.Select("@c30 [key=k31]")), Ids{});
  EXPECT_EQ(Must(main.Select("@c30 [key=k2]")), Ids{"block:2.1"});
  EXPECT_EQ(Must(main.Select("@c30 +t")).size(), 30);
  // Those that lie before it too, though it was loaded by itself.
  EXPECT_EQ(Must(main.Select("@c29 [key=doc]")), (Ids{"block:29.2", "block:28.2", "block:27.2"}));
  // And when all are loaded, one after the other.
  EXPECT_EQ(Must(main.Select("@* [key=doc]")).size(), 60);
  EXPECT_EQ(Must(main.Select("@c30 [key=doc]")), (Ids{"block:30.2", "block:29.2", "block:28.2"}));
}

TEST(FarSnapshot, WhoeverAsksForManyGetsAll) {
  const support::Folder folder;
  const std::string path = folder.path("many.pactdb");
  constexpr int turns = 280;
  {
    Database database = Must(Database::Open(path, Access::kCreate));
    CommitTurns(MainOf(database), turns);
  }
  Database database = Must(Database::Open(path, Access::kRead));
  const Context& main = MainOf(database);
  for (int cycle = 1; cycle <= turns; ++cycle) {
    const std::string newest = "block:" + std::to_string(cycle) + ".1";
    EXPECT_EQ(CodeOf(main.Get(newest, Cycle(static_cast<std::size_t>(cycle)))), "ok") << cycle;
    EXPECT_EQ(CodeOf(main.Get(newest, Cycle(static_cast<std::size_t>(cycle) - 1))),
              cycle == 1 ? "E_SNAPSHOT_NOT_FOUND" : "E_NODE_NOT_FOUND")
        << cycle;
  }
}

// Random questions about random snapshots of a random history, to the file and to a context that
// has always been in memory.
class Quiz {
 public:
  Quiz(std::uint64_t seed, const Context& stored, const Context& twin, std::vector<std::string> ids)
      : random_(seed), stored_(stored), twin_(twin), ids_(std::move(ids)) {
    for (std::int64_t cycle = 1; cycle < twin_.open_cycle(); ++cycle) {
      if (twin_.At(Cycle(static_cast<std::size_t>(cycle)))) {
        snapshots_.push_back(Cycle(static_cast<std::size_t>(cycle)));
      }
    }
  }

  std::size_t snapshots() const { return snapshots_.size(); }

  void Ask() {
    const std::string at = random_.Pick(snapshots_);
    const std::string other = random_.Pick(snapshots_);
    const std::string id = random_.Pick(ids_);
    switch (random_.Below(9)) {
      case 0:
        return Compare("tree " + at, [&](const Context& c) { return c.Tree(at); });
      case 1:
        return Compare("serialize " + at, [&](const Context& c) { return c.Serialize(at); });
      case 2:
        return Compare("diff " + at + " " + other, [&](const Context& c) {
          return c.Diff(at, c, other, {.detail = true, .moves = true});
        });
      case 3:
        return Compare("cache " + at + " " + other,
                       [&](const Context& c) { return c.Cache({.from = at, .to = other}); });
      case 4:
        return Compare("range " + at + " " + other, [&](const Context& c) {
          return c.SelectRange(at + ".." + other + " " + random_selector_);
        });
      case 5:
        return Compare("get " + id + at, [&](const Context& c) { return c.Get(id, at); });
      case 6:
        return Compare("tokens " + at, [&](const Context& c) { return c.Tokens({.at = at}); });
      case 7:
        random_selector_ = random_.Pick(std::vector<std::string>{
            ".block", "[key=k1]", "+t0", "^seq .seg:depth(1-3) .block", "*[ttl!=null]"});
        return;
      default:
        return Compare("select " + at + " " + random_selector_,
                       [&](const Context& c) -> Result<std::string> {
                         const auto found = c.Select(at + " " + random_selector_);
                         if (!found) return std::unexpected(found.error());
                         std::string text;
                         for (const std::string& found_id : *found) text += found_id + " ";
                         return text;
                       });
    }
  }

 private:
  template <typename Question>
  void Compare(const std::string& what, const Question& question) {
    const auto answer = [&](const Context& context) {
      const auto result = question(context);
      return result ? *result : CodeOf(result);
    };
    EXPECT_EQ(answer(stored_), answer(twin_)) << what;
  }

  Random random_;
  const Context& stored_;
  const Context& twin_;
  std::vector<std::string> ids_;
  std::vector<std::string> snapshots_;
  std::string random_selector_ = ".block";
};

TEST(FarSnapshot, SaysWhatTheSameInMemorySays) {
  std::size_t snapshots = 0;
  for (std::uint64_t seed = 0; seed < support::Scaled(8); ++seed) {
    SCOPED_TRACE(seed);
    const support::Folder folder;
    const std::string path = folder.path("quiz.pactdb");
    Session twin(seed);
    {
      Database database = Must(Database::Open(path, Access::kCreate));
      Context& main = MainOf(database);
      Must(main.Configure(support::SteppedOptions()));
      Session stored(seed, main);
      for (int step = 0; step < 300; ++step) ASSERT_EQ(stored.Step(), twin.Step()) << step;
    }
    for (std::uint64_t opening = 0; opening < 4; ++opening) {
      Database database = Must(Database::Open(path, Access::kRead));
      Quiz quiz(seed * 100 + opening, MainOf(database), twin.context(), twin.ids());
      snapshots += quiz.snapshots();
      for (int i = 0; i < 60 && !::testing::Test::HasFailure(); ++i) quiz.Ask();
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(snapshots, support::Scaled(8) * 4 * 2 * History::kNear) << "most of them are far";
}

// The fork stands on what its origin has loaded, and loads the rest itself.
TEST(FarSnapshot, SaysInAForkWhatTheSameInMemorySays) {
  for (std::uint64_t seed = 100; seed < 100 + support::Scaled(4); ++seed) {
    SCOPED_TRACE(seed);
    const support::Folder folder;
    const std::string path = folder.path("forks.pactdb");
    Session twin(seed);
    {
      Database database = Must(Database::Open(path, Access::kCreate));
      Context& main = MainOf(database);
      Must(main.Configure(support::SteppedOptions()));
      Session stored(seed, main);
      for (int step = 0; step < 300; ++step) ASSERT_EQ(stored.Step(), twin.Step()) << step;
    }
    for (std::uint64_t opening = 0; opening < 4; ++opening) {
      Database database = Must(Database::Open(path));
      const std::string at = "@t-" + std::to_string(3 * opening);
      const std::string name = "fork" + std::to_string(opening);
      if (!twin.context().At(at)) continue;
      Context& stored_fork = *Must(database.Fork("main", at, name));
      Context twin_fork = Must(twin.context().Fork(at));
      Session own(seed, twin_fork);
      Session others(seed, stored_fork);
      for (int step = 0; step < 20; ++step) ASSERT_EQ(others.Step(), own.Step()) << step;
      Quiz quiz(seed * 100 + opening, stored_fork, twin_fork, twin.ids());
      Quiz of_origin(seed * 100 + opening, MainOf(database), twin.context(), twin.ids());
      for (int i = 0; i < 40 && !::testing::Test::HasFailure(); ++i) {
        quiz.Ask();
        of_origin.Ask();
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace pactdb
