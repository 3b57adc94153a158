// Random histories there and back, and random damage to what lies between.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/contexts.h"
#include "support/random.h"
#include "support/scale.h"
#include "support/sessions.h"
#include "support/transfer.h"

namespace pactdb {
namespace {

using support::CodeOf;
using support::ImportLines;
using support::Lines;
using support::Must;
using support::Random;
using support::Session;

// A document of another program: headers here and there, turns without stamps or with a few.
std::string ForeignDocument(Random& random, std::int64_t cycle) {
  int next = 0;
  const auto fields = [&](std::string_view prefix) {
    std::string text = "\"id\":\"" + std::string(prefix) + std::to_string(cycle % 3) + "." +
                       std::to_string(next++) + "\"";
    if (random.Chance(30)) text += ",\"offset\":" + std::to_string(random.Between(-1, 1));
    if (random.Chance(20)) text += ",\"created_at_ns\":" + std::to_string(random.Below(5));
    if (random.Chance(20)) text += ",\"ttl\":" + std::to_string(random.Below(4));
    if (random.Chance(10)) text += ",\"ttl2\":null,\"ttl \":{\"b\":1,\"a\":[1.5e3]}";
    if (random.Chance(20)) text += ",\"cycle\":3,\"priority\":null";
    if (random.Chance(20)) text += ",\"created_at_iso\":\"1970-01-01T00:00:00.000000002Z\"";
    if (random.Chance(20)) text += ",\"key\":\"k1\",\"tags\":[\"t0\"],\"pinned\":true";
    return text;
  };
  const auto blocks = [&] {
    std::string list = "[";
    for (std::size_t i = random.Below(4); i > 0; --i) {
      list += "{" + fields("f") + ",\"content\":\"\\u00e9" + std::to_string(i) + "\"";
      if (random.Chance(50)) list += ",\"nodeType\":\"gadget\"";
      list += i > 1 ? "}," : "}";
    }
    return list + "]";
  };
  std::string turns;
  for (std::size_t i = random.Below(5); i > 0; --i) {
    turns += "{" + fields("m");
    if (random.Chance(50)) turns += ",\"nodeType\":\"mt\"";
    if (random.Chance(80)) turns += ",\"children\":" + blocks();
    turns += i > 1 ? "}," : "}";
  }
  std::string document = "{\"cycle\":" + std::to_string(cycle) + ",\"root\":{\"children\":[";
  if (random.Chance(70)) document += "{\"id\":\"sys\",\"nodeType\":\"^sys\",\"children\":[]},";
  document += "{\"id\":\"Q\",\"nodeType\":\"^seq\",\"children\":[" + turns + "]}";
  if (random.Chance(70))
    document += ",{\"id\":\"A\",\"nodeType\":\"^ah\",\"children\":" + blocks() + "}";
  return document + "]}}";
}

void Play(Session& session, int steps) {
  for (int step = 0; step < steps; ++step) {
    if (session.random().Chance(3)) {
      Must(session.context().ImportSnapshot(ForeignDocument(
          session.random(), session.context().open_cycle() + session.random().Between(0, 2))));
    } else if (session.random().Chance(2)) {
      Options options = session.context().options();
      options.dialect = session.random().Chance(50) ? Dialect::kClassic : Dialect::kCanonical;
      Must(session.context().Configure(options, /*restart_clock=*/false));
    } else {
      session.Step();
    }
  }
}

TEST(ExportRandom, IMP_3_HistoriesComeBackAsTheyWere) {
  const std::size_t seeds = support::Scaled(250);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session(seed);
    Play(session, 200);
    // A policy may refuse; the tree is then left open, and nothing of it is in the history.
    if (!session.context().Commit()) continue;
    Context copy = support::NewContext(session.context().options());
    Must(ImportLines(copy, Lines(session.context())));
    support::SameHistory(session.context(), copy);
    if (testing::Test::HasFatalFailure()) return;
    Context again = support::NewContext(session.context().options());
    Must(again.ImportSnapshot(Must(copy.Export({.history = true}))));
    ASSERT_EQ(Lines(again), Lines(copy));
  }
}

TEST(ExportRandom, SnapshotsComeBackAsTheyWere) {
  const std::size_t seeds = support::Scaled(100);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session(seed + 5'000);
    Play(session, 150);
    for (std::int64_t cycle = 1; cycle < session.context().open_cycle(); ++cycle) {
      const std::string at = "@c" + std::to_string(cycle);
      if (!session.context().At(at)) continue;
      const std::string document = Must(session.context().Export({.at = at}));
      Context copy = support::NewContext(session.context().options());
      Must(copy.ImportSnapshot(document));
      support::SameSnapshot(session.context(), copy, at);
      ASSERT_EQ(Must(copy.Export({.at = at})), document);
      if (testing::Test::HasFatalFailure()) return;
    }
    const std::string open = Must(session.context().Export());
    Context copy = support::NewContext(session.context().options());
    Must(copy.ImportSnapshot(open));
    ASSERT_EQ(copy.tree_sha256(), session.context().tree_sha256());
  }
}

// Cuts, swaps and doubles bytes and lines.
std::string Damage(std::string text, Random& random) {
  const auto line_at = [&text](std::size_t at) {
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    return std::pair(start, std::min(text.find('\n', at), text.size() - 1) + 1 - start);
  };
  const std::size_t at = random.Below(text.size());
  switch (random.Below(6)) {
    case 0:
      return text.substr(0, at);
    case 1:
      text[at] = static_cast<char>(random.Below(256));
      return text;
    case 2:
      text[at] = "0123456789\",:[]{}"[random.Below(17)];
      return text;
    case 3: {
      const auto [start, size] = line_at(at);
      return text.erase(start, size);
    }
    case 4: {
      const auto [start, size] = line_at(at);
      return text.insert(start, text.substr(start, size));
    }
    default: {
      // One id in place of another.
      const std::size_t from = text.find("\"id\":\"", at);
      const std::size_t to = text.find("\"id\":\"", random.Below(text.size()));
      if (from == std::string::npos || to == std::string::npos) return text.substr(0, at);
      const std::size_t end = text.find('"', from + 6);
      const std::string other = text.substr(to + 6, text.find('"', to + 6) - to - 6);
      return text.replace(from + 6, end - from - 6, other);
    }
  }
}

TEST(ExportRandom, OfADamagedHistoryNothingIsKept) {
  const std::size_t seeds = support::Scaled(40);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session(seed + 9'000);
    Play(session, 80);
    if (!session.context().Commit()) continue;
    const std::string lines = Lines(session.context());
    Context target = support::NewContext();
    const std::string empty = target.tree_sha256();
    Must(target.Add(support::Block("mine", "open")));
    const std::string before = target.tree_sha256();
    std::size_t refused = 0;
    for (int round = 0; round < 60; ++round) {
      const std::string damaged = Damage(lines, session.random());
      const auto result = ImportLines(target, damaged);
      if (!result) {
        ++refused;
        const std::string code = CodeOf(result);
        ASSERT_TRUE(code == "E_IMPORT_INVALID" || code == "E_LIMIT_EXCEEDED") << code;
        ASSERT_EQ(target.tree_sha256(), before);
        ASSERT_EQ(target.open_cycle(), 1);
        continue;
      }
      // What is not covered by the hashes: the order of sets, a header's cycle, names of our own.
      ASSERT_EQ(target.Verify(), support::VerifyOk());
      target = support::NewContext();
      ASSERT_EQ(target.tree_sha256(), empty);
      Must(target.Add(support::Block("mine", "open")));
    }
    ASSERT_GT(refused, 40u);
    ASSERT_EQ(target.Verify(), support::VerifyOk());
  }
}

}  // namespace
}  // namespace pactdb
