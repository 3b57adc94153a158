#include "model/body.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace pactdb {
namespace {

std::string Hash(std::optional<std::string_view> content, const std::vector<Attribute>& attributes,
                 std::string_view role, std::string_view kind) {
  return ToHex(ContentHash(content, attributes, role, kind));
}

// The values come from the reference function in Python.
TEST(ContentHash, SER_1_IsTheReferenceFunction) {
  EXPECT_EQ(Hash(std::nullopt, {}, "", ""),
            "3d81012112ce288f5f9061f4973ab485bbe28d04ce7989ab351215f75d5a2058");
  EXPECT_EQ(Hash("\"Hello world\"", {}, "\"user\"", ""),
            "bd991081a0a67c7476399d89d1638f2931cd261208cdc9965502b18a04f1dec6");
  EXPECT_EQ(Hash("null", {}, "", ""),
            "d664d00493df044146bf351c9a0d403ca165fe9eefea3d1f4a7366b6e030541b");
  EXPECT_EQ(Hash("{\"a\":\"/path\",\"b\":1}", {}, "", "\"json\""),
            "3e40bc7cbff90a499a6affc65fb1be1c13734286afd84c321218e8a4d6e73bdf");
  EXPECT_EQ(Hash("\"x\"",
                 {{"content_lang", "\"en\""},
                  {"data_a", "{\"Z\":[1,1.5,null,true],\"z\":1}"},
                  {"data_b", "2"},
                  {"other", "\"ignored\""}},
                 "\"tool\"", "\"text\""),
            "6bb059d46ad06822d06743a3a40c950e8b62889a0d564dc0b99bc53d602e9f0c");
}

TEST(ContentHash, TakesAbsentForTheEmptyString) {
  EXPECT_EQ(ContentHash(std::nullopt, {}, "", ""), ContentHash("\"\"", {}, "\"\"", "\"\""));
  EXPECT_NE(ContentHash(std::nullopt, {}, "", ""), ContentHash("null", {}, "", ""));
  EXPECT_EQ(EmptyContentHash(), ContentHash(std::nullopt, {}, "", ""));
}

TEST(ContentHash, IsTheSameAfterALargeOne) {
  const Digest before = ContentHash("\"x\"", {}, "", "");
  const std::string large = "\"" + std::string(std::size_t{3} << 20, 'x') + "\"";
  EXPECT_NE(ContentHash(large, {}, "", ""), before);
  EXPECT_EQ(ContentHash("\"x\"", {}, "", ""), before);
}

TEST(ContentAttribute, BeginsWithContentOrData) {
  for (const std::string_view name : {"content_", "content_lang", "data_", "data_call_id"})
    EXPECT_TRUE(IsContentAttribute(name)) << name;
  for (const std::string_view name : {"content", "data", "Data_x", "key", "xdata_", "ns:data_"})
    EXPECT_FALSE(IsContentAttribute(name)) << name;
}

TEST(Body, KeepsContentAndAttributesToTheByte) {
  const std::vector<Attribute> attributes = {
      {"data_a", "1"}, {"key", "\"k\""}, {"ns:x", "null"}, {"tags", "[\"a\",\"b\"]"}};
  const Ref<Body> body = Body::Make("\"text\"", attributes, "\"user\"", "");
  EXPECT_EQ(body->content(), "\"text\"");
  EXPECT_EQ(body->attribute_count(), 4u);
  std::vector<std::pair<std::string, std::string>> seen;
  body->ForEach(
      [&seen](const Attribute& attribute) { seen.emplace_back(attribute.name, attribute.value); });
  const std::vector<std::pair<std::string, std::string>> want = {
      {"data_a", "1"}, {"key", "\"k\""}, {"ns:x", "null"}, {"tags", "[\"a\",\"b\"]"}};
  EXPECT_EQ(seen, want);
  EXPECT_EQ(body->content_hash(), ContentHash("\"text\"", attributes, "\"user\"", ""));
}

TEST(Body, FindsAttributesByName) {
  const std::vector<Attribute> attributes = {{"b", "1"}, {"d", "2"}, {"dd", "3"}};
  const Ref<Body> body = Body::Make(std::nullopt, attributes, "", "");
  EXPECT_EQ(body->Find("b"), "1");
  EXPECT_EQ(body->Find("d"), "2");
  EXPECT_EQ(body->Find("dd"), "3");
  for (const std::string_view name : {"", "a", "c", "ddd", "z"})
    EXPECT_EQ(body->Find(name), std::nullopt) << name;
}

TEST(Body, TellsNoContentFromNullAndEmpty) {
  EXPECT_EQ(Body::Make(std::nullopt, {}, "", "")->content(), std::nullopt);
  EXPECT_EQ(Body::Make("null", {}, "", "")->content(), "null");
  EXPECT_EQ(Body::Make("\"\"", {}, "", "")->content(), "\"\"");
}

TEST(Body, CountsItsOneAllocation) {
  const std::vector<Attribute> attributes = {{"key", "\"k\""}};
  const Ref<Body> body = Body::Make("\"abc\"", attributes, "", "");
  EXPECT_EQ(body->allocated_bytes(), sizeof(Body) + 5 + 8 + 3 + 3);
}

}  // namespace
}  // namespace pactdb
