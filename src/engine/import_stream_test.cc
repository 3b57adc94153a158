// An import from a stream: lines or a document, with the line and the byte of a fault, and the
// fault of the stream itself as it says it.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "support/contexts.h"
#include "support/error_text.h"

namespace pactdb {
namespace {

using support::ErrorText;
using support::Must;
using support::NewContext;

// Gives the text, in pieces of this size; then fails, if told so.
ByteSource Stream(std::string_view text, std::size_t piece, bool fails = false) {
  return [text, piece, fails](char* buffer, std::size_t size) mutable -> Result<std::size_t> {
    if (text.empty() && fails)
      return std::unexpected(Error(ErrorCode::kStoreIo, "the line went dead"));
    const std::size_t taken = std::min({size, piece, text.size()});
    std::memcpy(buffer, text.data(), taken);
    text.remove_prefix(taken);
    return taken;
  };
}

// A history of two commits as lines.
std::string Lines() {
  Context context = NewContext();
  Must(context.Add(support::Block("a", "one")));
  Must(context.Commit());
  Must(context.Add(support::Block("b", "two")));
  Must(context.Commit());
  std::string lines;
  StringSink sink(lines);
  Must(context.ExportTo(sink, {.history = true}));
  return lines;
}

std::string StateOf(const Context& context) {
  return context.tree_sha256() + Must(context.Log()) + std::to_string(context.open_cycle());
}

std::string StreamRefusal(const ByteSource& source) {
  Context context = NewContext();
  const std::string before = StateOf(context);
  const std::string refusal = ErrorText(context.ImportFrom(source));
  if (refusal != "ok") {
    EXPECT_EQ(StateOf(context), before) << refusal;
  }
  return refusal;
}

TEST(ImportStream, ASourceThatFailsIsToldAsItSays) {
  const std::string lines = Lines();
  const std::string dead = "E_STORE_IO: the line went dead";
  EXPECT_EQ(StreamRefusal(Stream("", 1, true)), dead);
  EXPECT_EQ(StreamRefusal(Stream(lines, 7, true)), dead) << "even behind the last line";
  EXPECT_EQ(StreamRefusal(Stream(lines.substr(0, lines.find('\n') + 5), 7, true)), dead);
  EXPECT_EQ(StreamRefusal(Stream("{\n\"root\":", 7, true)), dead) << "in a document of many lines";
  EXPECT_EQ(StreamRefusal(Stream(lines, 7)), "ok");
}

TEST(ImportStream, SaysTheLineAndTheByteOfTheStream) {
  const std::string lines = Lines();
  const std::size_t second = lines.find('\n') + 1;
  const std::size_t third = lines.find('\n', second) + 1;
  EXPECT_EQ(StreamRefusal(Stream("", 1)), "E_IMPORT_INVALID: there is nothing to import {pos=0}");
  EXPECT_EQ(StreamRefusal(Stream("[]\n", 1)),
            "E_IMPORT_INVALID: a snapshot document is an object {pos=0}");
  EXPECT_EQ(StreamRefusal(Stream(lines.substr(0, third) + "7\n", 64)),
            "E_IMPORT_INVALID: line 3: a part of a commit is an object {line=3 pos=" +
                std::to_string(third) + "}");
  EXPECT_EQ(StreamRefusal(Stream(lines.substr(0, third), 64)),
            "E_IMPORT_INVALID: line 2: the history ends after 1 of 2 commits {line=2 commits=1 "
            "pos=" +
                std::to_string(third) + "}");
  std::string changed = lines;
  changed.replace(lines.find(R"("canonical")"), 11, "7");
  EXPECT_EQ(StreamRefusal(Stream(changed, 64)),
            "E_IMPORT_INVALID: line 1: an unknown dialect {line=1 pos=" +
                std::to_string(lines.find(R"("canonical")")) + "}");
}

TEST(ImportStream, LinesThatAreEmptyArePassedOver) {
  std::string lines = Lines();
  const std::size_t second = lines.find('\n') + 1;
  EXPECT_EQ(StreamRefusal(Stream(lines.insert(second, "\n\n") + "\n", 64)), "ok");
}

TEST(ImportStream, ASnapshotOnOneLongLineIsRead) {
  const std::string document =
      R"({"root":{"children":[{"id":"sys","nodeType":"^sys","children":[{"id":"x","content":")" +
      std::string(5'000, 'x') + R"("}]}]}})";
  Context streamed = NewContext();
  Must(streamed.ImportFrom(Stream(document, 1'000)));
  Context whole = NewContext();
  Must(whole.ImportSnapshot(document));
  EXPECT_EQ(streamed.tree_sha256(), whole.tree_sha256());
}

}  // namespace
}  // namespace pactdb
