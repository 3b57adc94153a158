// Conversations of providers from bytes: the first says the format and whether to be lenient. What
// is refused changes nothing. What is taken verifies, can be rendered in every format, and rendered
// in its own comes back as the same request.
#include <pactdb/context.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "new_context.h"
#include "reached.h"

namespace {

constexpr std::size_t kInputBytesMax = 65'536;
constexpr auto kFormats =
    std::to_array<std::string_view>({"openai-chat", "openai-responses", "anthropic", "gemini"});
constexpr auto kImported = std::to_array<std::string_view>(
    {"openai-chat", "openai-responses", "anthropic", "gemini", "pi", "log"});

using pactdb::Context;
using pactdb::fuzz::NewContext;

std::string Render(const Context& context, std::string_view format) {
  const auto rendered =
      context.Render({.at = std::nullopt, .format = std::string(format), .lossy = true});
  // Losses apart, only what the caller allowed can refuse.
  PACTDB_CHECK(rendered.has_value());
  return rendered->body;
}

void CheckTaken(Context& context, std::string_view format) {
  PACTDB_CHECK(context.Verify() == R"({"ok":true,"problems":[]})");
  for (const std::string_view other : kFormats) Render(context, other);
  PACTDB_CHECK(context.Check({.at = std::nullopt, .format = std::nullopt}).has_value());
  if (format == "pi" || format == "log") return;
  const std::string first = Render(context, format);
  Context again = NewContext();
  const auto imported = again.ImportThread(first, {.format = std::string(format), .lenient = true});
  PACTDB_CHECK(imported.has_value());
  PACTDB_CHECK(Render(again, format) == first);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > kInputBytesMax) return 0;
  const std::string_view format = kImported[data[0] / 2 % kImported.size()];
  const bool lenient = data[0] % 2 == 1;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  Context context = NewContext();
  const std::string before = context.tree_sha256();
  const auto result =
      context.ImportThread(text, {.format = std::string(format), .lenient = lenient});
  if (result) {
    pactdb::fuzz::CountReached();
    CheckTaken(context, format);
    return 0;
  }
  const std::string_view code = WireName(result.error().code());
  PACTDB_CHECK(code == "E_IMPORT_INVALID" || code == "E_LIMIT_EXCEEDED");
  PACTDB_CHECK(context.tree_sha256() == before);
  PACTDB_CHECK(!context.At("@t0").has_value());
  return 0;
}
