// Forks in a file: what a branch says does not depend on whether the process that made it is still
// there, nor on which branches are loaded beside it.
#include <gtest/gtest.h>
#include <pactdb/database.h>

#include <memory>
#include <string>
#include <vector>

#include "support/contexts.h"
#include "support/folder.h"
#include "support/scale.h"
#include "support/sessions.h"

namespace pactdb {
namespace {

using support::CodeOf;
using support::Must;
using support::Session;

std::vector<std::string> States(const Context& context) {
  std::vector<std::string> states = {"working"};
  for (std::int64_t cycle = 1; cycle < context.open_cycle(); ++cycle) {
    if (context.At("@c" + std::to_string(cycle))) states.push_back("@c" + std::to_string(cycle));
  }
  return states;
}

// A database with branches that are edited in turn.
class Grove {
 public:
  Grove(std::uint64_t seed, std::string path)
      : path_(std::move(path)),
        random_(seed),
        database_(Must(Database::Open(path_, Access::kCreate))) {
    Context& main = *Must(database_.Find("main"));
    Must(main.Configure(support::SteppedOptions()));
    Enter("main", main, {});
    for (int i = 0; i < 40; ++i) sessions_[0]->Step();
  }

  void Grow(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      if (names_.size() < 5) Fork();
      for (const auto& session : sessions_) {
        for (std::size_t i = random_.Below(12); i > 0; --i) session->Step();
      }
      if (!random_.Chance(40)) continue;
      for (const auto& session : sessions_) (void)session->context().Commit();
      Reopen();
    }
    // What is not committed would not be there again.
    for (const auto& session : sessions_) {
      Options options = session->context().options();
      options.policy.reset();
      Must(session->context().Configure(options, /*restart_clock=*/false));
      Must(session->context().Commit());
    }
  }

  // Loses what is not committed.
  void Reopen() {
    database_ = Database();
    database_ = Must(Database::Open(path_));
    for (std::size_t i = 0; i < names_.size(); ++i)
      sessions_[i]->set_context(*Must(database_.Find(names_[i])));
  }

  // Everything that the branches say of themselves and of each other.
  std::vector<std::string> Describe() {
    std::vector<std::string> lines;
    for (const auto& session : sessions_) {
      const Context& context = session->context();
      lines.push_back(Must(context.Export({.history = true})));
      lines.push_back(Must(context.Log({.hashes = true})));
      lines.push_back(context.Verify());
      for (const std::string& id : session->ids()) {
        const auto life = context.Life(id);
        lines.push_back(life ? *life : CodeOf(life));
      }
      lines.push_back(Ids(Must(context.Select("@* .block"))));
    }
    Random pick(7);
    for (int i = 0; i < 60; ++i) {
      const Context& a = sessions_[pick.Below(sessions_.size())]->context();
      const Context& b = sessions_[pick.Below(sessions_.size())]->context();
      const std::string from = pick.Pick(States(a));
      const std::string to = pick.Pick(States(b));
      lines.push_back(from + " to " + to + ": " + Must(a.Diff(from, b, to)));
      lines.push_back(Must(a.Diff(from, b, to, {.selector = ".block"})));
    }
    return lines;
  }

 private:
  using Random = support::Random;

  static std::string Ids(const std::vector<std::string>& ids) {
    std::string text;
    for (const std::string& id : ids) text += id + " ";
    return text;
  }
  void Enter(const std::string& name, Context& context, const std::vector<std::string>& ids) {
    names_.push_back(name);
    sessions_.push_back(std::make_unique<Session>(random_.Below(1u << 30), context));
    sessions_.back()->set_ids(ids);
  }
  void Fork() {
    const std::size_t from = random_.Below(names_.size());
    const auto states = States(sessions_[from]->context());
    if (states.size() < 2) return;
    const std::string at = states[1 + random_.Below(states.size() - 1)];
    const std::string name = "b" + std::to_string(names_.size());
    Context& fork = *Must(database_.Fork(names_[from], at, name));
    Enter(name, fork, sessions_[from]->ids());
  }

  std::string path_;
  Random random_;
  Database database_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Session>> sessions_;
};

TEST(StoredFork, SaysTheSameWhenItIsOpenedAgain) {
  const std::size_t seeds = support::Scaled(10);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const support::Folder folder;
    Grove grove(seed, folder.path("grove.pactdb"));
    grove.Grow(6);
    const auto before = grove.Describe();
    grove.Reopen();
    const auto after = grove.Describe();
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i) ASSERT_EQ(before[i], after[i]) << "line " << i;
  }
}

// "x" is made in both after they parted: two nodes, of one id. "y" was there before.
TEST(StoredFork, AnIdMadeApartIsAnotherNode) {
  const support::Folder folder;
  const std::string path = folder.path("apart.pactdb");
  const auto diff = [](Database& database) {
    const Context& main = *Must(database.Find("main"));
    const Context& other = *Must(database.Find("other"));
    return Must(main.Diff("@t0", other, "@t0", {.selector = ".block"}));
  };
  std::string together;
  {
    Database database = Must(Database::Open(path, Access::kCreate));
    Context& main = *Must(database.Find("main"));
    Must(main.Add(NodeSpec().Id("y").Text("before")));
    Must(main.Commit());
    Context& other = *Must(database.Fork("main", "@t0", "other"));
    for (Context* branch : {&main, &other}) {
      Must(branch->Add(NodeSpec().Id("x").Text(branch == &main ? "one" : "two")));
      Must(branch->Commit());
    }
    together = diff(database);
  }
  EXPECT_EQ(together, R"({"added":["x"],"removed":["x"],"changed":[]})");
  Database database = Must(Database::Open(path, Access::kRead));
  EXPECT_EQ(diff(database), together);
}

TEST(StoredFork, TagsAndNamesAreKept) {
  const support::Folder folder;
  const std::string path = folder.path("tags.pactdb");
  {
    Database database = Must(Database::Open(path, Access::kCreate));
    Context& main = *Must(database.Find("main"));
    for (int i = 0; i < 3; ++i) Must(main.Commit());
    Must(main.Tag("good", "@c2"));
    Must(main.Tag("gone", "@c1"));
    Must(main.RemoveTag("gone"));
    Context& fork = *Must(database.Fork("main", "good", "b"));
    Must(fork.Tag("good", "@c1"));
    Must(fork.Commit());
    EXPECT_EQ(CodeOf(database.Fork("main", "@t0", "b")), "E_CONTEXT_EXISTS");
    Must(database.Rename("b", "branch"));
  }
  Database database = Must(Database::Open(path));
  Context& main = *Must(database.Find("main"));
  EXPECT_EQ(Must(main.At("good")).cycle(), 2);
  EXPECT_EQ(CodeOf(main.At("gone")), "E_SNAPSHOT_NOT_FOUND");
  EXPECT_EQ(CodeOf(database.Find("b")), "E_CONTEXT_NOT_FOUND");
  Context& fork = *Must(database.Find("branch"));
  EXPECT_EQ(Must(fork.At("good")).cycle(), 1);
  EXPECT_EQ(fork.open_cycle(), 4);
  Must(database.Delete("main"));
  EXPECT_EQ(Must(fork.At("@c1")).cycle(), 1) << "it stands on what main was";
}

}  // namespace
}  // namespace pactdb
