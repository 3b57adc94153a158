// A recorded session replays to the same bytes; a changed one names the first that differs.
#include "engine/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/sha256.h"
#include "engine/recorder.h"
#include "support/contexts.h"
#include "support/transfer.h"

namespace pactdb {
namespace {

using support::CodeOf;
using support::Must;
using support::SourceOf;

std::string Record(const std::vector<std::string>& requests) {
  std::string log;
  StringSink sink(log);
  Recorder recorder = Must(Recorder::Begin(sink));
  for (const std::string& request : requests) Must(recorder.Answer(request));
  Must(recorder.End());
  return log;
}

Result<ReplayReport> Again(std::string_view log) {
  return Replay([&log](char* buffer, std::size_t size) -> Result<std::size_t> {
    const std::size_t taken = std::min(size, log.size());
    std::memcpy(buffer, log.data(), taken);
    log.remove_prefix(taken);
    return taken;
  });
}

std::vector<std::string> Session() {
  return {
      R"({"op":"add","parent":"^sys","node":{"id":"rule","role":"system","content":"Be brief."}})",
      R"({"op":"add","node":{"id":"q1","role":"user","content":"Hi \u00e9"}})",
      R"({"op":"commit"})",
      R"({"op":"render"})",
      R"({"op":"stats"})",
      R"({"op":"configure","context":"other","ids":"uuid"})",
      R"({"op":"add","context":"other","node":{"content":"x"}})",
      R"({"op":"commit","context":"other","hashes":false})",
      R"({"op":"add","node":{"id":"q2","role":"user","content":"And now?","ttl":2,"priority":3}})",
      R"({"op":"commit"})",
      R"({"op":"attempt","action":"start","provider":"acme"})",
      R"({"op":"commit","expect_cycle":7})",
      "not json at all",
      std::string("\xff\x00 bytes", 8),
      R"({"op":"import","log":[{"role":"user","content":1},{"role":"assistant"},{"role":"user"}]})",
      R"({"op":"select","selector":"#q2"})",
  };
}

// Gives every line the sum it ought to have.
std::string Resummed(std::string log) {
  std::string out;
  std::string sum;
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    const std::string body = log.substr(0, log.rfind(",\"sum\":\"", end));
    sum = ToHex(Sha256Of(sum + body)).substr(0, 16);
    out += body + ",\"sum\":\"" + sum + "\"}\n";
    log.erase(0, end + 1);
  }
  return out;
}

std::string Changed(std::string log, std::string_view from, std::string_view to) {
  const std::size_t at = log.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return Resummed(log.replace(at, from.size(), to));
}

TEST(Replay, LIFE_4_ASessionComesOutTheSame) {
  const std::string log = Record(Session());
  const ReplayReport report = Must(Again(log));
  EXPECT_EQ(report.requests, 16);
  EXPECT_EQ(report.snapshots, 4);
  EXPECT_TRUE(report.is_complete);
  ASSERT_FALSE(report.difference) << report.difference->what << " " << report.difference->expected
                                  << " | " << report.difference->found;
}

TEST(Replay, NamesTheFirstByteAndNodeOfAThread) {
  const std::string log = Changed(Record(Session()), "And now?", "And then?");
  const ReplayReport report = Must(Again(log));
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->line, 11);
  EXPECT_EQ(report.difference->op, "commit");
  EXPECT_EQ(report.difference->context, "main");
  EXPECT_EQ(report.difference->cycle, 2);
  EXPECT_EQ(report.difference->what, "thread");
  EXPECT_EQ(report.difference->node, "q2");
  const std::string thread =
      R"([{"id":"rule","role":"system","content":"Be brief."},)"
      R"({"id":"q1","role":"user","content":"Hi \u00e9"},{"id":"q2","role":"user","content":"And )";
  EXPECT_EQ(report.difference->byte, static_cast<std::int64_t>(thread.size()));
  EXPECT_NE(report.difference->expected.find("And now?"), std::string::npos);
  EXPECT_NE(report.difference->found.find("And then?"), std::string::npos);
}

TEST(Replay, NamesTheNodeWhoseHeadersDiffer) {
  const ReplayReport report =
      Must(Again(Changed(Record(Session()), R"(\"priority\":3)", R"(\"priority\":4)")));
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->what, "tree");
  EXPECT_EQ(report.difference->node, "q2");
  EXPECT_EQ(report.difference->cycle, 2);
}

TEST(Replay, ComparesWhoseTheSnapshotsAre) {
  const std::string log = Record(Session());
  for (const auto& [was, is, found] :
       {std::tuple(R"("state":{"context":"main","cycle":2)",
                   R"("state":{"context":"niam","cycle":2)", "niam@c2"),
        std::tuple(R"("state":{"context":"main","cycle":2)",
                   R"("state":{"context":"main","cycle":3)", "main@c3")}) {
    const ReplayReport report = Must(Again(Changed(log, was, is)));
    ASSERT_TRUE(report.difference);
    EXPECT_EQ(report.difference->line, 11);
    EXPECT_EQ(report.difference->what, "snapshots");
    EXPECT_EQ(report.difference->expected, found);
    EXPECT_EQ(report.difference->found, "main@c2");
  }
}

TEST(Replay, ComparesAnswersThatMakeNoSnapshot) {
  const ReplayReport report =
      Must(Again(Changed(Record(Session()), R"(\"selector\":\"#q2\")", R"(\"selector\":\"#q1\")")));
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->what, "answer");
  EXPECT_EQ(report.difference->op, "select");
  EXPECT_EQ(report.difference->expected, R"({"ok":true,"result":["q2"]})");
}

TEST(Replay, ACommitThatIsMissingIsADifference) {
  const ReplayReport report = Must(Again(Changed(Record(Session()), R"({\"op\":\"commit\"})",
                                                 R"({\"op\":\"commit\",\"expect_cycle\":9})")));
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->line, 4);
  EXPECT_EQ(report.difference->what, "answer");
  EXPECT_EQ(report.difference->found, "E_CONFLICT");
}

ReplayReport Against(std::string_view log, const std::vector<std::string>& requests) {
  std::string text;
  for (const std::string& request : requests) text += request + "\n";
  std::string_view rest = text;
  return Must(ReplayRequests(SourceOf(log), SourceOf(rest)));
}

TEST(Replay, OtherRequestsAreComparedByTheirThreads) {
  // Without the context whose ids are random.
  std::vector<std::string> requests = Session();
  requests.erase(requests.begin() + 5, requests.begin() + 8);
  const std::string log = Record(requests);
  // What makes no difference to a thread makes none here.
  requests[5] = R"({"op":"add","node":{"id":"q2","role":"user","content":"And now?","key":"k"}})";
  requests.erase(requests.begin() + 3);
  EXPECT_FALSE(Against(log, requests).difference);
  std::vector<std::string> changed = requests;
  changed[4] = R"({"op":"add","node":{"id":"q2","role":"user","content":"And then?"}})";
  EXPECT_EQ(Against(log, changed).difference->node, "q2");
  EXPECT_EQ(Against(log, changed).difference->line, 8);
  changed = requests;
  changed.push_back(R"({"op":"commit"})");
  EXPECT_EQ(Against(log, changed).difference->found, "a snapshot");
  changed = {requests.begin(), requests.begin() + 3};
  EXPECT_EQ(Against(log, changed).difference->found, "no more snapshots");
  EXPECT_EQ(Against(log, changed).difference->line, 8);
}

TEST(Replay, DamageIsToldFromDifference) {
  const std::string log = Record(Session());
  std::string changed = log;
  changed[log.find("And now?")] = 'B';
  const auto refused = Again(changed);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message(),
      "line 10: the sum is not that of the lines up to here; one was changed, lost or put in");
  // Wherever a byte is changed or the log is cut, it is no other log.
  for (std::size_t at = 0; at + 1 < log.size(); at += 7) {
    std::string damaged = log;
    damaged[at] = damaged[at] == '0' ? '1' : '0';
    EXPECT_EQ(CodeOf(Again(damaged)), "E_IMPORT_INVALID") << at;
    const auto cut = Again(log.substr(0, at));
    if (cut) {
      EXPECT_FALSE(cut->is_complete) << at;
    } else {
      EXPECT_EQ(CodeOf(cut), "E_IMPORT_INVALID") << at;
    }
  }
  EXPECT_EQ(CodeOf(Again(log + log)), "E_IMPORT_INVALID");
  EXPECT_EQ(CodeOf(Again(Changed(log, "\"pactdb_log\":1", "\"pactdb_log\":2"))),
            "E_IMPORT_INVALID");
}

TEST(Replay, FindsTheMessageOfAByte) {
  const std::string thread =
      R"([{"id":"a","content":{"id":"x","b":[1]}},{"id":"b\"\u00e9","content":"]}"}])";
  EXPECT_EQ(MessageAt(thread, 0), "a");
  EXPECT_EQ(MessageAt(thread, 1), "a");
  EXPECT_EQ(MessageAt(thread, 30), "a");
  EXPECT_EQ(MessageAt(thread, thread.find("{\"id\":\"b")), "b\"\xc3\xa9");
  EXPECT_EQ(MessageAt(thread, thread.find("},{") + 1), "b\"\xc3\xa9");
  EXPECT_EQ(MessageAt(thread, thread.size() - 2), "b\"\xc3\xa9");
  EXPECT_EQ(MessageAt(thread, thread.size() - 1), "");
  EXPECT_EQ(MessageAt(thread, thread.size() - 3), "b\"\xc3\xa9");
  EXPECT_EQ(MessageAt(thread, thread.size()), "");
  EXPECT_EQ(MessageAt("", 0), "");
}

TEST(Recorder, ALogFollowsTheChangeAndNotTheThread) {
  std::vector<std::string> requests;
  for (int i = 0; i < 300; ++i) {
    requests.push_back(R"({"op":"add","node":{"role":"user","content":"turn )" + std::to_string(i) +
                       "\"}}");
    requests.push_back(R"({"op":"commit"})");
  }
  EXPECT_LT(Record(requests).size(), 300u * 2'500u);
}

TEST(Recorder, ALogThatCannotBeWrittenStopsTheSession) {
  int lines = 0;
  FunctionSink sink([&lines](std::string_view) { return ++lines < 3; });
  Recorder recorder = Must(Recorder::Begin(sink));
  Must(recorder.Answer(R"({"op":"commit"})"));
  EXPECT_EQ(CodeOf(recorder.Answer(R"({"op":"commit"})")), "E_STORE_IO");
}

}  // namespace
}  // namespace pactdb
