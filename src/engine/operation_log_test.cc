// A log that is not as docs/format/operation-log.md says is refused with the line and the byte;
// what differs in a log that is well formed is named.
#include "engine/operation_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "engine/recorder.h"
#include "engine/replay.h"
#include "support/contexts.h"
#include "support/error_text.h"
#include "support/transfer.h"

namespace pactdb {
namespace {

using support::ErrorText;
using support::Must;
using support::SourceOf;

constexpr std::string_view kHeader = R"({"pactdb_log":1})";

// The lines with the sums they ought to have; each is an object without one.
std::string LogOf(const std::vector<std::string>& lines) {
  std::string log;
  std::string sum;
  for (std::string body : lines) {
    body.pop_back();
    sum = ToHex(Sha256Of(sum + body)).substr(0, 16);
    log += body;
    log += ",\"sum\":\"";
    log += sum;
    log += "\"}\n";
  }
  return log;
}

Result<std::vector<LogEntry>> ReadLog(std::string_view log) {
  const ByteSource source = SourceOf(log);
  LogReader reader(source);
  if (Status begun = reader.Begin(); !begun) return std::unexpected(begun.error());
  std::vector<LogEntry> entries;
  while (true) {
    auto entry = reader.Next();
    if (!entry) return std::unexpected(entry.error());
    if (!*entry) return entries;
    entries.push_back(**std::move(entry));
  }
}

std::string StateWith(std::string_view members) {
  return R"({"request":"{}","answer":{},"state":{)" + std::string(members) + "}}";
}

TEST(LogReader, ReadsWhatAnEntryMayLeaveOut) {
  const auto entries = Must(ReadLog(LogOf(
      {std::string(kHeader), R"({"request":"a","answer":{}})",
       R"({"request_hex":"ff00","now":[-5,7],"random":[4294967295],"answer":{"error":"E_X"}})",
       StateWith(R"("cycle":3,"kept":0,"removed":["x"],"nodes":[["a","01234567"]])"),
       R"({"end":3})"})));
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].request, "a");
  EXPECT_FALSE(entries[0].state);
  EXPECT_EQ(entries[1].request, std::string("\xff\x00", 2));
  EXPECT_EQ(entries[1].now, (std::vector<std::int64_t>{-5, 7}));
  EXPECT_EQ(entries[1].random, std::vector<std::uint32_t>{4294967295u});
  EXPECT_EQ(entries[1].answer.error, "E_X");
  ASSERT_TRUE(entries[2].state);
  EXPECT_EQ(entries[2].state->cycle, 3);
  EXPECT_EQ(entries[2].state->context, "");
  EXPECT_EQ(entries[2].state->removed, std::vector<std::string>{"x"});
  EXPECT_EQ(entries[2].state->nodes, (std::vector<NodePrint>{{"a", "01234567"}}));
}

TEST(LogReader, RefusesAnEntryOfAnotherShapeAtItsLine) {
  const std::string good = R"({"request":"{}","answer":{}})";
  const std::vector<std::string> bad = {
      R"({"answer":{}})",
      R"({"request":1,"answer":{}})",
      R"({"request_hex":1,"answer":{}})",
      R"({"request_hex":"g0","answer":{}})",
      R"({"request_hex":"0G","answer":{}})",
      R"({"request_hex":"abc","answer":{}})",
      R"({"request":"{}","now":1,"answer":{}})",
      R"({"request":"{}","now":["1"],"answer":{}})",
      R"({"request":"{}","random":{},"answer":{}})",
      R"({"request":"{}","random":[1.5],"answer":{}})",
      R"({"request":"{}","random":[-1],"answer":{}})",
      R"({"request":"{}","random":[4294967296],"answer":{}})",
      R"({"request":"{}"})",
      R"({"request":"{}","answer":[]})",
      R"({"request":"{}","answer":{"error":1}})",
      R"({"request":"{}","answer":{"sha256":null}})",
      R"({"request":"{}","answer":{"text":{}}})",
      R"({"request":"{}","answer":{},"state":[]})",
      StateWith(R"("kept":0,"removed":[],"nodes":[])"),
      StateWith(R"("cycle":"1","kept":0,"removed":[],"nodes":[])"),
      StateWith(R"("cycle":1,"removed":[],"nodes":[])"),
      StateWith(R"("cycle":1,"kept":"0","removed":[],"nodes":[])"),
      StateWith(R"("cycle":1,"kept":-1,"removed":[],"nodes":[])"),
      StateWith(R"("cycle":1,"kept":0,"nodes":[])"),
      StateWith(R"("cycle":1,"kept":0,"removed":{},"nodes":[])"),
      StateWith(R"("cycle":1,"kept":0,"removed":[1],"nodes":[])"),
      StateWith(R"("cycle":1,"kept":0,"removed":[],"nodes":[],"context":1)"),
      StateWith(R"("cycle":1,"kept":0,"removed":[],"nodes":[],"tree_sha256":1)"),
      StateWith(R"("cycle":1,"kept":0,"removed":[],"nodes":[],"added":1)"),
      StateWith(R"("cycle":1,"kept":0,"removed":[])"),
      StateWith(R"("cycle":1,"kept":0,"removed":[],"nodes":{})"),
      StateWith(R"("cycle":1,"kept":0,"removed":[],"nodes":["a"])"),
      StateWith(R"("cycle":1,"kept":0,"removed":[],"nodes":[["a"]])"),
      StateWith(R"("cycle":1,"kept":0,"removed":[],"nodes":[[1,"01234567"]])"),
      StateWith(R"("cycle":1,"kept":0,"removed":[],"nodes":[["a",1]])"),
  };
  const std::string before = LogOf({std::string(kHeader), good});
  for (const std::string& line : bad) {
    EXPECT_EQ(
        ErrorText(ReadLog(LogOf({std::string(kHeader), good, line, R"({"end":2})"}))),
        "E_IMPORT_INVALID: line 3: an entry that is not as the format page says {line=3 pos=" +
            std::to_string(before.size()) + "}")
        << line;
  }
}

TEST(LogReader, RefusesLinesThatMakeNoLog) {
  const std::string header(kHeader);
  EXPECT_EQ(ErrorText(ReadLog("")), "E_IMPORT_INVALID: the log is empty {pos=0}");
  EXPECT_EQ(ErrorText(ReadLog("[1]\n")),
            "E_IMPORT_INVALID: line 1: an entry is an object {line=1 pos=0}");
  EXPECT_EQ(ErrorText(ReadLog("{}\n")),
            "E_IMPORT_INVALID: line 1: an entry ends with its sum {line=1 pos=0}");
  EXPECT_EQ(ErrorText(ReadLog(LogOf({R"({"snapshot":1})"}))),
            "E_IMPORT_INVALID: line 1: this is no operation log {line=1 pos=0}");
  EXPECT_EQ(ErrorText(ReadLog(LogOf({R"({"pactdb_log":2})"}))),
            "E_IMPORT_INVALID: line 1: the log is of another version; this build reads version 1 "
            "{line=1 pos=14}");
  EXPECT_EQ(ErrorText(ReadLog(LogOf({R"({"pactdb_log":"1"})"}))),
            "E_IMPORT_INVALID: line 1: the log is of another version; this build reads version 1 "
            "{line=1 pos=14}");
  const std::string entry = R"({"request":"{}","answer":{}})";
  const std::string two = std::to_string(LogOf({header, entry}).size());
  EXPECT_EQ(ErrorText(ReadLog(LogOf({header, entry, R"({"end":2})"}))),
            "E_IMPORT_INVALID: line 3: the number of entries is another {line=3 pos=" + two + "}");
  const std::string three = std::to_string(LogOf({header, entry, R"({"end":1})"}).size());
  EXPECT_EQ(ErrorText(ReadLog(LogOf({header, entry, R"({"end":1})", entry}))),
            "E_IMPORT_INVALID: line 4: a line after the last {line=4 pos=" + three + "}");
  // Two entries that changed places carry sums of the other order.
  const std::string other = R"({"request":"[]","answer":{}})";
  const std::string log = LogOf({header, entry, other});
  const std::size_t first = log.find('\n') + 1;
  const std::size_t second = log.find('\n', first) + 1;
  const std::string swapped =
      log.substr(0, first) + log.substr(second) + log.substr(first, second - first);
  EXPECT_EQ(ErrorText(ReadLog(swapped)),
            "E_IMPORT_INVALID: line 2: the sum is not that of the lines up to here; one was "
            "changed, lost or put in {line=2 pos=" +
                std::to_string(first + other.size() - 1) + "}");
}

TEST(LogReader, PassesOnAFailureOfItsSource) {
  const ByteSource broken = [](char*, std::size_t) -> Result<std::size_t> {
    return std::unexpected(Error(ErrorCode::kStoreIo, "the disk is gone"));
  };
  EXPECT_EQ(ErrorText(LogReader(broken).Begin()), "E_STORE_IO: the disk is gone");
  EXPECT_EQ(ErrorText(Replay(broken)), "E_STORE_IO: the disk is gone");
  // After the first line, and in the requests that a log is compared with.
  std::string text = LogOf({std::string(kHeader), R"({"end":0})"});
  std::string_view rest = text;
  EXPECT_EQ(ErrorText(ReplayRequests(SourceOf(rest), broken)), "E_STORE_IO: the disk is gone");
  text = LogOf({std::string(kHeader)});
  std::size_t calls = 0;
  const ByteSource breaks = [&](char* buffer, std::size_t) -> Result<std::size_t> {
    if (++calls > 1) return std::unexpected(Error(ErrorCode::kStoreIo, "the disk is gone"));
    std::ranges::copy(text, buffer);
    return text.size();
  };
  EXPECT_EQ(ErrorText(Replay(breaks)), "E_STORE_IO: the disk is gone");
  // The source may also fail behind the last line.
  text = LogOf({std::string(kHeader), R"({"end":0})"});
  calls = 0;
  EXPECT_EQ(ErrorText(Replay(breaks)), "E_STORE_IO: the disk is gone");
}

TEST(LogReader, IsAtItsEndForGood) {
  const std::string log = LogOf({std::string(kHeader), R"({"end":0})"});
  std::string_view rest = log;
  const ByteSource source = SourceOf(rest);
  LogReader reader(source);
  Must(reader.Begin());
  for (int round = 0; round < 2; ++round) {
    const auto entry = reader.Next();
    ASSERT_TRUE(entry) << ErrorText(entry);
    EXPECT_FALSE(*entry);
    EXPECT_TRUE(reader.is_complete());
  }
}

// --- differences that a well-formed log names ---

std::vector<std::string> Recorded(const std::vector<std::string>& requests) {
  std::string log;
  StringSink sink(log);
  Recorder recorder = Must(Recorder::Begin(sink));
  for (const std::string& request : requests) Must(recorder.Answer(request));
  Must(recorder.End());
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < log.size(); at = log.find('\n', at) + 1)
    lines.push_back(log.substr(at, log.find(",\"sum\":\"", at) - at) + "}");
  return lines;
}

std::string Changed(std::string line, std::string_view from, std::string_view to) {
  const std::size_t at = line.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << line;
  return at == std::string::npos ? line : line.replace(at, from.size(), to);
}

// What the report says: what, where, expected, found.
std::string DifferenceOf(const std::vector<std::string>& lines) {
  const std::string log = LogOf(lines);
  std::string_view rest = log;
  const ReplayReport report = Must(Replay(SourceOf(rest)));
  if (!report.difference) return "the same";
  const ReplayDifference& found = *report.difference;
  return "line " + std::to_string(found.line) + " " + found.what + " of '" + found.context + "@c" +
         std::to_string(found.cycle) + "' node '" + found.node + "': " + found.expected + " | " +
         found.found;
}

class ReplayOfChangedLogTest : public ::testing::Test {
 protected:
  std::vector<std::string> lines_ = Recorded({
      R"({"op":"configure","clock":{"start_ns":1000,"step_ns":1}})",
      R"({"op":"add","node":{"id":"q","role":"user","content":"Hi","offset":2,"ttl":1}})",
      R"({"op":"commit"})",
      R"({"op":"commit"})",
      R"({"op":"explain","selector":"seg"})",
      R"({"op":"contexts","action":"list"})",
      R"({"op":"add","node":{"nodeType":7}})",
      R"({"op":"commit"})",
      R"({"op":"select","selector":"#q"})",
  });
  std::string Hash(std::size_t line) const {
    const std::size_t at = lines_[line].find(R"("tree_sha256":")", lines_[line].find("\"state\""));
    return lines_[line].substr(at + 15, 64);
  }
};

TEST_F(ReplayOfChangedLogTest, ComesOutTheSameUnchanged) {
  EXPECT_EQ(DifferenceOf(lines_), "the same");
}

TEST_F(ReplayOfChangedLogTest, ResultsThatTellOfTheBuildAreNotLogged) {
  EXPECT_EQ(lines_[5], R"({"request":"{\"op\":\"explain\",\"selector\":\"seg\"}","answer":{}})");
  EXPECT_EQ(lines_[6], R"({"request":"{\"op\":\"contexts\",\"action\":\"list\"}","answer":{}})");
}

TEST_F(ReplayOfChangedLogTest, ASnapshotThatIsMissingOrTooMuchIsADifference) {
  std::vector<std::string> lines = lines_;
  lines[3] = lines[3].substr(0, lines[3].find(",\"state\"")) + "}";
  EXPECT_EQ(DifferenceOf(lines), "line 4 tree of 'main@c1' node '': no snapshot | a snapshot");
  lines = lines_;
  lines[5].pop_back();
  lines[5] += lines_[4].substr(lines_[4].find(",\"state\""));
  EXPECT_EQ(DifferenceOf(lines), "line 6 tree of 'main@c2' node '': a snapshot | no snapshot");
}

TEST_F(ReplayOfChangedLogTest, AnErrorThatBecameAResultIsADifferenceAndTheReverse) {
  std::vector<std::string> lines = lines_;
  EXPECT_NE(lines[7].find(R"("answer":{"error":"E_REQUEST_INVALID"}})"), std::string::npos);
  lines[7] = Changed(lines[7], R"("error":"E_REQUEST_INVALID")", "");
  EXPECT_EQ(DifferenceOf(lines), "line 8 answer of '@c0' node '': ok | E_REQUEST_INVALID");
  lines = lines_;
  lines[9] = Changed(lines[9], R"("answer":{)", R"("answer":{"error":"E_ERASED",)");
  EXPECT_EQ(DifferenceOf(lines), "line 10 answer of '@c0' node '': E_ERASED | ok");
}

TEST_F(ReplayOfChangedLogTest, ALongAnswerIsComparedByItsHash) {
  std::vector<std::string> lines = lines_;
  const std::size_t text = lines[9].find(",\"text\":");
  lines[9] = lines[9].substr(0, text) + "}}";
  EXPECT_EQ(DifferenceOf(lines), "the same");
  const std::size_t hash = lines[9].find("\"sha256\":\"") + 10;
  const std::string found = lines[9].substr(hash, 64);
  const std::string expected(64, '0');
  lines[9] = Changed(lines[9], found, expected);
  EXPECT_EQ(DifferenceOf(lines), "line 10 answer of '@c0' node '': " + expected + " | " + found);
}

TEST_F(ReplayOfChangedLogTest, ATreeIsNamedByItsFirstNodeThatIsNotAsItWas) {
  const std::string zero(64, '0');
  const auto with = [&](std::size_t line, std::string_view from, std::string_view to) {
    std::vector<std::string> lines = lines_;
    const std::size_t state = lines[line].find("\"state\"");
    lines[line] = lines[line].substr(0, state) +
                  Changed(Changed(lines[line].substr(state), Hash(line), zero), from, to);
    return DifferenceOf(lines);
  };
  const std::string tail = zero + " | " + Hash(4);
  // The second commit takes q out with its turn's time; the log said otherwise.
  EXPECT_EQ(with(4, R"("removed":["q"])", R"("removed":["p"])"),
            "line 5 tree of 'main@c2' node 'p': " + tail);
  EXPECT_EQ(with(4, R"("removed":["q"])", R"("removed":[])"),
            "line 5 tree of 'main@c2' node 'q': " + tail);
  // Nodes count before what was removed, and the log's before those found now.
  const std::size_t nodes = lines_[4].find("\"nodes\":");
  const std::string list = lines_[4].substr(nodes, lines_[4].find("],\"removed\"") + 1 - nodes);
  ASSERT_EQ(list.substr(0, 18), R"("nodes":[["seg:2",)");
  EXPECT_EQ(with(4, list, R"("nodes":[])"), "line 5 tree of 'main@c2' node 'seg:2': " + tail);
  EXPECT_EQ(with(4, list, R"("nodes":[["z","00000000"]])"),
            "line 5 tree of 'main@c2' node 'z': " + tail);
  // Another cycle with the same hash is another snapshot all the same, of no node's making.
  std::vector<std::string> lines = lines_;
  const std::size_t state = lines[4].find("\"state\"");
  lines[4] =
      lines[4].substr(0, state) + Changed(lines[4].substr(state), "\"cycle\":2", "\"cycle\":7");
  EXPECT_EQ(DifferenceOf(lines), "line 5 snapshots of 'main@c7' node '': main@c7 | main@c2");
}

TEST_F(ReplayOfChangedLogTest, AThreadThatGrewIsNamedByTheMessageItHasNow) {
  // The log's thread ends before the message that stands there now.
  std::vector<std::string> lines = lines_;
  const std::size_t state = lines[3].find("\"added\":\"");
  ASSERT_NE(state, std::string::npos);
  const std::size_t end = lines[3].find("\",\"nodes\"");
  lines[3] = lines[3].substr(0, state) + R"("added":"[)" + lines[3].substr(end);
  EXPECT_EQ(
      DifferenceOf(lines),
      R"(line 4 thread of 'main@c1' node 'q': [ | [{"id":"q","role":"user","content":"Hi"}])");
}

TEST_F(ReplayOfChangedLogTest, ABuildThatTakesMoreTimeThanTheLogGoesOnFromTheLastReading) {
  // Without its readings a session gets stamps from zero on, and says so at the first snapshot.
  std::vector<std::string> lines = Recorded({
      R"({"op":"configure","ids":"uuid"})",
      R"({"op":"add","node":{"content":"x"}})",
      R"({"op":"commit"})",
  });
  for (std::string& line : lines) {
    for (const std::string_view name : {",\"now\":[", ",\"random\":["}) {
      const std::size_t at = line.find(name);
      if (at != std::string::npos) line.erase(at, line.find(']', at) + 1 - at);
    }
  }
  EXPECT_EQ(DifferenceOf(lines).substr(0, 28), "line 3 answer of '@c0' node ");
}

TEST(Replay, AThreadThatIsCutHasNoMessageAtItsEnd) {
  EXPECT_EQ(MessageAt(R"([{"id":"a)", 3), "");
  EXPECT_EQ(MessageAt(R"([{"id":"a\)", 3), "");
  EXPECT_EQ(MessageAt(R"([["a"]])", 2), "") << "a message is an object";
  EXPECT_EQ(MessageAt("]}", 0), "");
}

}  // namespace
}  // namespace pactdb
