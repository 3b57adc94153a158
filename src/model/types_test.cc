#include "model/types.h"

#include <gtest/gtest.h>

namespace pactdb {
namespace {

using enum NodeClass;

TEST(Types, HaveTheirNamesInEveryDialect) {
  for (const auto& [node_class, canonical, older] : {std::tuple(kTurn, "seg", "mt"),
                                                     {kCont, "cont", "mc"},
                                                     {kBlock, "block", "cb"},
                                                     {kRoot, "^root", "^root"},
                                                     {kSys, "^sys", "^sys"},
                                                     {kSeq, "^seq", "^seq"},
                                                     {kAh, "^ah", "^ah"}}) {
    EXPECT_EQ(TypeName(node_class, Dialect::kCanonical), canonical);
    EXPECT_EQ(TypeName(node_class, Dialect::kDepth), older);
    EXPECT_EQ(TypeName(node_class, Dialect::kClassic), older);
  }
}

TEST(Types, AreFoundByAnyOfTheirNames) {
  for (const char* name : {"seg", "mt", "turn"}) EXPECT_EQ(FindTypeAlias(name), kTurn) << name;
  for (const char* name : {"cont", "mc"}) EXPECT_EQ(FindTypeAlias(name), kCont) << name;
  for (const char* name : {"block", "cb"}) EXPECT_EQ(FindTypeAlias(name), kBlock) << name;
  for (const char* name : {"", "Seg", "segs", "root", "^ah", "ah", "block:x"})
    EXPECT_EQ(FindTypeAlias(name), std::nullopt) << name;
}

TEST(Types, OfRegionsHaveAMark) {
  EXPECT_EQ(ParseRegionName("^root"), kRoot);
  EXPECT_EQ(ParseRegionName("^sys"), kSys);
  EXPECT_EQ(ParseRegionName("^seq"), kSeq);
  EXPECT_EQ(ParseRegionName("^ah"), kAh);
  for (const char* name : {"", "^", "root", "^rot", "^seg", "^ah "})
    EXPECT_EQ(ParseRegionName(name), std::nullopt) << name;
}

TEST(Types, DialectsAreNamed) {
  for (const Dialect dialect : {Dialect::kClassic, Dialect::kDepth, Dialect::kCanonical})
    EXPECT_EQ(ParseDialect(Name(dialect)), dialect);
  EXPECT_EQ(Name(Dialect::kClassic), "classic");
  EXPECT_EQ(Name(Dialect::kDepth), "depth");
  EXPECT_EQ(Name(Dialect::kCanonical), "canonical");
  EXPECT_EQ(ParseDialect(""), std::nullopt);
  EXPECT_EQ(ParseDialect("other"), std::nullopt);
}

}  // namespace
}  // namespace pactdb
