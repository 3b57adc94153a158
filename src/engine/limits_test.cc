// Every bound on what comes from outside, at n and at n + 1.
#include "base/limits.h"

#include <gtest/gtest.h>
#include <pactdb/context.h>
#include <pactdb/exec.h>

#include <string>
#include <string_view>

#include "support/contexts.h"

namespace pactdb {
namespace {

using support::Block;
using support::CodeOf;
using support::Group;
using support::Must;
using support::NewContext;

// "limit max" of an exceeded limit, else the wire name or "ok".
template <typename T>
std::string LimitOf(const Result<T>& result) {
  if (result || result.error().code() != ErrorCode::kLimitExceeded) return CodeOf(result);
  std::string limit;
  std::string max;
  for (const Error::Detail& detail : result.error().details()) {
    if (detail.name == "limit") limit = detail.text;
    if (detail.name == "max") max = std::to_string(detail.number);
  }
  return limit + " " + max;
}

std::string Nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(Limits, AreThoseOfTheContract) {
  EXPECT_EQ(limits::kContentBytesMax, 33'554'432u);
  EXPECT_EQ(limits::kAttributesMax, 256u);
  EXPECT_EQ(limits::kKeyBytesMax, 256u);
  EXPECT_EQ(limits::kIdBytesMax, 512u);
  EXPECT_EQ(limits::kNewNodesMax, 100'000u);
  EXPECT_EQ(limits::kImportNodesMax, 10'000'000u);
  EXPECT_EQ(limits::kTreeDepthMax, 128u);
  EXPECT_EQ(limits::kContentJsonDepthMax, 64u);
  EXPECT_EQ(limits::kDocumentJsonDepthMax, 336u);
}

TEST(Limits, OfIdsAndKeysCountBytes) {
  Context context = NewContext();
  EXPECT_EQ(LimitOf(context.Add(Block(std::string(512, 'i')))), "ok");
  EXPECT_EQ(LimitOf(context.Add(Block(std::string(513, 'i')))), "id_bytes 512");
  EXPECT_EQ(LimitOf(context.Add(NodeSpec().Key(std::string(256, 'k')))), "ok");
  EXPECT_EQ(LimitOf(context.Add(NodeSpec().Key(std::string(257, 'k')))), "key_bytes 256");
  std::string umlauts;
  for (int i = 0; i < 128; ++i) umlauts += "\xC3\xA4";
  EXPECT_EQ(LimitOf(context.Add(NodeSpec().Key(umlauts))), "ok");
  EXPECT_EQ(LimitOf(context.Add(NodeSpec().Key(umlauts + "x"))), "key_bytes 256");
}

TEST(Limits, OfAttributesHoldForAddAndUpdate) {
  const auto spec = [](std::size_t count) {
    NodeSpec attributes;
    for (std::size_t i = 0; i < count; ++i)
      attributes.Set("data_" + std::to_string(i), Json::Integer(1));
    return attributes;
  };
  Context context = NewContext();
  EXPECT_EQ(LimitOf(context.Add(spec(257))), "attributes 256");
  const std::string id = Must(context.Add(spec(256))).id;
  EXPECT_EQ(LimitOf(context.Update(id, NodeSpec().Set("data_0", Json::Integer(2)))), "ok");
  EXPECT_EQ(LimitOf(context.Update(id, NodeSpec().Set("data_new", Json::Integer(2)))),
            "attributes 256");
}

TEST(Limits, OfAttributesLeaveAnExportReadable) {
  Context context = NewContext();
  NodeSpec spec = NodeSpec().Id("n").Role("user").Key("k").Text("x");
  for (int i = 0; i < 256; ++i) spec.Set("data_" + std::to_string(i), Json::Integer(i));
  Must(context.Add(spec));
  Must(context.Commit());
  Context again = NewContext();
  Must(again.ImportSnapshot(Must(context.Export({.at = "@t0"}))));
  EXPECT_EQ(Must(again.At("@t0")).tree_sha256(), Must(context.At("@t0")).tree_sha256());
}

TEST(Limits, OfContentNesting) {
  Context context = NewContext();
  const auto add = [&context](std::string_view field, std::size_t depth) {
    return LimitOf(context.Add(NodeSpec().Set(field, Must(Json::Parse(Nested(depth), 100)))));
  };
  EXPECT_EQ(add("content", 64), "ok");
  EXPECT_EQ(add("content", 65), "content_json_depth 64");
  EXPECT_EQ(add("data_x", 64), "ok");
  EXPECT_EQ(add("data_x", 65), "content_json_depth 64");
  EXPECT_EQ(add("provenance", 65), "content_json_depth 64");
  // Brackets in strings nest nothing, nor do those that stand beside each other.
  const std::string brackets(100, '[');
  for (const std::string& value :
       {"[\"" + brackets + "\"]", "[\"\\\"" + brackets + "\"]", "[\"\\\\\",\"" + brackets + "\"]",
        "{\"" + brackets + "\":[]}", "[" + Nested(63) + "," + Nested(63) + "]"})
    EXPECT_EQ(LimitOf(context.Add(NodeSpec().Set("content", Must(Json::Parse(value, 100))))), "ok")
        << value;
  for (const std::string& value :
       {"[\"\\\\\"," + Nested(64) + "]", "[\"]\"," + Nested(64) + "]", "[1," + Nested(64) + "]"})
    EXPECT_EQ(LimitOf(context.Add(NodeSpec().Set("content", Must(Json::Parse(value, 100))))),
              "content_json_depth 64")
        << value;
  // Brackets in strings do not nest.
  EXPECT_EQ(LimitOf(context.Add(
                NodeSpec().Content(Must(Json::Parse("[\"" + std::string(200, '[') + "\"]"))))),
            "ok");
}

TEST(Limits, OfContentSizeCountCanonicalBytes) {
  Context context = NewContext();
  std::string text(limits::kContentBytesMax - 2, 'x');  // and two quotes
  Must(context.Add(Block("large", text)));
  text += 'x';
  EXPECT_EQ(LimitOf(context.Add(Block("larger", text))), "content_bytes 33554432");
  EXPECT_EQ(LimitOf(context.Update("large", NodeSpec().Text(text))), "content_bytes 33554432");
  Must(context.Commit());
  EXPECT_EQ(Must(context.At("@t0")).Find("large")->content()->size(), limits::kContentBytesMax);
}

TEST(Limits, OfContentSizeHoldForEveryHeaderAndForImports) {
  const std::string text(limits::kContentBytesMax - 2, 'x');  // and two quotes
  for (const std::string_view name : {"role", "kind", "mime", "encoding", "provenance", "data_x"}) {
    Context context = NewContext();
    const auto add = [&](const std::string& value) {
      return LimitOf(
          context.Add(NodeSpec().Set(name, Must(Json::String(value))), {.parent = "^sys"}));
    };
    const auto import = [&](const std::string& value) {
      return LimitOf(context.ImportSnapshot(
          R"({"root":{"children":[{"id":"sys","nodeType":"^sys","children":[{"id":"b",")" +
          std::string(name) + R"(":")" + value + R"("}]}]}})"));
    };
    EXPECT_EQ(add(text), "ok") << name;
    EXPECT_EQ(add(text + "x"), "content_bytes 33554432") << name;
    EXPECT_EQ(import(text), "ok") << name;
    EXPECT_EQ(import(text + "x"), "content_bytes 33554432") << name;
  }
  Context context = NewContext();
  const auto tags = [](std::size_t bytes) {
    return NodeSpec().Set("tags", Must(Json::Parse("[\"" + std::string(bytes - 4, 't') + "\"]")));
  };
  EXPECT_EQ(LimitOf(context.Add(tags(limits::kContentBytesMax))), "ok");
  EXPECT_EQ(LimitOf(context.Add(tags(limits::kContentBytesMax + 1))), "content_bytes 33554432");
  Must(context.Add(Block("b")));
  EXPECT_EQ(LimitOf(context.Update("b", tags(limits::kContentBytesMax + 1))),
            "content_bytes 33554432");
  // Canonical bytes: what is not ASCII is written in six or twelve of them.
  std::string umlauts;
  while (umlauts.size() < limits::kContentBytesMax / 3 - 6) umlauts += "\xC3\xA4";
  EXPECT_EQ(LimitOf(context.Add(NodeSpec().Role(umlauts))), "ok");
  EXPECT_EQ(LimitOf(context.Add(NodeSpec().Role(umlauts + umlauts.substr(0, 16)))),
            "content_bytes 33554432");
}

struct DepthRule {
  std::string_view region;
  int levels_max;
};
// Levels below the root. A head gains one when it is sealed.
constexpr DepthRule kDepthRules[] = {{"^sys", 128}, {"^ah", 127}, {"seg:1", 128}};

TEST(Limits, OfTreeDepthHoldForWhatIsAdded) {
  for (const auto& [region, levels_max] : kDepthRules) {
    Context context = NewContext();
    Must(context.Commit());
    std::string parent(region);
    for (int level = region == "seg:1" ? 3 : 2; level <= levels_max; ++level) {
      const std::string id = "g" + std::to_string(level);
      Must(context.Add(Group(id, 1), {.parent = parent}));
      parent = id;
    }
    EXPECT_EQ(LimitOf(context.Add(NodeSpec(), {.parent = parent})), "tree_depth 128") << region;
    // The commit makes no more of it than a document may have.
    Must(context.Commit());
    EXPECT_EQ(context.Verify(), support::VerifyOk());
    EXPECT_EQ(LimitOf(context.Add(NodeSpec(), {.parent = parent})), "tree_depth 128") << region;
    Context copy = NewContext();
    EXPECT_EQ(LimitOf(copy.ImportSnapshot(Must(context.Export({.at = "@t0"})))), "ok") << region;
    EXPECT_EQ(copy.tree_sha256(), context.tree_sha256());
  }
}

TEST(Limits, OfTreeDepthHoldForWhatAMoveCarries) {
  Context context = NewContext();
  std::string parent = "^ah";
  for (int level = 2; level <= 120; ++level) {
    const std::string id = "g" + std::to_string(level);
    Must(context.Add(Group(id, 1), {.parent = parent}));
    parent = id;
  }
  std::string below = "^ah";
  for (int height = 8; height > 0; --height) {
    const std::string id = "h" + std::to_string(height);
    Must(context.Add(Group(id, 2), {.parent = below}));
    below = id;
  }
  EXPECT_EQ(LimitOf(context.Move("h8", {.parent = "g120"})), "tree_depth 128");
  EXPECT_EQ(LimitOf(context.Move("h7", {.parent = "g120"})), "ok");
}

TEST(Limits, OfTreeDepthHoldForImports) {
  const auto document = [](std::string_view region, int levels) {
    const std::string id(region.substr(1));
    std::string text =
        R"({"root":{"children":[{"id":")" + id + R"(","nodeType":"^)" + id + R"(","children":[)";
    for (int i = 2; i <= levels; ++i)
      text += R"({"id":"g)" + std::to_string(i) + R"(","offset":1,"nodeType":"cont","children":[)";
    for (int i = 2; i <= levels; ++i) text += "]}";
    return text + "]}]}}";
  };
  for (const auto& [region, levels_max] : {kDepthRules[0], kDepthRules[1]}) {
    Context context = NewContext();
    EXPECT_EQ(LimitOf(context.ImportSnapshot(document(region, levels_max + 1))), "tree_depth 128");
    EXPECT_EQ(LimitOf(context.ImportSnapshot(document(region, levels_max))), "ok");
    EXPECT_EQ(context.Verify(), support::VerifyOk());
    // What was taken can be committed, and what the commit made can be taken.
    Must(context.Commit());
    EXPECT_EQ(context.Verify(), support::VerifyOk());
    Context copy = NewContext();
    EXPECT_EQ(LimitOf(copy.ImportSnapshot(Must(context.Export({.at = "@t0"})))), "ok") << region;
    Context history = NewContext();
    EXPECT_EQ(LimitOf(history.ImportSnapshot(Must(context.Export({.history = true})))), "ok");
    EXPECT_EQ(history.tree_sha256(), context.tree_sha256());
  }
}

TEST(Limits, OfNewNodesCountWhatAMoveMakesAnewAndNothingElse) {
  Context context = NewContext();
  for (const std::string_view group : {"a", "b"}) {
    Must(context.Add(Group(group, 1), {.parent = "^sys"}));
    for (int i = 0; i < 9; ++i) Must(context.Add(NodeSpec(), {.parent = std::string(group)}));
  }
  Must(context.Commit());
  Must(context.Add(Group("new", 1), {.parent = "^sys"}));
  for (int i = 0; i < 1000; ++i) Must(context.Add(NodeSpec(), {.parent = "new"}));
  Must(context.Move("a", {.parent = "new"}));
  // Across regions, where the ten that the snapshot holds become others and the rest stays.
  Must(context.Move("new", {.parent = "^ah"}));
  for (std::size_t made = 1001 + 10; made < limits::kNewNodesMax - 9; ++made)
    Must(context.Add(NodeSpec(), {.parent = "^sys"}));
  EXPECT_EQ(LimitOf(context.Move("b", {.parent = "^ah"})), "new_nodes 100000");
  for (int i = 0; i < 9; ++i) Must(context.Add(NodeSpec(), {.parent = "^sys"}));
  EXPECT_EQ(LimitOf(context.Add(NodeSpec(), {.parent = "^sys"})), "new_nodes 100000");
  EXPECT_EQ(LimitOf(context.Move("new", {.offset = 2})), "ok") << "nothing is made";
}

TEST(Limits, OfNewNodesInOneCycle) {
  Context context = NewContext();
  // The core counts.
  for (std::size_t i = 1; i < limits::kNewNodesMax; ++i) Must(context.Add(NodeSpec()));
  EXPECT_EQ(support::NumberIn(context.Stats(), "nodes"), 100'000);
  EXPECT_EQ(LimitOf(context.Add(NodeSpec())), "new_nodes 100000");
  EXPECT_EQ(LimitOf(context.Replace("block:1.1", NodeSpec())), "new_nodes 100000");
  Must(context.Commit());
  Must(context.Add(NodeSpec()));
}

TEST(Limits, OfNamesAndKeysOnTheProtocol) {
  Exec exec;
  const auto configure = [&exec](std::size_t size) {
    return exec.Answer(R"({"op":"configure","context":")" + std::string(size, 'c') + "\"}");
  };
  EXPECT_TRUE(configure(128).starts_with(R"({"ok":true)"));
  EXPECT_TRUE(configure(129).starts_with(R"({"ok":false,"error":{"code":"E_REQUEST_INVALID")"));
  const auto commit = [&exec](std::size_t size) {
    return exec.Answer(R"({"op":"commit","idempotency_key":")" + std::string(size, 'k') + "\"}");
  };
  EXPECT_TRUE(commit(257).starts_with(R"({"ok":false,"error":{"code":"E_LIMIT_EXCEEDED")"));
  EXPECT_TRUE(commit(256).starts_with(R"({"ok":true)"));
}

TEST(Limits, OfNestingOutsideOfContent) {
  Exec exec;
  const auto stats = [&exec](std::size_t depth) {
    return exec.Answer(R"({"op":"stats","tag":)" + Nested(depth) + "}");
  };
  EXPECT_TRUE(stats(335).starts_with(R"({"ok":true)"));  // in the request's own object
  EXPECT_TRUE(stats(336).starts_with(R"({"ok":false)"));
  EXPECT_TRUE(stats(100'000).starts_with(R"({"ok":false)"));
}

TEST(Limits, OfHeadersAre64Bits) {
  Context context = NewContext();
  const auto add = [&context](std::string_view field, std::string_view number) {
    return CodeOf(context.Add(NodeSpec().Set(field, Must(Json::Parse(number)))));
  };
  EXPECT_EQ(add("offset", "9223372036854775807"), "ok");
  EXPECT_EQ(add("offset", "-9223372036854775808"), "ok");
  EXPECT_EQ(add("offset", "9223372036854775808"), "E_REQUEST_INVALID");
  EXPECT_EQ(add("priority", "-9223372036854775809"), "E_REQUEST_INVALID");
  EXPECT_EQ(add("ttl", "9223372036854775807"), "ok");
  EXPECT_EQ(add("ttl", "9223372036854775808"), "E_TTL_INVALID");
  EXPECT_EQ(add("content", "123456789012345678901234567890"), "ok");
  Must(context.Commit());
  EXPECT_EQ(context.Verify(), support::VerifyOk());
}

// The largest stamps leave no room; later nodes stand by id and nothing overflows.
TEST(Limits, OfStampsSaturate) {
  Context context = NewContext();
  Must(context.Add(Block("z")
                       .Set("created_at_ns", Json::Integer(INT64_MAX))
                       .Set("creation_index", Json::Integer(INT64_MAX)),
                   {.parent = "^sys"}));
  EXPECT_EQ(CodeOf(context.Add(NodeSpec().Set("created_at_ns", Json::Integer(INT64_MAX)))),
            "E_PLACEMENT_INVALID");
  EXPECT_EQ(CodeOf(context.Add(NodeSpec().Set("creation_index", Json::Integer(7)))),
            "E_PLACEMENT_INVALID");
  Must(context.Add(Block("b")));
  Must(context.Add(Block("a")));
  Must(context.Commit());
  EXPECT_EQ(support::Outline(Must(context.At("@t0"))),
            "root(sys(z) seq(seg:1(cont:1.9223372036854775807(a b))) ah)");
  EXPECT_EQ(context.Verify(), support::VerifyOk());
}

}  // namespace
}  // namespace pactdb
