// Random sessions on a file that is closed and opened again and again, beside the same sessions in
// memory: nothing may tell the two apart.
#include <gtest/gtest.h>
#include <pactdb/database.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/contexts.h"
#include "support/folder.h"
#include "support/random.h"
#include "support/scale.h"
#include "support/sessions.h"

namespace pactdb {
namespace {

using support::Must;
using support::Random;
using support::Session;

class StoredSession {
 public:
  StoredSession(std::uint64_t seed, const std::string& path, bool journal)
      : path_(path),
        database_(Must(Database::Open(path, Access::kCreate))),
        session_(seed, Configured(journal)) {}

  Session& session() { return session_; }

  void Reopen(Access access = Access::kWrite) {
    database_ = Database();  // closes the file
    database_ = Must(Database::Open(path_, access));
    session_.set_context(*Must(database_.Find("main")));
  }

 private:
  Context& Configured(bool journal) {
    Context& context = *Must(database_.Find("main"));
    Options options = support::SteppedOptions();
    options.journal = journal;
    Must(context.Configure(options));
    return context;
  }

  std::string path_;
  Database database_;
  Session session_;
};

std::vector<std::int64_t> Cycles(const Context& context) {
  std::vector<std::int64_t> cycles;
  const std::string log = Must(context.Log());
  for (std::size_t at = log.find("\"cycle\":"); at != std::string::npos;
       at = log.find("\"cycle\":", at + 1))
    cycles.push_back(std::stoll(log.substr(at + 8)));
  return cycles;
}

void ExpectSameNow(const Context& stored, const Context& twin) {
  EXPECT_EQ(stored.tree_sha256(), twin.tree_sha256());
  EXPECT_EQ(stored.open_cycle(), twin.open_cycle());
  const std::string a = Must(stored.Tree());
  const std::string b = Must(twin.Tree());
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const std::size_t from = at < 200 ? 0 : at - 200;
  EXPECT_EQ(a.substr(from, 400), b.substr(from, 400));
}

void ExpectSameSnapshot(const Context& stored, const Context& twin, std::int64_t cycle) {
  const std::string at = "@c" + std::to_string(cycle);
  SCOPED_TRACE(at);
  EXPECT_EQ(Must(stored.At(at)).tree_sha256(), Must(twin.At(at)).tree_sha256());
  EXPECT_EQ(Must(stored.Serialize(at)), Must(twin.Serialize(at)));
  EXPECT_EQ(Must(stored.Render({.at = at})).body, Must(twin.Render({.at = at})).body);
  for (const char* selector : {"*[key=k1]", "+t0", ".block[role=user]", "^seq .cont"}) {
    const SelectOptions options{.snapshot = at};
    EXPECT_EQ(Must(stored.Select(selector, options)), Must(twin.Select(selector, options)))
        << selector;
  }
}

void ExpectSameHistory(Session& stored, Session& twin) {
  ExpectSameNow(stored.context(), twin.context());
  EXPECT_EQ(Must(stored.context().Log()), Must(twin.context().Log()));
  std::vector<std::int64_t> cycles = Cycles(twin.context());
  std::ranges::shuffle(cycles, std::mt19937(cycles.size()));
  for (const std::int64_t cycle : cycles)
    ExpectSameSnapshot(stored.context(), twin.context(), cycle);
  for (const std::string& id : twin.ids()) {
    const auto life = twin.context().Life(id);
    EXPECT_EQ(stored.context().Life(id).value_or("none"), life.value_or("none")) << id;
    for (const std::int64_t cycle : cycles) {
      const std::string at = "@c" + std::to_string(cycle);
      EXPECT_EQ(stored.context().Get(id, at).value_or("none"),
                twin.context().Get(id, at).value_or("none"))
          << id << at;
    }
  }
  EXPECT_EQ(Must(stored.context().Export({.history = true})),
            Must(twin.context().Export({.history = true})));
  EXPECT_EQ(stored.context().Verify(), R"({"ok":true,"problems":[]})");
}

TEST(StoredContext, OpenedAgainIsWhatItWasUncommittedEditsIncluded) {
  for (std::uint64_t seed = 0; seed < support::Scaled(5); ++seed) {
    SCOPED_TRACE(seed);
    const support::Folder folder;
    StoredSession stored(seed, folder.path("a.pactdb"), /*journal=*/true);
    Session twin(seed);
    Random random(seed + 1'000);
    for (int step = 0; step < 150; ++step) {
      ASSERT_EQ(stored.session().Step(), twin.Step()) << step;
      if (!random.Chance(6)) continue;
      stored.Reopen();
      ExpectSameNow(stored.session().context(), twin.context());
      if (::testing::Test::HasFailure()) return;
    }
    stored.Reopen(Access::kRead);
    ExpectSameHistory(stored.session(), twin);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(StoredContext, WithoutAJournalIsAsItWasCommitted) {
  for (std::uint64_t seed = 100; seed < 100 + support::Scaled(4); ++seed) {
    SCOPED_TRACE(seed);
    const support::Folder folder;
    StoredSession stored(seed, folder.path("a.pactdb"), /*journal=*/false);
    Session twin(seed);
    Random random(seed);
    for (int step = 0; step < 150; ++step) {
      ASSERT_EQ(stored.session().Step(), twin.Step()) << step;
      if (!random.Chance(10)) continue;
      const auto committed = stored.session().context().Commit();
      ASSERT_EQ(support::CodeOf(twin.context().Commit()), support::CodeOf(committed));
      if (!committed) continue;  // the policy cannot be met
      EXPECT_TRUE(committed->durable);
      stored.Reopen();  // nothing is uncommitted, so nothing is lost
      ExpectSameNow(stored.session().context(), twin.context());
      if (::testing::Test::HasFailure()) return;
    }
    Options lax = twin.context().options();
    lax.policy.reset();
    Must(stored.session().context().Configure(lax, /*restart_clock=*/false));
    Must(twin.context().Configure(lax, /*restart_clock=*/false));
    Must(stored.session().context().Commit());
    Must(twin.context().Commit());
    stored.Reopen();
    ExpectSameHistory(stored.session(), twin);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace pactdb
