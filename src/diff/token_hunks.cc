#include "diff/token_hunks.h"

#include <algorithm>

#include "diff/align.h"
#include "diff/pieces.h"
#include "text/json_out.h"

namespace pactdb::diff {
namespace {

void WriteCount(std::string_view key, std::size_t count, JsonOut& out) {
  out.Key(key).Integer(static_cast<std::int64_t>(count));
}

void WriteSpan(std::string_view key, std::size_t start, std::size_t end, JsonOut& out) {
  out.Key(key).BeginObject();
  WriteCount("start", start, out);
  WriteCount("end", end, out);
  out.EndObject();
}

void WriteKeep(std::size_t count, JsonOut& out) {
  if (count == 0) return;
  out.BeginObject().Key("op").String("keep");
  WriteCount("count", count, out);
  out.EndObject();
}

void WriteChange(const Change& change, const Pieces& newer, JsonOut& out) {
  const std::size_t deleted = change.older_end - change.older_start;
  const std::size_t inserted = change.newer_end - change.newer_start;
  out.BeginObject().Key("op").String(inserted == 0 ? "del" : deleted == 0 ? "ins" : "rep");
  if (deleted > 0) WriteCount("del", deleted, out);
  if (inserted > 0) {
    out.Key("ins").BeginArray();
    for (std::size_t i = change.newer_start; i < change.newer_end; ++i) out.String(newer[i]);
    out.EndArray();
  }
  out.EndObject();
}

void WriteHunk(std::span<const Change> changes, std::size_t older_size, const Pieces& newer,
               JsonOut& out) {
  const std::size_t before = std::min(kTokenContext, changes.front().older_start);
  const std::size_t after = std::min(kTokenContext, older_size - changes.back().older_end);
  out.BeginObject();
  WriteSpan("older", changes.front().older_start - before, changes.back().older_end + after, out);
  WriteSpan("newer", changes.front().newer_start - before, changes.back().newer_end + after, out);
  out.Key("ops").BeginArray();
  std::size_t at = changes.front().older_start - before;
  for (const Change& change : changes) {
    WriteKeep(change.older_start - at, out);
    WriteChange(change, newer, out);
    at = change.older_end;
  }
  WriteKeep(after, out);
  out.EndArray().EndObject();
}

Pieces WordsOf(std::string_view text) {
  auto words = SplitWords(text);
  return words ? *std::move(words) : Pieces{text};
}

}  // namespace

TokenHunks DiffTokens(std::string_view older, std::string_view newer) {
  const Pieces older_words = WordsOf(older);
  const Pieces newer_words = WordsOf(newer);
  const std::vector<Change> changes = Align(older_words, newer_words);
  JsonOut out;
  out.BeginArray();
  for (const auto group : GroupChanges(changes, kTokenContext))
    WriteHunk(group, older_words.size(), newer_words, out);
  out.EndArray();
  return {older_words.size(), newer_words.size(), out.Take()};
}

}  // namespace pactdb::diff
