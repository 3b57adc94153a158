// Documents from bytes: a snapshot, a history in lines or as one document, or a flat log. What is
// refused changes nothing; what is taken verifies, and its export comes back as the same trees.
#include <pactdb/context.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/check.h"
#include "new_context.h"
#include "reached.h"

namespace {

constexpr std::size_t kInputBytesMax = 65'536;

using pactdb::Context;
using pactdb::ImportResult;
using pactdb::Result;
using pactdb::fuzz::NewContext;

// In pieces, so that lines are cut.
Result<ImportResult> ImportStream(Context& context, std::string_view text, bool strict) {
  return context.ImportFrom(
      [&text](char* buffer, std::size_t size) -> Result<std::size_t> {
        const std::size_t taken = std::min({size, text.size(), std::size_t{61}});
        std::memcpy(buffer, text.data(), taken);
        text.remove_prefix(taken);
        return taken;
      },
      strict);
}

void CheckRoundTrip(const Context& context) {
  PACTDB_CHECK(context.Verify() == R"({"ok":true,"problems":[]})");
  std::string lines;
  pactdb::StringSink sink(lines);
  PACTDB_CHECK(context.ExportTo(sink, {.at = std::nullopt, .history = true}).has_value());
  Context copy = NewContext();
  PACTDB_CHECK(ImportStream(copy, lines, false).has_value());
  std::string again;
  pactdb::StringSink second(again);
  PACTDB_CHECK(copy.ExportTo(second, {.at = std::nullopt, .history = true}).has_value());
  PACTDB_CHECK(again == lines);
  // Edits that a log left open are not part of the history.
  const auto newest = context.At("@t0");
  if (newest) PACTDB_CHECK(copy.At("@t0")->tree_sha256() == newest->tree_sha256());
  const auto working = context.Export();
  PACTDB_CHECK(working.has_value());
  Context third = NewContext();
  PACTDB_CHECK(third.ImportSnapshot(*working).has_value());
  PACTDB_CHECK(third.tree_sha256() == context.tree_sha256());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > kInputBytesMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Context context = NewContext();
  const std::string before = context.tree_sha256();
  const bool is_log = text[0] == '[';
  const bool strict = text[0] == ' ';
  const auto result = is_log ? context.ImportLog(text) : ImportStream(context, text, strict);
  if (result) {
    pactdb::fuzz::CountReached();
    CheckRoundTrip(context);
    return 0;
  }
  const std::string_view code = WireName(result.error().code());
  PACTDB_CHECK(code == "E_IMPORT_INVALID" || code == "E_LIMIT_EXCEEDED");
  PACTDB_CHECK(context.tree_sha256() == before);
  PACTDB_CHECK(context.open_cycle() == 1);
  PACTDB_CHECK(!context.At("@t0").has_value());
  PACTDB_CHECK(context.Verify() == R"({"ok":true,"problems":[]})");
  return 0;
}
