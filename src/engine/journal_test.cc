// Edits that were not committed come back with the file, every kind of them, the same to the byte;
// a journal that cannot be read or applied is refused and named.
#include "engine/journal.h"

#include <gtest/gtest.h>
#include <pactdb/database.h>
#include <pactdb/ext/store.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/contexts.h"
#include "support/error_text.h"
#include "support/folder.h"

namespace pactdb {
namespace {

using support::ErrorText;
using support::MainOf;
using support::Must;

// Two nodes are committed, then every kind of edit is made.
void EditInEveryWay(Context& context) {
  Must(context.Add(support::Group("g", 1)));
  Must(context.Add(support::Block("a", "one"), {.parent = "g"}));
  Must(context.Add(support::Block("b", "two"), {.parent = "g"}));
  Must(context.Add(support::Block("gone", "x").Key("k")));
  Must(context.Commit());
  Must(context.Add(support::Group("h", 2)));
  Must(context.Add(support::Block("c", "three"), {.parent = "h"}));
  Must(context.Add(NodeSpec().Text("at an end"), {.at = "(d0, cont[offset=2], end)"}));
  Must(context.Add(NodeSpec().Text("before"),
                   {.parent = "h", .mark = InsertionMark{.kind = InsertionMark::Kind::kStart}}));
  Must(context.Update("c", NodeSpec().Text("drei").Priority(4)));
  Must(context.Add(support::Block("d", "four")));
  Must(context.Replace("d", NodeSpec().Text("vier")));
  Must(context.Move("c", {.parent = "^ah", .offset = 3}));
  Must(context.Add(support::Block("e", "five")));
  Must(context.Remove("e"));
  Must(context.Add(support::Block("f", "six").Key("six")));
  Must(context.RemoveSelected("[key='six']"));
  Must(context.Pin("c"));
  Must(context.Pin("h"));
  Must(context.Unpin("h"));
}

class JournalTest : public ::testing::Test {
 protected:
  static Options Journaled(Options options) {
    options.journal = true;
    return options;
  }
  std::string WorkingOf(Access access) {
    Database database = Must(Database::Open(path_, access));
    return Must(MainOf(database).Export());
  }
  support::Folder folder_;
  std::string path_ = folder_.path("a.pactdb");
};

TEST_F(JournalTest, EveryKindOfEditComesBack) {
  std::string before;
  {
    Database database = Must(Database::Open(path_, Access::kCreate));
    Must(MainOf(database).Configure(Journaled(support::SteppedOptions())));
    EditInEveryWay(MainOf(database));
    before = Must(MainOf(database).Export());
  }
  EXPECT_EQ(WorkingOf(Access::kRead), before);
  EXPECT_EQ(WorkingOf(Access::kWrite), before);
  // And what follows is what would have followed: the clock stands where it stood.
  Database database = Must(Database::Open(path_, Access::kWrite));
  Context plain = support::NewContext();
  EditInEveryWay(plain);
  EXPECT_EQ(Must(MainOf(database).Add(NodeSpec().Text("on"))).id,
            Must(plain.Add(NodeSpec().Text("on"))).id);
  EXPECT_EQ(Must(MainOf(database).Commit()).tree_sha256, Must(plain.Commit()).tree_sha256);
}

TEST_F(JournalTest, RandomIdsAndTimesComeBackAsTheyWere) {
  std::string before;
  {
    Database database = Must(Database::Open(path_, Access::kCreate));
    Options options;
    options.ids = IdScheme::kUuid;
    Must(MainOf(database).Configure(Journaled(options)));
    for (int i = 0; i < 3; ++i) Must(MainOf(database).Add(NodeSpec().Text("x")));
    before = Must(MainOf(database).Export());
  }
  EXPECT_EQ(WorkingOf(Access::kRead), before);
}

TEST_F(JournalTest, AClockConfiguredAfterTheLastEditIsTheOneInForce) {
  {
    Database database = Must(Database::Open(path_, Access::kCreate));
    Must(MainOf(database).Configure(Journaled(support::SteppedOptions())));
    Must(MainOf(database).Add(support::Block("a", "x")));
    Options options = Journaled(support::SteppedOptions());
    options.clock->start_ns = 5'000;
    Must(MainOf(database).Configure(options));
  }
  Database database = Must(Database::Open(path_, Access::kWrite));
  Must(MainOf(database).Add(support::Block("b", "y")));
  EXPECT_EQ(support::NumberIn(Must(MainOf(database).Get("a")), "created_at_ns"), 1'001);
  EXPECT_EQ(support::NumberIn(Must(MainOf(database).Get("b")), "created_at_ns"), 5'000);
}

// A file whose journal holds this entry and no commit.
std::string OpeningWith(const std::string& entry) {
  auto store = MakeMemoryStore();
  const StoredContext main = Must(store->CreateContext("main", {}, ""));
  Must(store->AppendJournal(main.number, std::vector<std::string>{entry}));
  Database database = Must(Database::Over(std::move(store)));
  return ErrorText(database.Find("main"));
}

TEST(Journal, AnEntryOfAnotherShapeIsDamageAndNamesItsFault) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[]", "it is no object"},
      {R"({"options":{"ids":7},"index":0,"next_tick_ns":0})", "ids must be a string"},
      {R"({"options":{"ids":"x"},"index":0,"next_tick_ns":0})", "ids must be one of counter, uuid"},
      {R"({"options":{},"next_tick_ns":0})", "its clock is missing"},
      {R"({"options":{},"index":0})", "its clock is missing"},
      {R"({"options":{},"index":"0","next_tick_ns":0})", "its clock is missing"},
      {R"({})", "it is no edit"},
      {R"({"edit":7})", "it is no edit"},
      {R"({"edit":"paint"})", "it is no edit"},
      {R"({"edit":"add"})", "its node"},
      {R"({"edit":"update","id":"a"})", "its node"},
      {R"({"edit":"replace","id":"a"})", "its node"},
      {R"({"edit":"add","node":[]})", "its node"},
      {R"({"edit":"add","node":{},"mark":1})", "its mark"},
      {R"({"edit":"add","node":{},"mark":{"n":1}})", "its mark"},
      {R"({"edit":"add","node":{},"mark":{"kind":0}})", "its mark"},
      {R"({"edit":"add","node":{},"mark":{"kind":-1,"n":1}})", "its mark"},
      {R"({"edit":"add","node":{},"mark":{"kind":99,"n":1}})", "its mark"},
      {R"({"edit":"add","node":{},"now":1})", "now"},
      {R"({"edit":"add","node":{},"now":["1"]})", "now"},
      {R"({"edit":"add","node":{},"random":{}})", "random"},
      {R"({"edit":"add","node":{},"random":[0.5]})", "random"},
  };
  for (const auto& [entry, fault] : cases) {
    EXPECT_EQ(ErrorText(ParseEntry(entry)),
              "E_STORE_CORRUPT: an entry of the journal cannot be read: " + fault)
        << entry;
    EXPECT_EQ(OpeningWith(entry),
              "E_STORE_CORRUPT: an entry of the journal cannot be read: " + fault)
        << entry;
  }
  EXPECT_EQ(support::CodeOf(ParseEntry("{")), "E_STORE_CORRUPT");
}

// Once read as if they were an object, which ended the process.
TEST(Journal, OptionsThatAreNoObjectAreDamage) {
  for (const char* options : {"[]", "7", "null", "\"x\""}) {
    EXPECT_EQ(OpeningWith(R"({"options":)" + std::string(options) + "}"),
              "E_STORE_CORRUPT: an entry of the journal cannot be read: its options")
        << options;
  }
}

TEST(Journal, AnEditThatCannotBeMadeAgainIsDamage) {
  const std::string start = "E_STORE_CORRUPT: the journal cannot be applied: ";
  const std::string none =
      start + "there is no node 'a' in the working state {code=E_NODE_NOT_FOUND}";
  EXPECT_EQ(OpeningWith(R"({"edit":"pin","id":"a"})"), none);
  EXPECT_EQ(OpeningWith(R"({"edit":"unpin","id":"a"})"), none);
  EXPECT_EQ(OpeningWith(R"({"edit":"remove","id":"a"})"), none);
  EXPECT_EQ(OpeningWith(R"({"edit":"move","id":"a","offset":1})"), none);
  EXPECT_EQ(OpeningWith(R"({"edit":"update","id":"a","node":{}})"), none);
  EXPECT_EQ(OpeningWith(R"({"edit":"replace","id":"a","node":{}})"), none);
  EXPECT_EQ(OpeningWith(R"({"edit":"add","node":{"ttl":-1}})"),
            start + "ttl must be a whole number of cycles, zero or more {code=E_TTL_INVALID}");
  EXPECT_EQ(OpeningWith(R"({"edit":"remove_selected","id":"["})"),
            start + "expected an attribute name\n  [\n   ^ {code=E_SELECTOR_INVALID}");
}

}  // namespace
}  // namespace pactdb
