#include "diff/align.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/random.h"
#include "support/scale.h"

namespace pactdb::diff {
namespace {

using Words = std::vector<std::string_view>;

std::string Apply(const Words& older, const Words& newer, const std::vector<Change>& changes) {
  std::string text;
  std::size_t at = 0;
  for (const Change& change : changes) {
    for (; at < change.older_start; ++at) text += older[at];
    for (std::size_t i = change.newer_start; i < change.newer_end; ++i) text += newer[i];
    at = change.older_end;
  }
  for (; at < older.size(); ++at) text += older[at];
  return text;
}

std::string Joined(const Words& words) {
  std::string text;
  for (const std::string_view word : words) text += word;
  return text;
}

std::size_t Cost(const std::vector<Change>& changes) {
  std::size_t cost = 0;
  for (const Change& change : changes)
    cost += change.older_end - change.older_start + change.newer_end - change.newer_start;
  return cost;
}

// Items deleted and inserted, by the table of longest common subsequences.
std::size_t SmallestCost(const Words& older, const Words& newer) {
  std::vector<std::size_t> row(newer.size() + 1, 0);
  for (const std::string_view item : older) {
    std::size_t corner = 0;
    for (std::size_t j = 0; j < newer.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = item == newer[j] ? corner + 1 : std::max(above, row[j]);
      corner = above;
    }
  }
  return older.size() + newer.size() - 2 * row[newer.size()];
}

Words RandomWords(support::Random& random, std::size_t size_max, std::size_t alphabet) {
  static const std::string kLetters = "abcdefghijklmnopqrstuvwxyz";
  Words words;
  for (std::size_t i = random.Below(size_max + 1); i > 0; --i)
    words.push_back(std::string_view(kLetters).substr(random.Below(alphabet), 1));
  return words;
}

void ExpectOrdered(const std::vector<Change>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    EXPECT_TRUE(changes[i].older_start < changes[i].older_end ||
                changes[i].newer_start < changes[i].newer_end);
    if (i == 0) continue;
    const std::size_t kept = changes[i].older_start - changes[i - 1].older_end;
    EXPECT_GT(changes[i].older_start, changes[i - 1].older_end);
    EXPECT_EQ(changes[i].newer_start - changes[i - 1].newer_end, kept);
  }
}

TEST(Align, FindsNothingInEqualSequences) {
  const Words words = {"a", "b"};
  EXPECT_TRUE(Align(words, words).empty());
  EXPECT_TRUE(Align(Words(), Words()).empty());
}

TEST(Align, NamesThePlacesThatDiffer) {
  const Words older = {"a", "b", "c", "d"};
  const Words newer = {"a", "x", "c", "d", "e"};
  EXPECT_EQ(Align(older, newer), (std::vector<Change>{{1, 2, 1, 2}, {4, 4, 4, 5}}));
  EXPECT_EQ(Align(Words(), newer), (std::vector<Change>{{0, 0, 0, 5}}));
  EXPECT_EQ(Align(older, Words()), (std::vector<Change>{{0, 4, 0, 0}}));
}

TEST(Align, GivesASmallestAnswerOnRandomSequences) {
  support::Random random(1);
  for (int i = 0; i < 4000; ++i) {
    const std::size_t alphabet = 1 + random.Below(6);
    const Words older = RandomWords(random, 24, alphabet);
    const Words newer = RandomWords(random, 24, alphabet);
    const auto changes = Align(older, newer);
    ASSERT_EQ(Apply(older, newer, changes), Joined(newer));
    ASSERT_EQ(Cost(changes), SmallestCost(older, newer)) << Joined(older) << ' ' << Joined(newer);
    ExpectOrdered(changes);
  }
}

TEST(Align, StaysCorrectWhenItsBoundsAreReached) {
  support::Random random(2);
  for (int i = 0; i < 4000; ++i) {
    const Words older = RandomWords(random, 60, 4);
    const Words newer = RandomWords(random, 60, 4);
    const AlignBounds bounds{.cost_max = random.Below(4), .steps_max = random.Below(400)};
    const auto changes = Align(older, newer, bounds);
    ASSERT_EQ(Apply(older, newer, changes), Joined(newer));
    ExpectOrdered(changes);
  }
}

// A million items a side, all shared and in random order: without its bounds this takes 10^12
// steps.
TEST(Align, EndsOnHostileSequences) {
  support::Random random(3);
  std::string alphabet;
  for (int i = 0; i < 256; ++i) alphabet += static_cast<char>(i);
  const std::size_t size = std::min(kItemsMax, support::Scaled(kItemsMax));
  Words older;
  Words newer;
  for (std::size_t i = 0; i < size; ++i) {
    older.push_back(std::string_view(alphabet).substr(random.Below(256), 1));
    newer.push_back(std::string_view(alphabet).substr(random.Below(256), 1));
  }
  const auto changes = Align(older, newer);
  EXPECT_EQ(Apply(older, newer, changes), Joined(newer));
  EXPECT_EQ(changes, Align(older, newer));
}

TEST(Align, GroupsChangesWhoseSurroundingsMeet) {
  const std::vector<Change> changes = {{0, 1, 0, 1}, {7, 8, 7, 8}, {15, 16, 15, 16}};
  const auto sizes = [&changes](std::size_t context) {
    std::vector<std::size_t> found;
    for (const auto group : GroupChanges(changes, context)) found.push_back(group.size());
    return found;
  };
  EXPECT_EQ(sizes(0), (std::vector<std::size_t>{1, 1, 1}));
  EXPECT_EQ(sizes(2), (std::vector<std::size_t>{1, 1, 1}));
  EXPECT_EQ(sizes(3), (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(sizes(SIZE_MAX), (std::vector<std::size_t>{3}));
  EXPECT_TRUE(GroupChanges({}, 3).empty());
}

}  // namespace
}  // namespace pactdb::diff
