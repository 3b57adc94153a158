// Differences of two texts word by word.
//
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pactdb::diff {

struct TokenHunks {
  std::size_t older_tokens = 0;
  std::size_t newer_tokens = 0;
  // A JSON array of {"older":{"start","end"},"newer":{"start","end"},"ops":[...]}: changes with up
  // to kTokenContext kept words around them. The operations lead from the older words to the newer:
  // {"op":"keep","count"}, {"op":"del","del"}, {"op":"ins","ins"}, {"op":"rep","del","ins"}, where
  // `del` counts words and `ins` lists them (see SplitWords).
  std::string hunks;
};

inline constexpr std::size_t kTokenContext = 3;

// A text of more than kItemsMax words counts as one word.
TokenHunks DiffTokens(std::string_view older, std::string_view newer);

}  // namespace pactdb::diff
