#include "engine/replay.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>

#include "base/try.h"
#include "engine/operation_log.h"
#include "engine/recorder.h"
#include "text/canonical.h"

namespace pactdb {
namespace {

// Gives what the log says was taken. A build that takes more goes on from the last reading; if it
// matters, the bytes will tell.
class LoggedHost final : public Host {
 public:
  void Load(const LogEntry& entry) {
    now_.assign(entry.now.begin(), entry.now.end());
    random_.assign(entry.random.begin(), entry.random.end());
  }
  std::int64_t NowNs() override {
    if (now_.empty()) return last_;
    last_ = now_.front();
    now_.pop_front();
    return last_;
  }
  std::uint32_t RandomBits() override {
    if (random_.empty()) return 0;
    const std::uint32_t bits = random_.front();
    random_.pop_front();
    return bits;
  }

 private:
  std::deque<std::int64_t> now_;
  std::deque<std::uint32_t> random_;
  std::int64_t last_ = 0;
};

constexpr std::size_t kExcerptBefore = 24;
constexpr std::size_t kExcerptBytes = 72;

std::string Excerpt(std::string_view text, std::size_t byte) {
  const std::size_t start = byte < kExcerptBefore ? 0 : byte - kExcerptBefore;
  return std::string(text.substr(std::min(start, text.size()), kExcerptBytes));
}

std::optional<std::size_t> FirstDifference(std::string_view a, std::string_view b) {
  if (a == b) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// Fills in the place, if the two texts differ.
bool CompareTexts(std::string_view what, std::string_view expected, std::string_view found,
                  ReplayDifference& difference) {
  const auto byte = FirstDifference(expected, found);
  if (!byte) return false;
  difference.what = what;
  difference.byte = static_cast<std::int64_t>(*byte);
  difference.expected = Excerpt(expected, *byte);
  difference.found = Excerpt(found, *byte);
  return true;
}

bool CompareThreads(std::string_view expected, std::string_view found,
                    ReplayDifference& difference) {
  if (!CompareTexts("thread", expected, found, difference)) return false;
  const auto byte = static_cast<std::size_t>(*difference.byte);
  difference.node = MessageAt(expected, byte);
  if (difference.node.empty()) difference.node = MessageAt(found, byte);
  return true;
}

// Names the first node that is not as it was; the one of the log where both have one there.
bool CompareTrees(const LoggedState& expected, const LoggedState& found,
                  ReplayDifference& difference) {
  if (expected.tree_sha256 == found.tree_sha256) return false;
  difference.what = "tree";
  difference.expected = expected.tree_sha256;
  difference.found = found.tree_sha256;
  const auto nodes = std::ranges::mismatch(expected.nodes, found.nodes);
  const auto removed = std::ranges::mismatch(expected.removed, found.removed);
  if (nodes.in1 != expected.nodes.end()) {
    difference.node = nodes.in1->id;
  } else if (nodes.in2 != found.nodes.end()) {
    difference.node = nodes.in2->id;
  } else if (removed.in1 != expected.removed.end()) {
    difference.node = *removed.in1;
  } else if (removed.in2 != found.removed.end()) {
    difference.node = *removed.in2;
  }
  return true;
}

bool CompareAnswers(const LoggedAnswer& expected, const LoggedAnswer& found,
                    std::string_view answer, ReplayDifference& difference) {
  if (expected.error != found.error) {
    difference.what = "answer";
    difference.expected = expected.error.empty() ? "ok" : expected.error;
    difference.found = found.error.empty() ? "ok" : found.error;
    return true;
  }
  if (expected.sha256 == found.sha256) return false;
  if (!expected.text.empty()) return CompareTexts("answer", expected.text, answer, difference);
  difference.what = "answer";
  difference.expected = expected.sha256;
  difference.found = found.sha256;
  return true;
}

// True if the new snapshot is of another context, or of another cycle.
bool CompareAddresses(const LoggedState& expected, const LoggedState& found,
                      ReplayDifference& difference) {
  const auto address = [](const LoggedState& state) {
    return state.context + "@c" + std::to_string(state.cycle);
  };
  if (address(expected) == address(found)) return false;
  difference.what = "snapshots";
  difference.expected = address(expected);
  difference.found = address(found);
  return true;
}

class Replayer {
 public:
  // True if the entry came out as it was.
  bool Play(const LogEntry& entry, ReplayReport& report) {
    host_->Load(entry);
    const std::string answer = exec_.Answer(entry.request);
    const std::optional<LoggedState> found = watch_.Look(exec_, entry.request);
    ++report.requests;
    report.snapshots += entry.state ? 1 : 0;
    ReplayDifference difference;
    difference.op = watch_.op();
    if (Differs(entry, found, answer, difference)) {
      report.difference = std::move(difference);
      return false;
    }
    return true;
  }

 private:
  bool Differs(const LogEntry& entry, const std::optional<LoggedState>& found,
               std::string_view answer, ReplayDifference& difference) {
    const LoggedAnswer described = DescribeAnswer(answer, watch_.op());
    if (entry.state.has_value() != found.has_value()) {
      const LoggedState& state = entry.state ? *entry.state : *found;
      difference.context = state.context;
      difference.cycle = state.cycle;
      if (CompareAnswers(entry.answer, described, answer, difference)) return true;
      difference.what = "tree";
      difference.expected = entry.state ? "a snapshot" : "no snapshot";
      difference.found = found ? "a snapshot" : "no snapshot";
      return true;
    }
    if (found) {
      difference.context = found->context;
      difference.cycle = entry.state->cycle;
      if (CompareAddresses(*entry.state, *found, difference)) return true;
      std::string& expected = threads_[found->context];
      expected.resize(std::min(expected.size(), entry.state->kept));
      expected += entry.state->added;
      if (CompareThreads(expected, watch_.thread(found->context), difference) ||
          CompareTrees(*entry.state, *found, difference))
        return true;
    }
    return CompareAnswers(entry.answer, described, answer, difference);
  }

  std::shared_ptr<LoggedHost> host_ = std::make_shared<LoggedHost>();
  Exec exec_{host_};
  StateWatch watch_;
  std::map<std::string, std::string, std::less<>> threads_;  // as the log has them
};

// The threads that a log has of one context, each as its change from the one before.
struct LoggedThreads {
  struct Step {
    std::int64_t line;
    std::int64_t cycle;
    std::size_t kept;
    std::string added;
  };
  std::deque<Step> steps;
  std::string thread;  // after the steps already taken

  void Take() {
    thread.resize(std::min(thread.size(), steps.front().kept));
    thread += steps.front().added;
    steps.pop_front();
  }
};

using ThreadsByContext = std::map<std::string, LoggedThreads, std::less<>>;

Result<ThreadsByContext> ReadThreads(const ByteSource& log, ReplayReport& report) {
  LogReader reader(log);
  PACTDB_TRY_STATUS(reader.Begin());
  ThreadsByContext threads;
  while (true) {
    PACTDB_TRY(std::optional<LogEntry> entry, reader.Next());
    if (!entry) break;
    if (!entry->state) continue;
    threads[entry->state->context].steps.push_back(
        {reader.line(), entry->state->cycle, entry->state->kept, std::move(entry->state->added)});
  }
  report.is_complete = reader.is_complete();
  return threads;
}

// True if the new snapshot's thread is the next one of the log.
bool IsNext(const LoggedState& found, const std::string& thread, ThreadsByContext& threads,
            ReplayDifference& difference) {
  LoggedThreads& logged = threads[found.context];
  difference.context = found.context;
  difference.cycle = found.cycle;
  if (logged.steps.empty()) {
    difference.what = "snapshots";
    difference.expected = "no more snapshots";
    difference.found = "a snapshot";
    return false;
  }
  difference.line = logged.steps.front().line;
  difference.cycle = logged.steps.front().cycle;
  logged.Take();
  return !CompareThreads(logged.thread, thread, difference);
}

}  // namespace

Result<ReplayReport> ReplayRequests(const ByteSource& log, const ByteSource& requests) {
  ReplayReport report;
  PACTDB_TRY(ThreadsByContext threads, ReadThreads(log, report));
  Exec exec;
  StateWatch watch;
  LineSource lines(requests);
  while (true) {
    PACTDB_TRY(const bool has_line, lines.Next());
    if (!has_line) break;
    [[maybe_unused]] const std::string answer = exec.Answer(lines.line());
    ++report.requests;
    const auto found = watch.Look(exec, lines.line());
    if (!found) continue;
    ++report.snapshots;
    ReplayDifference difference;
    difference.op = watch.op();
    if (IsNext(*found, watch.thread(found->context), threads, difference)) continue;
    report.difference = std::move(difference);
    return report;
  }
  for (const auto& [context, logged] : threads) {
    if (logged.steps.empty()) continue;
    report.difference = ReplayDifference{.line = logged.steps.front().line,
                                         .op = "",
                                         .context = context,
                                         .cycle = logged.steps.front().cycle,
                                         .what = "snapshots",
                                         .byte = std::nullopt,
                                         .node = "",
                                         .expected = "a snapshot",
                                         .found = "no more snapshots"};
    break;
  }
  return report;
}

std::string MessageAt(std::string_view thread, std::size_t byte) {
  std::size_t depth = 0;
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t start = kNone;  // of the message that ends behind the byte
  for (std::size_t at = 0; at < thread.size() && !(at >= byte && depth >= 2); ++at) {
    const char c = thread[at];
    if (c == '"') {
      for (++at; at < thread.size() && thread[at] != '"'; ++at) at += thread[at] == '\\' ? 1 : 0;
    } else if (c == '{' || c == '[') {
      if (++depth == 2) start = at;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
      if (depth != 1) continue;
      if (at >= byte) break;
      start = kNone;
    }
  }
  constexpr std::string_view kIdKey = "{\"id\":";
  if (start == kNone || thread.substr(start, kIdKey.size()) != kIdKey) return {};
  const std::size_t open = start + kIdKey.size();
  std::size_t close = open + 1;
  while (close < thread.size() && thread[close] != '"') close += thread[close] == '\\' ? 2 : 1;
  if (close >= thread.size()) return {};
  return DecodeJsonString(thread.substr(open, close + 1 - open));
}

Result<ReplayReport> Replay(const ByteSource& log) {
  LogReader reader(log);
  PACTDB_TRY_STATUS(reader.Begin());
  Replayer replayer;
  ReplayReport report;
  while (true) {
    PACTDB_TRY(const std::optional<LogEntry> entry, reader.Next());
    if (!entry) break;
    if (replayer.Play(*entry, report)) continue;
    report.difference->line = reader.line();
    return report;
  }
  report.is_complete = reader.is_complete();
  return report;
}

}  // namespace pactdb
