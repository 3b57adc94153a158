// What lint finds, and what stands just beside it and is none of its business.
#include <gtest/gtest.h>
#include <pactdb/context.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/contexts.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

using support::Block;
using support::Group;
using support::Must;
using support::NewContext;
using Lines = std::vector<std::string>;

const Place kInSys = {.parent = "^sys"};

// "rule id" of each finding, or "rule id: problem".
Lines Findings(const std::string& answer, bool with_problems) {
  const JsonDoc doc = Must(JsonDoc::Parse(answer, 8));
  const JsonRef findings = *doc.root().Find("findings");
  Lines lines;
  for (auto it = findings.begin(); it != findings.end(); ++it) {
    const JsonRef finding = (*it).value;
    std::string line(finding.Find("rule")->string());
    line.append(" ").append(finding.Find("id")->string());
    if (with_problems) line.append(": ").append(finding.Find("problem")->string());
    EXPECT_FALSE(finding.Find("fix")->string().empty());
    lines.push_back(std::move(line));
  }
  EXPECT_EQ(doc.root().Find("ok")->boolean(), lines.empty());
  return lines;
}

Lines Found(const Context& context, const LintOptions& options = {}) {
  return Findings(Must(context.Lint(options)), false);
}

Lines Problems(const Context& context, const LintOptions& options = {}) {
  return Findings(Must(context.Lint(options)), true);
}

NodeSpec Tool(std::string_view name) {
  return Block(name)
      .Kind("tool_definition")
      .Set("data_name", Must(Json::String(name)))
      .Content(Must(Json::Parse(R"({"name":")" + std::string(name) + R"("})")));
}

void Say(Context& context, std::string_view id, std::string_view text) {
  Must(context.Update(id, NodeSpec().Text(text)));
  Must(context.Commit());
}

// --- what expires ---

TEST(LintShortLived, IsWhatExpiresInSys) {
  Context context = NewContext();
  Must(context.Add(Block("stays", "a"), kInSys));
  Must(context.Add(Block("goes", "b").Ttl(3), kInSys));
  Must(context.Add(Block("behind", "c").Ttl(3).Offset(1), {.parent = "^ah"}));
  EXPECT_EQ(Problems(context),
            Lines{"ttl_before_stable goes: it expires in ^sys, before everything else: that is "
                  "sent anew then"});
}

TEST(LintShortLived, IsNotWhatIsPinned) {
  Context context = NewContext();
  Must(context.Add(Block("pinned", "a").Ttl(3).Pinned(true), kInSys));
  EXPECT_EQ(Found(context), Lines());
}

TEST(LintShortLived, IsAGroupAndThenNothingInIt) {
  Context context = NewContext();
  Must(context.Add(Group("group", 1).Ttl(3), kInSys));
  EXPECT_EQ(Found(context), Lines()) << "a group that says nothing";
  Must(context.Add(Group("inner", 1).Ttl(2), {.parent = "group"}));
  EXPECT_EQ(Found(context), Lines()) << "nor what is in it";
  Must(context.Add(Block("said", "a").Ttl(2), {.parent = "inner"}));
  Must(context.Add(Block("behind", "b").Ttl(2).Offset(5), kInSys));
  EXPECT_EQ(Found(context), (Lines{"ttl_before_stable group", "ttl_before_stable behind"}));
}

TEST(LintShortLived, IsNoGroupInWhichSomethingIsPinned) {
  Context context = NewContext();
  Must(context.Add(Group("group", 1).Ttl(3), kInSys));
  Must(context.Add(Block("first", "a").Ttl(2), {.parent = "group"}));
  Must(context.Add(Block("pinned", "b").Pinned(true), {.parent = "group"}));
  Must(context.Add(Block("last", "c").Ttl(2), {.parent = "group"}));
  EXPECT_EQ(Found(context), (Lines{"ttl_before_stable first", "ttl_before_stable last"}));
}

TEST(LintShortLived, InATurnIsWhatStandsBeforeItsCore) {
  Context context = NewContext();
  Must(context.Add(Block("before", "a").Ttl(5).Offset(-1), {.parent = "^ah"}));
  Must(context.Add(Block("stays", "b").Offset(-2), {.parent = "^ah"}));
  Must(context.Add(Block("core", "c").Ttl(5)));
  Must(context.Add(Block("behind", "d").Ttl(5).Offset(1), {.parent = "^ah"}));
  Must(context.Add(Group("group", -3), {.parent = "^ah"}));
  Must(context.Add(Block("in group", "e").Ttl(5).Offset(1), {.parent = "group"}));
  Must(context.Add(Group("later", 3), {.parent = "^ah"}));
  Must(context.Add(Block("in later", "f").Ttl(5), {.parent = "later"}));
  Must(context.Commit());
  constexpr std::string_view kProblem =
      ": it stands before what was said in its turn and expires: the turn and all behind it is "
      "sent anew then";
  EXPECT_EQ(Problems(context), (Lines{"ttl_before_stable in group" + std::string(kProblem),
                                      "ttl_before_stable before" + std::string(kProblem)}));
}

// --- what changes ---

TEST(LintChanging, IsWhatChangedTwiceAndInHalfOfTheCommits) {
  Context context = NewContext();
  Must(context.Add(Block("n", "0"), kInSys));
  Must(context.Add(Block("m", "same"), kInSys));
  Must(context.Commit());
  Say(context, "n", "1");
  EXPECT_EQ(Found(context), Lines()) << "once in one";
  Say(context, "n", "2");
  EXPECT_EQ(Problems(context), Lines{"changing_content n: it changed in 2 of the last 2 commits, "
                                     "and all that is behind it was sent anew"});
  Must(context.Commit());
  Must(context.Commit());
  EXPECT_EQ(Problems(context), Lines{"changing_content n: it changed in 2 of the last 4 commits, "
                                     "and all that is behind it was sent anew"});
  Must(context.Commit());
  EXPECT_EQ(Found(context), Lines()) << "two in five";
}

TEST(LintChanging, LooksAtSoManyCommitsUpToTheSnapshot) {
  Context context = NewContext();
  Must(context.Add(Block("n", "0"), kInSys));
  Must(context.Commit());
  for (const char* text : {"1", "2", "3"}) Say(context, "n", text);
  const auto counted = [&context](std::int64_t commits, std::optional<std::string> at = {}) {
    const Lines problems = Problems(context, {.at = std::move(at), .commits = commits});
    if (problems.size() != 1) return std::to_string(problems.size());
    const std::size_t from = problems[0].find(" in ") + 4;
    return problems[0].substr(from, problems[0].find(" commits") - from);
  };
  EXPECT_EQ(counted(0), "0");
  EXPECT_EQ(counted(1), "0");
  EXPECT_EQ(counted(2), "2 of the last 2");
  EXPECT_EQ(counted(3), "3 of the last 3");
  EXPECT_EQ(counted(4), "3 of the last 3");
  EXPECT_EQ(counted(INT64_MAX - 1), "3 of the last 3");
  EXPECT_EQ(counted(10, "working"), "3 of the last 3");
  EXPECT_EQ(counted(10, "@c4"), "3 of the last 3");
  EXPECT_EQ(counted(10, "@c3"), "2 of the last 2");
  EXPECT_EQ(counted(10, "@c2"), "0");
  EXPECT_EQ(counted(10, "@c1"), "0");
}

TEST(LintChanging, IsTheSameNodeAgainByItsKey) {
  for (const bool keyed : {true, false}) {
    Context context = NewContext();
    Must(context.Add(Block("first", "other"), kInSys));
    for (const char* text : {"0", "1", "2"}) {
      NodeSpec node = Block("id" + std::string(text), text);
      if (keyed) node.Key("clock");
      Must(context.Add(node, kInSys));
      Must(context.Commit());
      if (*text != '2') Must(context.Remove("id" + std::string(text)));
    }
    EXPECT_EQ(Found(context), keyed ? Lines{"changing_content id2"} : Lines()) << keyed;
  }
}

TEST(LintChanging, OfAStateThatIsNotThere) {
  Context context = NewContext();
  EXPECT_EQ(Found(context), Lines());
  EXPECT_EQ(support::CodeOf(context.Lint({.at = "@c1"})), "E_SNAPSHOT_NOT_FOUND");
}

// --- tools ---

TEST(LintReordered, IsTheFirstToolThatStandsInAnotherPlace) {
  Context context = NewContext();
  for (const char* name : {"a", "b", "c"}) Must(context.Add(Tool(name), kInSys));
  Must(context.Commit());
  EXPECT_EQ(Found(context), Lines());
  Must(context.Move("c", {.offset = -1}));
  Must(context.Commit());
  EXPECT_EQ(Problems(context), Lines{"reordered_tools c: the tools stood in another order, from "
                                     "this one on, in 1 of the last 1 commits"});
  Must(context.Move("c", {.offset = 1}));
  Must(context.Commit());
  EXPECT_EQ(Problems(context),
            (Lines{"reordered_tools a: the tools stood in another order, from this one on, in 1 "
                   "of the last 2 commits",
                   "reordered_tools c: the tools stood in another order, from this one on, in 1 "
                   "of the last 2 commits"}));
}

TEST(LintReordered, AreNotToolsThatCameOrWent) {
  Context context = NewContext();
  for (const char* name : {"a", "b", "c"}) Must(context.Add(Tool(name), kInSys));
  Must(context.Commit());
  Must(context.Remove("a"));
  Must(context.Commit());
  Must(context.Add(Tool("z").Offset(-1), kInSys));
  Must(context.Commit());
  Must(context.Remove("c"));
  Must(context.Add(Tool("d"), kInSys));
  Must(context.Commit());
  EXPECT_EQ(Found(context), Lines());
}

TEST(LintReordered, AreNotOtherBlocks) {
  Context context = NewContext();
  for (const char* name : {"a", "b"}) Must(context.Add(Block(name, name), kInSys));
  Must(context.Add(Tool("tool"), kInSys));
  Must(context.Commit());
  Must(context.Move("b", {.offset = -1}));
  Must(context.Commit());
  EXPECT_EQ(Found(context), Lines());
}

// --- attributes ---

TEST(LintTypes, NODE_30_AreOneForLife) {
  Context context = NewContext();
  Must(context.Add(Block("n", "text").Set("data_score", Json::Integer(5)), kInSys));
  Must(context.Commit());
  Must(context.Update("n", NodeSpec().Set("data_score", Json::Integer(6))));
  EXPECT_EQ(Found(context), Lines());
  Must(context.Update("n", NodeSpec().Set("data_score", Must(Json::String("7")))));
  const Lines changed = {
      "changed_type n: its attribute 'data_score' was a number until @c1 and is a string now: a "
      "selector finds one of the two"};
  EXPECT_EQ(Problems(context), changed) << "before the commit";
  Must(context.Commit());
  EXPECT_EQ(Problems(context), changed);
  EXPECT_EQ(Problems(context, {.at = "@c2"}), changed);
  EXPECT_EQ(Found(context, {.at = "@c1"}), Lines());
  Must(context.Commit());
  EXPECT_EQ(Problems(context, {.commits = 2}), changed);
  EXPECT_EQ(Found(context, {.commits = 1}), Lines()) << "too long ago";
  Must(context.Remove("n"));
  EXPECT_EQ(Found(context), Lines()) << "the node is gone";
}

TEST(LintTypes, AreTheFiveOfJsonAndNullIsNone) {
  const std::vector<std::pair<const char*, const char*>> values = {
      {"true", "a boolean"}, {"-1.5", "a number"}, {"\"\"", "a string"},
      {"[1]", "an array"},   {"{}", "an object"},  {"false", "a boolean"}};
  for (std::size_t i = 1; i < values.size(); ++i) {
    Context context = NewContext();
    const auto set = [](const char* value) {
      return NodeSpec().Set("data_x", Must(Json::Parse(value)));
    };
    Must(context.Add(set(values[i - 1].first), kInSys));
    Must(context.Add(Block("null").Set("data_x", Must(Json::Parse(values[i].first))), kInSys));
    const std::string id = Must(context.Select("^sys > *")).front();
    Must(context.Commit());
    Must(context.Update(id, set(values[i].first)));
    Must(context.Update("null", set("null")));
    const Lines problems = Problems(context);
    ASSERT_EQ(problems.size(), 1);
    EXPECT_NE(problems[0].find(std::string(values[i - 1].second) + " until @c1 and is " +
                               values[i].second),
              std::string::npos)
        << problems[0];
  }
}

TEST(LintTypes, AreComparedWithWhatIsSaidNow) {
  const auto problems_after = [](const std::vector<const char*>& values) {
    Context context = NewContext();
    Must(context.Add(Block("n"), kInSys));
    for (const char* value : values) {
      Must(context.Update("n", NodeSpec().Set("data_x", Must(Json::Parse(value)))));
      Must(context.Commit());
    }
    Lines problems;
    for (const std::string& problem : Problems(context)) {
      const std::size_t from = problem.find(" was ");
      problems.push_back(problem.substr(from, problem.find(':', from) - from));
    }
    return problems;
  };
  EXPECT_EQ(problems_after({"5", "null", "5"}), Lines());
  EXPECT_EQ(problems_after({"5", "\"7\"", "null"}), Lines()) << "null is of no type";
  EXPECT_EQ(problems_after({"5", "null", "\"7\""}),
            Lines{" was a number until @c1 and is a string now"});
  EXPECT_EQ(problems_after({"5", "\"7\"", "null", "5"}),
            Lines{" was a string until @c2 and is a number now"});
  EXPECT_EQ(problems_after({"5", "\"7\"", "true"}),
            Lines{" was a string until @c2 and is a boolean now"});
}

}  // namespace
}  // namespace pactdb
