// Ranges through the C++ API: what is refused and with which words, and what is warned about. The
// results themselves are in conformance/range/ and test/oracle/ranges.py.
#include <gtest/gtest.h>

#include "support/contexts.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

using support::Must;
using support::NewContext;

Context ThreeCommits() {
  Context context = NewContext();
  for (int i = 0; i < 3; ++i) {
    Must(context.Add(NodeSpec().Role("user").Text("Hi")));
    Must(context.Commit());
  }
  return context;
}

// The member of the answer, as canonical JSON; empty if it is not there.
std::string Member(const std::string& answer, std::string_view name) {
  const JsonDoc doc = Must(JsonDoc::Parse(answer, 64));
  const auto member = doc.root().Find(name);
  std::string text;
  if (member) member->AppendCanonical(text);
  return text;
}

void ExpectRefused(const Result<std::string>& answer, std::string_view argument,
                   std::string_view message) {
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code(), ErrorCode::kRequestInvalid);
  EXPECT_EQ(answer.error().message(), message);
  ASSERT_EQ(answer.error().details().size(), 1u);
  EXPECT_EQ(answer.error().details()[0].text, argument);
}

TEST(Range, RefusesOptionsThatDoNotExist) {
  const Context context = ThreeCommits();
  const auto ask = [&context](const RangeOptions& range) {
    return context.SelectRange("@history .block", {}, range);
  };
  ExpectRefused(ask({.content_mode = "words"}), "contentMode",
                "contentMode must be unified, jsonpatch or tokens");
  ExpectRefused(ask({.context_lines = -1}), "contextLines", "contextLines must not be negative");
  ExpectRefused(ask({.materialize = {"content", "id"}}), "materialize",
                "materialize lists content, mime, encoding and content_hash");
  ExpectRefused(ask({.max_snapshots = -1}), "maxSnapshots", "maxSnapshots must not be negative");
  ExpectRefused(ask({.max_changes_per_snapshot = -1}), "maxChangesPerSnapshot",
                "maxChangesPerSnapshot must not be negative");
}

TEST(Range, IsAskedForWithItsOwnCall) {
  const Context context = ThreeCommits();
  ExpectRefused(context.SelectRange(".block"), "selector",
                "the selector names no range of snapshots");
  ExpectRefused(context.SelectRange("@* .block"), "selector",
                "the selector names no range of snapshots");
  const auto ids = context.Select("@history .block");
  ASSERT_FALSE(ids.has_value());
  EXPECT_EQ(ids.error().code(), ErrorCode::kRequestInvalid);
  EXPECT_EQ(ids.error().message(), "a range of snapshots has differences, not ids");
}

TEST(Range, NamesOneTimeOnly) {
  ExpectRefused(ThreeCommits().SelectRange("@history .block", {.snapshot = "@t0"}), "snapshot",
                "the selector names its time, and so does 'snapshot'");
}

TEST(Range, NeedsACommit) {
  const auto answer = NewContext().SelectRange("@history .block");
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code(), ErrorCode::kSnapshotNotFound);
  EXPECT_EQ(answer.error().message(), "nothing was committed yet");
}

TEST(Range, WarnsOfEndsThatDoNotExist) {
  const Context context = ThreeCommits();
  const auto warnings = [&context](std::string_view range) {
    return Member(Must(context.SelectRange(std::string(range) + " .block")), "warnings");
  };
  EXPECT_EQ(warnings("@t-2..@t0"), "");
  EXPECT_EQ(warnings("@t-3..@t0"), "[\"@t-3 does not exist; the range ends at @t-2\"]");
  EXPECT_EQ(warnings("@t+1..@t0"), "[\"@t1 does not exist yet; the range begins at @t0\"]");
  EXPECT_EQ(warnings("@c0..@c4"),
            "[\"@c4 does not exist yet; the range begins at @c3\","
            "\"@c0 does not exist; the range ends at @c1\"]");
  EXPECT_EQ(warnings("@c4..@c5"), "[\"no snapshot lies between @c5 and @c4\"]");
  // Numbers beyond all numbers are far away.
  EXPECT_EQ(warnings("@t-99999999999999999999..@t-99999999999999999998"),
            "[\"no snapshot lies between @t-1000000000000000000 and @t-1000000000000000000\"]");
}

TEST(Range, SaysWhatWasCut) {
  const Context context = ThreeCommits();
  const std::string answer = Must(context.SelectRange(
      "@history .block", {}, {.max_snapshots = 2, .max_changes_per_snapshot = 0}));
  EXPECT_EQ(Member(answer, "limits"),
            "{\"maxChangesPerSnapshot\":0,\"maxSnapshots\":2,\"truncated\":true}");
  EXPECT_EQ(Member(answer, "errors"),
            "[{\"code\":\"E_SNAPSHOT_RANGE_LIMIT\",\"fatal\":false,"
            "\"message\":\"the range spans more snapshots than maxSnapshots\"}]");
}

TEST(Range, TakesACompiledSelectorInItsOwnDialect) {
  const Context context = ThreeCommits();
  const Selector selector = Must(Selector::Parse("@history .block @mode=reduce", Dialect::kDepth));
  const std::string answer = Must(context.SelectRange(selector));
  EXPECT_NE(answer.find("\"added_ids\":[\"block:2.1\",\"block:3.1\"]"), std::string::npos);
  const std::string other = Must(context.SelectRange("@history .block @mode=reduce"));
  EXPECT_NE(other.find("\"added_ids\":[\"block:3.1\",\"block:2.1\"]"), std::string::npos);
}

}  // namespace
}  // namespace pactdb
