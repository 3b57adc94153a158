#include "diff/content_diff.h"

#include <string>

#include "base/limits.h"
#include "diff/json_patch.h"
#include "diff/token_hunks.h"
#include "diff/unified.h"
#include "text/json_indent.h"

namespace pactdb::diff {
namespace {

constexpr std::string_view kEmptyText = "\"\"";

std::string_view Name(ContentMode mode) {
  switch (mode) {
    case ContentMode::kUnified:
      return "unified";
    case ContentMode::kJsonPatch:
      return "jsonpatch";
    case ContentMode::kTokens:
      return "tokens";
  }
  return {};
}

bool IsText(std::string_view canonical) {
  return canonical.starts_with('"');
}

// Bytes of a text in UTF-8, of any other value in canonical JSON.
std::size_t BytesOf(std::string_view canonical) {
  return IsText(canonical) ? DecodeJsonString(canonical).size() : canonical.size();
}

// Nothing if indenting makes it too long.
std::optional<std::string> TextOf(std::string_view canonical) {
  if (IsText(canonical)) return DecodeJsonString(canonical);
  return IndentJson(canonical, limits::kContentBytesMax);
}

// older(@t-1)/block:1.2
std::string FileName(std::string_view age, const ContentSide& side, std::string_view id) {
  std::string name(age);
  name.append("(").append(side.snapshot).append(")/").append(id);
  return name;
}

void WriteCount(std::string_view key, std::size_t count, JsonOut& out) {
  out.Key(key).Integer(static_cast<std::int64_t>(count));
}

}  // namespace

std::optional<ContentMode> ParseContentMode(std::string_view name) {
  for (const ContentMode mode :
       {ContentMode::kUnified, ContentMode::kJsonPatch, ContentMode::kTokens}) {
    if (name == Name(mode)) return mode;
  }
  return std::nullopt;
}

bool ContentDiffs::Spend(std::size_t bytes) {
  if (bytes > bytes_left_) {
    is_truncated_ = true;
    return false;
  }
  bytes_left_ -= bytes;
  return true;
}

void ContentDiffs::Write(const ContentOf& node, const ContentSide& older, const ContentSide& newer,
                         JsonOut& out) {
  const std::string_view before = older.content.value_or(kEmptyText);
  const std::string_view after = newer.content.value_or(kEmptyText);
  const std::size_t bytes_older = BytesOf(before);
  const std::size_t bytes_newer = BytesOf(after);
  bool truncated = !Spend(bytes_older + bytes_newer);
  std::optional<std::string> older_text;
  std::optional<std::string> newer_text;
  if (!truncated && mode_ != ContentMode::kJsonPatch) {
    older_text = TextOf(before);
    newer_text = TextOf(after);
    truncated = !older_text || !newer_text;
    is_truncated_ = is_truncated_ || truncated;
  }
  TokenHunks hunks;
  if (!truncated && mode_ == ContentMode::kTokens) hunks = DiffTokens(*older_text, *newer_text);

  out.BeginObject().Key("mode").String(Name(mode_));
  if (node.mime && IsText(*node.mime)) out.Key("mime").Raw(*node.mime);
  if (mode_ == ContentMode::kTokens) out.Key("tokenizer").String("word");
  out.Key("summary").BeginObject();
  WriteCount("bytesNewer", bytes_newer, out);
  WriteCount("bytesOlder", bytes_older, out);
  out.Key("identical").Bool(before == after);
  out.Key("truncated").Bool(truncated);
  if (!truncated && mode_ == ContentMode::kTokens) {
    WriteCount("tokensNewer", hunks.newer_tokens, out);
    WriteCount("tokensOlder", hunks.older_tokens, out);
  }
  out.EndObject();
  if (!truncated && mode_ == ContentMode::kUnified) {
    out.Key("diff").String(UnifiedDiff({FileName("older", older, node.id), *older_text},
                                       {FileName("newer", newer, node.id), *newer_text},
                                       context_lines_));
  } else if (!truncated && mode_ == ContentMode::kJsonPatch) {
    out.Key("patch").Raw(JsonPatch(before, after));
  } else if (!truncated) {
    out.Key("hunks").Raw(hunks.hunks);
  }
  out.EndObject();
}

}  // namespace pactdb::diff
