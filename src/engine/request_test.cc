// What an operation takes: names, types, and what must be there.
#include "engine/request.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/contexts.h"
#include "support/error_text.h"

namespace pactdb {
namespace {

using support::ErrorText;
using support::Must;

TEST(SnapshotName, IsATimeACycleOrATag) {
  for (const std::string_view name :
       {"@t0", "@t-3", "@t+1", "@t12", "@c7", "@c123", "working", "tag", "t", "c", "-1", "a@b"})
    EXPECT_TRUE(IsSnapshotName(name)) << name;
  for (const std::string_view name : {"", "@", "@t", "@c", "@t-", "@t+", "@c-1", "@c+1", "@t--1",
                                      "@t1a", "@ta", "@cx", "@c1 ", "@x1", "@1", "@@t0", "@T0"})
    EXPECT_FALSE(IsSnapshotName(name)) << name;
}

// The error of a request whose argument "a" has this type, or "ok".
std::string Checked(ArgumentType type, std::string_view value) {
  const JsonDoc doc = Must(JsonDoc::Parse(R"({"a":)" + std::string(value) + "}", 8));
  const Argument arguments[] = {{"a", type}};
  return ErrorText(Request::Check(doc.root(), arguments));
}

struct Taken {
  ArgumentType type;
  std::string_view wanted;
  std::vector<std::string_view> good;
  std::vector<std::string_view> bad;
};

TEST(Request, TakesArgumentsOfTheirTypeAlone) {
  using enum ArgumentType;
  const Taken all[] = {
      {kText, "a string", {R"("")", R"("x")"}, {"1", "true", "[]", "{}"}},
      {kInteger,
       "a 64-bit integer",
       {"0", "-1", "9223372036854775807"},
       {"9223372036854775808", "1.5", R"("1")", "true"}},
      {kCount, "an integer, zero or more", {"0", "1"}, {"-1", "1.5", R"("1")"}},
      {kBool, "true or false", {"true", "false"}, {"0", "1", R"("true")"}},
      {kObject, "an object", {"{}", R"({"b":1})"}, {"[]", R"("{}")", "1"}},
      {kArray, "an array", {"[]", "[1]"}, {"{}", R"("[]")", "1"}},
      {kNode, "an object or a node literal", {"{}", R"("block")"}, {"[]", "1"}},
      {kSnapshot,
       "a snapshot: @t0, @t-N, @cN, a tag or \"working\"",
       {R"("@t0")", R"("@c1")", R"("tag")", R"("working")"},
       {R"("")", R"("@x")", "1", "{}"}},
      {kState,
       "a snapshot: @t0, @t-N, @cN, NAME@cN, a tag or \"working\"",
       {R"("@t0")", R"("@c1")", R"("tag")", R"("other@c1")", R"("other@tag")"},
       {R"("")", R"("@x")", R"("other@")", R"("other@c1@")", R"("a@b@c")", "1"}},
      {kAny, "", {"0", "true", R"("x")", "[]", "{}"}, {}},
  };
  for (const Taken& taken : all) {
    for (const std::string_view value : taken.good)
      EXPECT_EQ(Checked(taken.type, value), "ok") << value;
    for (const std::string_view value : taken.bad) {
      EXPECT_EQ(Checked(taken.type, value),
                "E_REQUEST_INVALID: a must be " + std::string(taken.wanted) + " {argument=a}")
          << value;
    }
    EXPECT_EQ(Checked(taken.type, "null"), "ok") << "as if it were not there";
  }
}

std::string Checked(std::string_view request) {
  const JsonDoc doc = Must(JsonDoc::Parse(request, 8));
  const Argument arguments[] = {{"a", ArgumentType::kText, true}, {"b", ArgumentType::kCount}};
  return ErrorText(Request::Check(doc.root(), arguments));
}

TEST(Request, HasWhatItsOperationNeedsAndNothingElse) {
  EXPECT_EQ(Checked(R"({"a":"x"})"), "ok");
  EXPECT_EQ(Checked(R"({"op":"o","tag":1,"context":"c","a":"x","b":1})"), "ok");
  EXPECT_EQ(Checked(R"({"b":1})"), "E_REQUEST_INVALID: missing argument 'a' {argument=a}");
  EXPECT_EQ(Checked(R"({"a":null})"), "E_REQUEST_INVALID: missing argument 'a' {argument=a}");
  EXPECT_EQ(Checked(R"({"a":"x","c":1})"), "E_REQUEST_INVALID: unknown argument 'c' {argument=c}");
  EXPECT_EQ(Checked(R"({"c":1})"), "E_REQUEST_INVALID: unknown argument 'c' {argument=c}");
  EXPECT_EQ(Checked(R"({"b":-1})"),
            "E_REQUEST_INVALID: b must be an integer, zero or more {argument=b}");
}

TEST(Request, GivesItsArguments) {
  const JsonDoc doc = Must(JsonDoc::Parse(
      R"({"text":"x","count":3,"yes":true,"no":false,"nothing":null,"node":{"id":"n","ttl":2}})",
      8));
  const Argument arguments[] = {{"text", ArgumentType::kText},    {"count", ArgumentType::kCount},
                                {"yes", ArgumentType::kBool},     {"no", ArgumentType::kBool},
                                {"nothing", ArgumentType::kText}, {"node", ArgumentType::kNode}};
  const Request request = Must(Request::Check(doc.root(), arguments));
  EXPECT_EQ(request.Text("text"), "x");
  EXPECT_EQ(request.Text("nothing"), std::nullopt);
  EXPECT_EQ(request.Text("other"), std::nullopt);
  EXPECT_EQ(request.Integer("count"), 3);
  EXPECT_EQ(request.Integer("other"), std::nullopt);
  EXPECT_TRUE(request.Bool("yes", false));
  EXPECT_FALSE(request.Bool("no", true));
  EXPECT_TRUE(request.Bool("other", true));
  EXPECT_FALSE(request.Bool("nothing", false));
  EXPECT_TRUE(request.IsGiven("nothing"));
  EXPECT_FALSE(request.Has("nothing"));
  EXPECT_FALSE(request.IsGiven("other"));
  const NodeSpec node = Must(request.Node("node"));
  ASSERT_EQ(node.fields().size(), 2u);
  EXPECT_EQ(node.fields()[0], (std::pair<std::string, Json>{"id", Must(Json::String("n"))}));
  EXPECT_EQ(node.fields()[1], (std::pair<std::string, Json>{"ttl", Json::Integer(2)}));
}

}  // namespace
}  // namespace pactdb
