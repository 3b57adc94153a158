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
  EXPECT_TRUE(tags.Remove("b"));
  EXPECT_FALSE(tags.Remove("b"));
  EXPECT_EQ(tags.Of(3), Names());
}

TEST(Tags, OfAForkBeginWithThoseOfTheCommitsItShares) {
  Tags origin;
  origin.Set("early", 1);
  origin.Set("late", 5);
  Tags fork = origin.ForkAt(2);
  EXPECT_EQ(fork.Find("early"), 1u);
  EXPECT_EQ(fork.Find("late"), std::nullopt);
  EXPECT_EQ(fork.Of(5), Names());
  // Both go on on their own.
  origin.Set("early", 5);
  EXPECT_EQ(fork.Find("early"), 1u);
  fork.Set("late", 3);
  EXPECT_EQ(fork.Find("late"), 3u);
  EXPECT_EQ(origin.Find("late"), 5u);
  EXPECT_EQ(origin.Of(5), (Names{"early", "late"}));
  EXPECT_TRUE(fork.Remove("early"));
  EXPECT_EQ(origin.Find("early"), 5u);
  Tags second = fork.ForkAt(2);
  EXPECT_EQ(second.Find("late"), std::nullopt);
  EXPECT_FALSE(second.Remove("late"));
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
