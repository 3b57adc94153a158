// Exports and imports for tests: to and from a text, and whether two contexts hold the same.
#pragma once

#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "support/contexts.h"

namespace pactdb::support {

inline std::string Lines(const Context& context) {
  std::string lines;
  StringSink sink(lines);
  Must(context.ExportTo(sink, {.at = std::nullopt, .history = true}));
  return lines;
}

// Gives `text`, which gets shorter by it, in pieces of at most so many bytes.
inline ByteSource SourceOf(std::string_view& text, std::size_t piece = SIZE_MAX) {
  return [&text, piece](char* buffer, std::size_t size) -> Result<std::size_t> {
    const std::size_t taken = std::min({size, text.size(), piece});
    std::memcpy(buffer, text.data(), taken);
    text.remove_prefix(taken);
    return taken;
  };
}

// In pieces of an odd size, so that lines are cut everywhere.
inline Result<ImportResult> ImportLines(Context& context, std::string_view text,
                                        bool strict = false) {
  return context.ImportFrom(SourceOf(text, 977), strict);
}

inline void SameSnapshot(const Context& a, const Context& b, const std::string& at) {
  ASSERT_EQ(Must(b.At(at)).tree_sha256(), Must(a.At(at)).tree_sha256());
  ASSERT_EQ(Must(b.Serialize(at)), Must(a.Serialize(at)));
  ASSERT_EQ(Must(b.Tree(at)), Must(a.Tree(at)));
  ASSERT_EQ(Must(b.Render({.at = at})).body, Must(a.Render({.at = at})).body);
}

// Every snapshot, the log and the newest state. REQUIRES: no open edits.
inline void SameHistory(const Context& a, const Context& b) {
  ASSERT_EQ(b.open_cycle(), a.open_cycle());
  ASSERT_EQ(Must(b.Log({.hashes = true})), Must(a.Log({.hashes = true})));
  for (std::int64_t cycle = 1; cycle < a.open_cycle(); ++cycle) {
    const std::string at = "@c" + std::to_string(cycle);
    if (a.At(at)) SameSnapshot(a, b, at);
  }
  ASSERT_EQ(b.tree_sha256(), a.tree_sha256());
  ASSERT_EQ(Must(b.Tree()), Must(a.Tree()));
  ASSERT_EQ(Lines(b), Lines(a));
  ASSERT_EQ(b.Verify(), VerifyOk());
}

}  // namespace pactdb::support
