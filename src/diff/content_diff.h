// How the content of a node differs between two snapshots: the `content_diff` of a range.
//
// Content is any JSON value, absent content the empty string. As text, a string is itself and any
// other value its canonical JSON, indented by two.
//
// Thread safety: one writer, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "text/json_out.h"

namespace pactdb::diff {

enum class ContentMode : std::uint8_t { kUnified, kJsonPatch, kTokens };

// unified, jsonpatch, tokens.
std::optional<ContentMode> ParseContentMode(std::string_view name);

// One side; `content` is canonical JSON.
struct ContentSide {
  std::optional<std::string_view> content;
  std::string_view snapshot;  // "@t-1", for the unified format's header
};

// The node, and what it says of itself.
struct ContentOf {
  std::string_view id;
  std::optional<std::string_view> mime;  // canonical JSON
};

class ContentDiffs {
 public:
  // Compares contents of `bytes_max` bytes in all. What goes beyond is summed up but not compared,
  // and says that it is truncated.
  ContentDiffs(ContentMode mode, std::size_t context_lines, std::size_t bytes_max)
      : mode_(mode), context_lines_(context_lines), bytes_left_(bytes_max) {}

  // Appends {"mode","mime"?,"tokenizer"?,"summary","diff" | "patch" | "hunks"}.
  void Write(const ContentOf& node, const ContentSide& older, const ContentSide& newer,
             JsonOut& out);

  // Takes the bytes off what is left to compare; false if there is not enough left.
  bool Spend(std::size_t bytes);
  bool is_truncated() const { return is_truncated_; }

 private:
  ContentMode mode_;
  std::size_t context_lines_;
  std::size_t bytes_left_;
  bool is_truncated_ = false;
};

}  // namespace pactdb::diff
