#include "crash/check.h"

#include <fmt/format.h>
#include <pactdb/ext/store.h>

#include <algorithm>
#include <chrono>

namespace pactdb::crash {

std::string ErrorText(const Error& error) {
  std::string text = fmt::format("{} {}", WireName(error.code()), error.message());
  for (const Error::Detail& detail : error.details()) {
    if (detail.is_number) text += fmt::format(" {}={}", detail.name, detail.number);
  }
  return text;
}

std::string CheckFile(const Script& script, const std::vector<Digest>& expected,
                      const std::string& path, int durable, int acked) {
  const auto start = std::chrono::steady_clock::now();
  // Before anything was acknowledged as durable there need not be a file.
  auto store = OpenSqliteStore(path, durable == 0 ? StoreAccess::kCreate : StoreAccess::kWrite);
  if (!store) return "bad open: " + ErrorText(store.error());
  const std::chrono::duration<double> opening = std::chrono::steady_clock::now() - start;
  if (opening.count() > 1.0) return fmt::format("bad open took {} s", opening.count());
  const auto problems = (*store)->Verify({});
  if (!problems) return "bad verify: " + ErrorText(problems.error());
  if (!problems->empty()) {
    return fmt::format("bad {}: {}", problems->front().what, problems->front().message);
  }
  const Result<std::string> state = script.Describe(**store);
  if (!state) return "bad read: " + ErrorText(state.error());
  const Digest digest = Sha256Of(*state);
  const int last = std::min(acked + 1, script.steps());
  for (int i = last; i >= durable; --i) {
    if (expected[static_cast<std::size_t>(i)] == digest) return fmt::format("ok {}", i);
  }
  const auto found = std::ranges::find(expected, digest);
  if (found == expected.end()) return "bad state of no step";
  return fmt::format("bad lost: state {} of {} to {}", found - expected.begin(), durable, last);
}

}  // namespace pactdb::crash
