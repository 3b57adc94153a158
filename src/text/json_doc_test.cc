#include "text/json_doc.h"

#include "base/limits.h"
#include "base/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace pactdb {
namespace {

constexpr std::size_t kDepth = 64;

// "E_CODE pos 3: message", with the limit and its bound where there are some.
std::string Describe(const Error& error) {
  std::string out(WireName(error.code()));
  for (const Error::Detail& detail : error.details()) {
    out +=
        " " + detail.name + " " + (detail.is_number ? std::to_string(detail.number) : detail.text);
  }
  return out + ": " + error.message();
}

// The canonical bytes, or the error described.
std::string Canonical(std::string_view text, std::size_t depth_max = kDepth) {
  const auto doc = JsonDoc::Parse(text, depth_max);
  if (!doc) return Describe(doc.error());
  std::string out;
  doc->root().AppendCanonical(out);
  return out;
}

std::string Nested(std::size_t depth, std::string_view open, std::string_view inner,
                   std::string_view close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += inner;
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(JsonDoc, SER_10_WritesSortedKeysWithoutBlanks) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {" { \"b\" : [ 1 , 2 ] ,\t\"a\" : { } }\r\n", R"({"a":{},"b":[1,2]})"},
      {R"({"a":1,"b":2,"c":3})", R"({"a":1,"b":2,"c":3})"},
      {R"({"c":{"y":[{"q":1,"p":2}],"x":0},"b":[],"a":null})",
       R"({"a":null,"b":[],"c":{"x":0,"y":[{"p":2,"q":1}]}})"},
      {R"({"":1,"\u0000":2,"ab":3,"a":4})", R"({"":1,"\u0000":2,"a":4,"ab":3})"},
      {"[]", "[]"},
      {"{}", "{}"},
      {"[[],[[]],{},[{}]]", "[[],[[]],{},[{}]]"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(Canonical(text), want);
}

TEST(JsonDoc, SER_14_OrdersKeysByCodePointAtEveryLevel) {
  EXPECT_EQ(Canonical(R"({"b":1,"a":{"😀":5,"\uffff":4,"é":3,"Z":2,"z":1}})"),
            R"({"a":{"Z":2,"z":1,"\u00e9":3,"\uffff":4,"\ud83d\ude00":5},"b":1})");
}

TEST(JsonDoc, SER_13_WritesScalarsAsPythonDoes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"1", "1"},
      {"1.0", "1.0"},
      {"1000000000000000.0", "1000000000000000.0"},
      {"1e16", "1e+16"},
      {"0.0001", "0.0001"},
      {"0.00001", "1e-05"},
      {"0.1", "0.1"},
      {"-0.0", "-0.0"},
      {"-0", "0"},
      {"1e22", "1e+22"},
      {"1E2", "100.0"},
      {"12345678901234567890", "12345678901234567890"},
      {"9007199254740993", "9007199254740993"},
      {"true", "true"},
      {"false", "false"},
      {"null", "null"},
      {"\"a/b\"", "\"a/b\""},
      {"1e-999", "0.0"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(Canonical(text), want);
    EXPECT_EQ(Canonical(" \n" + text + "\t "), want);
    EXPECT_EQ(Canonical("[" + text + " ]"), "[" + want + "]");
    EXPECT_EQ(Canonical("{\"k\":" + text + "\n}"), "{\"k\":" + want + "}");
  }
}

// The documents' hash goldens: SHA-256 over canonical bytes, members given out of order.
TEST(JsonDoc, SER_10_CanonicalBytesHashAsTheReference) {
  struct Case {
    std::string_view text;
    std::string_view canonical;
    std::string_view sha256;
  };
  const std::vector<Case> cases = {
      {R"({"role":"user","kind":"","content":"Hello world"})",
       R"({"content":"Hello world","kind":"","role":"user"})",
       "bd991081a0a67c7476399d89d1638f2931cd261208cdc9965502b18a04f1dec6"},
      {R"({"content":"","role":"","kind":""})", R"({"content":"","kind":"","role":""})",
       "3d81012112ce288f5f9061f4973ab485bbe28d04ce7989ab351215f75d5a2058"},
      {"{\"content\":\"é\U0001f600\u2028\",\"role\":\"user\",\"kind\":\"text\"}",
       R"({"content":"\u00e9\ud83d\ude00\u2028","kind":"text","role":"user"})",
       "f53fecf1bcaaf86e7e091a59ff348e427352a1b54abc52acda0e05eb25b1ea83"},
      {R"({"content":"x","kind":"text","role":"tool","data_b":2,)"
       R"("data_a":{"z":1,"Z":[1,1.5,null,true]},"content_lang":"en"})",
       R"({"content":"x","content_lang":"en","data_a":{"Z":[1,1.5,null,true],"z":1},)"
       R"("data_b":2,"kind":"text","role":"tool"})",
       "6bb059d46ad06822d06743a3a40c950e8b62889a0d564dc0b99bc53d602e9f0c"},
      {R"({"content":null,"kind":"","role":""})", R"({"content":null,"kind":"","role":""})",
       "d664d00493df044146bf351c9a0d403ca165fe9eefea3d1f4a7366b6e030541b"},
      {R"({"content":{"b":1,"a":"/path"},"kind":"json","role":""})",
       R"({"content":{"a":"/path","b":1},"kind":"json","role":""})",
       "3e40bc7cbff90a499a6affc65fb1be1c13734286afd84c321218e8a4d6e73bdf"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Canonical(c.text), c.canonical);
    EXPECT_EQ(ToHex(Sha256Of(Canonical(c.text))), c.sha256);
  }
}

TEST(JsonDoc, RefusesMalformedTextAtItsPlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "pos 0: there is no JSON value"},
      {"  \t", "pos 3: there is no JSON value"},
      {"nul", "pos 0: not a JSON value"},
      {"nulls", "pos 0: not a JSON value"},
      {"True", "pos 0: not a JSON value"},
      {"NaN", "pos 0: not a JSON value"},
      {"[Infinity]", "pos 1: not a JSON value"},
      {"[-Infinity]", "pos 2: not a JSON value"},
      {"[1e999]", "pos 1: the number is too large"},
      {"[01]", "pos 2: malformed number"},
      {"[1 2]", "pos 3: expected ',' or ']' after an element"},
      {"[1,]", "pos 3: not a JSON value"},
      {"[,1]", "pos 1: not a JSON value"},
      {"[1,,2]", "pos 3: not a JSON value"},
      {"[:]", "pos 1: not a JSON value"},
      {"[1}", "pos 2: the closing bracket is of the wrong kind"},
      {"{\"a\\\"]\":[1]]", "pos 11: the closing bracket is of the wrong kind"},
      {"[1] x", "pos 4: text after the JSON value"},
      {"{\"]\":1} 5 ", "pos 8: text after the JSON value"},
      {"[[1}]", "pos 3: expected ',' or ']' after an element"},
      {"[1", "pos 0: an array is not closed"},
      {"[", "pos 0: an array is not closed"},
      {"[[1]", "pos 4: expected ',' or ']' after an element"},
      {"[\"a\":1]", "pos 4: expected ',' or ']' after an element"},
      {"[1:2]", "pos 2: expected ',' or ']' after an element"},
      {"{\"a\":1", "pos 0: an object is not closed"},
      {"]", "pos 0: not a JSON value"},
      {"}", "pos 0: not a JSON value"},
      {",", "pos 0: not a JSON value"},
      {"{\"a\"}", "pos 4: expected '\"name\":' or ',' or '}' in an object"},
      {"{\"a\" 1}", "pos 5: expected '\"name\":' or ',' or '}' in an object"},
      {"{\"a\":}", "pos 5: not a JSON value"},
      {"{\"a\":1,}", "pos 7: expected '\"name\":' or ',' or '}' in an object"},
      {"{\"a\":1 \"b\":2}", "pos 7: expected '\"name\":' or ',' or '}' in an object"},
      {"{\"a\":\"b\":1}", "pos 8: expected '\"name\":' or ',' or '}' in an object"},
      {"{1:2}", "pos 1: expected '\"name\":' or ',' or '}' in an object"},
      {"{a:2}", "pos 1: expected '\"name\":' or ',' or '}' in an object"},
      {"{,}", "pos 1: expected '\"name\":' or ',' or '}' in an object"},
      {"1 2", "pos 2: text after the JSON value"},
      {"\"a\" \"b\"", "pos 4: text after the JSON value"},
      {"\"a\"b", "pos 3: text after the JSON value"},
      {"null,", "pos 4: text after the JSON value"},
      {"[1]]", "pos 3: text after the JSON value"},
      {"[1] [2]", "pos 4: text after the JSON value"},
      {"[] ]", "pos 3: text after the JSON value"},
      {"{} {}", "pos 3: text after the JSON value"},
      {"{\"a\":1}}", "pos 7: text after the JSON value"},
      {"[1]//x]", "pos 3: text after the JSON value"},
      {"[1\"a\"]", "pos 2: malformed number"},
      {"[\\\"x", "pos 1: not a JSON value"},
      {"[\\\"x\"", "pos 1: not a JSON value"},
      {"[\\]", "pos 1: not a JSON value"},
      {"\\", "pos 0: not a JSON value"},
      {"['a']", "pos 1: not a JSON value"},
      {"\xef\xbb\xbf[]", "pos 0: not a JSON value"},
      {"[\f1]", "pos 1: not a JSON value"},
      {"[\"a\n\"]", "pos 3: a control character must be escaped"},
      {std::string("[\"a\0\"]", 6), "pos 3: a control character must be escaped"},
      {std::string("1\0", 2), "pos 1: malformed number"},
      {std::string("[1]\0", 4), "pos 3: text after the JSON value"},
      {"[\"a]", "pos 1: a string is not closed"},
      {"[\"a\\\"]", "pos 1: a string is not closed"},
      {"[\"a\\x\"]", "pos 3: unknown escape in a string"},
      {"{\"\\x\":1}", "pos 2: unknown escape in a string"},
      {"[\"\\u12\"]", "pos 2: \\u needs four hexadecimal digits"},
  };
  for (const auto& [text, want] : cases)
    EXPECT_EQ(Canonical(text), "E_REQUEST_INVALID " + want) << text;
}

TEST(JsonDoc, RefusesInvalidUtf8AtItsPlace) {
  for (const std::string_view bad :
       {"\xff", "\x80", "\xc3", "\xc0\xaf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xf0\x8f\xbf\xbf", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    EXPECT_EQ(Canonical("[\"é" + std::string(bad) + "\"]"),
              "E_REQUEST_INVALID pos 4: invalid UTF-8");
    EXPECT_EQ(Canonical("[" + std::string(bad) + "]"), "E_REQUEST_INVALID pos 1: invalid UTF-8");
  }
}

TEST(JsonDoc, RefusesLoneSurrogates) {
  EXPECT_EQ(Canonical(R"(["\ud800"])"), "E_REQUEST_INVALID pos 2: a lone surrogate is not text");
  EXPECT_EQ(Canonical(R"(["a\udc00"])"), "E_REQUEST_INVALID pos 3: a lone surrogate is not text");
  EXPECT_EQ(Canonical(R"({"\ud800":1})"), "E_REQUEST_INVALID pos 2: a lone surrogate is not text");
  EXPECT_EQ(Canonical(R"("\ud800\u0041")"),
            "E_REQUEST_INVALID pos 1: a lone surrogate is not text");
}

TEST(JsonDoc, RefusesAKeyThatStandsTwice) {
  const std::string fault = ": the same key stands twice in an object";
  EXPECT_EQ(Canonical(R"({"a":1,"a":2})"), "E_REQUEST_INVALID pos 7" + fault);
  EXPECT_EQ(Canonical(R"({"a":1,"b":0,"\u0061":2})"), "E_REQUEST_INVALID pos 13" + fault);
  EXPECT_EQ(Canonical(R"([{"x":{"b":1,"a":1,"b":2}}])"), "E_REQUEST_INVALID pos 19" + fault);
  EXPECT_EQ(Canonical(R"({"":1,"":2})"), "E_REQUEST_INVALID pos 6" + fault);
  // The same key in different objects is fine.
  EXPECT_EQ(Canonical(R"({"a":{"a":{"a":1}},"b":{"a":2}})"), R"({"a":{"a":{"a":1}},"b":{"a":2}})");
}

TEST(JsonDoc, RefusesTheFirstRepeatedKeyHoweverManyThereAre) {
  for (const int count : {2, 5, 12, 13, 14, 100, 1000}) {
    for (const bool rising : {false, true}) {
      std::string text = "{";
      for (int i = 0; i < count; ++i)
        text += "\"k" + std::to_string(rising ? 1000 + i : 9000 - i) + "\":0,";
      const std::string unique = text + "\"z\":0}";
      const std::string repeated = text + "\"k" + std::to_string(rising ? 1000 : 9000) +
                                   "\":0,\"k" + std::to_string(rising ? 1001 : 8999) + "\":0}";
      EXPECT_TRUE(JsonDoc::Parse(unique, kDepth).has_value()) << count;
      EXPECT_EQ(Canonical(repeated), "E_REQUEST_INVALID pos " + std::to_string(text.size()) +
                                         ": the same key stands twice in an object");
    }
  }
}

TEST(JsonDoc, TakesManyKeysInAnyOrder) {
  std::vector<int> numbers(100'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(1));
  std::string text = "{";
  for (const int number : numbers) text += "\"key " + std::to_string(number) + "\":1,";
  EXPECT_EQ(JsonDoc::Parse(text + "\"\":1}", kDepth)->root().size(), 100'001u);
  const auto repeated = JsonDoc::Parse(text + "\"key 7\":1}", kDepth);
  ASSERT_FALSE(repeated.has_value());
  EXPECT_EQ(Describe(repeated.error()), "E_REQUEST_INVALID pos " + std::to_string(text.size()) +
                                            ": the same key stands twice in an object");
}

TEST(JsonDoc, NestingMayReachTheLimitAndNoMore) {
  for (const std::size_t depth_max : {std::size_t{0}, std::size_t{1}, std::size_t{2}, kDepth,
                                      limits::kDocumentJsonDepthMax, std::size_t{5000}}) {
    const std::string bound = std::to_string(depth_max);
    EXPECT_EQ(Canonical(Nested(depth_max, "[", "1", "]"), depth_max),
              Nested(depth_max, "[", "1", "]"));
    EXPECT_EQ(Canonical(Nested(depth_max, "{\"a\":", "1", "}"), depth_max),
              Nested(depth_max, "{\"a\":", "1", "}"));
    EXPECT_EQ(Canonical(Nested(depth_max + 1, "[", "", "]"), depth_max),
              "E_LIMIT_EXCEEDED limit json_depth max " + bound + " pos " + bound +
                  ": the JSON text is nested too deep");
    EXPECT_EQ(Canonical(Nested(depth_max + 1, "{\"a\":", "1", "}"), depth_max),
              "E_LIMIT_EXCEEDED limit json_depth max " + bound + " pos " +
                  std::to_string(5 * depth_max) + ": the JSON text is nested too deep");
  }
}

TEST(JsonDoc, SurvivesVeryDeepTexts) {
  EXPECT_EQ(Canonical(Nested(1'000'000, "[", "", "]")),
            "E_LIMIT_EXCEEDED limit json_depth max 64 pos 64: the JSON text is nested too deep");
  EXPECT_EQ(Canonical(std::string(1'000'000, '[')),
            "E_REQUEST_INVALID pos 0: an array is not closed");
  // With a limit that allows it, neither reading nor writing recurses.
  const std::string deep = Nested(200'000, "[", "", "]");
  const auto doc = JsonDoc::Parse(deep, 200'000);
  ASSERT_TRUE(doc.has_value());
  EXPECT_EQ(doc->root().Depth(), 200'000u);
  EXPECT_EQ(doc->root().ToJson().text(), deep);
}

TEST(JsonDoc, UsesTheCodeItIsGiven) {
  const auto doc = JsonDoc::Parse("[1", kDepth, ErrorCode::kImportInvalid);
  ASSERT_FALSE(doc.has_value());
  EXPECT_EQ(Describe(doc.error()), "E_IMPORT_INVALID pos 0: an array is not closed");
  const auto deep = JsonDoc::Parse("[[1]]", 1, ErrorCode::kImportInvalid);
  ASSERT_FALSE(deep.has_value());
  EXPECT_EQ(deep.error().code(), ErrorCode::kLimitExceeded);
}

TEST(JsonDoc, RefusesTextsOverTheLimit) {
  // Never read: the length alone decides.
  const std::string_view text("", kJsonTextBytesMax + 1);
  const auto doc = JsonDoc::Parse(text, kDepth);
  ASSERT_FALSE(doc.has_value());
  EXPECT_EQ(Describe(doc.error()),
            "E_LIMIT_EXCEEDED limit json_text_bytes max 1073741824: the JSON text is too long");
}

TEST(JsonDoc, ReadsWellAfterAFault) {
  for (const std::string_view bad :
       {"[1", "{\"a\":[{\"b\":1,\"b\":2", "{\"a\":[{\"b\":1,\"b\":2}]}", "[\xff]", "[[[[1,]]]]"}) {
    EXPECT_FALSE(JsonDoc::Parse(bad, kDepth).has_value());
    EXPECT_EQ(Canonical(R"({"b":[1],"a":2})"), R"({"a":2,"b":[1]})");
  }
}

TEST(JsonDoc, ReadsTextsOfEveryLength) {
  for (std::size_t length = 0; length < 300; ++length) {
    const std::string text = "\"" + std::string(length, 'x') + "\"";
    ASSERT_EQ(Canonical(text), text);
    ASSERT_EQ(Canonical("[" + text + "]"), "[" + text + "]");
    ASSERT_EQ(Canonical("[" + std::string(length, ' ') + "1]"), "[1]");
  }
  const std::string large = "\"" + std::string(5 << 20, 'x') + "\"";
  EXPECT_EQ(Canonical(large), large);
  EXPECT_EQ(Canonical("[1]"), "[1]");
}

// Strings are searched for a backslash in blocks, some of them twice.
TEST(JsonDoc, FindsAnEscapeWhereverItStands) {
  for (std::size_t length = 2; length <= 140; ++length) {
    for (std::size_t at = 0; at + 2 <= length; ++at) {
      std::string body(length, 'x');
      body.replace(at, 2, "\\/");
      std::string want(length - 1, 'x');
      want[at] = '/';
      ASSERT_EQ(Canonical("\"" + body + "\""), "\"" + want + "\"") << length << " " << at;
    }
  }
}

// Keys are compared by their first eight bytes, filled up with zeros, and then in full.
TEST(JsonDoc, OrdersKeysThatBeginAlike) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"12345678b":1,"12345678a":2,"12345678":3})",
       R"({"12345678":3,"12345678a":2,"12345678b":1})"},
      {R"({"b":1,"a":2})", R"({"a":2,"b":1})"},
      {R"({"a\u0000":1,"a":2})", R"({"a":2,"a\u0000":1})"},
      {R"({"a\u0000\u0000":1,"a\u0000":2,"a":3})", R"({"a":3,"a\u0000":2,"a\u0000\u0000":1})"},
      {R"({"1234567":1,"123456":2,"12345678":3})", R"({"123456":2,"1234567":1,"12345678":3})"},
      {R"({"\u0062":1,"a":2,"\u0061b":3})", R"({"a":2,"ab":3,"b":1})"},
      {R"({"é":1,"z":2})", R"({"z":2,"\u00e9":1})"},
      {R"({"k":0,"b":0,"a":"123456789"})", R"({"a":"123456789","b":0,"k":0})"},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(Canonical(text), want) << text;
}

// A key near the end of the text is read no further than the text.
TEST(JsonDoc, OrdersKeysOfEveryLengthAtTheEndOfTheText) {
  for (std::size_t size = 0; size <= 20; ++size) {
    for (const std::string value : {"1", "12", "123456789"}) {
      const std::string key(size, 'k');
      EXPECT_EQ(Canonical("{\"z\":0,\"" + key + "\":" + value + "}"),
                "{\"" + key + "\":" + value + ",\"z\":0}");
      EXPECT_EQ(
          Canonical("{\"" + key + "\":0,\"A\":" + value + "}"),
          size == 0 ? "{\"\":0,\"A\":" + value + "}" : "{\"A\":" + value + ",\"" + key + "\":0}");
    }
  }
}

// Few keys are compared each with each, many are sorted.
TEST(JsonDoc, FindsARepeatedKeyAmongFewAndMany) {
  for (const std::size_t count : {2, 31, 32, 33, 34, 50}) {
    for (std::size_t first = 0; first + 1 < count; first += 7) {
      for (const std::string_view stem : {"k", "a long stem "}) {
        std::string text = "{";
        std::size_t second_at = 0;
        for (std::size_t i = 0; i < count; ++i) {
          // Falling, so that nothing is in order; the last is the same as `first`.
          const std::size_t n = i + 1 == count ? first : i;
          if (i + 1 == count) second_at = text.size();
          text += "\"" + std::string(stem) + std::to_string(999 - n) + "\":0,";
        }
        text.back() = '}';
        EXPECT_EQ(Canonical(text), "E_REQUEST_INVALID pos " + std::to_string(second_at) +
                                       ": the same key stands twice in an object");
      }
    }
  }
}

TEST(JsonDoc, ThreadsReadSideBySide) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      const std::string n = std::to_string(t);
      for (int i = 0; i < 500; ++i)
        ASSERT_EQ(Canonical("{\"b\":" + n + ",\"a\":1.50}"), "{\"a\":1.5,\"b\":" + n + "}");
    });
  }
}

TEST(JsonRef, WalksMembersInDocumentOrder) {
  const auto doc = JsonDoc::Parse(R"( {"b":[1,[2,3],"x"],"a":{"c":null,"d":{}},"e":true})", kDepth);
  ASSERT_TRUE(doc.has_value());
  const JsonRef root = doc->root();
  EXPECT_EQ(root.kind(), Json::Kind::kObject);
  EXPECT_EQ(root.size(), 3u);
  std::string seen;
  for (auto it = root.begin(); it != root.end(); ++it) {
    const JsonRef::Member member = *it;
    seen += std::string(member.key) + "@" + std::to_string(member.value.pos()) + "=" +
            member.value.ToJson().text() + ";";
  }
  EXPECT_EQ(seen, R"(b@6=[1,[2,3],"x"];a@24={"c":null,"d":{}};e@46=true;)");

  std::string elements;
  const JsonRef array = *root.Find("b");
  for (auto it = array.begin(); it != array.end(); ++it)
    elements += std::string((*it).key) + (*it).value.ToJson().text() + ";";
  EXPECT_EQ(elements, R"(1;[2,3];"x";)");
  EXPECT_EQ(array.size(), 3u);
}

TEST(JsonRef, FindsMembersByDecodedName) {
  const auto doc = JsonDoc::Parse(R"({"\u00e9":1,"b":{"a":2},"a":3})", kDepth);
  ASSERT_TRUE(doc.has_value());
  EXPECT_EQ(doc->root().Find("é")->AsInt64(), 1);
  EXPECT_EQ(doc->root().Find("a")->AsInt64(), 3);
  EXPECT_FALSE(doc->root().Find("c").has_value());
  EXPECT_FALSE(doc->root().Find("").has_value());
}

TEST(JsonRef, GivesScalars) {
  const auto doc = JsonDoc::Parse(
      R"(["t\u00e9\n",true,false,null,7,-9223372036854775808,9223372036854775808,2.0,[],{}])",
      kDepth);
  ASSERT_TRUE(doc.has_value());
  std::vector<JsonRef> items;
  for (auto it = doc->root().begin(); it != doc->root().end(); ++it) items.push_back((*it).value);
  ASSERT_EQ(items.size(), 10u);
  EXPECT_EQ(items[0].string(), "té\n");
  EXPECT_TRUE(items[1].boolean());
  EXPECT_FALSE(items[2].boolean());
  EXPECT_TRUE(items[3].is_null());
  EXPECT_EQ(items[4].AsInt64(), 7);
  EXPECT_EQ(items[5].AsInt64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(items[6].AsInt64(), std::nullopt);
  EXPECT_EQ(items[6].kind(), Json::Kind::kInteger);
  EXPECT_EQ(items[7].AsInt64(), std::nullopt);  // 2.0 is not an integer
  EXPECT_EQ(items[7].kind(), Json::Kind::kDouble);
  EXPECT_EQ(items[1].AsInt64(), std::nullopt);
  EXPECT_TRUE(items[8].begin() == items[8].end());
  EXPECT_TRUE(items[9].begin() == items[9].end());
}

TEST(JsonRef, GivesIntegersOfEveryLength) {
  std::int64_t value = 0;
  std::string digits;
  for (int i = 1; i <= 18; ++i) {
    digits += static_cast<char>('0' + i % 10);
    value = value * 10 + i % 10;
    EXPECT_EQ(JsonDoc::Parse(digits, kDepth)->root().AsInt64(), value);
    EXPECT_EQ(JsonDoc::Parse("-" + digits, kDepth)->root().AsInt64(), -value);
  }
  EXPECT_EQ(JsonDoc::Parse("9223372036854775807", kDepth)->root().AsInt64(), INT64_MAX);
  EXPECT_EQ(JsonDoc::Parse("9999999999999999999", kDepth)->root().AsInt64(), std::nullopt);
  EXPECT_EQ(JsonDoc::Parse("10000000000000000000", kDepth)->root().AsInt64(), std::nullopt);
  EXPECT_EQ(JsonDoc::Parse("-9223372036854775809", kDepth)->root().AsInt64(), std::nullopt);
  EXPECT_EQ(JsonDoc::Parse("-0", kDepth)->root().AsInt64(), 0);
}

TEST(JsonRef, MeasuresDepth) {
  const std::vector<std::pair<std::string, std::size_t>> cases = {
      {"1", 0},
      {"[]", 1},
      {"{}", 1},
      {"[1,2]", 1},
      {"[[1]]", 2},
      {R"({"a":[1,{"b":[]}],"c":1})", 4},
      {"[[[]],[[[]]],[]]", 4},
  };
  for (const auto& [text, want] : cases)
    EXPECT_EQ(JsonDoc::Parse(text, kDepth)->root().Depth(), want) << text;
}

// The tape's room is worked out beforehand; a debug check sees the first entry outside it.
TEST(JsonDoc, HasRoomForEveryPrefixOfATextOfTheShortestTokens) {
  const std::vector<std::string_view> tokens = {"[", "]", "{", "}", ",", ":", R"("\n")", "-1"};
  constexpr std::size_t kLength = 6;
  std::size_t read = 0;
  for (std::size_t number = 0; number < std::size_t{1} << 3 * kLength; ++number) {
    std::string text = "[";
    for (std::size_t i = 0; i < kLength; ++i) text += tokens[number >> 3 * i & 7];
    text += "]";
    read += JsonDoc::ParseView(text, kDepth).has_value() ? 1 : 0;
  }
  EXPECT_EQ(read, 52u);  // as Python's json reads them
}

}  // namespace
}  // namespace pactdb
