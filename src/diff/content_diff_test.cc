#include "diff/content_diff.h"

#include <gtest/gtest.h>

#include <string>

#include "base/limits.h"

namespace pactdb::diff {
namespace {

std::string Write(ContentDiffs& diffs, std::optional<std::string_view> older,
                  std::optional<std::string_view> newer,
                  std::optional<std::string_view> mime = std::nullopt) {
  JsonOut out;
  diffs.Write({.id = "n", .mime = mime}, {.content = older, .snapshot = "@t-1"},
              {.content = newer, .snapshot = "@t0"}, out);
  return out.Take();
}

std::string Once(ContentMode mode, std::optional<std::string_view> older,
                 std::optional<std::string_view> newer) {
  ContentDiffs diffs(mode, 3, 1000);
  return Write(diffs, older, newer);
}

TEST(ContentDiff, KnowsItsModes) {
  EXPECT_EQ(ParseContentMode("unified"), ContentMode::kUnified);
  EXPECT_EQ(ParseContentMode("jsonpatch"), ContentMode::kJsonPatch);
  EXPECT_EQ(ParseContentMode("tokens"), ContentMode::kTokens);
  EXPECT_EQ(ParseContentMode("Unified"), std::nullopt);
}

TEST(ContentDiff, WritesItsMembersInTheOrderOfTheSchema) {
  ContentDiffs diffs(ContentMode::kUnified, 3, 1000);
  EXPECT_EQ(Write(diffs, "\"a\\n\"", "\"b\\n\"", "\"text/plain\""),
            R"({"mode":"unified","mime":"text/plain","summary":{"bytesNewer":2,"bytesOlder":2,)"
            R"("identical":false,"truncated":false},)"
            R"("diff":"--- older(@t-1)/n\n+++ newer(@t0)/n\n@@ -1 +1 @@\n-a\n+b\n"})");
  EXPECT_EQ(Once(ContentMode::kTokens, "\"a\"", "\"b\""),
            R"({"mode":"tokens","tokenizer":"word","summary":{"bytesNewer":1,"bytesOlder":1,)"
            R"("identical":false,"truncated":false,"tokensNewer":1,"tokensOlder":1},)"
            R"("hunks":[{"older":{"start":0,"end":1},"newer":{"start":0,"end":1},)"
            R"("ops":[{"op":"rep","del":1,"ins":["b"]}]}]})");
  EXPECT_EQ(Once(ContentMode::kJsonPatch, "1", "2"),
            R"({"mode":"jsonpatch","summary":{"bytesNewer":1,"bytesOlder":1,"identical":false,)"
            R"("truncated":false},"patch":[{"op":"replace","path":"","value":2}]})");
}

TEST(ContentDiff, TakesAbsentContentForTheEmptyText) {
  EXPECT_EQ(Once(ContentMode::kUnified, std::nullopt, "\"\""),
            R"({"mode":"unified","summary":{"bytesNewer":0,"bytesOlder":0,"identical":true,)"
            R"("truncated":false},"diff":""})");
}

TEST(ContentDiff, IsNotIdenticalWhereOnlyTheKindOfValueDiffers) {
  EXPECT_EQ(Once(ContentMode::kUnified, "\"1\"", "1"),
            R"({"mode":"unified","summary":{"bytesNewer":1,"bytesOlder":1,"identical":false,)"
            R"("truncated":false},"diff":""})");
}

TEST(ContentDiff, StopsComparingWhenItsBytesAreSpent) {
  ContentDiffs diffs(ContentMode::kUnified, 3, 5);
  EXPECT_NE(Write(diffs, "\"a\"", "\"b\"").find("\"truncated\":false"), std::string::npos);
  EXPECT_FALSE(diffs.is_truncated());
  EXPECT_EQ(Write(diffs, "\"aa\"", "\"bb\""),
            R"({"mode":"unified","summary":{"bytesNewer":2,"bytesOlder":2,"identical":false,)"
            R"("truncated":true}})");
  EXPECT_TRUE(diffs.is_truncated());
  // What still fits is compared.
  EXPECT_NE(Write(diffs, "\"a\"", "\"b\"").find("\"truncated\":false"), std::string::npos);
  EXPECT_TRUE(diffs.Spend(1));
  EXPECT_FALSE(diffs.Spend(1));
}

TEST(ContentDiff, LeavesOutValuesThatIndentingMakesTooLong) {
  std::string deep(60, '[');
  for (std::size_t i = 0; i < limits::kContentBytesMax / 120; ++i) deep += "0,";
  deep += "0" + std::string(60, ']');
  ContentDiffs diffs(ContentMode::kUnified, 3, limits::kRangeContentBytesMax);
  EXPECT_NE(Write(diffs, deep, "0").find("\"truncated\":true}}"), std::string::npos);
  EXPECT_TRUE(diffs.is_truncated());
  ContentDiffs patches(ContentMode::kJsonPatch, 3, limits::kRangeContentBytesMax);
  EXPECT_NE(Write(patches, deep, "0").find("\"patch\":[{\"op\":\"replace\""), std::string::npos);
}

}  // namespace
}  // namespace pactdb::diff
