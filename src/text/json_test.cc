#include <pactdb/json.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace pactdb {
namespace {

Json Parsed(std::string_view text) {
  return Json::Parse(text).value();
}

TEST(Json, HoldsCanonicalBytes) {
  EXPECT_EQ(Parsed(" {\"b\" : 1.50, \"a\" : \"é\"} ").text(), R"({"a":"\u00e9","b":1.5})");
  EXPECT_EQ(Json().text(), "null");
  EXPECT_EQ(Json::Null().text(), "null");
}

TEST(Json, EqualValuesAreEqual) {
  EXPECT_EQ(Parsed(R"({"a":1,"b":[1e2]})"), Parsed(R"({ "b":[100.0], "a":1 })"));
  EXPECT_NE(Parsed("1"), Parsed("1.0"));
  EXPECT_EQ(Parsed("-0"), Parsed("0"));
}

TEST(Json, TellsItsKind) {
  const std::vector<std::pair<std::string, Json::Kind>> cases = {
      {"null", Json::Kind::kNull},      {"true", Json::Kind::kBool},
      {"false", Json::Kind::kBool},     {"-7", Json::Kind::kInteger},
      {"7.0", Json::Kind::kDouble},     {"1e300", Json::Kind::kDouble},
      {"\"1e3\"", Json::Kind::kString}, {"[1.5]", Json::Kind::kArray},
      {"{}", Json::Kind::kObject},      {"123456789012345678901234567890", Json::Kind::kInteger},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(Parsed(text).kind(), want) << text;
}

TEST(Json, MakesScalars) {
  EXPECT_EQ(Json::String("a\"é")->text(), R"("a\"\u00e9")");
  EXPECT_EQ(Json::Integer(-5).text(), "-5");
  EXPECT_EQ(Json::Bool(true).text(), "true");
  EXPECT_EQ(Json::Bool(false).text(), "false");
  EXPECT_EQ(Json::Double(1e16)->text(), "1e+16");
  EXPECT_EQ(Json::Double(-0.0)->text(), "-0.0");
}

TEST(Json, RefusesWhatIsNotJson) {
  EXPECT_EQ(Json::String("\xff").error(), Error(ErrorCode::kRequestInvalid, "invalid UTF-8"));
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(Json::Double(value).error(),
              Error(ErrorCode::kRequestInvalid, "the number is not finite"));
  }
  EXPECT_EQ(Json::Parse("[1,]").error(),
            Error(ErrorCode::kRequestInvalid, "not a JSON value").With("pos", 3));
}

TEST(Json, LimitsTheDepthOfAContentValue) {
  const std::string at_limit = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(Parsed(at_limit).text(), at_limit);
  EXPECT_EQ(Json::Parse("[" + at_limit + "]").error(),
            Error(ErrorCode::kLimitExceeded, "the JSON text is nested too deep")
                .With("limit", "json_depth")
                .With("max", 64)
                .With("pos", 64));
  EXPECT_TRUE(Json::Parse("[" + at_limit + "]", 65).has_value());
}

TEST(Json, GivesIntegersThatFit) {
  EXPECT_EQ(Parsed("9223372036854775807").AsInt64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Parsed("-9223372036854775808").AsInt64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Parsed("9223372036854775808").AsInt64(), std::nullopt);
  EXPECT_EQ(Parsed("2.0").AsInt64(), std::nullopt);
  EXPECT_EQ(Parsed("true").AsInt64(), std::nullopt);
  EXPECT_EQ(Parsed("\"1\"").AsInt64(), std::nullopt);
}

TEST(Json, GivesBoolsAndStrings) {
  EXPECT_EQ(Parsed("true").AsBool(), true);
  EXPECT_EQ(Parsed("false").AsBool(), false);
  EXPECT_EQ(Parsed("1").AsBool(), std::nullopt);
  EXPECT_EQ(Parsed(R"("a\u00e9\ud83d\ude00\n")").AsString(), "aé\U0001f600\n");
  EXPECT_EQ(Parsed("null").AsString(), std::nullopt);
}

TEST(Json, TakesArraysApartAndTogether) {
  const std::vector<std::vector<std::string>> cases = {
      {},
      {"1"},
      {"1", "2.5", "null", "true"},
      {R"("a,]\"[")", R"("\\")", "\"\"", "[]"},
      {R"({"a":[1,{"b":"]}"}],"c":"\\\""})", "[[],[1,[2]]]", "{}"},
  };
  for (const std::vector<std::string>& texts : cases) {
    std::vector<Json> items;
    std::string joined;
    for (const std::string& text : texts) {
      items.push_back(Parsed(text));
      joined += (joined.empty() ? "" : ",") + text;
    }
    const Json array = Json::Array(items);
    EXPECT_EQ(array.text(), "[" + joined + "]");
    EXPECT_EQ(array.AsArray(), items);
  }
  EXPECT_EQ(Parsed("{}").AsArray(), std::nullopt);
}

}  // namespace
}  // namespace pactdb
