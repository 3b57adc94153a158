// Content differences from bytes: the first byte chooses bounds, the rest is two texts, cut at the
// first zero byte. What Align finds must lead from one to the other whatever its bounds, and a JSON
// patch must be JSON and not longer than replacing everything.
#include <pactdb/json.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/limits.h"
#include "diff/align.h"
#include "diff/json_patch.h"
#include "diff/pieces.h"
#include "diff/token_hunks.h"
#include "diff/unified.h"
#include "reached.h"
#include "text/canonical.h"
#include "text/json_doc.h"
#include "text/json_indent.h"

namespace {

using namespace pactdb::diff;

std::string Joined(const Pieces& pieces, std::size_t start, std::size_t end) {
  std::string text;
  for (std::size_t i = start; i < end; ++i) text += pieces[i];
  return text;
}

void CheckAlign(const Pieces& older, const Pieces& newer, const AlignBounds& bounds) {
  std::string text;
  std::size_t at = 0;
  for (const Change& change : Align(older, newer, bounds)) {
    text += Joined(older, at, change.older_start);
    PACTDB_CHECK(text.size() == Joined(newer, 0, change.newer_start).size());
    text += Joined(newer, change.newer_start, change.newer_end);
    at = change.older_end;
  }
  text += Joined(older, at, older.size());
  PACTDB_CHECK(text == Joined(newer, 0, newer.size()));
}

void CheckPatch(std::string_view older, std::string_view newer) {
  const auto a = pactdb::Json::Parse(older);
  const auto b = pactdb::Json::Parse(newer);
  if (!a || !b) return;
  pactdb::fuzz::CountReached();
  const std::string patch = JsonPatch(a->text(), b->text());
  PACTDB_CHECK(patch.size() <= b->text().size() + 40);
  PACTDB_CHECK((patch == "[]") == (*a == *b));
  PACTDB_CHECK(pactdb::JsonDoc::Parse(patch, pactdb::limits::kDocumentJsonDepthMax).has_value());
  const auto indented = pactdb::IndentJson(a->text(), 1 << 20);
  if (indented) PACTDB_CHECK(pactdb::Json::Parse(*indented)->text() == a->text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = std::min(text.find('\0'), text.size());
  const std::string_view older = text.substr(0, cut);
  const std::string_view newer = text.substr(std::min(cut + 1, text.size()));
  const AlignBounds bounds{.cost_max = data[0] % 5u, .steps_max = data[0] * 4u};
  CheckAlign(*SplitLines(older), *SplitLines(newer), bounds);
  CheckAlign(*SplitWords(older), *SplitWords(newer), {});
  const std::string diff = UnifiedDiff({"a", older}, {"b", newer}, data[0] % 4u);
  PACTDB_CHECK(diff.empty() == (older == newer));
  if (pactdb::IsValidUtf8(older) && pactdb::IsValidUtf8(newer)) (void)DiffTokens(older, newer);
  CheckPatch(older, newer);
  return 0;
}
