// One encoding, many threads, no locks. Run under ThreadSanitizer.
#include <gtest/gtest.h>
#include <pactdb/tokens.h>

#include <string>
#include <vector>

#include "support/crew.h"
#include "support/scale.h"

namespace pactdb {
namespace {

TEST(Tokenizer, CountsTheSameFromManyThreads) {
  std::vector<std::string> texts = {"hello world", std::string(5000, 'a'),
                                    "int main() { return 0; }"};
  for (int i = 0; i < 200; ++i) {
    texts.push_back("identifier" + std::to_string(i) + "Of some_long_name");
  }
  const std::size_t rounds = support::Scaled(50);
  support::Crew crew;
  for (int thread = 0; thread < 4; ++thread) {
    crew.Add([&texts, rounds, thread] {
      // Found here: the first use makes the encoding.
      const auto tokenizer = Tokenizer::Find(thread % 2 == 0 ? "o200k_base" : "cl100k_base");
      if (!tokenizer) return;
      std::vector<std::uint64_t> counts;
      counts.reserve(texts.size());
      for (const std::string& text : texts) counts.push_back(tokenizer->Count(text));
      for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < texts.size(); ++i) {
          ASSERT_EQ(tokenizer->Count(texts[i]), counts[i]) << texts[i];
        }
      }
    });
  }
  crew.Go();
  crew.Join();
}

}  // namespace
}  // namespace pactdb
