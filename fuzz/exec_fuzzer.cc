// Request lines from bytes, given to a fresh engine. Every answer is one line of strict JSON with
// `ok` and either a result or a known error; a line that fails changes nothing; at the end every
// context still verifies.
#include <pactdb/exec.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/limits.h"
#include "reached.h"
#include "text/json_doc.h"

namespace {

// Sessions stay short, so that a run tries many of them.
constexpr std::size_t kInputBytesMax = 32'768;
constexpr std::size_t kLinesMax = 200;

using pactdb::Exec;
using pactdb::Json;
using pactdb::JsonDoc;
using pactdb::JsonRef;

// Deeper than any answer: a tag may be as deep as a request, a tree has two levels a node.
constexpr std::size_t kAnswerDepthMax = 2 * pactdb::limits::kDocumentJsonDepthMax;

constexpr auto kWireNames = std::to_array<std::string_view>({
#define PACTDB_ERROR_CODE(name, wire, meaning) wire,
#include <pactdb/error_codes.def>
#undef PACTDB_ERROR_CODE
});

JsonDoc ParseAnswer(std::string_view answer) {
  PACTDB_CHECK(answer.find('\n') == std::string_view::npos);
  auto doc = JsonDoc::Parse(answer, kAnswerDepthMax);
  PACTDB_CHECK(doc.has_value());
  PACTDB_CHECK(doc->root().is_object());
  return *std::move(doc);
}

// True if the answer is a success.
bool CheckAnswer(const JsonDoc& answer) {
  const auto ok = answer.root().Find("ok");
  const auto error = answer.root().Find("error");
  PACTDB_CHECK(ok && ok->kind() == Json::Kind::kBool);
  PACTDB_CHECK(answer.root().Find("result").has_value() == ok->boolean());
  PACTDB_CHECK(error.has_value() != ok->boolean());
  if (ok->boolean()) return true;
  const auto code = error->Find("code");
  const auto message = error->Find("message");
  PACTDB_CHECK(code && code->is_string());
  PACTDB_CHECK(std::ranges::find(kWireNames, code->string()) != kWireNames.end());
  PACTDB_CHECK(message && message->is_string() && !message->string().empty());
  PACTDB_CHECK(error->Find("details") && error->Find("details")->is_object());
  return false;
}

// What a failed line must leave alone: cycle, number of snapshots, tree.
std::string State(Exec& exec, const std::string& context) {
  const JsonDoc answer = ParseAnswer(exec.Answer(R"({"op":"stats","context":")" + context + "\"}"));
  if (!CheckAnswer(answer)) return "none";
  const JsonRef stats = *answer.root().Find("result");
  std::string state;
  for (const std::string_view name : {"cycle", "snapshots", "nodes", "tree_sha256"})
    state += stats.Find(name)->ToJson().text() + " ";
  return state;
}

// The context a line names; `main` if it names none, or none that could be.
std::string ContextOf(std::string_view line) {
  const auto doc = JsonDoc::Parse(line, pactdb::limits::kDocumentJsonDepthMax);
  if (!doc || !doc->root().is_object()) return "main";
  const auto context = doc->root().Find("context");
  if (!context || !context->is_string()) return "main";
  const std::string_view name = context->string();
  const bool is_name =
      !name.empty() && name.size() <= 128 && std::ranges::all_of(name, [](char byte) {
        return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
               (byte >= 'A' && byte <= 'Z') || byte == '.' || byte == '_' || byte == '-';
      });
  return is_name ? std::string(name) : "main";
}

void Verify(Exec& exec, const std::string& context) {
  const JsonDoc answer =
      ParseAnswer(exec.Answer(R"({"op":"verify","context":")" + context + "\"}"));
  if (!CheckAnswer(answer)) return;  // the context was never made
  const JsonRef result = *answer.root().Find("result");
  PACTDB_CHECK(result.Find("ok")->boolean());
  PACTDB_CHECK(result.Find("problems")->size() == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kInputBytesMax) return 0;
  std::string_view left(reinterpret_cast<const char*>(data), size);
  Exec exec;
  exec.Answer(R"({"op":"configure","clock":{"start_ns":1000,"step_ns":1}})");
  std::set<std::string> contexts = {"main"};
  bool has_done = false;
  for (std::size_t count = 0; count < kLinesMax && !left.empty(); ++count) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    const std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    const std::string context = ContextOf(line);
    contexts.insert(context);
    const std::string before = State(exec, context);
    if (CheckAnswer(ParseAnswer(exec.Answer(line)))) {
      has_done = true;
    } else {
      PACTDB_CHECK(State(exec, context) == before);
    }
  }
  if (has_done) pactdb::fuzz::CountReached();
  for (const std::string& context : contexts) Verify(exec, context);
  return 0;
}
