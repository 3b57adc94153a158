// When an entry of a conversation is a node that is there already.
#include "engine/continuation.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/history.h"
#include "support/contexts.h"

namespace pactdb {
namespace {

using providers::Entry;
using support::Must;
using support::NewContext;
using Fields = std::vector<std::pair<std::string_view, std::string_view>>;  // with their JSON

Entry EntryOf(const Fields& fields, bool is_in_sys = false) {
  Entry entry;
  entry.is_in_sys = is_in_sys;
  for (const auto& [name, value] : fields) entry.Set(name, Must(Json::Parse(value)));
  return entry;
}

// The state after a commit of these nodes.
Snapshot Committed(const std::vector<NodeSpec>& nodes, const std::vector<NodeSpec>& in_sys = {}) {
  Context context = NewContext();
  for (const NodeSpec& node : in_sys) Must(context.Add(node, {.parent = "^sys"}));
  for (const NodeSpec& node : nodes) Must(context.Add(node, {.parent = "^ah"}));
  Must(context.Commit());
  return Must(context.At("@t0"));
}

// "in ^sys, in turns", and whether one goes on from the other.
std::string Found(const Snapshot& snapshot, const std::vector<Entry>& entries) {
  const Continuation found = FindContinuation(snapshot.record().View(), entries);
  return std::to_string(found.in_sys) + " " + std::to_string(found.in_turns) +
         (found.fits ? " fits" : "");
}

const NodeSpec kNode = NodeSpec().Id("x").Role("user").Kind("text").Offset(1).Text("Hi").Set(
    "data_n", Json::Integer(1));
const Fields kSame = {{"role", R"("user")"},
                      {"kind", R"("text")"},
                      {"offset", "1"},
                      {"content", R"("Hi")"},
                      {"data_n", "1"}};

TEST(Continuation, IsOfEntriesThatWouldBecomeTheSameNode) {
  const Snapshot snapshot = Committed({kNode});
  EXPECT_EQ(Found(snapshot, {EntryOf(kSame)}), "0 1 fits");
  Fields with_id = kSame;
  with_id.emplace_back("id", R"("x")");
  EXPECT_EQ(Found(snapshot, {EntryOf(with_id)}), "0 1 fits");
  with_id.back().second = R"("y")";
  EXPECT_EQ(Found(snapshot, {EntryOf(with_id)}), "0 0");
}

TEST(Continuation, IsNoneIfAFieldIsAnotherOrMissing) {
  const Snapshot snapshot = Committed({kNode});
  for (std::size_t i = 0; i < kSame.size(); ++i) {
    Fields fields = kSame;
    fields[i].second = i == 2 || i == 4 ? "2" : R"("other")";
    EXPECT_EQ(Found(snapshot, {EntryOf(fields)}), "0 0") << kSame[i].first;
    fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(Found(snapshot, {EntryOf(fields)}), "0 0") << kSame[i].first;
  }
  Fields more = kSame;
  more.emplace_back("data_m", "1");
  EXPECT_EQ(Found(snapshot, {EntryOf(more)}), "0 0");
  more.back() = {"ttl", R"("no number")"};
  EXPECT_EQ(Found(snapshot, {EntryOf(more)}), "0 0") << "what can be no node is no node's";
}

TEST(Continuation, AnEntryWithoutATypeIsABlock) {
  const Snapshot block = Committed({NodeSpec().Offset(1)});
  const Snapshot group = Committed({NodeSpec().Type("cont").Offset(1)});
  const Snapshot kind = Committed({NodeSpec().Kind("note").Offset(1)});
  const auto entry = [](std::string_view type) {
    Fields fields = {{"offset", "1"}};
    if (!type.empty()) fields.emplace_back("nodeType", type);
    return EntryOf(fields);
  };
  EXPECT_EQ(Found(block, {entry("")}), "0 1 fits");
  EXPECT_EQ(Found(group, {entry("")}), "0 0");
  EXPECT_EQ(Found(block, {entry(R"("block")")}), "0 1 fits");
  EXPECT_EQ(Found(group, {entry(R"("block")")}), "0 0");
  EXPECT_EQ(Found(block, {entry(R"("cont")")}), "0 0");
  EXPECT_EQ(Found(group, {entry(R"("cont")")}), "0 1 fits");
  EXPECT_EQ(Found(block, {entry(R"("nothing")")}), "0 0") << "a type that is none";
  EXPECT_EQ(Found(kind, {entry(R"("block:note")")}), "0 1 fits");
  EXPECT_EQ(Found(kind, {entry(R"("block")")}), "0 0");
  EXPECT_EQ(Found(block, {entry(R"("block:note")")}), "0 0");
}

TEST(Continuation, EndsWhereOneOfTheTwoEnds) {
  const auto said = [](const char* text) { return EntryOf({{"content", text}, {"offset", "1"}}); };
  const Snapshot two = Committed({NodeSpec().Text("a").Offset(1), NodeSpec().Text("b").Offset(1)});
  EXPECT_EQ(Found(two, {}), "0 0 fits");
  EXPECT_EQ(Found(two, {said(R"("a")")}), "0 1 fits");
  EXPECT_EQ(Found(two, {said(R"("a")"), said(R"("b")")}), "0 2 fits");
  EXPECT_EQ(Found(two, {said(R"("a")"), said(R"("b")"), said(R"("c")")}), "0 2 fits");
  EXPECT_EQ(Found(two, {said(R"("a")"), said(R"("c")")}), "0 1");
  EXPECT_EQ(Found(two, {said(R"("b")")}), "0 0");
}

TEST(Continuation, IsOfInstructionsAndOfTurnsByThemselves) {
  const Snapshot snapshot = Committed({NodeSpec().Text("a").Offset(1)}, {NodeSpec().Text("s")});
  const Entry sys = EntryOf({{"content", R"("s")"}}, true);
  const Entry turn = EntryOf({{"content", R"("a")"}, {"offset", "1"}});
  const Entry other = EntryOf({{"content", R"("o")"}}, true);
  EXPECT_EQ(Found(snapshot, {sys, turn}), "1 1 fits");
  EXPECT_EQ(Found(snapshot, {turn, sys}), "1 1 fits");
  EXPECT_EQ(Found(snapshot, {turn}), "0 1 fits");
  EXPECT_EQ(Found(snapshot, {other, turn}), "0 1");
  EXPECT_EQ(Found(snapshot, {sys, other, turn}), "1 1 fits");
  EXPECT_EQ(Found(snapshot, {EntryOf({{"content", R"("s")"}})}), "0 0") << "in another region";
}

}  // namespace
}  // namespace pactdb
