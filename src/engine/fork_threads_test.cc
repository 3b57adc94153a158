// A context and its forks on threads of their own: each writes, all read what they share. Run under
// ThreadSanitizer.
#include <gtest/gtest.h>
#include <pactdb/context.h>
#include <pactdb/diff.h>
#include <pactdb/render.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/contexts.h"
#include "support/crew.h"
#include "support/scale.h"

namespace pactdb {
namespace {

using support::Block;
using support::Must;
using support::NewContext;

void CommitTurn(Context& context, const std::string& prefix, std::int64_t turn) {
  const std::string id = prefix + std::to_string(turn);
  Must(context.Add(Block(id, "text of " + id).Key("key").Tags({"tag", prefix})));
  Must(context.Add(Block(id + "'").Offset(1).Ttl(3), {.parent = "^ah"}));
  Must(context.Commit());
}

// What the fork had from its origin is as it was, whatever the origin does meanwhile.
void ReadShared(const Snapshot& snapshot, std::int64_t shared) {
  for (std::int64_t turn = 1; turn <= shared; ++turn) {
    const std::string id = "main" + std::to_string(turn);
    const auto node = snapshot.Find(id);
    ASSERT_TRUE(node) << id;
    ASSERT_EQ(node->content(), "\"text of " + id + "\"");
  }
  ASSERT_EQ(snapshot.FindByTag("main").size(), static_cast<std::size_t>(shared));
}

TEST(ForkThreads, BranchesWriteAndAreReadAtOnce) {
  const auto commits = static_cast<std::int64_t>(support::Scaled(200));
  constexpr std::int64_t kShared = 20;
  Context main = NewContext();
  for (std::int64_t turn = 1; turn <= kShared; ++turn) CommitTurn(main, "main", turn);
  // Sums are remembered in what the branches share.
  const bool has_tokens = main.Tokens().has_value();
  support::Crew crew;
  for (const char* name : {"left", "right"}) {
    auto fork = std::make_shared<Context>(Must(main.Fork("@t0")));
    crew.Add([latest = fork->MakeReader(), last = kShared + commits]() mutable {
      for (std::int64_t cycle = 0; cycle < last;) {
        const Snapshot* snapshot = latest.Latest();
        if (snapshot->cycle() == cycle) continue;
        cycle = snapshot->cycle();
        ReadShared(*snapshot, kShared);
      }
    });
    crew.Add([fork, name = std::string(name), commits, has_tokens]() mutable {
      for (std::int64_t turn = 1; turn <= commits; ++turn) {
        CommitTurn(*fork, name, turn);
        if (turn % 16 != 0) continue;
        ReadShared(Must(fork->At("@t0")), kShared);
        if (has_tokens) Must(fork->Tokens({.at = "@t-" + std::to_string(turn)}));
        ASSERT_EQ(Must(fork->Select("[key='key']")).size(),
                  static_cast<std::size_t>(kShared + turn));
        // A fork of the fork, made, used and dropped here.
        Context second = Must(fork->Fork("@t-3"));
        CommitTurn(second, "second", turn);
        ASSERT_EQ(Must(second.At("@t0")).cycle(), kShared + turn - 2);
        ASSERT_EQ(Diff(Must(fork->At("@t-3")), Must(second.At("@t0"))).removed.size(), 1u);
      }
      ASSERT_EQ(fork->Verify(), support::VerifyOk());
    });
  }
  crew.Go();
  for (std::int64_t turn = kShared + 1; turn <= kShared + commits; ++turn)
    CommitTurn(main, "main", turn);
  crew.Join();
  EXPECT_EQ(main.Verify(), support::VerifyOk());
}

}  // namespace
}  // namespace pactdb
