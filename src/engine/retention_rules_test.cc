#include "engine/retention_rules.h"

#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <string>
#include <string_view>

#include "support/contexts.h"
#include "support/error_text.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

using support::ErrorText;
using support::Must;

Result<std::optional<RetentionRules>> Parsed(std::string_view json) {
  const JsonDoc doc = Must(JsonDoc::Parse(json, 8));
  return ParseRetention(doc.root());
}

std::string Written(const RetentionRules& rules) {
  JsonOut out;
  WriteRetention(rules, out);
  return out.Take();
}

TEST(RetentionRules, AreReadAsTheyAreWritten) {
  for (const std::string_view text :
       {R"({"keep_last":0,"keep_tagged":true})", R"({"older_than":"30d","keep_tagged":false})",
        R"({"keep_last":7,"older_than":"2026-01-31T12:00:00Z","keep_tagged":true})"}) {
    const auto rules = Must(Parsed(text));
    ASSERT_TRUE(rules.has_value()) << text;
    EXPECT_EQ(Written(*rules), text);
  }
  EXPECT_EQ(Must(Parsed(R"({"keep_last":3})")),
            (RetentionRules{.keep_last = 3, .older_than = std::nullopt, .keep_tagged = true}));
}

TEST(RetentionRules, ThatSayNothingAreNone) {
  EXPECT_EQ(Must(Parsed("{}")), std::nullopt);
  EXPECT_EQ(Must(Parsed(R"({"keep_last":null,"older_than":null,"keep_tagged":null})")),
            std::nullopt);
}

TEST(RetentionRules, AreRefusedAsGcRefusesThem) {
  const struct {
    std::string_view json;
    std::string_view message;
  } cases[] = {
      {"7", "retention must be an object or null"},
      {"[]", "retention must be an object or null"},
      {R"({"keep_last":-1})", "retention: keep_last must be an integer, zero or more"},
      {R"({"keep_last":"3"})", "retention: keep_last must be an integer, zero or more"},
      {R"({"keep_tagged":1})", "retention: keep_tagged must be true or false"},
      {R"({"older_than":30})", "retention: older_than must be a string"},
      {R"({"older_than":"soon"})",
       "retention: 'soon' is no time and no age; write 2026-01-31, 2026-01-31T12:00:00Z, 30d, 12h, "
       "45m or 90s"},
      {R"({"keep_tagged":false})", "retention: say what stays: keep_last, older_than or both"},
      {R"({"keep_tagged":true})", "retention: say what stays: keep_last, older_than or both"},
      {R"({"keep_first":1})", "retention: unknown argument 'keep_first'"},
      // What a request may have, a policy may not.
      {R"({"keep_last":1,"op":"gc"})", "retention: unknown argument 'op'"},
      {R"({"keep_last":1,"tag":1})", "retention: unknown argument 'tag'"},
      {R"({"keep_last":1,"context":"a"})", "retention: unknown argument 'context'"},
      {R"({"keep_last":1,"dry_run":true})", "retention: unknown argument 'dry_run'"},
  };
  for (const auto& [json, message] : cases) {
    EXPECT_EQ(ErrorText(Parsed(json)),
              "E_REQUEST_INVALID: " + std::string(message) + " {argument=retention}")
        << json;
  }
}

TEST(RetentionRules, OfAProgramAreCheckedWhenTheyAreConfigured) {
  Options options;
  options.retention = RetentionRules{.keep_last = -1, .older_than = std::nullopt};
  EXPECT_EQ(ErrorText(Context::Make(options)),
            "E_REQUEST_INVALID: keep_last is 0 or more {argument=keep_last}");
  options.retention = RetentionRules{.keep_last = std::nullopt, .older_than = "soon"};
  EXPECT_EQ(support::CodeOf(Context::Make(options)), "E_REQUEST_INVALID");
  options.retention = RetentionRules{};
  EXPECT_EQ(ErrorText(Context::Make(options)),
            "E_REQUEST_INVALID: say what stays: keep_last, older_than or both");
}

}  // namespace
}  // namespace pactdb
