#include "render/thread.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "model/working_tree.h"
#include "support/nodes.h"

namespace pactdb {
namespace {

using support::NewNode;
using support::NodeTraits;

class ThreadTest : public ::testing::Test {
 protected:
  void Put(std::string_view parent, std::string_view id, const NodeTraits& traits) {
    tree_.Insert(*lexicon_->FindId(parent), NewNode(*lexicon_, id, traits));
  }
  std::string Rendered() {
    tree_.Summarize();
    std::string out;
    RenderThread(tree_.View(1), out);
    return out;
  }

  std::shared_ptr<Lexicon> lexicon_ = std::make_shared<Lexicon>();
  WorkingTree tree_{lexicon_};
};

TEST_F(ThreadTest, OfNothingIsAnEmptyArray) {
  EXPECT_EQ(Rendered(), "[]");
}

TEST_F(ThreadTest, RunsFromSysThroughTheTurnsToTheHead) {
  Put("ah", "h", {.role = "user", .content = "\"4\""});
  Put("seq", "new", {.node_class = NodeClass::kTurn, .created_at_ns = 9});
  Put("seq", "old", {.node_class = NodeClass::kTurn, .created_at_ns = 1});
  Put("new", "n", {.role = "user", .content = "\"3\""});
  Put("old", "o", {.role = "user", .content = "\"2\""});
  Put("sys", "s", {.role = "system", .content = "\"1\""});
  EXPECT_EQ(Rendered(),
            "[{\"id\":\"s\",\"role\":\"system\",\"content\":\"1\"},"
            "{\"id\":\"o\",\"role\":\"user\",\"content\":\"2\"},"
            "{\"id\":\"n\",\"role\":\"user\",\"content\":\"3\"},"
            "{\"id\":\"h\",\"role\":\"user\",\"content\":\"4\"}]");
}

TEST_F(ThreadTest, WalksPreContextCoreAndPostContext) {
  Put("seq", "t", {.node_class = NodeClass::kTurn, .created_at_ns = 1});
  Put("t", "post", {.offset = 1, .content = "3"});
  Put("t", "core", {.node_class = NodeClass::kCont, .flags = Node::kCore});
  Put("core", "in", {.content = "2"});
  Put("t", "pre", {.offset = -1, .content = "1"});
  EXPECT_EQ(Rendered(),
            "[{\"id\":\"pre\",\"role\":\"user\",\"content\":1},"
            "{\"id\":\"in\",\"role\":\"user\",\"content\":2},"
            "{\"id\":\"post\",\"role\":\"user\",\"content\":3}]");
}

TEST_F(ThreadTest, FillsInDefaultsForRenderingOnly) {
  Put("sys", "s", {});
  Put("ah", "h", {});
  EXPECT_EQ(Rendered(),
            "[{\"id\":\"s\",\"role\":\"system\",\"content\":\"\"},"
            "{\"id\":\"h\",\"role\":\"user\",\"content\":\"\"}]");
  EXPECT_EQ(tree_.View(1).FindId("s")->role, kNoWord);
  EXPECT_EQ(tree_.View(1).FindId("h")->content(), std::nullopt);
}

TEST_F(ThreadTest, WritesKindBetweenRoleAndContent) {
  Ref<Node> node = NewNode(*lexicon_, "b", {.role = "tool", .content = "{\"a\":1}"});
  node->kind = lexicon_->InternWord("result");
  tree_.Insert(*lexicon_->FindId("ah"), std::move(node));
  EXPECT_EQ(Rendered(),
            "[{\"id\":\"b\",\"role\":\"tool\",\"kind\":\"result\",\"content\":{\"a\":1}}]");
}

TEST_F(ThreadTest, EscapesIdsToAscii) {
  Put("ah", "\xC3\xA9\"\n\xF0\x9F\x98\x80", {.role = "r\xC3\xB6le", .content = "null"});
  EXPECT_EQ(Rendered(),
            "[{\"id\":\"\\u00e9\\\"\\n\\ud83d\\ude00\",\"role\":\"r\\u00f6le\",\"content\":null}]");
}

TEST_F(ThreadTest, CopiesContentToTheByteWhateverItsSize) {
  const std::string large = "\"" + std::string(std::size_t{1} << 20, 'x') + "\"";
  Put("ah", "b", {.content = large});
  EXPECT_EQ(Rendered(), "[{\"id\":\"b\",\"role\":\"user\",\"content\":" + large + "}]");
}

TEST_F(ThreadTest, AppendsToWhatIsThere) {
  Put("ah", "b", {.content = "1"});
  std::string out = "before ";
  tree_.Summarize();
  RenderThread(tree_.View(1), out);
  EXPECT_EQ(out, "before [{\"id\":\"b\",\"role\":\"user\",\"content\":1}]");
}

TEST_F(ThreadTest, SaysEveryBlockOfALongThreadOnce) {
  std::string want = "[";
  for (int i = 0; i < 5'000; ++i) {
    const std::string id = "b" + std::to_string(i);
    Put("sys", id, {.created_at_ns = i, .content = std::to_string(i)});
    want += (i > 0 ? ",{\"id\":\"" : "{\"id\":\"") + id +
            "\",\"role\":\"system\",\"content\":" + std::to_string(i) + "}";
  }
  EXPECT_EQ(Rendered(), want + "]");
}

}  // namespace
}  // namespace pactdb
