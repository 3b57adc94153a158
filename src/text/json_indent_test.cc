#include "text/json_indent.h"

#include <gtest/gtest.h>

namespace pactdb {
namespace {

TEST(IndentJson, WritesOneMemberOrElementALine) {
  EXPECT_EQ(IndentJson(R"({"a":[1,{"b":null}],"c":"x"})", 1000),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": \"x\"\n}");
}

TEST(IndentJson, KeepsEmptyContainersOnOneLine) {
  EXPECT_EQ(IndentJson("[{},[],[[]]]", 1000), "[\n  {},\n  [],\n  [\n    []\n  ]\n]");
  EXPECT_EQ(IndentJson("{}", 1000), "{}");
}

TEST(IndentJson, LeavesStringsAlone) {
  EXPECT_EQ(IndentJson(R"({"a,:[{\"\\":"},]: \\"})", 1000),
            "{\n  \"a,:[{\\\"\\\\\": \"},]: \\\\\"\n}");
  EXPECT_EQ(IndentJson("\"[]\"", 1000), "\"[]\"");
  EXPECT_EQ(IndentJson("-1.5", 1000), "-1.5");
}

TEST(IndentJson, GivesUpOnTextsThatGrowTooLong) {
  EXPECT_EQ(IndentJson("[1]", 7), "[\n  1\n]");
  EXPECT_EQ(IndentJson("[1]", 6), std::nullopt);
}

}  // namespace
}  // namespace pactdb
