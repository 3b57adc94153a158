#include "text/json_scalar.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace pactdb {
namespace {

// "integer 12", "double 1.5", or "fault 3: message".
std::string Read(std::string_view token) {
  std::string out;
  const JsonNumber number = AppendCanonicalNumber(token, out);
  if (number.fault)
    return "fault " + std::to_string(number.fault->offset) + ": " + number.fault->message;
  return (number.kind == Json::Kind::kInteger ? "integer " : "double ") + out;
}

// The decoded text, or "fault 3: message".
std::string Decode(std::string_view body) {
  std::string out;
  if (const auto fault = AppendDecodedJsonString(body, out)) {
    return "fault " + std::to_string(fault->offset) + ": " + fault->message;
  }
  return out;
}

TEST(JsonNumber, SER_13_KeepsIntegersExactly) {
  const std::string digits(5000, '7');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"0", "integer 0"},
      {"-0", "integer 0"},
      {"-1", "integer -1"},
      {"9007199254740993", "integer 9007199254740993"},
      {"12345678901234567890", "integer 12345678901234567890"},
      {"-" + digits, "integer -" + digits},
  };
  for (const auto& [token, want] : cases) EXPECT_EQ(Read(token), want);
}

TEST(JsonNumber, SER_13_ReadsTheRestAsDoubles) {
  const std::string zeros(400, '0');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"1.0", "double 1.0"},
      {"1E2", "double 100.0"},
      {"1e+2", "double 100.0"},
      {"-0.0", "double -0.0"},
      {"-0e5", "double -0.0"},
      {"0e999", "double 0.0"},
      {"0.0e99999999999999999999", "double 0.0"},
      {"1e-999", "double 0.0"},
      {"-1e-999", "double -0.0"},
      {"1e-99999999999999999999", "double 0.0"},
      {"2e-324", "double 0.0"},
      {"3e-324", "double 5e-324"},
      {"2.2250738585072011e-308", "double 2.225073858507201e-308"},
      {"1.7976931348623158e308", "double 1.7976931348623157e+308"},
      {"1" + zeros + "e-400", "double 1.0"},
      {"0." + zeros + "1e401", "double 1.0"},
      {"0." + zeros + "1", "double 0.0"},
      {"9007199254740993.0", "double 9007199254740992.0"},
      {"0.1000000000000000055511151231257827021181583404541015625", "double 0.1"},
  };
  for (const auto& [token, want] : cases) EXPECT_EQ(Read(token), want) << token;
}

TEST(JsonNumber, RefusesWhatIsBeyondTheLargestDouble) {
  const std::string zeros(400, '0');
  const std::vector<std::string> tokens = {"1e999",
                                           "-1e999",
                                           "1e309",
                                           "1.7976931348623159e308",
                                           "1e99999999999999999999",
                                           "1" + zeros + ".5",
                                           "0." + zeros + "1e800"};
  for (const std::string& token : tokens)
    EXPECT_EQ(Read(token), "fault 0: the number is too large") << token;
}

TEST(JsonNumber, RefusesWhatTheGrammarDoes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"-", "fault 1: not a JSON value"},          {"--1", "fault 1: not a JSON value"},
      {"-a", "fault 1: not a JSON value"},         {"-Infinity", "fault 1: not a JSON value"},
      {"01", "fault 1: malformed number"},         {"-01", "fault 2: malformed number"},
      {"1.", "fault 2: a fraction needs digits"},  {"1.e5", "fault 2: a fraction needs digits"},
      {"1e", "fault 2: an exponent needs digits"}, {"1e+", "fault 3: an exponent needs digits"},
      {"1e5.5", "fault 3: malformed number"},      {"1.5.5", "fault 3: malformed number"},
      {"0x1", "fault 1: malformed number"},        {"1f", "fault 1: malformed number"},
      {"1_000", "fault 1: malformed number"},      {"1\"a\"", "fault 1: malformed number"},
  };
  for (const auto& [token, want] : cases) EXPECT_EQ(Read(token), want) << token;
}

TEST(JsonStringToken, DecodesEscapes) {
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},
      {"plain é", "plain é"},
      {R"(\"\\\/\b\f\n\r\t)", "\"\\/\b\f\n\r\t"},
      {R"(\u0000)", "\0"s},
      {R"(a\u00E9\u00e9b)", "aééb"},
      {R"(\ud83d\ude00)", "\U0001f600"},
      {R"(\uD800\uDC00\uDBFF\uDFFF)", "\U00010000\U0010ffff"},
      {R"(\\u0041)", "\\u0041"},
  };
  for (const auto& [body, want] : cases) EXPECT_EQ(Decode(body), want) << body;
}

TEST(JsonStringToken, RefusesBadEscapes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"(ab\x)", "fault 2: unknown escape in a string"},
      {R"(\U0041)", "fault 0: unknown escape in a string"},
      {R"(\u12)", "fault 0: \\u needs four hexadecimal digits"},
      {R"(\u12g4)", "fault 0: \\u needs four hexadecimal digits"},
      {R"(\u-123)", "fault 0: \\u needs four hexadecimal digits"},
      {R"(\u+123)", "fault 0: \\u needs four hexadecimal digits"},
      {R"(\u 123)", "fault 0: \\u needs four hexadecimal digits"},
      {R"(\u0x12)", "fault 0: \\u needs four hexadecimal digits"},
  };
  for (const auto& [body, want] : cases) EXPECT_EQ(Decode(body), want) << body;
}

TEST(JsonStringToken, RefusesLoneSurrogates) {
  for (const std::string_view body :
       {R"(\ud800)", R"(\udc00)", R"(\udfff)", R"(\ud800x)", R"(\ud800\n)", R"(\ud800\u0041)",
        R"(\ud800\ud800)", R"(\ud800\ud800\udc00)", R"(\udc00\ud800)", R"(\ud83d\ude0)"}) {
    EXPECT_EQ(Decode(body), "fault 0: a lone surrogate is not text") << body;
  }
}

}  // namespace
}  // namespace pactdb
