#include "diff/unified.h"

#include <gtest/gtest.h>

#include "diff/align.h"

namespace pactdb::diff {
namespace {

std::string Diff(std::string_view older, std::string_view newer, std::size_t context = 3) {
  return UnifiedDiff({"a", older}, {"b", newer}, context);
}

TEST(Unified, IsEmptyForEqualTexts) {
  EXPECT_EQ(Diff("a\nb", "a\nb"), "");
}

TEST(Unified, ShowsContextAroundAChange) {
  const std::string older = "1\n2\n3\n4\n5\n6\n7\n";
  const std::string newer = "1\n2\n3\nfour\n5\n6\n7\n";
  EXPECT_EQ(Diff(older, newer),
            "--- a\n+++ b\n@@ -1,7 +1,7 @@\n 1\n 2\n 3\n-4\n+four\n 5\n 6\n 7\n");
  EXPECT_EQ(Diff(older, newer, 1), "--- a\n+++ b\n@@ -3,3 +3,3 @@\n 3\n-4\n+four\n 5\n");
  EXPECT_EQ(Diff(older, newer, 0), "--- a\n+++ b\n@@ -4 +4 @@\n-4\n+four\n");
}

TEST(Unified, CutsHunksWhereContextEnds) {
  EXPECT_EQ(Diff("1\n2\n3\n4\n5\n6\n", "one\n2\n3\n4\n5\nsix\n", 1),
            "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n@@ -5,2 +5,2 @@\n 5\n-6\n+six\n");
  EXPECT_EQ(Diff("1\n2\n3\n", "one\n2\nthree\n", 1),
            "--- a\n+++ b\n@@ -1,3 +1,3 @@\n-1\n+one\n 2\n-3\n+three\n");
}

TEST(Unified, CountsNoLinesFromTheLineBefore) {
  EXPECT_EQ(Diff("", "x\ny\n"), "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+x\n+y\n");
  EXPECT_EQ(Diff("x\n", ""), "--- a\n+++ b\n@@ -1 +0,0 @@\n-x\n");
  EXPECT_EQ(Diff("x\n", "x\ny\n", 0), "--- a\n+++ b\n@@ -1,0 +2 @@\n+y\n");
}

TEST(Unified, MarksAMissingNewlineAtTheEnd) {
  EXPECT_EQ(Diff("x", "y"),
            "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n"
            "+y\n\\ No newline at end of file\n");
  EXPECT_EQ(Diff("x", "x\n"), "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
  EXPECT_EQ(Diff("a\nx", "b\nx"),
            "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n+b\n x\n\\ No newline at end of file\n");
}

TEST(Unified, EndsLinesAtLineFeedsOnly) {
  EXPECT_EQ(Diff("a\rb\f\n", "a\rc\f\n"), "--- a\n+++ b\n@@ -1 +1 @@\n-a\rb\f\n+a\rc\f\n");
}

TEST(Unified, QuotesNamesThatCouldEndEarly) {
  EXPECT_EQ(UnifiedDiff({"a\nb\t\"\\\x01", "x\n"}, {"b \xc3\xbc", "y\n"}, 0),
            "--- \"a\\012b\\011\\\"\\\\\\001\"\n+++ b \xc3\xbc\n@@ -1 +1 @@\n-x\n+y\n");
}

TEST(Unified, ReplacesTextsOfTooManyLinesAsAWhole) {
  const std::string many(kItemsMax + 1, '\n');
  const std::string diff = Diff(many, "x");
  EXPECT_TRUE(diff.starts_with("--- a\n+++ b\n@@ -1,1048577 +1 @@\n-\n-\n"));
  EXPECT_TRUE(diff.ends_with("-\n+x\n\\ No newline at end of file\n"));
  EXPECT_EQ(diff.size(), 12 + 20 + 2 * many.size() + 31);
}

}  // namespace
}  // namespace pactdb::diff
