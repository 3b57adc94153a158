#include "engine/volatile_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace pactdb {
namespace {

std::string Found(std::string_view text) {
  const auto word = FindVolatileWord(text);
  return word ? std::string(word->kind) + ": " + word->text : "";
}

TEST(VolatileText, FindsWhatChangesEveryTime) {
  EXPECT_EQ(Found("Today is 2026-11-15."), "a date: 2026-11-15");
  EXPECT_EQ(Found("now=2026-11-15T10:00:00Z"), "a date: 2026-11-15");
  EXPECT_EQ(Found("It is November 5, 2026"), "a date: November 5, 2026");
  EXPECT_EQ(Found("Nov 15"), "a date: Nov 15");
  EXPECT_EQ(Found("at 10:45 sharp"), "a time: 10:45");
  EXPECT_EQ(Found("id 123e4567-e89b-12d3-a456-426614174000"),
            "a uuid: 123e4567-e89b-12d3-a456-426614174000");
  EXPECT_EQ(Found("ts 1763200000"), "a time stamp: 1763200000");
}

TEST(VolatileText, PassesOverWhatStays) {
  for (const std::string_view text : {"", "Be brief.", "version 2026", "room 12-34", "2026-11-155",
                                      "1763200000123456", "Maybe 5", "x2026-11-15", "ratio 3:2"})
    EXPECT_EQ(Found(text), "") << text;
}

}  // namespace
}  // namespace pactdb
