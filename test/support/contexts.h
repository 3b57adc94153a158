// Contexts for tests: a clock that steps, results taken or failed with their message.
#pragma once

#include <gtest/gtest.h>
#include <pactdb/context.h>
#include <pactdb/database.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pactdb::support {

inline Options SteppedOptions() {
  Options options;
  options.clock = SteppedClockOptions{.start_ns = 1'000, .step_ns = 1};
  return options;
}

// The value; a failure of the test that shows the error otherwise.
template <typename T>
T Must(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << WireName(result.error().code()) << ": " << result.error().message();
  }
  return std::move(result).value();  // throws, and so ends the test
}

inline void Must(const Status& status) {
  if (!status) {
    ADD_FAILURE() << WireName(status.error().code()) << ": " << status.error().message();
  }
}

inline Context NewContext(const Options& options = SteppedOptions()) {
  return Must(Context::Make(options));
}

inline Context& MainOf(Database& database) {
  return *Must(database.Find("main"));
}

// The wire name of the error, or "ok".
template <typename T>
std::string CodeOf(const Result<T>& result) {
  return result ? "ok" : std::string(WireName(result.error().code()));
}

inline NodeSpec Block(std::string_view id, std::string_view text = "") {
  NodeSpec spec;
  if (!id.empty()) spec.Id(id);
  if (!text.empty()) spec.Text(text);
  return spec;
}

inline NodeSpec Group(std::string_view id, std::int64_t offset) {
  return NodeSpec().Id(id).Type("cont").Offset(offset);
}

// id, or id(children) in canonical order.
inline std::string Outline(const NodeView& node) {
  std::string text(node.id());
  if (node.child_count() == 0) return text;
  text += '(';
  for (std::size_t i = 0; i < node.child_count(); ++i) {
    if (i > 0) text += ' ';
    text += Outline(node.child(i));
  }
  return text + ')';
}

inline std::string Outline(const Snapshot& snapshot) {
  return Outline(snapshot.root());
}

inline std::string VerifyOk() {
  return R"({"ok":true,"problems":[]})";
}

// The number behind a key of an answer in JSON; the first occurrence counts.
inline std::int64_t NumberIn(std::string_view json, std::string_view key) {
  const std::string needle = "\"" + std::string(key) + "\":";
  const std::size_t at = json.find(needle);
  if (at == std::string_view::npos) {
    ADD_FAILURE() << "no " << key << " in " << json;
    return -1;
  }
  return std::stoll(std::string(json.substr(at + needle.size(), 24)));
}

}  // namespace pactdb::support
