#include "base/check.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace pactdb {
namespace {

void Tell(const char* expression, const char* file, int line) {
  const bool is_here = std::string_view(file).ends_with("check_test.cc") && line > 0;
  std::fprintf(stderr, "told: %s%s\n", expression, is_here ? " here" : " elsewhere");
}

TEST(Check, GoesOnWhenTheConditionHolds) {
  int evaluated = 0;
  PACTDB_CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, TellsTheHandlerThenStops) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        SetCheckHandler(Tell);
        PACTDB_CHECK(1 + 1 == 3);
      },
      "told: 1 \\+ 1 == 3 here");
}

TEST(CheckDeathTest, StopsSilentlyWithoutAHandler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        SetCheckHandler(Tell);
        SetCheckHandler(nullptr);
        PACTDB_CHECK(false);
      },
      "^$");
}

}  // namespace
}  // namespace pactdb
