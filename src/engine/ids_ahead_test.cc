#include "engine/ids_ahead.h"

#include <gtest/gtest.h>

#include "engine/config_json.h"
#include "support/contexts.h"

namespace pactdb {
namespace {

using Run = IdsAhead::Run;
using Runs = std::vector<Run>;
using support::Must;

IdsAhead Of(const Runs& runs) {
  IdsAhead ahead;
  for (const Run& run : runs) ahead.Add(run);
  return ahead;
}

TEST(IdsAhead, JoinsWhatTouchesAndKeepsApartWhatDoesNot) {
  EXPECT_EQ(Of({{5, 5}, {7, 7}, {6, 6}}).runs(), (Runs{{5, 7}}));
  EXPECT_EQ(Of({{9, 12}, {2, 3}, {3, 4}, {10, 11}}).runs(), (Runs{{2, 4}, {9, 12}}));
  const IdsAhead ahead = Of({{5, 6}, {999'999'999, 999'999'999}});
  for (const std::int64_t cycle : {5, 6, 999'999'999}) EXPECT_TRUE(ahead.Has(cycle)) << cycle;
  for (const std::int64_t cycle : {0, 4, 7, 1000, 999'999'998, 1'000'000'000})
    EXPECT_FALSE(ahead.Has(cycle)) << cycle;
}

TEST(IdsAhead, OfTooManyRunsTheNearestAreJoined) {
  IdsAhead ahead;
  for (std::int64_t i = 0; i < 40; ++i) ahead.Add({i * 100, i * 100});
  EXPECT_EQ(ahead.runs().size(), IdsAhead::kRunsMax);
  for (std::int64_t i = 0; i < 40; ++i) EXPECT_TRUE(ahead.Has(i * 100)) << i;
  ahead.Add({1'000'000, 1'000'000});
  EXPECT_TRUE(ahead.Has(1'000'000));
  EXPECT_FALSE(ahead.Has(999'999)) << "what is far off stays by itself";
}

TEST(IdsAhead, WhichAreTheNearestDoesNotDependOnWhereTheyStand) {
  for (const std::int64_t place : {0, 11, 31}) {
    IdsAhead ahead;
    // Each a hundred behind the last, but for one.
    for (std::int64_t i = 0; i <= std::int64_t{IdsAhead::kRunsMax}; ++i)
      ahead.Add({i * 100 - (i > place ? 97 : 0), i * 100 - (i > place ? 97 : 0)});
    EXPECT_EQ(ahead.runs().size(), IdsAhead::kRunsMax);
    EXPECT_TRUE(ahead.Has(place * 100 + 1)) << place;
    EXPECT_FALSE(ahead.Has(place * 100 + 4)) << place;
    EXPECT_EQ(ahead.Has(1), place == 0) << place;
  }
}

TEST(IdsAhead, AreKeptWithTheConfiguration) {
  StoredConfig config;
  config.ids_ahead = Of({{5, 6}, {999'999'999, 999'999'999}});
  EXPECT_EQ(Must(ParseConfig(ConfigJson(config))).ids_ahead, config.ids_ahead);
  EXPECT_EQ(Must(ParseConfig(ConfigJson({}))).ids_ahead, IdsAhead());
  const auto parsed = [](std::string_view ahead) {
    return ParseConfig(R"({"clock_since_cycle":0,"options":{},)" + std::string(ahead) + "}");
  };
  // As files have it that were written before there were runs.
  EXPECT_EQ(Must(parsed(R"("ids_ahead_to":7)")).ids_ahead, Of({{0, 7}}));
  for (const std::string_view bad :
       {R"("ids_ahead":7)", R"("ids_ahead":[7])", R"("ids_ahead":[[7]])", R"("ids_ahead":[[8,7]])",
        R"("ids_ahead":[[-1,7]])", R"("ids_ahead":[["5",7]])", R"("ids_ahead_to":"7")"})
    EXPECT_EQ(support::CodeOf(parsed(bad)), "E_STORE_CORRUPT") << bad;
}

}  // namespace
}  // namespace pactdb
