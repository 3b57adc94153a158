#include "diff/json_patch.h"

#include <gtest/gtest.h>
#include <pactdb/json.h>

#include "diff/align.h"

namespace pactdb::diff {
namespace {

std::string Patch(std::string_view older, std::string_view newer) {
  return JsonPatch(Json::Parse(older)->text(), Json::Parse(newer)->text());
}

TEST(JsonPatch, IsEmptyForEqualValues) {
  EXPECT_EQ(Patch("{\"a\":[1]}", "{\"a\":[1]}"), "[]");
}

TEST(JsonPatch, ReplacesOtherScalarsAndKinds) {
  EXPECT_EQ(Patch("1", "2"), R"([{"op":"replace","path":"","value":2}])");
  EXPECT_EQ(Patch("\"1\"", "1"), R"([{"op":"replace","path":"","value":1}])");
  EXPECT_EQ(Patch("[]", "{}"), R"([{"op":"replace","path":"","value":{}}])");
  // 1 and 1.0 are different canonical bytes.
  EXPECT_EQ(Patch("1", "1.0"), R"([{"op":"replace","path":"","value":1.0}])");
}

// Long values beside the change keep the whole from being replaced.
constexpr std::string_view kLong =
    "\"this is long enough to be worth keeping as it is, is it not\"";

TEST(JsonPatch, ComparesObjectsByKey) {
  const std::string keep =
      ",\"z\":[" + std::string(kLong) + "," + std::string(kLong) + "," + std::string(kLong) + "]}";
  EXPECT_EQ(Patch("{\"a\":1,\"b\":2,\"d\":3" + keep, "{\"a\":1,\"b\":4,\"c\":5" + keep),
            R"([{"op":"replace","path":"/b","value":4},{"op":"add","path":"/c","value":5},)"
            R"({"op":"remove","path":"/d"}])");
}

TEST(JsonPatch, EscapesKeysInPaths) {
  const std::string keep = ",\"z\":[" + std::string(kLong) + "]}";
  EXPECT_EQ(Patch("{\"~a/b \\u00fc\\\"\":1" + keep, "{\"~a/b \\u00fc\\\"\":2" + keep),
            R"([{"op":"replace","path":"/~0a~1b \u00fc\"","value":2}])");
}

TEST(JsonPatch, ComparesArraysByTheirCommonElements) {
  const std::string k(kLong);
  const std::string keep = k + "," + k + "," + k + "," + k;
  EXPECT_EQ(Patch("[1,2," + keep + "]", "[2," + keep + ",3]"),
            R"([{"op":"remove","path":"/0"},{"op":"add","path":"/-","value":3}])");
  EXPECT_EQ(Patch("[" + keep + ",1]", "[0," + keep + ",1]"),
            R"([{"op":"add","path":"/0","value":0}])");
  EXPECT_EQ(Patch("[1,2,3," + keep + "]", "[4," + keep + "]"),
            R"([{"op":"replace","path":"/0","value":4},{"op":"remove","path":"/1"},)"
            R"({"op":"remove","path":"/1"}])");
}

TEST(JsonPatch, GoesIntoElementsThatStandAgainstEachOther) {
  const std::string k(kLong);
  EXPECT_EQ(Patch("[[{\"a\":1,\"b\":" + k + "}]]", "[[{\"a\":2,\"b\":" + k + "}]]"),
            R"([{"op":"replace","path":"/0/0/a","value":2}])");
}

TEST(JsonPatch, ReplacesWhereThatIsShorter) {
  EXPECT_EQ(Patch("{\"a\":1,\"b\":2}", "{\"c\":1,\"d\":2}"),
            R"([{"op":"replace","path":"","value":{"c":1,"d":2}}])");
  EXPECT_EQ(Patch("[1,2,3]", "[]"), R"([{"op":"replace","path":"","value":[]}])");
}

TEST(JsonPatch, ReplacesAMemberWhereThatIsShorterHoweverMuchCameBefore) {
  const std::string same = "\"z\":\"" + std::string(500, 'z') + "\"}";
  const std::string before = "\"" + std::string(200, 'a') + "\"";
  EXPECT_EQ(Patch(R"({"a":1,"b":{"p":1,"q":2},)" + same,
                  "{\"a\":" + before + R"(,"b":{"r":1,"s":2},)" + same),
            R"([{"op":"replace","path":"/a","value":)" + before +
                R"(},{"op":"replace","path":"/b","value":{"r":1,"s":2}}])");
}

// Every operation would repeat the path; a patch is never longer than replacing everything.
TEST(JsonPatch, DoesNotRepeatLongPathsManyTimes) {
  const std::string key(1000, 'k');
  std::string older = "{\"" + key + "\":[0";
  std::string newer = "{\"" + key + "\":[1";
  for (int i = 0; i < 1000; ++i) {
    older += ",{\"a\":[0,7]}";
    newer += ",{\"a\":[1,7]}";
  }
  const std::string patch = Patch(older + "]}", newer + "]}");
  EXPECT_LE(patch.size(), newer.size() + 50);
}

TEST(JsonPatch, ReplacesArraysOfTooManyElements) {
  std::string many = "[0";
  for (std::size_t i = 0; i < kItemsMax; ++i) many += ",0";
  many += ']';
  EXPECT_EQ(Patch(many, "[0]"), R"([{"op":"replace","path":"","value":[0]}])");
}

}  // namespace
}  // namespace pactdb::diff
