#include "engine/names.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace pactdb {
namespace {

// "stored/kind", or the error's wire name.
std::string Given(std::string_view text, Dialect dialect) {
  const auto type = ParseGivenType(text, dialect);
  if (!type) return std::string(WireName(type.error().code()));
  return type->stored + "/" + type->kind.value_or("-");
}

TEST(GivenType, I5_IsStoredInTheSpellingOfTheDialect) {
  EXPECT_EQ(Given("cb", Dialect::kCanonical), "block/-");
  EXPECT_EQ(Given("block", Dialect::kClassic), "cb/-");
  EXPECT_EQ(Given("block", Dialect::kDepth), "cb/-");
  EXPECT_EQ(Given("cb:summary", Dialect::kCanonical), "block:summary/summary");
  EXPECT_EQ(Given("cont:x:y", Dialect::kClassic), "mc:x:y/x:y");
  EXPECT_EQ(Given("custom:note", Dialect::kClassic), "custom:note/-");
}

TEST(GivenType, I6_RefusesWhatACallerCannotMake) {
  for (const std::string_view text : {"^sys", "^ah", "^anything", "seg", "mt", "turn", "seg:x",
                                      "note", "", ":", "block:", ":x", "cb:"}) {
    EXPECT_EQ(Given(text, Dialect::kCanonical), "E_NODE_TYPE_INVALID") << text;
  }
}

TEST(DefaultIdShape, I2_IsThatOfTheOpenAndLaterCycles) {
  for (const std::string_view id : {"block:3.0", "cb:3.7", "cont:3.12", "mc:4.1", "seg:3", "mt:99",
                                    "block:9223372036854775807.0"}) {
    EXPECT_TRUE(HasDefaultIdShape(id, 3)) << id;
  }
  for (const std::string_view id :
       {"block:2.0",   "seg:2",     "block:3",    "block:03.0", "block:3.00",
        "block:3.1~1", "block:3.",  "block:.1",   "block:-3.1", "block:+3.1",
        "seg:3.1",     "seg:",      "turn:3",     "custom:3.1", "3.1",
        "block:3.1x",  "Block:3.1", "block: 3.1", "",           "block:9223372036854775808.0"}) {
    EXPECT_FALSE(HasDefaultIdShape(id, 3)) << id;
  }
}

TEST(Field, I7_IsOfTheContractReservedCustomOrUnknown) {
  const auto expect = [](FieldKind kind, const std::vector<std::string_view>& names) {
    for (const std::string_view name : names) EXPECT_EQ(ClassifyField(name), kind) << name;
  };
  expect(FieldKind::kSettable, {"id", "nodeType", "content", "key", "tags", "refs", "cad", "ttl"});
  expect(FieldKind::kReserved, {"cycle", "content_hash", "parent_id", "created_at_iso"});
  expect(FieldKind::kCustom, {"data_", "data_x", "content_", "content_lang", "ns:x", "a:b:c"});
  expect(FieldKind::kUnknown, {"", "colour", ":", "ns:", ":x", "children", "depth", "Content"});
}

TEST(TypeName, FollowsTheDialect) {
  EXPECT_EQ(TypeName(NodeClass::kTurn, Dialect::kCanonical), "seg");
  EXPECT_EQ(TypeName(NodeClass::kCont, Dialect::kClassic), "mc");
  EXPECT_EQ(TypeName(NodeClass::kBlock, Dialect::kDepth), "cb");
}

TEST(Dialect, IsReadAsItIsWritten) {
  for (const Dialect dialect : {Dialect::kClassic, Dialect::kDepth, Dialect::kCanonical})
    EXPECT_EQ(ParseDialect(Name(dialect)), dialect);
  EXPECT_EQ(ParseDialect("Classic"), std::nullopt);
}

}  // namespace
}  // namespace pactdb
