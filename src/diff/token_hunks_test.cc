#include "diff/token_hunks.h"

#include <gtest/gtest.h>

#include "diff/align.h"
#include "diff/pieces.h"

namespace pactdb::diff {
namespace {

TEST(Pieces, WordsCarryTheWhiteSpaceBeforeThem) {
  EXPECT_EQ(SplitWords("to  the\nNile\t "), (Pieces{"to", "  the", "\nNile", "\t "}));
  EXPECT_EQ(SplitWords(" x"), (Pieces{" x"}));
  EXPECT_EQ(SplitWords(""), Pieces());
  // A no-break space is no ASCII white space.
  EXPECT_EQ(SplitWords("a\xc2\xa0"
                       "b"),
            (Pieces{"a\xc2\xa0"
                    "b"}));
}

TEST(Pieces, LinesCarryTheirLineFeed) {
  EXPECT_EQ(SplitLines("a\n\nb"), (Pieces{"a\n", "\n", "b"}));
  EXPECT_EQ(SplitLines("a\n"), (Pieces{"a\n"}));
}

TEST(TokenHunks, ReplacesAWordByTwo) {
  const TokenHunks hunks = DiffTokens("Fly on Monday to Osaka", "Fly on Monday to Tokyo (HND)");
  EXPECT_EQ(hunks.older_tokens, 5u);
  EXPECT_EQ(hunks.newer_tokens, 6u);
  EXPECT_EQ(
      hunks.hunks,
      R"x([{"older":{"start":1,"end":5},"newer":{"start":1,"end":6},)x"
      R"x("ops":[{"op":"keep","count":3},{"op":"rep","del":1,"ins":[" Tokyo"," (HND)"]}]}])x");
}

TEST(TokenHunks, DeletesAndInserts) {
  EXPECT_EQ(DiffTokens("a b c d e f g h i j", "a c d e f g h i j k").hunks,
            R"([{"older":{"start":0,"end":5},"newer":{"start":0,"end":4},)"
            R"("ops":[{"op":"keep","count":1},{"op":"del","del":1},{"op":"keep","count":3}]},)"
            R"({"older":{"start":7,"end":10},"newer":{"start":6,"end":10},)"
            R"("ops":[{"op":"keep","count":3},{"op":"ins","ins":[" k"]}]}])");
}

TEST(TokenHunks, HasNoneForEqualTexts) {
  const TokenHunks hunks = DiffTokens("a b", "a b");
  EXPECT_EQ(hunks.hunks, "[]");
  EXPECT_EQ(hunks.older_tokens, 2u);
}

TEST(TokenHunks, TakesATextOfTooManyWordsAsOne) {
  std::string many;
  for (std::size_t i = 0; i <= kItemsMax; ++i) many += "a ";
  const TokenHunks hunks = DiffTokens(many, "b");
  EXPECT_EQ(hunks.older_tokens, 1u);
  EXPECT_EQ(hunks.hunks, R"([{"older":{"start":0,"end":1},"newer":{"start":0,"end":1},)"
                         R"("ops":[{"op":"rep","del":1,"ins":["b"]}]}])");
}

}  // namespace
}  // namespace pactdb::diff
