#include "model/tags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pactdb {
namespace {

using Names = std::vector<std::string>;

TEST(Tags, NameACommitUntilTheyAreMovedOrRemoved) {
  Tags tags;
  EXPECT_EQ(tags.Find("a"), std::nullopt);
  tags.Set("b", 3);
  tags.Set("a", 3);
  tags.Set("c", 1);
  EXPECT_EQ(tags.Find("a"), 3u);
  EXPECT_EQ(tags.Of(3), (Names{"a", "b"}));
  tags.Set("a", 1);
  EXPECT_EQ(tags.Of(3), (Names{"b"}));
  EXPECT_EQ(tags.Of(1), (Names{"a", "c"}));
  tags.Remove("b");
  tags.Remove("b");
  EXPECT_EQ(tags.Find("b"), std::nullopt);
  EXPECT_EQ(tags.Of(3), Names());
}

TEST(Tags, AreToldFromOtherNamesOfSnapshots) {
  for (const char* name : {"a", "release 1", "v1.2/x", "c3", "\xC3\xA9"})
    EXPECT_TRUE(CheckTagName(name)) << name;
  EXPECT_TRUE(CheckTagName(std::string(128, 'x')));
  for (const std::string& name :
       {std::string(), std::string("working"), std::string("@c3"), std::string("main@c3"),
        std::string("a\nb"), std::string(129, 'x')}) {
    const Status status = CheckTagName(name);
    ASSERT_FALSE(status) << name;
    EXPECT_EQ(status.error().code(), ErrorCode::kRequestInvalid);
  }
}

}  // namespace
}  // namespace pactdb
