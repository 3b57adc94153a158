#include "tokens/encoding.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

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

// What npm tiktoken 1.0.22 gives, written down so that a machine without npm checks something.
TEST(Encoding, GivesTheIdsThatTiktokenGives) {
  const std::vector<Golden> goldens = {
      {"o200k_base", "", {}},
      {"o200k_base", "hello world", {24912, 2375}},
      {"cl100k_base", "hello world", {15339, 1917}},
  };
  for (const Golden& golden : goldens) {
    const Encoding* const encoding = Built(golden.encoding);
    if (encoding == nullptr) GTEST_SKIP() << "this build has no vocabularies";
    EXPECT_EQ(IdsOf(*encoding, golden.text), golden.ids) << golden.encoding << ": " << golden.text;
  }
}

TEST(Encoding, OfAnUnknownNameIsAnInvalidRequest) {
  const auto found = Encoding::Find("p50k_base");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), Error(ErrorCode::kRequestInvalid, "there is no such encoding")
                               .With("encoding", "p50k_base")
                               .With("known", "o200k_base, cl100k_base"));
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
